import { Type } from '@sinclair/typebox'
import {
  EVENT_DEFINITIONS,
  EVENT_VIEW,
  LIVE_EVENTS,
  pageOf,
  PROPERTY_DEFINITIONS,
  PROPERTY_VALUES,
} from '../../events/views.ts'
import { ApiError } from '../../lib/apiError.ts'
import { isUuid } from '../../lib/uuid.ts'
import { integerParam, invalidInput, textParam } from '../request.ts'
import { type Handler, type RouteRequest, route } from '../route.ts'

const DEFAULT_LIMIT = 100
const MAX_LIMIT = 1_000
const MAX_EVENT_NAMES = 50
const MAX_FILTERS = 20_000

/** Query parameters of paged lists. */
export const PAGE = {
  limit: Type.Integer({ minimum: 1, maximum: MAX_LIMIT, default: DEFAULT_LIMIT }),
  cursor: Type.String({ description: 'The value of "next" of the previous page' }),
}

export const EVENT_NAMES = Type.Array(Type.String(), {
  maxItems: MAX_EVENT_NAMES,
  description: 'Names of events. Repeat the parameter for several',
})

/** Returns the names in the query parameter `event`. Empty: all events. Throws `ApiError`. */
export const eventNames = ({ queryAll }: Pick<RouteRequest, 'queryAll'>): readonly string[] => {
  const names = queryAll('event').filter((name) => name !== '')
  if (names.length > MAX_EVENT_NAMES) throw invalidInput('event', `Pass "event" at most ${MAX_EVENT_NAMES} times.`)
  return names
}

const list: Handler = async ({ events }, request) => {
  const personId = textParam(request, 'person_id')
  if (personId !== undefined && !isUuid(personId))
    throw invalidInput('person_id', '"person_id" must be the id of a person, which is a UUID.')
  return {
    body: await events.list(request.projectId, {
      limit: integerParam(request, 'limit', { min: 1, max: MAX_LIMIT }) ?? DEFAULT_LIMIT,
      cursor: textParam(request, 'cursor'),
      events: eventNames(request),
      distinctId: textParam(request, 'distinct_id'),
      personId: personId?.toLowerCase(),
      properties: textParam(request, 'properties', MAX_FILTERS),
      after: textParam(request, 'after'),
      before: textParam(request, 'before'),
      signal: request.signal,
    }),
  }
}

const get: Handler = async ({ events }, { projectId, params, signal }) => {
  if (!isUuid(params.id)) throw new ApiError('not_found', { detail: 'The uuid of the event in the path is not valid.' })
  return { body: await events.get(projectId, params.id.toLowerCase(), signal) }
}

const listLive: Handler = async ({ live }, request) => ({
  body: await live(request.projectId, {
    limit: integerParam(request, 'limit', { min: 1, max: MAX_LIMIT }) ?? DEFAULT_LIMIT,
    after: textParam(request, 'after'),
    event: textParam(request, 'event'),
    distinctId: textParam(request, 'distinct_id'),
    withRejected: request.key.scopes.includes('refused_event:read'),
    signal: request.signal,
  }),
})

const OWNERS = ['event', 'person'] as const

const ownerOf = ({ query: { type } }: RouteRequest): (typeof OWNERS)[number] => {
  if (type === 'event' || type === 'person') return type
  throw invalidInput('type', '"type" must be event or person.')
}

const TYPE = Type.Union(OWNERS.map((owner) => Type.Literal(owner)))

const listValues: Handler = async ({ definitions }, request) => {
  const key = textParam(request, 'key')
  if (key === undefined) throw invalidInput('key', 'Pass "key", the name of the property.')
  return {
    body: await definitions.values(request.projectId, {
      owner: ownerOf(request),
      key,
      event: textParam(request, 'event'),
      search: textParam(request, 'search'),
      signal: request.signal,
    }),
  }
}

const PROJECT = '/api/projects/:projectId'

export const EVENT_ROUTES = [
  route({
    method: 'GET',
    path: `${PROJECT}/events`,
    access: 'query:read',
    summary: 'List events, newest first. Paged by "cursor", which is the value of "next"',
    query: {
      event: EVENT_NAMES,
      distinct_id: Type.String(),
      person_id: Type.String(),
      properties: Type.String({ description: 'Filters in the form of insights, as JSON' }),
      after: Type.String({ description: 'Only events at or after this date, in a form of insights' }),
      before: Type.String({ description: 'Only events before this date' }),
      ...PAGE,
    },
    response: pageOf(EVENT_VIEW),
    handler: list,
  }),
  route({
    method: 'GET',
    path: `${PROJECT}/events/live`,
    access: 'query:read',
    summary: 'List what arrived after a position, in order of arrival, including rejected events',
    query: {
      after: Type.String({
        description: 'The value of "next" of the previous response. Omit it for the newest events',
      }),
      event: Type.String(),
      distinct_id: Type.String(),
      limit: PAGE.limit,
    },
    response: LIVE_EVENTS,
    handler: listLive,
  }),
  route({
    method: 'GET',
    path: `${PROJECT}/events/:id`,
    access: 'query:read',
    summary: 'Get an event with all its properties',
    response: EVENT_VIEW,
    handler: get,
  }),
  route({
    method: 'GET',
    path: `${PROJECT}/event_definitions`,
    access: 'query:read',
    summary: 'List the names of events of the last 30 days, most frequent first',
    response: EVENT_DEFINITIONS,
    handler: async ({ definitions }, { projectId, signal }) => ({ body: await definitions.events(projectId, signal) }),
  }),
  route({
    method: 'GET',
    path: `${PROJECT}/property_definitions`,
    access: 'query:read',
    summary: 'List the properties of a sample of events or persons, most frequent first',
    query: { type: TYPE, event: Type.String({ description: 'Only properties of events with this name' }) },
    response: PROPERTY_DEFINITIONS,
    handler: async ({ definitions }, request) => ({
      body: await definitions.properties(request.projectId, {
        owner: ownerOf(request),
        event: textParam(request, 'event'),
        signal: request.signal,
      }),
    }),
  }),
  route({
    method: 'GET',
    path: `${PROJECT}/property_values`,
    access: 'query:read',
    summary: 'List the most frequent values of a property of events or persons',
    query: {
      type: TYPE,
      key: Type.String({ description: 'Name of the property' }),
      event: Type.String({ description: 'Only values of events with this name' }),
      search: Type.String({ description: 'A part of the value, in any case' }),
    },
    response: PROPERTY_VALUES,
    handler: listValues,
  }),
]
