import { type FlagsRequest, toDecideResponse } from '../../flags/flags.ts'
import { decode, decodeSmall } from '../../ingest/decode.ts'
import { parseBounded } from '../../ingest/split.ts'
import { ApiError } from '../../lib/apiError.ts'
import { tagged } from '../etag.ts'
import { publicBody, requireProject } from '../request.ts'
import { type Dependencies, type Handler, type RouteRequest, route } from '../route.ts'

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

const evaluate = async (dependencies: Dependencies, request: PublicRequest, version: number, withConfig: boolean) => {
  const { query, receivedAt, signal } = request
  const body = await readBody(request)
  const token = body.token ?? body.api_key ?? query.token ?? query.api_key
  const project = await requireProject(dependencies, token)
  const isForSurveys = query.only_evaluate_survey_feature_flags === 'true'
  return dependencies.handleFlags({ project, request: body, withConfig, version, isForSurveys, receivedAt, signal })
}

const flags: Handler<Buffer | undefined> = async (dependencies, request) => {
  const { v = 1, config } = request.query
  return { body: await evaluate(dependencies, request, Number(v), config === 'true' || config === '1') }
}

// Handles /decide, the predecessor of /flags. Its response always has the configuration.
const decide: Handler<Buffer | undefined> = async (dependencies, request) => ({
  body: toDecideResponse(await evaluate(dependencies, request, 1, true), Number(request.query.v ?? 1)),
})

/** Returns the project for a path without a project id: the key's own, or with a key for all projects that of `?token=`. */
const projectOfKey = async (dependencies: Dependencies, { query, key }: RouteRequest): Promise<number> => {
  const projectId =
    query.token === undefined && key.projectId !== undefined
      ? key.projectId
      : (await requireProject(dependencies, query.token)).id
  // Another customer's project gets the same response as a missing one.
  if (key.projectId !== undefined && key.projectId !== projectId) throw new ApiError('invalid_token')
  return projectId
}

// Server SDKs poll it.
const localEvaluation: Handler = tagged(async (dependencies, request) => ({
  body: await dependencies.localEvaluation(await projectOfKey(dependencies, request)),
}))

const payload: Handler = tagged(async (dependencies, request) => ({
  // Serialized here, because a payload may be a string or null.
  body: JSON.stringify(
    await dependencies.flags.payload(await projectOfKey(dependencies, request), request.params.key!),
  ),
}))

// Current server SDKs use the first path. Older ones, and those for other languages, use the second.
const LOCAL_EVALUATION_PATHS = ['/flags/definitions', '/api/feature_flag/local_evaluation']

/** Feature flags for SDKs in browsers and on servers. */
export const FLAG_EVALUATION_ROUTES = [
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
