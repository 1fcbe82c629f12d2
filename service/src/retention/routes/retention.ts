import { invalidInput, page } from '../../http/request.ts'
import { routesWith } from '../../http/route.ts'
import { pageOf } from '../../http/schemas.ts'
import type { Deletions } from '../deletions.ts'
import type { Retention } from '../retention.ts'
import { DELETION, POLICY, RETENTION, TARGET, targetOf, viewOfDeletion, viewOfRetention } from './views.ts'

/** What the routes use. */
export interface RetentionParts {
  readonly retention: Retention
  readonly deletions: Deletions
}

const route = routesWith<RetentionParts>()

const RETENTION_PATH = '/api/projects/:projectId/retention'
const DELETIONS = '/api/projects/:projectId/deletions'

/** Retention policy of a project, and deletions of events. */
export const RETENTION_ROUTES = [
  route({
    method: 'GET',
    path: RETENTION_PATH,
    access: 'project:read',
    summary: 'Get how long data is kept',
    response: RETENTION,
    handler: async ({ retention }, { projectId }) => ({ body: viewOfRetention(await retention.get(projectId)) }),
  }),
  route({
    method: 'PUT',
    path: RETENTION_PATH,
    access: 'project:write',
    summary: 'Change how long data is kept. Older data is hidden at once, and deleted a day later',
    body: POLICY,
    response: RETENTION,
    handler: async ({ retention }, { projectId, body, key }) => {
      const names = body.events.map(({ event }) => event)
      const repeated = names.find((name, index) => names.indexOf(name) !== index)
      if (repeated !== undefined) throw invalidInput('events', `"events" has "${repeated}" twice.`)
      return { body: viewOfRetention(await retention.set(projectId, body, key.label)) }
    },
  }),
  route({
    method: 'GET',
    path: DELETIONS,
    access: 'project:read',
    summary: 'List the last 100 deletions and changes of what is kept, newest first',
    response: pageOf(DELETION),
    handler: async ({ deletions }, { projectId }) => page((await deletions.list(projectId)).map(viewOfDeletion)),
  }),
  route({
    method: 'POST',
    path: DELETIONS,
    access: 'project:write',
    summary: 'Count the events that a deletion would delete. Nothing is deleted before it is started',
    body: TARGET,
    response: DELETION,
    handler: async ({ deletions }, { projectId, body, key, receivedAt }) => {
      const target = targetOf(body, receivedAt)
      if (target.from && target.from >= target.until)
        throw invalidInput('date_from', '"date_from" must be before "date_to" and before now.')
      return { status: 201, body: viewOfDeletion(await deletions.request(projectId, target, key.label)) }
    },
  }),
  route({
    method: 'GET',
    path: `${DELETIONS}/:id`,
    access: 'project:read',
    summary: 'Get a deletion: what was counted, its progress, and its receipt',
    response: DELETION,
    handler: async ({ deletions }, { projectId, params }) => ({
      body: viewOfDeletion(await deletions.get(projectId, params.id!)),
    }),
  }),
  route({
    method: 'POST',
    path: `${DELETIONS}/:id/start`,
    access: 'project:write',
    summary: 'Delete what was counted',
    response: DELETION,
    handler: async ({ deletions }, { projectId, params }) => ({
      body: viewOfDeletion(await deletions.start(projectId, params.id!)),
    }),
  }),
  route({
    method: 'POST',
    path: `${DELETIONS}/:id/cancel`,
    access: 'project:write',
    summary: 'End a deletion. What was deleted already stays deleted',
    response: DELETION,
    handler: async ({ deletions }, { projectId, params }) => ({
      body: viewOfDeletion(await deletions.cancel(projectId, params.id!)),
    }),
  }),
]
