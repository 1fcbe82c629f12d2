import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify'
import { ApiError } from '../lib/apiError.ts'
import type { Log } from '../lib/log.ts'
import type { Count } from '../lib/metrics.ts'
import { own } from '../lib/own.ts'
import { MetadataUnavailable } from '../storage/metadata/metadata.ts'
import { StorageError, storageApiError } from '../storage/storage.ts'
import { toErrorResponse } from './errors.ts'

/** Maximum validation issues that a response lists. */
const MAX_ERRORS = 20

const FULL_RETRY_SECONDS = 30
// A restart or failover of the database takes about as long.
const DEFINITIONS_RETRY_SECONDS = 5

// Errors of the framework, by code. Any other error is a bug.
const FRAMEWORK_ERRORS: Readonly<Record<string, () => ApiError>> = {
  FST_ERR_CTP_BODY_TOO_LARGE: () => new ApiError('body_too_large'),
  FST_ERR_CTP_INVALID_MEDIA_TYPE: () => new ApiError('unsupported_media_type'),
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: () =>
    new ApiError('invalid_input', { detail: 'The length of the body differs from Content-Length.' }),
  ECONNRESET: () => new ApiError('invalid_input', { detail: 'The connection closed before the body was complete.' }),
  FST_ERR_BAD_URL: () => new ApiError('not_found'),
  FST_ERR_MAX_PARAM_LENGTH: () => new ApiError('not_found'),
}

const describeIssue = ({
  instancePath,
  params,
  message,
}: {
  instancePath: string
  params: Record<string, unknown>
  message?: string
}) => {
  const extra = params.additionalProperty ?? params.missingProperty
  const path = [...instancePath.split('/').slice(1), ...(typeof extra === 'string' ? [extra] : [])].join('.')
  const expected =
    params.additionalProperty !== undefined
      ? 'is not a field of this request'
      : params.missingProperty !== undefined
        ? 'is required'
        : Array.isArray(params.allowedValues)
          ? `must be one of ${params.allowedValues.join(', ')}`
          : (message ?? 'is not valid')
  return {
    path,
    code: params.missingProperty === undefined ? 'invalid' : 'required',
    message: path ? `"${path}" ${expected}` : `The body ${expected}`,
  }
}

const fromValidation = (issues: NonNullable<FastifyError['validation']>): ApiError => {
  const errors = issues.slice(0, MAX_ERRORS).map((issue) =>
    describeIssue({
      instancePath: issue.instancePath,
      params: issue.params,
      ...(issue.message ? { message: issue.message } : {}),
    }),
  )
  return new ApiError('invalid_input', {
    detail: `${errors.map(({ message }) => message).join('; ')}.`,
    attr: errors[0]!.path.split('.')[0],
    errors,
  })
}

const toApiError = (error: FastifyError | ApiError, report: (error: Error) => void): ApiError => {
  if (error instanceof ApiError) return error
  if (error.validation) return fromValidation(error.validation)
  if (error instanceof MetadataUnavailable)
    return new ApiError('definitions_unavailable', { retryAfterSeconds: DEFINITIONS_RETRY_SECONDS })
  const busy = error instanceof StorageError ? storageApiError(error) : undefined
  if (busy) return busy
  // Codes of SQLite and Postgres for a full disk.
  if (error.code === 'SQLITE_FULL' || error.code === '53100')
    return new ApiError('disk_full', { retryAfterSeconds: FULL_RETRY_SECONDS })
  const known = own(FRAMEWORK_ERRORS, error.code)
  if (known) return known()
  report(error)
  return new ApiError('internal_error')
}

export type SendError = (error: FastifyError | ApiError, request: FastifyRequest, reply: FastifyReply) => FastifyReply

/** Returns the handler that responds to failed requests. */
export const createSendError =
  ({ log, count }: { readonly log: Log; readonly count: Count }): SendError =>
  (error, request, reply) => {
    const apiError = toApiError(error, ({ stack }) =>
      log(`Request ${request.id} ${request.method} ${request.routeOptions?.url ?? ''} failed: ${stack}`, {
        level: 'error',
      }),
    )
    if (error instanceof MetadataUnavailable)
      log(`${error.message}: ${(error.cause as Error).message}`, { level: 'warn', request_id: request.id })
    count('trailmark_refusals_total', { code: apiError.code })
    const { status, body, retryAfterSeconds } = toErrorResponse(apiError, request.id)
    if (retryAfterSeconds !== undefined) reply.header('retry-after', String(retryAfterSeconds))
    return reply
      .status(status)
      .headers({ 'x-request-id': request.id, 'cache-control': 'no-store' })
      .type('application/json; charset=utf-8')
      .send(body)
  }
