import type { Projects } from '../projects.ts'
import { Type } from '@sinclair/typebox'
import { CLOSED, page } from '../../http/request.ts'
import { routesWith } from '../../http/route.ts'
import { orNull, pageOf, TIME } from '../../http/schemas.ts'

/** What the routes use. */
export interface ProjectParts {
  readonly projects: Projects
}

const route = routesWith<ProjectParts>()

const FIELDS = { name: Type.String(), timezone: Type.Optional(Type.String()) }
const CREATE = Type.Object({ ...FIELDS, api_token: Type.Optional(Type.String()) }, CLOSED)
const CHANGE = Type.Partial(
  Type.Object({
    ...FIELDS,
    toolbar_origins: Type.Array(Type.String({ maxLength: 300 }), {
      maxItems: 50,
      uniqueItems: true,
      description:
        'Origins of the sites on which the toolbar may open, such as https://shop.example. Replaces the list',
    }),
  }),
  CLOSED,
)
const ROTATE = Type.Object({ grace_seconds: Type.Optional(Type.Integer()) }, CLOSED)

const PROJECT_BODY = Type.Object({
  id: Type.Integer(),
  name: Type.String(),
  /** Public token that browsers send. */
  api_token: Type.String(),
  timezone: Type.String(),
  created_at: TIME,
  /** Until when the previous token is accepted. */
  previous_api_token_until: orNull(TIME),
  toolbar_origins: Type.Array(Type.String()),
})

const PROJECTS = '/api/projects'
const PROJECT = `${PROJECTS}/:projectId`

export const PROJECT_ROUTES = [
  route({
    method: 'GET',
    path: PROJECTS,
    access: 'project:read',
    summary: 'List the projects that the key is valid for',
    response: pageOf(PROJECT_BODY),
    handler: async ({ projects }, { key }) => page(await projects.list(key)),
  }),
  route({
    method: 'POST',
    path: PROJECTS,
    access: 'project:write',
    summary: 'Create a project. Requires a key for all projects',
    body: CREATE,
    response: PROJECT_BODY,
    handler: async ({ projects }, { key, body }) => ({ status: 201, body: await projects.create(key, body) }),
  }),
  route({
    method: 'GET',
    path: PROJECT,
    summary: 'Read a project',
    access: 'project:read',
    response: PROJECT_BODY,
    handler: async ({ projects }, { projectId }) => ({ body: await projects.get(projectId) }),
  }),
  route({
    method: 'PATCH',
    path: PROJECT,
    summary: 'Change the name, the time zone or the toolbar origins of a project',
    access: 'project:write',
    body: CHANGE,
    response: PROJECT_BODY,
    handler: async ({ projects }, { projectId, body }) => ({ body: await projects.change(projectId, body) }),
  }),
  route({
    method: 'POST',
    path: `${PROJECT}/rotate_token`,
    access: 'project:write',
    summary: 'Replace the project token. The old one is accepted for "grace_seconds" more',
    body: ROTATE,
    response: PROJECT_BODY,
    handler: async ({ projects }, { projectId, body: { grace_seconds = 0 } }) => ({
      body: await projects.rotateToken(projectId, grace_seconds),
    }),
  }),
]
