import type { Module } from '../module.ts'
import { eventTools } from './agentTools.ts'
import { PEOPLE } from '../persons/module.ts'
import { createDefinitions } from './definitions.ts'
import { createEvents } from './list.ts'
import { createLive } from './live.ts'
import { createMinuteCache, type MinuteCache } from './minuteCache.ts'
import { EVENT_ROUTES, type EventParts } from './routes.ts'

const MAX_CACHED = 1_000
// Longer than a batch takes to reach all shards.
const MIN_AGE_MS = 1_000

/** Readers of events for the console and the API. */
export const EVENTS: Module<EventParts & { readonly cache: MinuteCache }> = {
  create({ config, queryRows, metadata, rejections, use }) {
    const cache = createMinuteCache(MAX_CACHED)
    return {
      cache,
      events: createEvents({ queryRows, persons: use(PEOPLE).persons, projects: metadata.projects }),
      // Only the embedded engine is certain to have a single writer and a single server.
      live: createLive({ queryRows, rejections, minAgeMs: config.clickhouseUrl ? MIN_AGE_MS : 0 }),
      definitions: createDefinitions({ queryRows, cache }),
    }
  },
  routes: EVENT_ROUTES,
  agentTools: eventTools,
  eraser: ({ cache }) => ({ onErased: async (projectId) => cache.forget(projectId) }),
}
