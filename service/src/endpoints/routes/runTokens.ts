import { Type } from '@sinclair/typebox'
import { MAX_TTL_SECONDS, type RunTokens } from '../tokens/runTokens.ts'
import { CLOSED } from '../../http/request.ts'
import { routesWith } from '../../http/route.ts'
import { ANY_OBJECT, orNull, TIME } from '../../http/schemas.ts'

/** What the routes use. */
export interface RunTokenParts {
  readonly runTokens: RunTokens
}

const route = routesWith<RunTokenParts>()

const NAMES = (minItems: number, maxItems: number) =>
  Type.Array(Type.String({ minLength: 1, maxLength: 400 }), { minItems, maxItems, uniqueItems: true })
const CHOICES = Type.Record(
  Type.String(),
  Type.Array(Type.Union([Type.String({ maxLength: 400 }), Type.Number(), Type.Boolean()]), {
    minItems: 1,
    maxItems: 100,
    uniqueItems: true,
  }),
)
const VARIABLE = Type.String({ minLength: 1, maxLength: 400 })
/** Days that runs may read. */
const DATE_RANGE = Type.Object(
  {
    from: Type.String({ maxLength: 40 }),
    to: Type.Optional(Type.String({ maxLength: 40 })),
    /** The variables that take the days. Default: date_from and date_to. */
    variables: Type.Optional(Type.Object({ from: VARIABLE, to: VARIABLE }, CLOSED)),
  },
  CLOSED,
)
const CREATE = Type.Object(
  {
    endpoints: NAMES(1, 50),
    variables: Type.Optional(Type.Record(Type.String(), Type.Unknown())),
    allowed_variables: Type.Optional(NAMES(0, 100)),
    allowed_values: Type.Optional(CHOICES),
    date_range: Type.Optional(DATE_RANGE),
    ttl_seconds: Type.Optional(Type.Integer({ minimum: 1, maximum: MAX_TTL_SECONDS })),
    expires_at: Type.Optional(Type.String({ maxLength: 40 })),
    runs_per_minute: Type.Optional(Type.Integer({ minimum: 1, maximum: 1_000_000 })),
    origins: Type.Optional(NAMES(1, 20)),
  },
  CLOSED,
)

const RUN_TOKEN = Type.Object({
  id: Type.String(),
  token: Type.String(),
  expires_at: TIME,
  endpoints: Type.Array(Type.String()),
  /** Pinned variables. */
  variables: ANY_OBJECT,
  /** null: all that are not pinned. */
  allowed_variables: orNull(Type.Array(Type.String())),
  /** The values that runs may set some variables to. */
  allowed_values: CHOICES,
  date_range: orNull(DATE_RANGE),
  runs_per_minute: Type.Integer(),
  /** null: all. */
  origins: orNull(Type.Array(Type.String())),
})

// Rejects bodies meant for another route.
const EMPTY = Type.Object({}, CLOSED)

const RUN_TOKENS = '/api/projects/:projectId/endpoints/run_tokens'

/** Tokens that let pages run endpoints. */
export const RUN_TOKEN_ROUTES = [
  route({
    method: 'POST',
    path: RUN_TOKENS,
    hasSecret: true,
    summary:
      'Create a token that lets a page run some endpoints, with some variables pinned. The key also requires endpoint:read',
    access: 'run_token:write',
    body: CREATE,
    response: RUN_TOKEN,
    handler: async ({ runTokens }, { projectId, key, body }) => ({
      status: 201,
      headers: { 'cache-control': 'no-store' },
      body: await runTokens.create(projectId, key, body),
    }),
  }),
  route({
    method: 'POST',
    path: `${RUN_TOKENS}/revoke_all`,
    summary: 'Revoke all run tokens of the project',
    access: 'run_token:write',
    body: EMPTY,
    handler: async ({ runTokens }, { projectId }) => {
      await runTokens.revokeAll(projectId)
      return { status: 204 }
    },
  }),
  route({
    method: 'DELETE',
    path: `${RUN_TOKENS}/:id`,
    summary: 'Revoke a run token by its id',
    access: 'run_token:write',
    handler: async ({ runTokens }, { projectId, params }) => {
      await runTokens.revoke(projectId, params.id!)
      return { status: 204 }
    },
  }),
]
