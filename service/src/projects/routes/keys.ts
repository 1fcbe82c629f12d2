import type { Keys } from '../keys.ts'
import { Type } from '@sinclair/typebox'
import { CLOSED, page } from '../../http/request.ts'
import { routesWith } from '../../http/route.ts'
import { orNull, pageOf, TIME } from '../../http/schemas.ts'

/** What the routes use. */
export interface KeyParts {
  readonly keys: Keys
}

const route = routesWith<KeyParts>()

const CREATE = Type.Object(
  {
    label: Type.String(),
    scopes: Type.Array(Type.String(), { maxItems: 100 }),
    scoped_teams: Type.Optional(Type.Union([Type.Array(Type.Integer(), { maxItems: 100 }), Type.Null()])),
  },
  CLOSED,
)
const ROTATE = Type.Object({ grace_seconds: Type.Optional(Type.Integer()) }, CLOSED)

const KEY = Type.Object({
  id: Type.String(),
  label: Type.String(),
  scopes: Type.Array(Type.String()),
  /** Id of its project, in a list. null: all projects. */
  scoped_teams: orNull(Type.Array(Type.Integer())),
  mask_value: Type.String(),
  created_at: TIME,
  last_rolled_at: orNull(TIME),
  last_used_at: orNull(TIME),
  /** Until when the previous secret is accepted. */
  previous_value_until: orNull(TIME),
})
const NEW_KEY = Type.Object({ ...KEY.properties, value: Type.String() })

// No cache may store a secret.
const NO_STORE = { 'cache-control': 'no-store' } as const

const KEYS = '/api/personal_api_keys'

/** Personal API keys. */
export const KEY_ROUTES = [
  route({
    method: 'GET',
    path: KEYS,
    access: 'personal_api_key:read',
    summary: 'List the keys of the projects that the key is valid for',
    response: pageOf(KEY),
    handler: async ({ keys }, { key }) => page(await keys.list(key)),
  }),
  route({
    method: 'POST',
    path: KEYS,
    hasSecret: true,
    access: 'personal_api_key:write',
    summary: 'Create a key. Its "value" is shown only once',
    body: CREATE,
    response: NEW_KEY,
    handler: async ({ keys }, { key, body }) => ({
      status: 201,
      headers: NO_STORE,
      body: await keys.create(key, body),
    }),
  }),
  route({
    method: 'GET',
    path: `${KEYS}/:id`,
    summary: 'Read a key',
    access: 'personal_api_key:read',
    response: KEY,
    handler: async ({ keys }, { key, params }) => ({ body: await keys.get(key, params.id!) }),
  }),
  route({
    method: 'DELETE',
    path: `${KEYS}/:id`,
    summary: 'Revoke a key',
    access: 'personal_api_key:write',
    handler: async ({ keys }, { key, params }) => {
      await keys.revoke(key, params.id!)
      return { status: 204 }
    },
  }),
  route({
    method: 'POST',
    path: `${KEYS}/:id/roll`,
    hasSecret: true,
    access: 'personal_api_key:write',
    summary: 'Replace the secret, shown only once. The old one is accepted for "grace_seconds" more',
    body: ROTATE,
    response: NEW_KEY,
    handler: async ({ keys }, { key, params, body: { grace_seconds = 0 } }) => ({
      headers: NO_STORE,
      body: await keys.rotate(key, params.id!, grace_seconds),
    }),
  }),
]
