import type { ApiError, ApiErrorCode } from '../lib/apiError.ts'

export interface ErrorRow {
  readonly status: number
  readonly type: 'authentication_error' | 'invalid_request' | 'validation_error' | 'throttled_error' | 'server_error'
  /** What is said when the refusal brings no words of its own. */
  readonly message: string
}

/** Every way in which the service says no. */
export const ERRORS: Readonly<Record<ApiErrorCode, ErrorRow>> = {
  not_authenticated: {
    status: 401,
    type: 'authentication_error',
    message: 'The request carries no personal API key: send it as "Authorization: Bearer <key>".',
  },
  invalid_api_key: { status: 401, type: 'authentication_error', message: 'This personal API key is not valid.' },
  invalid_token: { status: 401, type: 'authentication_error', message: 'No project has this token.' },
  invalid_run_token: {
    status: 401,
    type: 'authentication_error',
    message:
      'This run token is not valid: it was changed, is of another project, or all run tokens of the project have been revoked.',
  },
  run_token_expired: {
    status: 401,
    type: 'authentication_error',
    message: 'This run token has expired: get another one from the backend that made it.',
  },
  run_token_revoked: { status: 401, type: 'authentication_error', message: 'This run token has been revoked.' },
  permission_denied: { status: 403, type: 'authentication_error', message: 'This personal API key lacks a scope.' },
  origin_not_allowed: {
    status: 403,
    type: 'authentication_error',
    message: 'This run token is not for pages of this site.',
  },
  not_granted: { status: 403, type: 'authentication_error', message: 'This run token does not allow that.' },
  not_found: { status: 404, type: 'invalid_request', message: 'There is nothing at this address.' },
  invalid_input: { status: 400, type: 'validation_error', message: 'The request is not as it should be.' },
  invalid_json: { status: 400, type: 'validation_error', message: 'The body is not valid JSON.' },
  invalid_encoding: { status: 400, type: 'validation_error', message: 'The body cannot be decoded.' },
  unsupported_compression: {
    status: 400,
    type: 'validation_error',
    message: 'The body is compressed in a way that is not supported.',
  },
  body_too_large: { status: 413, type: 'invalid_request', message: 'The body is too large: send it in parts.' },
  body_too_slow: {
    status: 408,
    type: 'invalid_request',
    message: 'The body arrived too slowly, so the connection is closed. Send it again, in smaller parts.',
  },
  unsupported_media_type: { status: 415, type: 'invalid_request', message: 'Send the body as application/json.' },
  name_taken: { status: 400, type: 'validation_error', message: 'The name is taken.' },
  unsupported_kind: {
    status: 400,
    type: 'validation_error',
    message: '"query.kind" is one of HogQLQuery, TrendsQuery, FunnelsQuery, RetentionQuery.',
  },
  query_invalid: { status: 400, type: 'validation_error', message: 'The query is not valid.' },
  undefined_variables: { status: 400, type: 'validation_error', message: 'Query references undefined variable(s)' },
  malformed_variable_ids: { status: 400, type: 'validation_error', message: 'Variable ID(s) not valid UUIDs' },
  unknown_variable_ids: { status: 400, type: 'validation_error', message: 'Variable ID(s) not found' },
  invalid_variables: { status: 400, type: 'validation_error', message: 'The variables are not those of the endpoint.' },
  variable_in_use: { status: 409, type: 'validation_error', message: 'The variable is used by endpoints.' },
  version_not_found: { status: 404, type: 'invalid_request', message: 'The endpoint has no such version.' },
  version_inactive: { status: 400, type: 'validation_error', message: 'This version of the endpoint is not active.' },
  not_materialized: {
    status: 400,
    type: 'validation_error',
    message: 'This version of the endpoint is not materialized: leave out "refresh": "direct".',
  },
  not_materializable: { status: 400, type: 'validation_error', message: 'This query cannot be materialized.' },
  query_failed: { status: 400, type: 'validation_error', message: 'The engine refused the query.' },
  query_timeout: { status: 400, type: 'validation_error', message: 'The query took too long.' },
  query_memory_limit: { status: 400, type: 'validation_error', message: 'The query needed too much memory.' },
  query_too_large: {
    status: 400,
    type: 'validation_error',
    message: 'The answer has too many rows: group or filter more, or pass "limit".',
  },
  query_cancelled: { status: 400, type: 'validation_error', message: 'The run was cancelled.' },
  query_capacity: {
    status: 503,
    type: 'throttled_error',
    message:
      'The engine has no room for another query of this project at the moment: wait for one to end, and send the request again after as long as Retry-After says.',
  },
  rate_limited: {
    status: 429,
    type: 'throttled_error',
    message: 'This key has run too many endpoints: wait as long as Retry-After says.',
  },
  too_many_at_once: {
    status: 429,
    type: 'throttled_error',
    message: 'This key runs too many endpoints at the same time: wait for one to end.',
  },
  not_ready: { status: 503, type: 'server_error', message: 'The service is not ready.' },
  engine_unavailable: {
    status: 503,
    type: 'server_error',
    message: 'The event store does not answer at the moment: try again.',
  },
  definitions_unavailable: {
    status: 503,
    type: 'server_error',
    message: 'The store of the definitions does not answer at the moment: try again.',
  },
  ingest_overloaded: {
    status: 429,
    type: 'throttled_error',
    message: 'More events wait than can be held: send this delivery again after as long as Retry-After says.',
  },
  disk_full: {
    status: 507,
    type: 'server_error',
    message:
      'The disk of the service is full, so nothing is taken: send this again later. Who runs the service frees some space.',
  },
  internal_error: {
    status: 500,
    type: 'server_error',
    message: 'Something went wrong on our side. The request id finds it in the log.',
  },
}

export interface ErrorBody {
  readonly type: ErrorRow['type']
  readonly code: string
  readonly detail: string
  readonly attr: string | null
  readonly errors?: readonly { readonly path: string; readonly code: string; readonly message: string }[]
  readonly request_id: string
}

/** Turns a refusal into an error response. */
export const toErrorResponse = (
  { code, details }: ApiError,
  requestId: string,
): { status: number; body: ErrorBody; retryAfterSeconds: number | undefined } => {
  const { status, type, message } = ERRORS[code]
  return {
    status,
    body: {
      type,
      code: details.code ?? code,
      detail: details.detail ?? message,
      attr: details.attr ?? null,
      ...(details.errors ? { errors: details.errors } : {}),
      ...details.extra,
      request_id: requestId,
    },
    retryAfterSeconds: details.retryAfterSeconds,
  }
}
