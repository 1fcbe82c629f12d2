import { Refusal } from '../../lib/refusal.ts'
import type { Materializations } from './materializations.ts'

const CODE = 'several_processes'
const MESSAGE = 'Where several processes share the events and the definitions, nothing is materialized: every run is live'
const FIX = 'Leave "is_materialized" out; runs with the same values are kept for "data_freshness_seconds", or until an event comes'

/**
 * Stands in for `createMaterializations` where other processes may change, drop or build the same tables, of which one process
 * would know nothing. What a single process once stored is left alone.
 */
export const createLiveOnly = (): Materializations => {
  const view: Materializations['view'] = async (_projectId, endpoint, { version }) => ({
    name: `${endpoint.name}_v${version}`,
    enabled: false,
    ready: false,
    can_materialize: false,
    reason: MESSAGE,
    obstacles: [{ code: CODE, message: MESSAGE, fix: FIX }],
  })
  const nothing = async () => {}
  return {
    check: async () => new Refusal('not_materializable', { code: CODE, detail: `${MESSAGE}. ${FIX}.`, attr: 'is_materialized' }),
    enable: nothing,
    disable: nothing,
    isEnabled: () => false,
    takesDates: () => false,
    view,
    preview: view,
    stored: () => undefined,
    turnOff: nothing,
    invalidate: nothing,
    refresh: nothing,
    settled: nothing,
    close: nothing,
  }
}
