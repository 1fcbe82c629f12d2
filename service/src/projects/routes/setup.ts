import type { Setup } from '../setup.ts'
import { Type } from '@sinclair/typebox'
import { routesWith } from '../../http/route.ts'
import { orNull, TIME } from '../../http/schemas.ts'

/** What the routes use. */
export interface SetupParts {
  readonly setup: Pick<Setup, 'get'>
}

const route = routesWith<SetupParts>()

const SETUP = Type.Object({
  /** Public token that browsers send. */
  token: Type.String(),
  timezone: Type.String(),
  /** When the service first received each of these. null: not yet. */
  first_pageview_at: orNull(TIME),
  first_custom_event_at: orNull(TIME),
  first_identify_at: orNull(TIME),
  first_flag_evaluation_at: orNull(TIME),
})

/** Which steps of setting up a project are done. */
export const SETUP_ROUTES = [
  route({
    method: 'GET',
    path: '/api/projects/:projectId/setup',
    summary: 'Read when the project first received a pageview, a custom event, an identify and a flag evaluation',
    access: 'project:read',
    response: SETUP,
    handler: async ({ setup }, { projectId, signal }) => ({ body: await setup.get(projectId, signal) }),
  }),
]
