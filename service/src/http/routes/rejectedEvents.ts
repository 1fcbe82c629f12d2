import { Type } from '@sinclair/typebox'
import { REJECTION_MESSAGES } from '../../ingest/read.ts'
import { isUuid } from '../../lib/uuid.ts'
import { integerParam, invalidInput } from '../request.ts'
import { type Handler, route } from '../route.ts'
import { oneOf, orNull, TIME } from '../schemas.ts'

const DEFAULT_LIMIT = 100
const MAX_LIMIT = 1_000

const CODE = oneOf(Object.keys(REJECTION_MESSAGES))
const REJECTED_EVENT = Type.Object({
  id: Type.String(),
  refused_at: TIME,
  code: CODE,
  detail: Type.String(),
  /** Fields of the rejected event. Empty: missing or invalid. */
  event: Type.String(),
  distinct_id: Type.String(),
  uuid: Type.String(),
  /** The beginning of the event, as JSON. */
  sample: Type.String(),
})

const list: Handler = async ({ rejectedEvents }, request) => {
  const { projectId, query } = request
  const limit = integerParam(request, 'limit', { min: 1, max: MAX_LIMIT }) ?? DEFAULT_LIMIT
  const { before, code } = query
  if (before !== undefined && !isUuid(before))
    throw invalidInput('before', '"before" must be the id of a rejected event, such as the value of "next".')
  if (code !== undefined && !Object.hasOwn(REJECTION_MESSAGES, code))
    throw invalidInput('code', `"code" must be one of ${Object.keys(REJECTION_MESSAGES).join(', ')}.`)
  const found = await rejectedEvents.list(projectId, { limit: limit + 1, before, code }, request.signal)
  const results = found.slice(0, limit)
  return { body: { results, next: found.length > limit ? results.at(-1)!.id : null } }
}

/** Events that were rejected individually, with the reason. Kept for a month. */
export const REJECTED_EVENT_ROUTES = [
  route({
    method: 'GET',
    path: '/api/projects/:projectId/refused_events',
    access: 'refused_event:read',
    summary: 'List rejected events, newest first. Paged by "before", which is the value of "next"',
    query: { limit: Type.Integer({ minimum: 1, maximum: MAX_LIMIT }), before: Type.String(), code: CODE },
    response: Type.Object({ results: Type.Array(REJECTED_EVENT), next: orNull(Type.String()) }),
    handler: list,
  }),
]
