import { ApiError } from '../../lib/apiError.ts'
import { isUuid } from '../../lib/uuid.ts'
import { booleanParam, integerParam } from '../request.ts'
import { type Handler, type RouteRequest, route } from '../route.ts'

const DEFAULT_LIMIT = 100
const MAX_LIMIT = 1_000
const MAX_OFFSET = 999_999_999

const personId = ({ params }: RouteRequest): string => {
  if (!isUuid(params.id))
    throw new ApiError('not_found', {
      detail: 'A person\'s id is a UUID. To find a person by distinct id, use "?distinct_id=".',
    })
  return params.id.toLowerCase()
}

const list: Handler = async ({ persons }, request) => {
  const { projectId, query } = request
  const limit = integerParam(request, 'limit', { min: 1, max: MAX_LIMIT }) ?? DEFAULT_LIMIT
  const offset = integerParam(request, 'offset', { min: 0, max: MAX_OFFSET }) ?? 0
  const found = await persons.list(projectId, { limit: limit + 1, offset, distinctId: query.distinct_id })
  const next =
    found.length > limit ? `/api/projects/${projectId}/persons/?limit=${limit}&offset=${offset + limit}` : null
  return { body: { results: found.slice(0, limit), next } }
}

const PERSONS = '/api/projects/:projectId/persons'

export const PERSON_ROUTES = [
  route({
    method: 'GET',
    path: PERSONS,
    access: 'person:read',
    summary: 'List persons, last seen first. "distinct_id" finds one person. Paged by "limit" and "offset"',
    handler: list,
  }),
  route({
    method: 'GET',
    path: `${PERSONS}/:id`,
    access: 'person:read',
    handler: async ({ persons }, request) => ({ body: await persons.get(request.projectId, personId(request)) }),
  }),
  route({
    method: 'DELETE',
    path: `${PERSONS}/:id`,
    access: 'person:write',
    summary: 'Delete a person and, with "delete_events=true", their events. Responds once they are deleted',
    handler: async ({ erase }, request) => {
      const withEvents = booleanParam(request, 'delete_events') ?? false
      await erase({ projectId: request.projectId, id: personId(request), withEvents })
      return { status: 204 }
    },
  }),
]
