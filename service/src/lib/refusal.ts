/** Why the service refuses a request. `http/errors.ts` has one row for each: status, type, and the words when none are given. */
export type RefusalCode =
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
  | 'internal_error'

/** One of several things that are wrong with a request. */
export interface Fault {
  /** Where: a field, a variable's name, an index. */
  readonly path: string
  readonly code: string
  readonly message: string
}

export interface RefusalFacts {
  /** What was wrong, where, and what would be right. Absent: the words of the code's row. */
  readonly detail?: string
  /** The field of the request that is at fault. */
  readonly attr?: string
  readonly errors?: readonly Fault[]
  /** A finer code for the client than the row's own, such as the compiler's. */
  readonly code?: string
  /** When asking again makes sense, in seconds. */
  readonly retryAfterSeconds?: number
  /** More fields for the answer's body. */
  readonly extra?: Readonly<Record<string, unknown>>
}

/** The only error that rooms throw on purpose. Anything else is a fault of ours and answers `internal_error`. */
export class Refusal extends Error {
  readonly code: RefusalCode
  readonly facts: RefusalFacts

  constructor(code: RefusalCode, facts: RefusalFacts = {}) {
    super(facts.detail ?? code)
    this.name = 'Refusal'
    this.code = code
    this.facts = facts
  }
}
