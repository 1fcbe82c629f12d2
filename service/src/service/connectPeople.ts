import type { Config } from '../config.ts'
import type { Epochs } from '../endpoints/epochs.ts'
import type { OwnerChanges } from '../endpoints/ownerChanges.ts'
import type { Materializations } from '../endpoints/materialization/materializations.ts'
import { createDefinitions } from '../events/definitions.ts'
import { createEvents } from '../events/list.ts'
import { createLive } from '../events/live.ts'
import { createHeatmaps } from '../heatmaps/heatmaps.ts'
import { createMinuteCache } from '../events/minuteCache.ts'
import type { Dependencies } from '../http/route.ts'
import { createQueryRows } from '../persons/queryRows.ts'
import { createErase } from '../persons/erase.ts'
import { createPersons } from '../persons/lookup.ts'
import type { EngineGate } from '../storage/gate.ts'
import type { Metadata } from '../storage/metadata/metadata.ts'

const MAX_SECONDS = 20
const MAX_CACHED = 1_000
// Longer than a batch takes to reach all shards.
const SETTLE_MS = 1_000

interface PeopleOptions {
  readonly config: Config
  readonly gate: EngineGate
  readonly metadata: Metadata
  readonly epochs: Pick<Epochs, 'advanceByErasure'>
  readonly owners: Pick<OwnerChanges, 'advanceByErasure'>
  readonly materializations: Pick<Materializations, 'invalidate'>
  /** Makes the writer forget a person. */
  readonly forgetPerson: Parameters<typeof createErase>[0]['forget']
  /** Deletes the recordings of a person. */
  readonly forgetRecordings: Parameters<typeof createErase>[0]['forgetRecordings']
}

/** Connects lookups and the erasure of persons, and what people read of events, with the engine. */
export const connectPeople = ({
  config,
  gate,
  metadata,
  epochs,
  owners,
  materializations,
  forgetPerson,
  forgetRecordings,
}: PeopleOptions): Pick<Dependencies, 'persons' | 'erase' | 'events' | 'live' | 'definitions' | 'heatmaps'> => {
  const queryRows = createQueryRows(gate.runs, MAX_SECONDS)
  const cache = createMinuteCache(MAX_CACHED)
  const persons = createPersons(gate.runs)
  return {
    persons,
    erase: createErase({
      storage: gate.background,
      persons,
      forget: forgetPerson,
      forgetRecordings,
      async onErased(projectId) {
        cache.forget(projectId)
        await owners.advanceByErasure(projectId)
        await epochs.advanceByErasure(projectId)
        await materializations.invalidate(projectId)
      },
    }),
    events: createEvents({ queryRows, persons, projects: metadata.projects }),
    // Only the embedded engine has a single writer and a single server for certain.
    live: createLive({ queryRows, settleMs: config.clickhouseUrl ? SETTLE_MS : 0 }),
    definitions: createDefinitions({ queryRows, cache }),
    heatmaps: createHeatmaps({ queryRows, projects: metadata.projects }),
  }
}
