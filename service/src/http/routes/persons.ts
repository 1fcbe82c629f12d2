import { type Static, Type } from '@sinclair/typebox'
import { pageOf, TIMELINE_EVENT } from '../../events/views.ts'
import { ApiError } from '../../lib/apiError.ts'
import { isUuid } from '../../lib/uuid.ts'
import { booleanParam, integerParam, invalidInput } from '../request.ts'
import { type Handler, type RouteRequest, route } from '../route.ts'
import { EVENT_NAMES, eventNames, PAGE } from './events.ts'

const DEFAULT_LIMIT = 100
const MAX_LIMIT = 1_000
const MAX_OFFSET = 999_999_999
const MAX_MERGES = 10_000
const MAX_SEARCH = 200

const PERSON = Type.Object({
  id: Type.String({ description: '`person.id` in queries' }),
  distinct_ids: Type.Array(Type.String()),
  properties: Type.Record(Type.String(), Type.Unknown()),
  is_identified: Type.Boolean(),
  created_at: Type.String({ description: 'When the person was first seen. ISO 8601, UTC' }),
  is_truncated: Type.Boolean({
    description:
      'Whether long values are shortened, or properties or ids left out. In a list: read the person alone. Of one person: query `person.properties`',
  }),
})

const MERGE = Type.Object({
  at: Type.String({ description: 'Timestamp of the event. ISO 8601, UTC' }),
  kind: Type.Union(['identify', 'alias', 'merge'].map((kind) => Type.Literal(kind))),
  from: Type.String(),
  into: Type.String(),
  event_uuid: Type.String({ description: 'The event that stated it' }),
  is_applied: Type.Boolean({ description: 'Whether both ids belong to this person today' }),
})

const Nullable = <Schema extends Parameters<typeof Type.Union>[0][number]>(schema: Schema) =>
  Type.Union([schema, Type.Null()])

const FLAG = Type.Object({
  key: Type.String(),
  enabled: Type.Boolean(),
  variant: Nullable(Type.String()),
  reason: Type.Object({
    code: Type.String(),
    condition_index: Nullable(Type.Integer()),
    description: Type.String(),
  }),
  metadata: Type.Object({
    id: Type.Integer(),
    version: Type.Integer(),
    description: Nullable(Type.String()),
    payload: Nullable(Type.String()),
  }),
  failed: Type.Optional(Type.Literal(true)),
})

const personId = ({ params }: RouteRequest): string => {
  if (!isUuid(params.id))
    throw new ApiError('not_found', {
      detail: 'A person\'s id is a UUID. To find a person by distinct id, use "?distinct_id=".',
    })
  return params.id.toLowerCase()
}

const searchOf = ({ query: { search, distinct_id } }: RouteRequest): string | undefined => {
  if (search === undefined || search === '') return undefined
  if (distinct_id !== undefined)
    throw invalidInput('search', 'Pass either "search" or "distinct_id", which finds one person by an exact id.')
  if (search.length <= MAX_SEARCH) return search
  throw invalidInput('search', `"search" may have at most ${MAX_SEARCH} characters.`)
}

const list: Handler = async ({ persons }, request) => {
  const { projectId, query } = request
  const limit = integerParam(request, 'limit', { min: 1, max: MAX_LIMIT }) ?? DEFAULT_LIMIT
  const offset = integerParam(request, 'offset', { min: 0, max: MAX_OFFSET }) ?? 0
  const search = searchOf(request)
  const found = await persons.list(
    projectId,
    { limit: limit + 1, offset, distinctId: query.distinct_id, search },
    request.signal,
  )
  const following = new URLSearchParams({
    ...(search === undefined ? {} : { search }),
    limit: String(limit),
    offset: String(offset + limit),
  })
  const next = found.length > limit ? `/api/projects/${projectId}/persons/?${following.toString()}` : null
  return { body: { results: found.slice(0, limit), next } }
}

