import { Type } from '@sinclair/typebox'
import { FINGERPRINT_RULES, type FingerprintRules } from './fingerprintRules.ts'
import { ISSUE_ORDERS, type Issues } from './issues.ts'
import { MAX_UPLOAD_BYTES, type SourceMaps } from './sourceMaps.ts'
import { ISSUE_DETAILS, ISSUE_EVENT, ISSUE_STATES, ISSUE_VIEW, SOURCE_MAP } from './views.ts'
import { ApiError } from '../lib/apiError.ts'
import { orElse, type QueryValues } from '../http/query.ts'
import { CLOSED, invalidInput } from '../http/request.ts'
import { routesWith } from '../http/route.ts'
import { oneOf, orNull } from '../http/schemas.ts'

/** What the routes use. */
export interface ErrorTrackingParts {
  readonly issues: Issues
  readonly fingerprintRules: Pick<FingerprintRules, 'get' | 'set'>
  readonly sourceMaps: Pick<SourceMaps, 'get' | 'put'>
}

const route = routesWith<ErrorTrackingParts>()

const DEFAULT_DAYS = 30
const MAX_DAYS = 365
const DAY_MS = 24 * 3_600_000
const MAX_SEARCH = 200
const MAX_MOVED = 100

const STATE = oneOf(ISSUE_STATES)
const UNTIL_EVENTS = Type.Integer({
  minimum: 1,
  maximum: 1_000_000,
  description: 'More events after which an ignored issue becomes active. Default: never',
})
const DAYS = {
  days: orElse(Type.Integer({ minimum: 1, maximum: MAX_DAYS, description: 'Length of the period' }), DEFAULT_DAYS),
}

const fromOf = ({ days }: QueryValues<typeof DAYS>): number => Date.now() - days * DAY_MS

const ISSUES = '/api/projects/:projectId/error_tracking/issues'
const ISSUE_PATH = `${ISSUES}/:id`
const RULES_PATH = '/api/projects/:projectId/error_tracking/fingerprint_rules'
const SOURCE_MAP_PATH = '/api/projects/:projectId/error_tracking/sourcemaps/:id'

