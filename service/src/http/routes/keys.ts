import { Type } from '@sinclair/typebox'
import { CLOSED, page } from '../request.ts'
import { route } from '../route.ts'

const CREATE = Type.Object(
  {
    label: Type.String(),
    scopes: Type.Array(Type.String(), { maxItems: 100 }),
    scoped_teams: Type.Optional(Type.Union([Type.Array(Type.Integer(), { maxItems: 100 }), Type.Null()])),
  },
  CLOSED,
)
const ROTATE = Type.Object({ grace_seconds: Type.Optional(Type.Integer()) }, CLOSED)

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
    handler: async ({ keys }, { key }) => page(await keys.list(key)),
  }),
  route({
    method: 'POST',
    path: KEYS,
    hasSecret: true,
    access: 'personal_api_key:write',
    summary: 'Create a key. Its "value" is shown only once',
    body: CREATE,
    handler: async ({ keys }, { key, body }) => ({
      status: 201,
      headers: NO_STORE,
      body: await keys.create(key, body),
    }),
  }),
  route({
    method: 'GET',
    path: `${KEYS}/:id`,
    access: 'personal_api_key:read',
    handler: async ({ keys }, { key, params }) => ({ body: await keys.get(key, params.id!) }),
  }),
  route({
    method: 'DELETE',
    path: `${KEYS}/:id`,
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
    handler: async ({ keys }, { key, params, body: { grace_seconds = 0 } }) => ({
      headers: NO_STORE,
      body: await keys.rotate(key, params.id!, grace_seconds),
    }),
  }),
]
