/** Code of an API error. `http/errors.ts` has one row for each: status, type and default message. */
export type ApiErrorCode =
  | 'not_authenticated'
  | 'invalid_api_key'
  | 'invalid_token'
  | 'invalid_run_token'
  | 'run_token_expired'
  | 'run_token_revoked'
  | 'permission_denied'
  | 'origin_not_allowed'
  | 'not_granted'
  | 'not_found'
  | 'invalid_input'
  | 'invalid_json'
  | 'invalid_encoding'
  | 'unsupported_compression'
  | 'body_too_large'
  | 'body_too_slow'
  | 'unsupported_media_type'
  | 'name_taken'
  | 'unsupported_kind'
  | 'query_invalid'
  | 'undefined_variables'
  | 'malformed_variable_ids'
  | 'unknown_variable_ids'
  | 'invalid_variables'
  | 'variable_in_use'
  | 'version_conflict'
  | 'source_map_exists'
  | 'version_not_found'
  | 'version_inactive'
  | 'not_materialized'
  | 'not_materializable'
  | 'query_failed'
  | 'query_timeout'
  | 'query_memory_limit'
  | 'query_too_large'
  | 'query_cancelled'
  | 'query_capacity'
  | 'rate_limited'
  | 'too_many_at_once'
  | 'not_ready'
  | 'engine_unavailable'
  | 'definitions_unavailable'
  | 'ingest_overloaded'
  | 'disk_full'
  | 'not_signed_in'
  | 'sign_in_failed'
  | 'too_many_sign_ins'
  | 'cross_origin_request'
  | 'misdirected_request'
  | 'invalid_toolbar_code'
  | 'no_toolbar_session'
  | 'not_shareable'
  | 'share_ended'
  | 'share_password'
  | 'share_view_expired'
  | 'too_many_tries'
  | 'internal_error'

/** One of several problems of a request. */
export interface ValidationIssue {
  /** Field, variable name or index. */
  readonly path: string
  readonly code: string
  readonly message: string
}

export interface ApiErrorDetails {
  /** Message: what is wrong, where, and what is expected. Defaults to the message of the code. */
  readonly detail?: string
  /** The invalid field of the request. */
  readonly attr?: string
  readonly errors?: readonly ValidationIssue[]
  /** A more specific code for the client, such as that of the SQL compiler. Defaults to the code of the error. */
  readonly code?: string
  /** Time after which a retry makes sense, in seconds. */
  readonly retryAfterSeconds?: number
  /** Additional fields of the response body. */
  readonly extra?: Readonly<Record<string, unknown>>
}

/**
 * The only error that code throws deliberately while handling a request. Any other error is a bug and becomes
 * `internal_error`.
 */
export class ApiError extends Error {
  readonly code: ApiErrorCode
  readonly details: ApiErrorDetails

  constructor(code: ApiErrorCode, details: ApiErrorDetails = {}) {
    super(details.detail ?? code)
    this.name = 'ApiError'
    this.code = code
    this.details = details
  }
}
