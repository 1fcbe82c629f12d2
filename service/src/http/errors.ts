import type { ApiError, ApiErrorCode } from '../lib/apiError.ts'

export interface ErrorRow {
  readonly status: number
  readonly type: 'authentication_error' | 'invalid_request' | 'validation_error' | 'throttled_error' | 'server_error'
  /** Default message. */
  readonly message: string
}

/** All errors of the API. */
export const ERRORS: Readonly<Record<ApiErrorCode, ErrorRow>> = {
  not_authenticated: {
    status: 401,
    type: 'authentication_error',
    message: 'The request has no personal API key. Send it as "Authorization: Bearer <key>".',
  },
  invalid_api_key: { status: 401, type: 'authentication_error', message: 'This personal API key is not valid.' },
  invalid_token: { status: 401, type: 'authentication_error', message: 'No project has this token.' },
  invalid_run_token: {
    status: 401,
    type: 'authentication_error',
    message:
      'This run token is not valid. It was changed, belongs to another project, or all run tokens of the project have been revoked.',
  },
  run_token_expired: {
    status: 401,
    type: 'authentication_error',
    message: 'This run token has expired. Get a new one from the backend that created it.',
  },
  run_token_revoked: { status: 401, type: 'authentication_error', message: 'This run token has been revoked.' },
  permission_denied: { status: 403, type: 'authentication_error', message: 'This personal API key lacks a scope.' },
  origin_not_allowed: {
    status: 403,
    type: 'authentication_error',
    message: 'This run token is not valid for pages of this site.',
  },
  not_granted: { status: 403, type: 'authentication_error', message: 'This run token does not allow this request.' },
  not_found: { status: 404, type: 'invalid_request', message: 'There is no resource with this URL.' },
  invalid_input: { status: 400, type: 'validation_error', message: 'The request is invalid.' },
  invalid_json: { status: 400, type: 'validation_error', message: 'The body is not valid JSON.' },
  invalid_encoding: { status: 400, type: 'validation_error', message: 'The body cannot be decoded.' },
  unsupported_compression: {
    status: 400,
    type: 'validation_error',
    message: 'The compression of the body is not supported.',
  },
  body_too_large: { status: 413, type: 'invalid_request', message: 'The body is too large. Send it in parts.' },
  body_too_slow: {
    status: 408,
    type: 'invalid_request',
    message: 'The body arrived too slowly, so the connection was closed. Send it again in smaller parts.',
  },
  unsupported_media_type: { status: 415, type: 'invalid_request', message: 'Send the body as application/json.' },
  name_taken: { status: 400, type: 'validation_error', message: 'The name is taken.' },
  unsupported_kind: {
    status: 400,
    type: 'validation_error',
    message: '"query.kind" must be HogQLQuery or a kind of insight.',
  },
  query_invalid: { status: 400, type: 'validation_error', message: 'The query is not valid.' },
  undefined_variables: { status: 400, type: 'validation_error', message: 'Query references undefined variable(s)' },
  malformed_variable_ids: { status: 400, type: 'validation_error', message: 'Variable ID(s) not valid UUIDs' },
  unknown_variable_ids: { status: 400, type: 'validation_error', message: 'Variable ID(s) not found' },
  invalid_variables: {
    status: 400,
    type: 'validation_error',
    message: 'The variables do not match those of the endpoint.',
  },
  variable_in_use: { status: 409, type: 'validation_error', message: 'The variable is used by endpoints.' },
  version_conflict: {
    status: 409,
    type: 'validation_error',
    message: 'Someone else saved a change in between. Read the current version, and apply your change to it.',
  },
  source_map_exists: {
    status: 409,
    type: 'validation_error',
    message: 'Another source map has this id. Build again, so that the changed file gets its own id.',
  },
  version_not_found: { status: 404, type: 'invalid_request', message: 'The endpoint has no such version.' },
  version_inactive: { status: 400, type: 'validation_error', message: 'This version of the endpoint is not active.' },
  not_materialized: {
    status: 400,
    type: 'validation_error',
    message: 'This version of the endpoint is not materialized. Omit "refresh": "direct".',
  },
  not_materializable: { status: 400, type: 'validation_error', message: 'This query cannot be materialized.' },
  query_failed: { status: 400, type: 'validation_error', message: 'The engine rejected the query.' },
  query_timeout: { status: 400, type: 'validation_error', message: 'The query took too long.' },
  query_memory_limit: { status: 400, type: 'validation_error', message: 'The query needed too much memory.' },
  query_too_large: {
    status: 400,
    type: 'validation_error',
    message: 'The result has too many rows. Group or filter more, or pass "limit".',
  },
  query_cancelled: { status: 400, type: 'validation_error', message: 'The run was canceled.' },
  query_capacity: {
    status: 503,
    type: 'throttled_error',
    message: 'The engine has no capacity for another query of this project. Retry after the time in Retry-After.',
  },
  rate_limited: {
    status: 429,
    type: 'throttled_error',
    message: 'This key has exceeded its limit of runs. Retry after the time in Retry-After.',
  },
  too_many_at_once: {
    status: 429,
    type: 'throttled_error',
    message: 'This key has too many concurrent runs. Wait for one to end.',
  },
  not_ready: { status: 503, type: 'server_error', message: 'The service is not ready.' },
  engine_unavailable: {
    status: 503,
    type: 'server_error',
    message: 'The event store does not respond. Retry the request.',
  },
  definitions_unavailable: {
    status: 503,
    type: 'server_error',
    message: 'The metadata store does not respond. Retry the request.',
  },
  ingest_overloaded: {
    status: 429,
    type: 'throttled_error',
    message: 'Too many events are waiting to be stored. Retry after the time in Retry-After.',
  },
  disk_full: {
    status: 507,
    type: 'server_error',
    message: 'The service is out of disk space. Retry later. An operator must free disk space.',
  },
  not_signed_in: {
    status: 401,
    type: 'authentication_error',
    message:
      'There is no session of the console: it expired, was ended, or its key was revoked or replaced. Sign in again.',
  },
  sign_in_failed: {
    status: 401,
    type: 'authentication_error',
    message:
      'This link or key is not valid. A link works once, for 15 minutes. Print a new one with "trailmark console", or sign in with a personal API key.',
  },
  too_many_sign_ins: {
    status: 429,
    type: 'throttled_error',
    message: 'There were too many failed attempts to sign in. Retry after the time in Retry-After.',
  },
  cross_origin_request: {
    status: 403,
    type: 'authentication_error',
    message:
      'Requests with a session of the console are only accepted from its own pages. Other clients use a personal API key.',
  },
  misdirected_request: {
    status: 421,
    type: 'invalid_request',
    message:
      'The console does not answer on this host. Open it on a host that TRAILMARK_CONSOLE_HOSTS names, or name this one there and restart the service.',
  },
  invalid_toolbar_code: {
    status: 401,
    type: 'authentication_error',
    message:
      'This code is not valid. A code opens the toolbar once, within 60 seconds, on the site that it was created for. Open the toolbar from the console again.',
  },
  no_toolbar_session: {
    status: 401,
    type: 'authentication_error',
    message:
      'There is no session of the toolbar for this site: it expired or was ended. Open the toolbar from the console.',
  },
  not_shareable: { status: 400, type: 'validation_error', message: 'This cannot be shared.' },
  share_ended: {
    status: 410,
    type: 'authentication_error',
    message: 'This link does not work any more. Ask the person who sent it for a new one.',
  },
  share_password: { status: 401, type: 'authentication_error', message: 'This link needs a password.' },
  share_view_expired: {
    status: 401,
    type: 'authentication_error',
    message: 'This view of the share has ended. Open the link again.',
  },
  too_many_tries: {
    status: 429,
    type: 'throttled_error',
    message: 'There were too many wrong passwords for this link. Retry after the time in Retry-After.',
  },
  internal_error: {
    status: 500,
    type: 'server_error',
    message: 'Internal error. The log has details under this request id.',
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

/** Returns the response for an API error. */
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
