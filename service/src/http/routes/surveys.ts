import { Type } from '@sinclair/typebox'
import { SURVEY_CHANGES, SURVEY_INPUT, SURVEY_VIEW } from '../../surveys/survey.ts'
import { page } from '../request.ts'
import { type Handler, route } from '../route.ts'
import { pageOf } from '../schemas.ts'

const BRIEFLY = 'public, max-age=60'

/** The running surveys. A token that no project has gets none, like a project without surveys. */
const running: Handler = async ({ projectByToken, surveys }, { query: { token }, headers }) => {
  const project = token ? await projectByToken(token) : undefined
  if (!project) return { body: { surveys: [] } }
  const { json, hash } = await surveys.running(project.id)
  const etag = `"${hash}"`
  const cached = { etag, 'cache-control': BRIEFLY }
  // A proxy that compresses the response makes the tag a weak one.
  if (headers['if-none-match']?.split(/,\s*/).some((each) => each.replace(/^W\//, '') === etag))
    return { status: 304, headers: cached }
  return { headers: { ...cached, 'content-type': 'application/json; charset=utf-8' }, body: json }
}

const SURVEYS = '/api/projects/:projectId/surveys'

/** Definitions of surveys, and what SDKs read of them. */
export const SURVEY_ROUTES = [
  route({
    method: 'GET',
    path: '/api/surveys',
    summary: 'List the running surveys as SDKs read them',
    access: 'public',
    query: { token: Type.String() },
    handler: running,
  }),
  route({
    method: 'GET',
    path: SURVEYS,
    summary: 'List the surveys, newest first',
    access: 'survey:read',
    response: pageOf(SURVEY_VIEW),
    handler: async ({ surveys }, { projectId }) => page(await surveys.list(projectId)),
  }),
  route({
    method: 'POST',
    path: SURVEYS,
    summary: 'Create a survey. It is a draft unless "start_date" is set',
    access: 'survey:write',
    body: SURVEY_INPUT,
    response: SURVEY_VIEW,
    handler: async ({ surveys }, { projectId, body }) => ({ status: 201, body: await surveys.create(projectId, body) }),
  }),
  route({
    method: 'GET',
    path: `${SURVEYS}/:id`,
    summary: 'Read a survey',
    access: 'survey:read',
    response: SURVEY_VIEW,
    handler: async ({ surveys }, { projectId, params }) => ({ body: await surveys.get(projectId, params.id!) }),
  }),
  route({
    method: 'PATCH',
    path: `${SURVEYS}/:id`,
    summary: 'Change a survey. Launch it by "start_date", stop it by "end_date", resume it by "end_date": null',
    access: 'survey:write',
    body: SURVEY_CHANGES,
    response: SURVEY_VIEW,
    handler: async ({ surveys }, { projectId, params, body }) => ({
      body: await surveys.update(projectId, params.id!, body),
    }),
  }),
  route({
    method: 'DELETE',
    path: `${SURVEYS}/:id`,
    summary: 'Delete a survey. Its events stay',
    access: 'survey:write',
    handler: async ({ surveys }, { projectId, params }) => {
      await surveys.remove(projectId, params.id!)
      return { status: 204 }
    },
  }),
]
