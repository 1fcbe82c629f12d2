import type { Dashboards } from './dashboards.ts'
import { Type } from '@sinclair/typebox'
import { DASHBOARD_VARIABLES, MAX_TILES, TILE } from './tiles.ts'
import { CLOSED, page } from '../http/request.ts'
import { routesWith } from '../http/route.ts'
import { pageOf, TIME } from '../http/schemas.ts'

/** What the routes use. */
export interface DashboardParts {
  readonly dashboards: Dashboards
}

const route = routesWith<DashboardParts>()

const FIELDS = {
  description: Type.Optional(Type.String({ maxLength: 10_000 })),
  variables: Type.Optional(DASHBOARD_VARIABLES),
  tiles: Type.Optional(Type.Array(TILE, { maxItems: MAX_TILES })),
}
const NAME = Type.String({ minLength: 1, maxLength: 200 })
const CREATE = Type.Object({ name: NAME, ...FIELDS }, CLOSED)
const CHANGE = Type.Object(
  {
    /** The version that the change is based on. */
    version: Type.Integer({ minimum: 1 }),
    name: Type.Optional(NAME),
    ...FIELDS,
  },
  CLOSED,
)

const DASHBOARD = Type.Object({
  id: Type.String(),
  name: Type.String(),
  description: Type.String(),
  /** Values of variables for all tiles. */
  variables: DASHBOARD_VARIABLES,
  tiles: Type.Array(TILE),
  /** Increases with each change. */
  version: Type.Integer(),
  created_at: TIME,
  updated_at: TIME,
})

const DASHBOARDS = '/api/projects/:projectId/dashboards'
const DASHBOARD_PATH = `${DASHBOARDS}/:id`

/** Dashboards: tiles with endpoints and queries on a grid. */
export const DASHBOARD_ROUTES = [
  route({
    method: 'GET',
    path: DASHBOARDS,
    summary: 'List the dashboards, oldest first. The first request of a project creates its default dashboard',
    access: 'dashboard:read',
    response: pageOf(DASHBOARD),
    handler: async ({ dashboards }, { projectId }) => page(await dashboards.list(projectId)),
  }),
  route({
    method: 'POST',
    path: DASHBOARDS,
    summary: 'Create a dashboard',
    access: 'dashboard:write',
    body: CREATE,
    response: DASHBOARD,
    handler: async ({ dashboards }, { projectId, body }) => ({
      status: 201,
      body: await dashboards.create(projectId, body),
    }),
  }),
  route({
    method: 'GET',
    path: DASHBOARD_PATH,
    summary: 'Read a dashboard',
    access: 'dashboard:read',
    response: DASHBOARD,
    handler: async ({ dashboards }, { projectId, params }) => ({ body: await dashboards.get(projectId, params.id!) }),
  }),
  route({
    method: 'PATCH',
    path: DASHBOARD_PATH,
    summary: 'Change a dashboard. Rejected if "version" is not the current version',
    access: 'dashboard:write',
    body: CHANGE,
    response: DASHBOARD,
    handler: async ({ dashboards }, { projectId, params, body }) => ({
      body: await dashboards.update(projectId, params.id!, body),
    }),
  }),
  route({
    method: 'DELETE',
    path: DASHBOARD_PATH,
    summary: 'Delete a dashboard',
    access: 'dashboard:write',
    handler: async ({ dashboards }, { projectId, params }) => {
      await dashboards.remove(projectId, params.id!)
      return { status: 204 }
    },
  }),
]
