import type { Surveys } from './surveys.ts'
import type { Project } from '../storage/metadata/metadata.ts'
import { Type } from '@sinclair/typebox'
import { SURVEY_CHANGES, SURVEY_INPUT, SURVEY_VIEW } from './survey.ts'
import { ApiError } from '../lib/apiError.ts'
import { clientOf } from '../lib/clientOf.ts'
import { isUuid } from '../lib/uuid.ts'
import { createHostedLimit } from './hostedLimit.ts'
import { hostedPage, limitedPage, missingPage } from './hostedPage.ts'
import { SURVEY_RESPONSE, type ListResponses } from './responses.ts'
import { SURVEY_RESULTS, type ReadResults } from './results.ts'
import { unlessKnown } from '../http/etag.ts'
import { orElse, type QueryValues } from '../http/query.ts'
import { page, type ProjectByToken } from '../http/request.ts'
import { type Handler, type RouteRequest, routesWith } from '../http/route.ts'
import { orNull, pageOf } from '../http/schemas.ts'

/** What the routes use. */
export interface SurveyParts {
  readonly surveys: Surveys
  readonly readSurveyResults: ReadResults
  readonly listSurveyResponses: ListResponses
  readonly projectByToken: ProjectByToken
  readonly projectById: (id: number) => Promise<Project | undefined>
}

const route = routesWith<SurveyParts>()

const BRIEFLY = 'public, max-age=60'

/** The running surveys. A token that no project has gets none, like a project without surveys. */
const running: Handler<SurveyParts> = async ({ projectByToken, surveys }, request) => {
  const { token } = request.query
  const project = token ? await projectByToken(token) : undefined
  if (!project) return { body: { surveys: [] } }
  const { json, hash } = await surveys.running(project.id)
  const headers = { 'cache-control': BRIEFLY, 'content-type': 'application/json; charset=utf-8' }
  return unlessKnown(request, `"${hash}"`, { headers, body: json })
}

const assertReadsPersons = ({ key }: RouteRequest) => {
  if (!key.scopes.includes('person:read'))
    throw new ApiError('permission_denied', {
      detail: 'Submissions have people, so a key also needs the scope person:read to list them.',
    })
}

const FILTER = {
  iteration: Type.Integer({ minimum: 0, maximum: 500 }),
  language: Type.String({
    maxLength: 100,
    description: 'A language tag, or default for submissions without translation',
  }),
}

/** `language=default` stands for submissions without translation, which have no language. */
const filterOf = ({ iteration, language }: QueryValues<typeof FILTER>) => ({
  iteration,
  language: language === 'default' ? '' : language,
})

const isWithinLimit = createHostedLimit()

const hosted: Handler<SurveyParts> = async ({ surveys, projectById }, { params, ip }) => {
  const id = params.id!.toLowerCase()
  if (!isUuid(id)) return missingPage()
  if (!isWithinLimit(clientOf(ip), id)) return limitedPage()
  const survey = await surveys.hosted(id)
  const project = survey && (await projectById(survey.projectId))
  return survey && project ? hostedPage({ surveyId: id, token: project.token, ...survey }) : missingPage()
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
    path: '/external_surveys/:id',
    summary: 'Serve the page of a hosted survey',
    access: 'public',
    handler: hosted,
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
  route({
    method: 'GET',
    path: `${SURVEYS}/:id/results`,
    summary: 'Count the answers of a survey by question. Of each submission, the latest event counts',
    access: 'survey:read',
    query: FILTER,
    response: SURVEY_RESULTS,
    handler: async ({ surveys, readSurveyResults }, request) => {
      const survey = await surveys.find(request.projectId, request.params.id!)
      return { body: await readSurveyResults(request.projectId, survey, filterOf(request.values), request.signal) }
    },
  }),
  route({
    method: 'GET',
    path: `${SURVEYS}/:id/responses`,
    summary: 'List the submissions of a survey with their people, latest first. The key also requires person:read',
    access: 'survey:read',
    query: {
      ...FILTER,
      question: Type.String({ description: 'Only submissions that answer the question with this id' }),
      submission: Type.String({
        maxLength: 300,
        description: 'Only the submission with this id, with its whole answers',
      }),
      limit: orElse(Type.Integer({ minimum: 1, maximum: 200 }), 50),
      cursor: Type.String({ description: 'The value of "next" of the previous page' }),
    },
    response: Type.Object({ results: Type.Array(SURVEY_RESPONSE), next: orNull(Type.String()) }),
    handler: async ({ surveys, listSurveyResponses }, request) => {
      assertReadsPersons(request)
      const survey = await surveys.find(request.projectId, request.params.id!)
      return {
        body: await listSurveyResponses(request.projectId, survey, {
          ...filterOf(request.values),
          question: request.values.question,
          submission: request.values.submission,
          limit: request.values.limit,
          cursor: request.values.cursor,
          signal: request.signal,
        }),
      }
    },
  }),
]
