import { EVENT_FAULTS } from '../ingest/read.ts'
import { Refusal } from '../lib/refusal.ts'
import { isUuid } from '../lib/uuid.ts'
import type { Call, Route } from './route.ts'

const DEFAULT_LIMIT = 100
const MAX_LIMIT = 1_000

const limitOf = ({ query: { limit = String(DEFAULT_LIMIT) } }: Call): number => {
  if (!/^\d{1,6}$/.test(limit) || Number(limit) < 1 || Number(limit) > MAX_LIMIT)
    throw new Refusal('invalid_input', { attr: 'limit', detail: `"limit" is a whole number from 1 to ${MAX_LIMIT}.` })
  return Number(limit)
}

/** Events that were refused one by one, with the reason: newest first, kept for a month. */
export const REFUSED_ROUTES: readonly Route[] = [
  {
    method: 'GET',
    path: '/api/projects/:projectId/refused_events',
    access: 'refused_event:read',
    summary: 'Refused events, newest first; "before" is the id that "next" gives',
    handler: async ({ refusedEvents }, call) => {
      const { projectId, query } = call
      const limit = limitOf(call)
      const { before, code } = query
      if (before !== undefined && !isUuid(before))
        throw new Refusal('invalid_input', {
          attr: 'before',
          detail: '"before" is the id of a refused event, such as "next" gives.',
        })
      if (code !== undefined && !Object.hasOwn(EVENT_FAULTS, code))
        throw new Refusal('invalid_input', {
          attr: 'code',
          detail: `"code" is one of ${Object.keys(EVENT_FAULTS).join(', ')}.`,
        })
      const found = await refusedEvents.list(projectId, { limit: limit + 1, before, code })
      const results = found.slice(0, limit)
      return { body: { results, next: found.length > limit ? results.at(-1)!.id : null } }
    },
  },
]
