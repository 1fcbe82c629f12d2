import type { FindFlagMatches } from '../matches.ts'
import type { FlagTester } from '../tester.ts'
import type { FlagDefinitions } from '../definitions.ts'
import { type Static, Type } from '@sinclair/typebox'
import { FILTERS } from '../filters.ts'
import { ApiError } from '../../lib/apiError.ts'
import { assertNameOfUrl, CLOSED, page } from '../../http/request.ts'
import { type Handler, type RouteRequest, routesWith } from '../../http/route.ts'
import { ANY_OBJECT, oneOf, orNull, pageOf, TIME } from '../../http/schemas.ts'

/** What the routes use. */
export interface FlagParts {
  readonly flags: FlagDefinitions
  readonly testFlag: FlagTester
  readonly findFlagMatches: FindFlagMatches
}

const route = routesWith<FlagParts>()

const FIELDS = {
  name: Type.Optional(Type.String({ maxLength: 10_000 })),
  active: Type.Optional(Type.Boolean()),
  filters: Type.Optional(FILTERS),
  evaluation_contexts: Type.Optional(Type.Array(Type.String({ minLength: 1, maxLength: 400 }), { maxItems: 100 })),
}
const CREATE = Type.Object({ key: Type.String(), ...FIELDS }, CLOSED)
const CHANGE = Type.Object({ key: Type.Optional(Type.String()), ...FIELDS }, CLOSED)

const FLAG = Type.Object({
  id: Type.Integer(),
  key: Type.String(),
  name: Type.String(),
  active: Type.Boolean(),
  filters: FILTERS,
  /** Contexts in which the flag is evaluated. Empty: all. */
  evaluation_contexts: Type.Array(Type.String()),
  /** Increases with each change. */
  version: Type.Integer(),
  deleted: Type.Boolean(),
  created_at: TIME,
  updated_at: TIME,
})

/** Id or key of a flag, or a definition that is not saved. Its `id` names the flag that it would change. */
const WANTED_FLAG = Type.Union([
  Type.Integer(),
  Type.String({ minLength: 1, maxLength: 400 }),
  Type.Object({ id: Type.Optional(Type.Integer()), key: Type.String(), ...FIELDS }, CLOSED),
])

const MATCHES = Type.Object({ flag: WANTED_FLAG }, CLOSED)

const MATCHES_RESULT = Type.Object({
  /** Number of persons that the flag was evaluated for, the newest ones. */
  evaluated: Type.Integer(),
  /** Whether these are all persons of the project. */
  is_complete: Type.Boolean(),
  matching: Type.Integer(),
  conditions: Type.Array(
    Type.Object({ index: Type.Integer(), properties_match: Type.Integer(), matching: Type.Integer() }),
  ),
  results: Type.Array(
    Type.Object({
      id: Type.String(),
      distinct_id: Type.String(),
      value: Type.Union([Type.Boolean(), Type.String()]),
    }),
  ),
})

const TEST = Type.Object(
  {
    flag: WANTED_FLAG,
    distinct_id: Type.Optional(Type.String({ maxLength: 400 })),
    /** Replace stored properties of the same names. */
    person_properties: Type.Optional(ANY_OBJECT),
    /** Group keys by group type. */
    groups: Type.Optional(Type.Record(Type.String(), Type.String())),
    group_properties: Type.Optional(Type.Record(Type.String(), ANY_OBJECT)),
  },
  CLOSED,
)

const TEST_RESULT = Type.Object({
  key: Type.String(),
  active: Type.Boolean(),
  /** Value that `/flags` returns: a variant, or whether the flag is on. */
  value: Type.Union([Type.Boolean(), Type.String()]),
  /** JSON text. */
  payload: orNull(Type.String()),
  reason: Type.Object({
    code: oneOf([
      'condition_match',
      'out_of_rollout_bound',
      'no_condition_match',
      'no_group_type',
      'evaluation_error',
      'flag_inactive',
    ]),
    condition_index: orNull(Type.Integer()),
    description: Type.String(),
  }),
  /** Stored person with the distinct id. */
  person: orNull(Type.Object({ id: Type.String(), is_identified: Type.Boolean() })),
  /** Present if the flag belongs to an early access feature. */
  enrollment: orNull(
    Type.Object({
      feature_id: Type.String(),
      name: Type.String(),
      stage: Type.String(),
      /** null: the person neither enrolled nor opted out. */
      enrolled: orNull(Type.Boolean()),
      why: Type.String(),
    }),
  ),
  /** Enrollment in the early access feature first, then the flag's own conditions. */
  conditions: Type.Array(
    Type.Object({
      index: Type.Integer(),
      is_enrollment: Type.Boolean(),
      /** Whether all properties match and the bucket is within the rollout. */
      matched: Type.Boolean(),
      /** Whether this is the first condition that matches, which determines the value. */
      decides: Type.Boolean(),
      rollout_percentage: Type.Number(),
      /** Position of the person or group, 0 to 100. null: the flag is for groups and the request names no group. */
      bucket: orNull(Type.Number()),
      variant: orNull(Type.String()),
      properties: Type.Array(
        Type.Object({
          key: Type.String(),
          type: oneOf(['person', 'group', 'flag']),
          operator: Type.String(),
          wanted: Type.Unknown(),
          found: Type.Unknown(),
          missing: Type.Boolean(),
          matched: Type.Boolean(),
          why: Type.String(),
        }),
      ),
      why: Type.String(),
    }),
  ),
})

