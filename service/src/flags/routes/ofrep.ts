import { bearerOf } from '../../http/auth.ts'
import { tagOf, unlessKnown } from '../../http/etag.ts'
import type { ProjectByToken } from '../../http/request.ts'
import { type Handler, type RouteRequest, type RouteResponse, routesWith } from '../../http/route.ts'
import { parseBounded } from '../../ingest/split.ts'
import { ApiError } from '../../lib/apiError.ts'
import { own } from '../../lib/own.ts'
import type { Keys } from '../../projects/keys.ts'
import type { FlagsCall, FlagsHandler } from '../flags.ts'
import { type OfrepFailure, toFlagsRequest, toOfrepFlag } from '../ofrep.ts'
import type { FlagsRequest } from '../subject.ts'
import { MAX_FLAGS_BYTES } from './evaluation.ts'

/** What the routes use. */
export interface OfrepParts {
  readonly handleFlags: FlagsHandler
  readonly keyBySecret: Keys['bySecret']
  readonly projectByToken: ProjectByToken
}

type OfrepRequest = RouteRequest<Buffer | undefined>

const route = routesWith<OfrepParts>()

// Quotas are per minute.
const RETRY_SECONDS = 60

const refuse = (status: number, failure: OfrepFailure): RouteResponse => ({ status, body: failure })

/**
 * Returns the project of the request's token, which is its public project token, or a personal API key that may read the
 * project's flags. Throws `ApiError` if there is none.
 */
const projectOf = async (parts: OfrepParts, { headers }: OfrepRequest): Promise<FlagsCall['project']> => {
  const secret = bearerOf(headers.authorization) ?? headers['x-api-key']
  if (!secret) throw new ApiError('not_authenticated')
  const project = await parts.projectByToken(secret)
  if (project) return project
  const key = await parts.keyBySecret(secret)
  if (!key) throw new ApiError('invalid_api_key')
  if (key.projectId === undefined || !key.scopes.includes('feature_flag:read'))
    throw new ApiError('permission_denied', {
      detail: 'Use the project token, or a personal API key of one project with the scope feature_flag:read.',
    })
  // The token is only a part of remote config.
  return { id: key.projectId, token: '' }
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Returns the request for flags in a body, or what is wrong with it. */
const readBody = ({ body }: OfrepRequest, key?: string): FlagsRequest | OfrepFailure => {
  let parsed: unknown
  try {
    parsed = body?.length ? parseBounded(body) : {}
  } catch {
    parsed = undefined
  }
  const context = isObject(parsed) ? (parsed.context ?? {}) : undefined
  if (!isObject(context))
    return { key, errorCode: 'PARSE_ERROR', errorDetails: 'The body must be {"context": {"targetingKey": "…"}}.' }
  return (
    toFlagsRequest(context) ?? {
      key,
      errorCode: 'TARGETING_KEY_MISSING',
      errorDetails: 'The context needs "targetingKey", the distinct id of the person.',
    }
  )
}

const isFailure = (read: FlagsRequest | OfrepFailure): read is OfrepFailure => 'errorCode' in read

const evaluate = async (
  parts: OfrepParts,
  { receivedAt, signal }: OfrepRequest,
  project: FlagsCall['project'],
  flagsRequest: FlagsRequest,
) => {
  const { flags, quotaLimited } = await parts.handleFlags({
    project,
    request: flagsRequest,
    withConfig: false,
    version: 2,
    receivedAt,
    signal,
  })
  if (quotaLimited.length)
    throw new ApiError('rate_limited', {
      detail: 'The project has exceeded its limit of requests for flags.',
      retryAfterSeconds: RETRY_SECONDS,
    })
  return flags
}

const bulk: Handler<OfrepParts, Buffer | undefined> = async (parts, request) => {
  const project = await projectOf(parts, request)
  const read = readBody(request)
  if (isFailure(read)) return refuse(400, read)
  const flags = await evaluate(parts, request, project, read)
  const body = JSON.stringify({ flags: Object.values(flags).map(toOfrepFlag) })
  return unlessKnown(request, tagOf(`${project.id} ${body}`), {
    headers: { 'content-type': 'application/json; charset=utf-8', 'cache-control': 'private, must-revalidate' },
    body,
  })
}

const single: Handler<OfrepParts, Buffer | undefined> = async (parts, request) => {
  const key = request.params.key!
  const project = await projectOf(parts, request)
  const read = readBody(request, key)
  if (isFailure(read)) return refuse(400, read)
  const flag = own(await evaluate(parts, request, project, { ...read, flag_keys: [key] }), key)
  if (!flag)
    return refuse(404, {
      key,
      errorCode: 'FLAG_NOT_FOUND',
      errorDetails: 'The project has no active flag with this key.',
    })
  return { body: toOfrepFlag(flag) }
}

const BULK = '/ofrep/v1/evaluate/flags'

/** Flags for providers of OpenFeature in every language. */
export const OFREP_ROUTES = [
  route({
    method: 'POST',
    path: BULK,
    access: 'public',
    summary: 'Evaluate all flags for the person "context.targetingKey" (OpenFeature Remote Evaluation Protocol)',
    body: 'raw',
    maxBytes: MAX_FLAGS_BYTES,
    handler: bulk,
  }),
  route({
    method: 'POST',
    path: `${BULK}/:key`,
    access: 'public',
    summary: 'Evaluate one flag for the person "context.targetingKey" (OpenFeature Remote Evaluation Protocol)',
    body: 'raw',
    maxBytes: MAX_FLAGS_BYTES,
    handler: single,
  }),
]