/** Issues of exceptions, the rules that group them, and source maps. */
export const ERROR_TRACKING_ROUTES = [
  route({
    method: 'GET',
    path: ISSUES,
    summary: 'List the issues with exceptions in the period. Paged by "offset", which is the value of "next"',
    access: 'error_tracking:read',
    query: {
      ...DAYS,
      state: STATE,
      search: Type.String({
        maxLength: MAX_SEARCH,
        description: 'A part of the type, the message, the file or the function',
      }),
      order: oneOf(ISSUE_ORDERS),
      limit: orElse(Type.Integer({ minimum: 1, maximum: 100 }), 50),
      offset: orElse(Type.Integer({ minimum: 0, maximum: 1_000_000 }), 0),
    },
    response: Type.Object({
      results: Type.Array(ISSUE_VIEW),
      count: Type.Integer({ description: 'Issues on all pages' }),
      next: orNull(Type.Integer()),
      pending: Type.Integer({ description: 'Stacks that later requests assign to issues' }),
    }),
    handler: async ({ issues }, { projectId, values, signal }) => ({
      body: await issues.list(projectId, {
        from: fromOf(values),
        state: values.state,
        search: values.search,
        order: values.order ?? 'last_seen',
        limit: values.limit,
        offset: values.offset,
        signal,
      }),
    }),
  }),
  route({
    method: 'GET',
    path: ISSUE_PATH,
    summary: 'Read an issue',
    access: 'error_tracking:read',
    query: DAYS,
    response: ISSUE_DETAILS,
    handler: async ({ issues }, request) => ({
      body: await issues.get(request.projectId, request.params.id!, fromOf(request.values), request.signal),
    }),
  }),
  route({
    method: 'PATCH',
    path: ISSUE_PATH,
    summary:
      'Resolve, ignore or reopen an issue. A resolved one becomes active when a later release throws it again, an ignored one after "until_events"',
    access: 'error_tracking:write',
    query: DAYS,
    body: Type.Object({ state: STATE, until_events: Type.Optional(UNTIL_EVENTS) }, CLOSED),
    response: ISSUE_DETAILS,
    handler: async ({ issues }, request) => {
      const { state, until_events: untilEvents } = request.body
      if (untilEvents !== undefined && state !== 'ignored')
        throw invalidInput('until_events', '"until_events" requires "state": "ignored".')
      await issues.setState(request.projectId, request.params.id!, state, untilEvents)
      return { body: await issues.get(request.projectId, request.params.id!, fromOf(request.values), request.signal) }
    },
  }),
  route({
    method: 'POST',
    path: `${ISSUE_PATH}/merge`,
    summary: 'Merge other issues into an issue. Later exceptions of theirs belong to it',
    access: 'error_tracking:write',
    query: DAYS,
    body: Type.Object({ ids: Type.Array(Type.String(), { minItems: 1, maxItems: MAX_MOVED }) }, CLOSED),
    response: ISSUE_DETAILS,
    handler: async ({ issues }, request) => {
      const { projectId, params, body } = request
      await issues.merge(projectId, params.id!, body.ids)
      return { body: await issues.get(projectId, params.id!, fromOf(request.values), request.signal) }
    },
  }),
  route({
    method: 'POST',
    path: `${ISSUE_PATH}/split`,
    summary: 'Move fingerprints of an issue to a new one',
    access: 'error_tracking:write',
    query: DAYS,
    body: Type.Object({ fingerprints: Type.Array(Type.String(), { minItems: 1, maxItems: MAX_MOVED }) }, CLOSED),
    response: ISSUE_DETAILS,
    handler: async ({ issues }, request) => {
      const { projectId, params, body } = request
      const id = await issues.split(projectId, params.id!, body.fingerprints)
      return { status: 201, body: await issues.get(projectId, id, fromOf(request.values), request.signal) }
    },
  }),
  route({
    method: 'GET',
    path: `${ISSUE_PATH}/events`,
    summary: 'List the exceptions of an issue, newest first, with source maps applied. Paged by "cursor"',
    access: 'error_tracking:read',
    query: {
      limit: orElse(Type.Integer({ minimum: 1, maximum: 50 }), 10),
      cursor: Type.String({ description: 'The value of "next" of the previous page' }),
    },
    response: Type.Object({ results: Type.Array(ISSUE_EVENT), next: orNull(Type.String()) }),
    handler: async ({ issues }, request) => ({
      body: await issues.events(request.projectId, request.params.id!, {
        limit: request.values.limit,
        cursor: request.values.cursor,
        signal: request.signal,
      }),
    }),
  }),
  route({
    method: 'GET',
    path: RULES_PATH,
    summary: 'List the rules that group exceptions into issues',
    access: 'error_tracking:read',
    response: FINGERPRINT_RULES,
    handler: async ({ fingerprintRules }, { projectId }) => ({
      body: { rules: await fingerprintRules.get(projectId) },
    }),
  }),
  route({
    method: 'PUT',
    path: RULES_PATH,
    summary: 'Replace the rules that group exceptions into issues. They apply to exceptions that arrive from now on',
    access: 'error_tracking:write',
    body: FINGERPRINT_RULES,
    response: FINGERPRINT_RULES,
    handler: async ({ fingerprintRules }, { projectId, body }) => ({
      body: { rules: await fingerprintRules.set(projectId, body.rules) },
    }),
  }),
  route({
    method: 'GET',
    path: SOURCE_MAP_PATH,
    summary: 'Read what is known of a source map. Its content is not returned',
    access: 'error_tracking:read',
    response: SOURCE_MAP,
    handler: async ({ sourceMaps }, { projectId, params }) => ({ body: await sourceMaps.get(projectId, params.id!) }),
  }),
  route({
    method: 'PUT',
    path: SOURCE_MAP_PATH,
    summary: 'Upload the gzipped source map of the file with this debug id, with Content-Type application/gzip',
    access: 'error_tracking:write',
    body: 'raw',
    maxBytes: MAX_UPLOAD_BYTES,
    response: SOURCE_MAP,
    handler: async ({ sourceMaps }, { projectId, params, body }) => {
      if (!Buffer.isBuffer(body) || !body.length)
        throw new ApiError('invalid_input', {
          detail: 'The body must be a gzipped source map, with Content-Type application/gzip.',
        })
      const { isNew, map } = await sourceMaps.put(projectId, params.id!, body)
      return { status: isNew ? 201 : 200, body: map }
    },
  }),
]
