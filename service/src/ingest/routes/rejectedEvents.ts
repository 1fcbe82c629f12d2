import type { RejectedEvents } from '../rejectedEvents.ts'
import { Type } from '@sinclair/typebox'
import { isUuid } from '../../lib/uuid.ts'
import { integerParam, invalidInput } from '../../http/request.ts'
import { type Handler, routesWith } from '../../http/route.ts'
import { oneOf, orNull, TIME } from '../../http/schemas.ts'

/** What the routes use. */
export interface RejectedEventParts {
  readonly rejectedEvents: Pick<RejectedEvents, 'list'>
  /** Codes of rejections. */
  readonly codes: readonly string[]
}

const route = routesWith<RejectedEventParts>()

const DEFAULT_LIMIT = 100
const MAX_LIMIT = 1_000

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

const list: Handler<RejectedEventParts> = async ({ rejectedEvents, codes }, request) => {
  const { projectId, query } = request
  const limit = integerParam(request, 'limit', { min: 1, max: MAX_LIMIT }) ?? DEFAULT_LIMIT
  const { before, code } = query
  if (before !== undefined && !isUuid(before))
    throw invalidInput('before', '"before" must be the id of a rejected event, such as the value of "next".')
  if (code !== undefined && !codes.includes(code))
    throw invalidInput('code', `"code" must be one of ${codes.join(', ')}.`)
  const found = await rejectedEvents.list(projectId, { limit: limit + 1, before, code }, request.signal)
  const results = found.slice(0, limit)
  return { body: { results, next: found.length > limit ? results.at(-1)!.id : null } }
}

/** Returns the routes of events that were rejected individually, with the reason. Kept for a month. */
export const rejectedEventRoutes = (codes: readonly string[]) => [
  route({
    method: 'GET',
    path: '/api/projects/:projectId/refused_events',
    access: 'refused_event:read',
    summary: 'List rejected events, newest first. Paged by "before", which is the value of "next"',
    query: { limit: Type.Integer({ minimum: 1, maximum: MAX_LIMIT }), before: Type.String(), code: oneOf(codes) },
    response: Type.Object({
      results: Type.Array(Type.Object({ ...REJECTED_EVENT_FIELDS, code: oneOf(codes) })),
      next: orNull(Type.String()),
    }),
    handler: list,
  }),
]
