import type { Metadata } from '../../../storage/metadata/metadata.ts'
import { SMALL_READ, type Storage } from '../../../storage/storage.ts'
import { stateOf } from './state.ts'
import type { Tables } from './tables.ts'

export interface SweepOptions {
  readonly metadata: Pick<Metadata, 'materializations'>
  readonly storage: Pick<Storage, 'rows'>
  readonly tables: Pick<Tables, 'drop'>
  /** Time that a replaced table or layer is kept, because runs may still be reading it. */
  readonly graceMs: number
  readonly now: () => number
}

const EXISTING = `SELECT name AS table, NULL AS layer FROM system.tables WHERE database = 'db' AND startsWith(name, 'rollup_')
  UNION ALL SELECT DISTINCT table, partition FROM system.parts WHERE database = 'db' AND startsWith(table, 'rollup_') AND active`

const keyOf = (table: string, layer: string | number | null = null): string => JSON.stringify([table, Number(layer)])

/** Returns a function that drops the tables and layers that no process uses. */
export const createSweep = ({ metadata, storage, tables, graceMs, now }: SweepOptions): (() => Promise<void>) => {
  /** Unused tables and layers, with the time they were first seen unused. */
  let unused: ReadonlyMap<string, number> = new Map()

  const used = async (): Promise<ReadonlySet<string>> => {
    const states = (await metadata.materializations.all()).map(({ version }) => stateOf(version)!)
    return new Set(
      states.flatMap(({ inUse, stale, claim }) => [
        ...[inUse, stale?.table].flatMap((each) =>
          each ? [keyOf(each.table), ...each.layers.map(({ id }) => keyOf(each.table, id))] : [],
        ),
        ...(claim ? [keyOf(claim.table), keyOf(claim.table, claim.layer)] : []),
      ]),
    )
  }

  return async () => {
    // List the tables before the names in use: a name is claimed before its table is created.
    const existing = await storage.rows<{ table: string; layer: string | null }>({ text: EXISTING }, SMALL_READ)
    const names = await used()
    const found = existing.filter(({ table, layer }) => !names.has(keyOf(table, layer)))
    unused = new Map(found.map(({ table, layer }) => [keyOf(table, layer), unused.get(keyOf(table, layer)) ?? now()]))
    for (const { table, layer } of found) {
      if (now() - unused.get(keyOf(table, layer))! < graceMs) continue
      if (layer === null) await tables.drop(table)
      else if (names.has(keyOf(table))) await tables.drop(table, Number(layer))
    }
  }
}
