import type { FlagDefinitions } from '../definitions.ts'
import type { LocalEvaluation } from '../localEvaluation.ts'
import { type FlagsRequest, toDecideResponse, type FlagsHandler } from '../flags.ts'
import { decode, decodeSmall } from '../../ingest/decode.ts'
import { parseBounded } from '../../ingest/split.ts'
import { ApiError } from '../../lib/apiError.ts'
import { tagged, tagOf, unlessKnown } from '../../http/etag.ts'
import { publicBody, requireProject, type ProjectByToken } from '../../http/request.ts'
import { type Handler, type RouteRequest, routesWith } from '../../http/route.ts'

/** What the routes use. */
export interface EvaluationParts {
  readonly handleFlags: FlagsHandler
  readonly localEvaluation: LocalEvaluation
  readonly flags: Pick<FlagDefinitions, 'payload'>
  readonly projectByToken: ProjectByToken
}

const route = routesWith<EvaluationParts>()

/** Maximum bytes of the JSON of a flags request, which is parsed in one step. */
export const MAX_FLAGS_BYTES = 128 * 1024
// The JSON as base64 in a form.
const MAX_FLAGS_BODY = 1.5 * MAX_FLAGS_BYTES

type PublicRequest = RouteRequest<Buffer | undefined>

const readBody = async (request: PublicRequest): Promise<FlagsRequest> => {
  const { compression } = request.query
  const body = publicBody(request)
  const bytes = decodeSmall(body, compression) ?? (await decode(body, compression, { maxBytes: MAX_FLAGS_BYTES }))
  if (bytes.length > MAX_FLAGS_BYTES)
    throw new ApiError('body_too_large', {
      detail: `A flags request may have at most ${MAX_FLAGS_BYTES} bytes of JSON.`,
    })
  return (parseBounded(bytes) ?? {}) as FlagsRequest
}

const evaluate = async (parts: EvaluationParts, request: PublicRequest, version: number, withConfig: boolean) => {
  const { query, receivedAt, signal } = request
  const body = await readBody(request)
  const token = body.token ?? body.api_key ?? query.token ?? query.api_key
  const project = await requireProject(parts, token)
  const isForSurveys = query.only_evaluate_survey_feature_flags === 'true'
  return parts.handleFlags({ project, request: body, withConfig, version, isForSurveys, receivedAt, signal })
}

const flags: Handler<EvaluationParts, Buffer | undefined> = async (parts, request) => {
  const { v = 1, config } = request.query
  return { body: await evaluate(parts, request, Number(v), config === 'true' || config === '1') }
}

// Handles /decide, the predecessor of /flags. Its response always has the configuration.
const decide: Handler<EvaluationParts, Buffer | undefined> = async (parts, request) => ({
  body: toDecideResponse(await evaluate(parts, request, 1, true), Number(request.query.v ?? 1)),
})

/** Returns the project for a path without a project id: the key's own, or with a key for all projects that of `?token=`. */
const projectOfKey = async (parts: EvaluationParts, { query, key }: RouteRequest): Promise<number> => {
  const projectId =
    query.token === undefined && key.projectId !== undefined
      ? key.projectId
      : (await requireProject(parts, query.token)).id
  // Another customer's project gets the same response as a missing one.
  if (key.projectId !== undefined && key.projectId !== projectId) throw new ApiError('invalid_token')
  return projectId
}

// Server SDKs poll it. The tag is that of a project and of a variant, with cohorts or without them.
const localEvaluation: Handler<EvaluationParts> = async (parts, request) => {
  const projectId = await projectOfKey(parts, request)
  const body = JSON.stringify(await parts.localEvaluation(projectId))
  return unlessKnown(request, tagOf(`${projectId} ${request.query.send_cohorts !== undefined} ${body}`), {
    headers: { 'content-type': 'application/json; charset=utf-8', 'cache-control': 'private, must-revalidate' },
    body,
  })
}

const payload: Handler<EvaluationParts> = tagged(async (parts, request) => ({
  // Serialized here, because a payload may be a string or null.
  body: JSON.stringify(await parts.flags.payload(await projectOfKey(parts, request), request.params.key!)),
}))

// Current server SDKs use the first path. Older ones, and those for other languages, use the second.
const LOCAL_EVALUATION_PATHS = ['/flags/definitions', '/api/feature_flag/local_evaluation']

/** Feature flags for SDKs in browsers and on servers. */
export const EVALUATION_ROUTES = [
  route({ method: 'POST', path: '/flags', access: 'public', body: 'raw', maxBytes: MAX_FLAGS_BODY, handler: flags }),
  route({ method: 'POST', path: '/decide', access: 'public', body: 'raw', maxBytes: MAX_FLAGS_BODY, handler: decide }),
  route({
    method: 'GET',
    path: '/decide',
    access: 'public',
    summary: 'Evaluate flags and read the configuration',
    handler: decide,
  }),
  ...LOCAL_EVALUATION_PATHS.map((path) =>
    route({
      method: 'GET',
      path,
      summary: 'Read flags with their conditions, for server SDKs that evaluate flags locally',
      access: 'feature_flag:read',
      handler: localEvaluation,
    }),
  ),
  route({
    method: 'GET',
    path: '/api/projects/@current/feature_flags/:key/remote_config',
    summary: "Read a flag's payload, for server SDKs that store configuration in flags",
    access: 'feature_flag:read',
    handler: payload,
  }),
]
