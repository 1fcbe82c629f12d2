import type { ProjectByToken } from '../../http/request.ts'
import { remoteConfigScript, type RemoteConfigs, type schemasOf } from '../remoteConfig.ts'
import { ApiError } from '../../lib/apiError.ts'
import { tagged } from '../../http/etag.ts'
import { type RouteRequest, routesWith } from '../../http/route.ts'

/** What the routes use. */
export interface RemoteConfigParts {
  readonly remoteConfigs: RemoteConfigs
  readonly projectByToken: ProjectByToken
}

const route = routesWith<RemoteConfigParts>()

const configOf = async ({ projectByToken, remoteConfigs }: RemoteConfigParts, { params }: RouteRequest) => {
  const project = await projectByToken(params.token!)
  if (!project) throw new ApiError('not_found', { detail: 'No project has this token.' })
  return remoteConfigs.of(project)
}

// Short enough for pages to notice changes, long enough to spare a request per visit.
const BRIEFLY = 'public, max-age=60'

const SETTINGS = '/api/projects/:projectId/remote_config'

/** Returns the routes of the remote configuration of the browser SDK, by the schemas of its settings. */
export const remoteConfigRoutes = ({ settings, patch }: ReturnType<typeof schemasOf>) => [
  route({
    method: 'GET',
    path: '/array/:token/config',
    access: 'public',
    handler: tagged(async (parts, request) => ({
      body: await configOf(parts, request),
      headers: { 'cache-control': BRIEFLY },
    })),
  }),
  route({
    method: 'GET',
    path: '/array/:token/config.js',
    access: 'public',
    handler: tagged(async (parts, request) => ({
      body: remoteConfigScript(await configOf(parts, request)),
      headers: { 'content-type': 'application/javascript; charset=utf-8', 'cache-control': BRIEFLY },
    })),
  }),
  route({
    method: 'GET',
    path: SETTINGS,
    summary: 'Read the remote configuration of the SDK',
    access: 'project:read',
    response: settings,
    handler: async ({ remoteConfigs }, { projectId }) => ({ body: await remoteConfigs.settings(projectId) }),
  }),
  route({
    method: 'PATCH',
    path: SETTINGS,
    summary: 'Change the remote configuration of the SDK by a JSON Merge Patch: objects merge, null removes a field',
    access: 'project:write',
    body: patch,
    response: settings,
    handler: async ({ remoteConfigs }, { projectId, body }) => ({
      body: await remoteConfigs.change(projectId, body as Readonly<Record<string, unknown>>),
    }),
  }),
]