const flagId = ({ params }: RouteRequest): number => {
  if (!/^\d{1,15}$/.test(params.id!))
    throw new ApiError('not_found', { detail: 'This project has no feature flag with this id.' })
  return Number(params.id)
}

const change: Handler<FlagParts, Static<typeof CHANGE>> = async ({ flags }, request) => ({
  body: await flags.update(request.projectId, flagId(request), request.body),
})

/** Changes a flag by its id. By its key, creates the flag if the project has none with that key, or changes it. */
const put: Handler<FlagParts, Static<typeof CHANGE>> = async (parts, request) => {
  const key = request.params.id!
  if (/^\d+$/.test(key)) return change(parts, request)
  const { flags } = parts
  const { projectId, body } = request
  const existing = (await flags.list(projectId)).find((flag) => flag.key === key)
  if (existing) return { body: await flags.update(projectId, Number(existing.id), body) }
  assertNameOfUrl('key', 'flag', body.key, key)
  return { status: 201, body: await flags.create(projectId, { ...body, key }) }
}

const assertReadsPersons = ({ key }: RouteRequest<unknown>) => {
  if (!key.scopes.includes('person:read'))
    throw new ApiError('permission_denied', {
      detail: 'This personal API key lacks the scope person:read, which testing a flag requires as well.',
    })
}

const test: Handler<FlagParts, Static<typeof TEST>> = async ({ testFlag }, request) => {
  assertReadsPersons(request) // The explanation contains stored properties.
  const { projectId, body, signal } = request
  return { body: await testFlag(projectId, body, signal) }
}

const match: Handler<FlagParts, Static<typeof MATCHES>> = async ({ findFlagMatches }, request) => {
  assertReadsPersons(request)
  return { body: await findFlagMatches(request.projectId, request.body.flag, request.signal) }
}

const FLAGS = '/api/projects/:projectId/feature_flags'

/** Definitions of feature flags. */
export const FLAG_ROUTES = [
  route({
    method: 'GET',
    path: FLAGS,
    summary: 'List the feature flags',
    access: 'feature_flag:read',
    response: pageOf(FLAG),
    handler: async ({ flags }, { projectId }) => page(await flags.list(projectId)),
  }),
  route({
    method: 'POST',
    path: FLAGS,
    summary: 'Create a feature flag',
    access: 'feature_flag:write',
    body: CREATE,
    response: FLAG,
    handler: async ({ flags }, { projectId, body }) => ({ status: 201, body: await flags.create(projectId, body) }),
  }),
  route({
    method: 'POST',
    path: `${FLAGS}/test`,
    summary:
      'Evaluate a flag, saved or not, for a person or group, and explain each condition. The key also requires person:read',
    access: 'feature_flag:read',
    body: TEST,
    response: TEST_RESULT,
    handler: test,
  }),
  route({
    method: 'POST',
    path: `${FLAGS}/matches`,
    summary: 'Count the newest persons that a flag, saved or not, is on for. The key also requires person:read',
    access: 'feature_flag:read',
    body: MATCHES,
    response: MATCHES_RESULT,
    handler: match,
  }),
  route({
    method: 'GET',
    path: `${FLAGS}/:id`,
    summary: 'Read a feature flag',
    access: 'feature_flag:read',
    response: FLAG,
    handler: async ({ flags }, request) => ({ body: await flags.get(request.projectId, flagId(request)) }),
  }),
  route({
    method: 'PATCH',
    path: `${FLAGS}/:id`,
    summary: 'Change a feature flag',
    access: 'feature_flag:write',
    body: CHANGE,
    response: FLAG,
    handler: change,
  }),
  route({
    method: 'PUT',
    path: `${FLAGS}/:id`,
    summary: 'Change a feature flag by its id. By its key, create or change it',
    access: 'feature_flag:write',
    body: CHANGE,
    response: FLAG,
    handler: put,
  }),
  route({
    method: 'DELETE',
    path: `${FLAGS}/:id`,
    summary: 'Delete a feature flag',
    access: 'feature_flag:write',
    handler: async ({ flags }, request) => {
      await flags.remove(request.projectId, flagId(request))
      return { status: 204 }
    },
  }),
]
