import type { Feature as Row } from '../../client/feature'
import { METHODS } from '../../client/features/methods'
import { createAnalytics as create } from '../../client/instances'
import { missingParts } from '../../client/missingParts'
import type { Analytics } from '../../client/publicApi'
import { STAND_INS } from '../../client/standIns'
import { createWithoutPage } from '../../client/withoutPage'
import type { Extension, ExtensionName } from '../../extensions/contract'
import type { Feature } from '../types'

/**
 * Creates an `analytics` object with these features and no others. Importing and creating have no side effects; `init`
 * starts it. Methods and options of other features do nothing, and one console line names the import to add.
 * @example const analytics = createAnalytics({ features: [pageviews, flags] })
 */
export const createAnalytics = ({ features }: { features: readonly Feature[] }): Analytics => {
  const isLast = ({ name }: Feature) => Number(name === 'people')
  // Remembers what is set of a person after flags have stored it.
  const rows = [...features].sort((a, b) => isLast(a) - isLast(b)) as readonly Row[]
  const load = async (name: ExtensionName): Promise<Extension> => {
    if (name === 'requests') return import('../../extensions/requests/requests')
    const contained = rows.find((each) => each.contains?.[name])?.contains![name]
    if (contained) return contained
    const row = rows.find((each) => each.name === name || each.imports?.[name])!
    return (row.imports?.[name] ?? row.importExtension!)()
  }
  const workers = rows.find((each) => each.openWorkerStorage)
  const flags = rows.find((each) => each.onServer)
  const withoutPage = createWithoutPage(workers?.openWorkerStorage, flags?.onServer)
  return create({
    features: rows,
    methods: METHODS,
    standIns: STAND_INS,
    makeLoad: () => load,
    withoutPage,
    missing: missingParts(rows),
  })
}

export type * from '../types'
