import type { RejectedEvents } from '../rejectedEvents.ts'
import { Type } from '@sinclair/typebox'
import { PAGE } from '../../http/lists.ts'
import { explained } from '../../http/query.ts'
import { routesWith } from '../../http/route.ts'
import { oneOf, orNull, TIME } from '../../http/schemas.ts'

/** What the routes use. */
export interface RejectedEventParts {
  readonly rejectedEvents: Pick<RejectedEvents, 'list'>
}

const route = routesWith<RejectedEventParts>()

const REJECTED_EVENT_FIELDS = {
  id: Type.String(),
  refused_at: TIME,
  detail: Type.String(),
  /** Fields of the rejected event. Empty: missing or invalid. */
  event: Type.String(),
  distinct_id: Type.String(),
  uuid: Type.String(),
  /** The beginning of the event, as JSON. */
  sample: Type.String(),
}

const BEFORE = explained(
  Type.String({ format: 'uuid' }),
  '"before" must be the id of a rejected event, such as the value of "next".',
)

/** Returns the routes of events that were rejected individually, with the reason. Kept for a month. */
export const rejectedEventRoutes = (codes: readonly string[]) => [
  route({
    method: 'GET',
    path: '/api/projects/:projectId/refused_events',
    access: 'refused_event:read',
    summary: 'List rejected events, newest first. Paged by "before", which is the value of "next"',
    query: { limit: PAGE.limit, before: BEFORE, code: oneOf(codes) },
    response: Type.Object({
      results: Type.Array(Type.Object({ ...REJECTED_EVENT_FIELDS, code: oneOf(codes) })),
      next: orNull(Type.String()),
    }),
    handler: async ({ rejectedEvents }, { projectId, values: { limit, before, code }, signal }) => {
      const found = await rejectedEvents.list(projectId, { limit: limit + 1, before, code }, signal)
      const results = found.slice(0, limit)
      return { body: { results, next: found.length > limit ? results.at(-1)!.id : null } }
    },
  }),
]
