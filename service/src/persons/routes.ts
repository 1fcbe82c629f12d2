import type { Persons } from './lookup.ts'
import { Type } from '@sinclair/typebox'
import { orElse } from '../http/query.ts'
import { invalidInput } from '../http/request.ts'
import { type Handler, routesWith } from '../http/route.ts'
import { orNull } from '../http/schemas.ts'
import { PAGE } from '../http/lists.ts'
import { PERSONS, personId } from '../http/personId.ts'

/** What the routes use. */
export interface PersonParts {
  readonly persons: Persons
}

const route = routesWith<PersonParts>()

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

const LIST = {
  distinct_id: Type.String(),
  search: Type.String({
    maxLength: MAX_SEARCH,
    description: 'The beginning of a distinct id, or a part of the email or name, in any case',
  }),
  limit: PAGE.limit,
  offset: orElse(Type.Integer({ minimum: 0, maximum: MAX_OFFSET }), 0),
}

const list: Handler<PersonParts, undefined, typeof LIST> = async (
  { persons },
  { projectId, query, values, signal },
) => {
  const { search, limit, offset } = values
  // As it was sent: an empty id finds nobody.
  const distinctId = query.distinct_id
  if (search !== undefined && distinctId !== undefined)
    throw invalidInput('search', 'Pass either "search" or "distinct_id", which finds one person by an exact id.')
  const found = await persons.list(projectId, { limit: limit + 1, offset, distinctId, search }, signal)
  const following = new URLSearchParams({
    ...(search === undefined ? {} : { search }),
    limit: String(limit),
    offset: String(offset + limit),
  })
  const next = found.length > limit ? `/api/projects/${projectId}/persons/?${following.toString()}` : null
  return { body: { results: found.slice(0, limit), next } }
}

export const PERSON_ROUTES = [
  route({
    method: 'GET',
    path: PERSONS,
    access: 'person:read',
    summary:
      'List persons, newest first, with the beginning of long values. "distinct_id" finds one person. Paged by "limit" and "offset"',
    query: LIST,
    response: Type.Object({ results: Type.Array(PERSON), next: orNull(Type.String()) }),
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
    path: `${PERSONS}/:id/merges`,
    access: 'person:read',
    summary: 'List the merges of the ids of a person, newest first',
    query: { limit: orElse(Type.Integer({ minimum: 1, maximum: MAX_MERGES }), 100) },
    response: Type.Object({ results: Type.Array(MERGE) }),
    handler: async ({ persons }, request) => {
      const { limit } = request.values
      return { body: { results: await persons.merges(request.projectId, personId(request), limit, request.signal) } }
    },
  }),
]
