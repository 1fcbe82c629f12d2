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
import { EVENT_NAMES, PAGE, PERSON_ID } from '../http/lists.ts'
import { explained, required } from '../http/query.ts'
import { type Handler, routesWith } from '../http/route.ts'

/** What the routes use. */
export interface EventParts {
  readonly events: Events
  readonly live: Live
  readonly definitions: Definitions
}

const route = routesWith<EventParts>()

const MAX_FILTERS = 20_000

const LIST = {
  event: EVENT_NAMES,
  distinct_id: Type.String(),
  person_id: PERSON_ID,
  properties: Type.String({ maxLength: MAX_FILTERS, description: 'Filters in the form of insights, as JSON' }),
  after: Type.String({ description: 'Only events at or after this date, in a form of insights' }),
  before: Type.String({ description: 'Only events before this date' }),
  ...PAGE,
}

const get: Handler<EventParts> = async ({ events }, { projectId, params, signal }) => {
  if (!isUuid(params.id)) throw new ApiError('not_found', { detail: 'The uuid of the event in the path is not valid.' })
  return { body: await events.get(projectId, params.id.toLowerCase(), signal) }
}

const OWNERS = ['event', 'person'] as const

const TYPE = required(
  explained(Type.Union(OWNERS.map((owner) => Type.Literal(owner))), '"type" must be event or person.'),
  '"type" must be event or person.',
)

const PROJECT = '/api/projects/:projectId'

export const EVENT_ROUTES = [
  route({
    method: 'GET',
    path: `${PROJECT}/events`,
    access: 'query:read',
    summary: 'List events, newest first. Paged by "cursor", which is the value of "next"',
    query: LIST,
    response: pageOf(EVENT_VIEW),
    handler: async ({ events }, { projectId, values, signal }) => ({
      body: await events.list(projectId, {
        limit: values.limit,
        cursor: values.cursor,
        events: values.event,
        distinctId: values.distinct_id,
        personId: values.person_id,
        properties: values.properties,
        after: values.after,
        before: values.before,
        signal,
      }),
    }),
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
    handler: async ({ live }, { projectId, values, key, signal }) => ({
      body: await live(projectId, {
        limit: values.limit,
        after: values.after,
        event: values.event,
        distinctId: values.distinct_id,
        withRejected: key.scopes.includes('refused_event:read'),
        signal,
      }),
    }),
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
    handler: async ({ definitions }, { projectId, values, signal }) => ({
      body: await definitions.properties(projectId, { owner: values.type, event: values.event, signal }),
    }),
  }),
  route({
    method: 'GET',
    path: `${PROJECT}/property_values`,
    access: 'query:read',
    summary: 'List the most frequent values of a property of events or persons',
    query: {
      type: TYPE,
      key: required(Type.String({ description: 'Name of the property' }), 'Pass "key", the name of the property.'),
      event: Type.String({ description: 'Only values of events with this name' }),
      search: Type.String({ description: 'A part of the value, in any case' }),
    },
    response: PROPERTY_VALUES,
    handler: async ({ definitions }, { projectId, values, signal }) => ({
      body: await definitions.values(projectId, {
        owner: values.type,
        key: values.key,
        event: values.event,
        search: values.search,
        signal,
      }),
    }),
  }),
  route({
    method: 'GET',
    path: `${PERSONS}/:id/events`,
    access: 'person:read',
    summary: 'List the events of a person, newest first. Paged by "cursor", which is the value of "next"',
    query: { event: EVENT_NAMES, ...PAGE },
    response: pageOf(TIMELINE_EVENT),
    handler: async ({ events }, request) => ({
      body: await events.ofPerson(request.projectId, personId(request), {
        limit: request.values.limit,
        cursor: request.values.cursor,
        events: request.values.event,
        signal: request.signal,
      }),
    }),
  }),
]
