import type { Config } from '../config.ts'
import { createDefinitions } from '../events/definitions.ts'
import { createEvents } from '../events/list.ts'
import { createLive } from '../events/live.ts'
import { createMinuteCache } from '../events/minuteCache.ts'
import type { Dependencies } from '../http/route.ts'
import { createAsk } from '../persons/ask.ts'
import type { Persons } from '../persons/lookup.ts'
import type { EngineGate } from '../storage/gate.ts'
import type { Metadata } from '../storage/metadata/metadata.ts'

const MAX_SECONDS = 20
const MAX_CACHED = 1_000
// Longer than a batch takes to reach all shards.
const SETTLE_MS = 1_000

interface EventsOptions {
  readonly config: Config
  readonly gate: EngineGate
  readonly metadata: Metadata
  readonly persons: Persons
}

interface ConnectedEvents {
  /** Drops cached names and values of a project. */
  readonly forgetDefinitions: (projectId: number) => void
  /** What the routes of events call. */
  readonly dependencies: Pick<Dependencies, 'events' | 'live' | 'definitions'>
}

/** Connects what people read of events with the engine. */
export const connectEvents = ({ config, gate, metadata, persons }: EventsOptions): ConnectedEvents => {
  const ask = createAsk(gate.runs, MAX_SECONDS)
  const cache = createMinuteCache(MAX_CACHED)
  return {
    forgetDefinitions: cache.forget,
    dependencies: {
      events: createEvents({ ask, persons, projects: metadata.projects }),
      // Only the embedded engine has a single writer and a single server for certain.
      live: createLive({ ask, settleMs: config.clickhouseUrl ? SETTLE_MS : 0 }),
      definitions: createDefinitions({ ask, cache }),
    },
  }
}
