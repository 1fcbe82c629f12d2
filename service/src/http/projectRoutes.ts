import { Type } from '@sinclair/typebox'
import type { KeyInput } from '../projects/keys.ts'
import type { ProjectInput } from '../projects/projects.ts'
import type { Answer, Route } from './route.ts'

const closed = { additionalProperties: false } as const

const PROJECT_FIELDS = { name: Type.String(), timezone: Type.Optional(Type.String()) }
const CREATE_PROJECT = Type.Object({ ...PROJECT_FIELDS, api_token: Type.Optional(Type.String()) }, closed)
const CHANGE_PROJECT = Type.Partial(Type.Object(PROJECT_FIELDS), closed)
const ROTATE = Type.Object({ grace_seconds: Type.Optional(Type.Integer()) }, closed)
const CREATE_KEY = Type.Object(
  {
    label: Type.String(),
    scopes: Type.Array(Type.String(), { maxItems: 100 }),
    scoped_teams: Type.Optional(Type.Union([Type.Array(Type.Integer(), { maxItems: 100 }), Type.Null()])),
  },
  closed,
)

const graceOf = (body: unknown): number => (body as { grace_seconds?: number }).grace_seconds ?? 0

const page = (results: readonly unknown[]): Answer => ({
  body: { count: results.length, next: null, previous: null, results },
})

// A secret is for whoever asked, and for no cache between.
const UNKEPT = { 'cache-control': 'no-store' } as const

const PROJECTS = '/api/projects'
const PROJECT = `${PROJECTS}/:projectId`
const KEYS = '/api/personal_api_keys'

/** Projects and the keys to them. */
export const PROJECT_ROUTES: readonly Route[] = [
  {
    method: 'GET',
    path: PROJECTS,
    access: 'project:read',
    summary: 'The projects that the key is of',
    handler: async ({ projects }, { key }) => page(await projects.list(key)),
  },
  {
    method: 'POST',
    path: PROJECTS,
    access: 'project:write',
    summary: 'A new project, by a key of all projects',
    body: CREATE_PROJECT,
    handler: async ({ projects }, { key, body }) => ({
      status: 201,
      body: await projects.create(key, body as ProjectInput & { name: string }),
    }),
  },
  {
    method: 'GET',
    path: PROJECT,
    access: 'project:read',
    handler: async ({ projects }, { projectId }) => ({ body: await projects.get(projectId) }),
  },
  {
    method: 'PATCH',
    path: PROJECT,
    access: 'project:write',
    body: CHANGE_PROJECT,
    handler: async ({ projects }, { projectId, body }) => ({
      body: await projects.change(projectId, body as ProjectInput),
    }),
  },
  {
    method: 'POST',
    path: `${PROJECT}/rotate_token`,
    access: 'project:write',
    summary: 'A new project token; the one before is taken for "grace_seconds" more',
    body: ROTATE,
    handler: async ({ projects }, { projectId, body }) => ({
      body: await projects.rotateToken(projectId, graceOf(body)),
    }),
  },

  {
    method: 'GET',
    path: KEYS,
    access: 'personal_api_key:read',
    summary: 'The keys of the projects that the key is of',
    handler: async ({ keys }, { key }) => page(await keys.list(key)),
  },
  {
    method: 'POST',
    path: KEYS,
    access: 'personal_api_key:write',
    summary: 'A new key; its "value" is shown this once',
    body: CREATE_KEY,
    handler: async ({ keys }, { key, body }) => ({
      status: 201,
      headers: UNKEPT,
      body: await keys.create(key, body as KeyInput),
    }),
  },
  {
    method: 'GET',
    path: `${KEYS}/:id`,
    access: 'personal_api_key:read',
    handler: async ({ keys }, { key, params }) => ({ body: await keys.get(key, params.id!) }),
  },
  {
    method: 'DELETE',
    path: `${KEYS}/:id`,
    access: 'personal_api_key:write',
    handler: async ({ keys }, { key, params }) => {
      await keys.revoke(key, params.id!)
      return { status: 204 }
    },
  },
  {
    method: 'POST',
    path: `${KEYS}/:id/roll`,
    access: 'personal_api_key:write',
    summary: 'A new secret, shown this once; the one before is taken for "grace_seconds" more',
    body: ROTATE,
    handler: async ({ keys }, { key, params, body }) => ({
      headers: UNKEPT,
      body: await keys.rotate(key, params.id!, graceOf(body)),
    }),
  },
]
