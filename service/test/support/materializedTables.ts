import { stateOf } from '../../src/endpoints/materialization/tables/state.ts'
import { openMetadata } from '../../src/storage/metadata/metadata.ts'
import { api } from './api.ts'

/** Returns the names of the tables of materialized endpoints, in order. `ask` runs SQL on the engine. */
export const materializedTables = async (ask: (sql: string) => Promise<readonly (readonly unknown[])[]>) => {
  const rows = await ask("SELECT name FROM system.tables WHERE database = 'db' AND startsWith(name, 'rollup_')")
  return [...new Set(rows.map(([name]) => String(name)))].sort()
}

/**
 * Returns the name of the table in use of an endpoint with one version. Without a run, because a run may be compared with a
 * live one later. `location`: file or URL of the metadata store.
 */
export const materializedTableOf = async (service: Parameters<typeof api>[0], location: string, name: string) => {
  const { id } = (await api(service, 'GET', `/endpoints/${name}/`)).body
  const metadata = await openMetadata(location)
  try {
    const all = await metadata.materializations.all()
    return stateOf(all.find(({ endpointId }) => endpointId === id)!.version)!.inUse!.table
  } finally {
    await metadata.close()
  }
}
