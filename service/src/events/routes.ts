import type { Definitions } from './definitions.ts'
import type { Events } from './list.ts'
import type { Live } from './live.ts'
import { Type } from '@sinclair/typebox'
import {
  EVENT_DEFINITIONS,
  EVENT_VIEW,
  LIVE_EVENTS,
  pageOf,
  PROPERTY_DEFINITIONS,
  PROPERTY_VALUES,
  TIMELINE_EVENT,
} from './views.ts'
import { ApiError } from '../lib/apiError.ts'
import { isUuid } from '../lib/uuid.ts'
import { PERSONS, personId } from '../http/personId.ts'
import { DEFAULT_LIMIT, EVENT_NAMES, eventNames, MAX_LIMIT, PAGE } from '../http/lists.ts'
import { integerParam, invalidInput, textParam } from '../http/request.ts'
import { type Handler, type RouteRequest, routesWith } from '../http/route.ts'

/** What the routes use. */
export interface EventParts {
  readonly events: Events
  readonly live: Live
  readonly definitions: Definitions
}

const route = routesWith<EventParts>()

const MAX_FILTERS = 20_000

const list: Handler<EventParts> = async ({ events }, request) => {
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

const get: Handler<EventParts> = async ({ events }, { projectId, params, signal }) => {
  if (!isUuid(params.id)) throw new ApiError('not_found', { detail: 'The uuid of the event in the path is not valid.' })
  return { body: await events.get(projectId, params.id.toLowerCase(), signal) }
}

const listLive: Handler<EventParts> = async ({ live }, request) => ({
  body: await live(request.projectId, {
    limit: integerParam(request, 'limit', { min: 1, max: MAX_LIMIT }) ?? DEFAULT_LIMIT,
    after: textParam(request, 'after'),
    event: textParam(request, 'event'),
    distinctId: textParam(request, 'distinct_id'),
    withRejected: request.key.scopes.includes('refused_event:read'),
    signal: request.signal,
  }),
})

const listEvents: Handler<EventParts> = async ({ events }, request) => ({
  body: await events.ofPerson(request.projectId, personId(request), {
    limit: integerParam(request, 'limit', { min: 1, max: MAX_LIMIT }) ?? DEFAULT_LIMIT,
    cursor: request.query.cursor,
    events: eventNames(request),
    signal: request.signal,
  }),
})

const OWNERS = ['event', 'person'] as const

const ownerOf = ({ query: { type } }: RouteRequest): (typeof OWNERS)[number] => {
  if (type === 'event' || type === 'person') return type
  throw invalidInput('type', '"type" must be event or person.')
}

const TYPE = Type.Union(OWNERS.map((owner) => Type.Literal(owner)))

const listValues: Handler<EventParts> = async ({ definitions }, request) => {
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
  route({
    method: 'GET',
    path: `${PERSONS}/:id/events`,
    access: 'person:read',
    summary: 'List the events of a person, newest first. Paged by "cursor", which is the value of "next"',
    query: { event: EVENT_NAMES, ...PAGE },
    response: pageOf(TIMELINE_EVENT),
    handler: listEvents,
  }),
]
