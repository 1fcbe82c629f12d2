import { REMOTE_CONFIG, remoteConfigScript } from '../../flags/remoteConfig.ts'
import { ApiError } from '../../lib/apiError.ts'
import { type Dependencies, type RouteRequest, route } from '../route.ts'

const configOf = async ({ projectByToken, remoteConfigs }: Dependencies, { params }: RouteRequest) => {
  const project = await projectByToken(params.token!)
  if (!project) throw new ApiError('not_found', { detail: 'No project has this token.' })
  return remoteConfigs.of(project)
}

// Short enough for pages to notice changes, long enough to spare a request per visit.
const BRIEFLY = 'public, max-age=60'

const SETTINGS = '/api/projects/:projectId/remote_config'

/** Remote configuration of the browser SDK. */
export const REMOTE_CONFIG_ROUTES = [
  route({
    method: 'GET',
    path: '/array/:token/config',
    access: 'public',
    handler: async (dependencies, request) => ({
      body: await configOf(dependencies, request),
      headers: { 'cache-control': BRIEFLY },
    }),
  }),
  route({
    method: 'GET',
    path: '/array/:token/config.js',
    access: 'public',
    handler: async (dependencies, request) => ({
      body: remoteConfigScript(await configOf(dependencies, request)),
      headers: { 'content-type': 'application/javascript; charset=utf-8', 'cache-control': BRIEFLY },
    }),
  }),
  // There are no surveys. SDKs of this protocol request them anyway.
  route({ method: 'GET', path: '/api/surveys', access: 'public', handler: () => ({ body: { surveys: [] } }) }),
  route({
    method: 'GET',
    path: SETTINGS,
    access: 'project:read',
    handler: async ({ remoteConfigs }, { projectId }) => ({ body: await remoteConfigs.settings(projectId) }),
  }),
  route({
    method: 'PATCH',
    path: SETTINGS,
    access: 'project:write',
    body: REMOTE_CONFIG,
    handler: async ({ remoteConfigs }, { projectId, body }) => ({ body: await remoteConfigs.change(projectId, body) }),
  }),
]