const listEvents: Handler = async ({ events }, request) => ({
  body: await events.ofPerson(request.projectId, personId(request), {
    limit: integerParam(request, 'limit', { min: 1, max: MAX_LIMIT }) ?? DEFAULT_LIMIT,
    cursor: request.query.cursor,
    events: eventNames(request),
    signal: request.signal,
  }),
})

const evaluateFlags: Handler = async ({ persons, handleFlags }, request) => {
  const { projectId, query, receivedAt, signal } = request
  const id = personId(request)
  if (
    query.distinct_id !== undefined &&
    !(await persons.distinctIds(projectId, id, signal)).includes(query.distinct_id)
  )
    throw invalidInput('distinct_id', '"distinct_id" must be an id of this person. Omit it for the main id.')
  const distinctId = query.distinct_id ?? (await persons.mainId(projectId, id, signal))
  const { flags } = await handleFlags({
    // The token is only a part of remote config.
    project: { id: projectId, token: '' },
    request: { distinct_id: distinctId },
    withConfig: false,
    version: 2,
    receivedAt,
    signal,
  })
  const results: readonly Static<typeof FLAG>[] = Object.values(flags)
  return { body: { distinct_id: distinctId, results } }
}

const PERSONS = '/api/projects/:projectId/persons'

export const PERSON_ROUTES = [
  route({
    method: 'GET',
    path: PERSONS,
    access: 'person:read',
    summary:
      'List persons, newest first, with the beginning of long values. "distinct_id" finds one person. Paged by "limit" and "offset"',
    query: {
      distinct_id: Type.String(),
      search: Type.String({
        maxLength: MAX_SEARCH,
        description: 'The beginning of a distinct id, or a part of the email or name, in any case',
      }),
      limit: Type.Integer({ minimum: 1, maximum: MAX_LIMIT, default: DEFAULT_LIMIT }),
      offset: Type.Integer({ minimum: 0, maximum: MAX_OFFSET, default: 0 }),
    },
    response: pageOf(PERSON),
    handler: list,
  }),
  route({
    method: 'GET',
    path: `${PERSONS}/:id`,
    access: 'person:read',
    summary: 'Get a person',
    response: PERSON,
    handler: async ({ persons }, request) => ({
      body: await persons.get(request.projectId, personId(request), request.signal),
    }),
  }),
  route({
    method: 'GET',
    path: `${PERSONS}/:id/events`,
    access: 'person:read',
    summary: 'List the events of a person, newest first. Paged by "cursor", which is the value of "next"',
    query: { event: EVENT_NAMES, ...PAGE },
    response: pageOf(TIMELINE_EVENT),
    handler: listEvents,
  }),
  route({
    method: 'GET',
    path: `${PERSONS}/:id/merges`,
    access: 'person:read',
    summary: 'List the merges of the ids of a person, newest first',
    query: { limit: Type.Integer({ minimum: 1, maximum: MAX_MERGES, default: DEFAULT_LIMIT }) },
    response: Type.Object({ results: Type.Array(MERGE) }),
    handler: async ({ persons }, request) => {
      const limit = integerParam(request, 'limit', { min: 1, max: MAX_MERGES }) ?? DEFAULT_LIMIT
      return { body: { results: await persons.merges(request.projectId, personId(request), limit, request.signal) } }
    },
  }),
  route({
    method: 'GET',
    path: `${PERSONS}/:id/flags`,
    access: 'person:read',
    summary: 'Evaluate the active feature flags for a person with the stored properties',
    query: { distinct_id: Type.String({ description: 'An id of the person. Default: the main id' }) },
    response: Type.Object({ distinct_id: Type.String(), results: Type.Array(FLAG) }),
    handler: evaluateFlags,
  }),
  route({
    method: 'DELETE',
    path: `${PERSONS}/:id`,
    access: 'person:write',
    summary: 'Delete a person and, with "delete_events=true", their events. Responds once they are deleted',
    query: { delete_events: Type.Boolean({ default: false }) },
    handler: async ({ erase }, request) => {
      const withEvents = booleanParam(request, 'delete_events') ?? false
      await erase({ projectId: request.projectId, id: personId(request), withEvents })
      return { status: 204 }
    },
  }),
]
