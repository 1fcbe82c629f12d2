/** One invalid field or position. */
export interface FieldIssue {
  readonly path: string
  readonly code: string
  readonly message: string
}

/** Where an error in SQL is: offsets in the text, line and column from 1. */
export interface Position {
  readonly start: number
  readonly end: number
  readonly line: number
  readonly column: number
}

/** A failed request. The message describes what was wrong and what to do. See docs/reference/errors.md. */
export class Failure extends Error {
  override readonly name = 'Failure'

  constructor(
    message: string,
    /** Stable code of the error. `offline` if the service could not be reached. */
    readonly code: string,
    /** HTTP status. 0 without a response. */
    readonly status: number,
    readonly errors: readonly FieldIssue[] = [],
    readonly position?: Position,
    /** How to fix the error, such as `Did you mean 'event'?`. */
    readonly fix?: string,
    readonly requestId?: string,
  ) {
    super(message)
  }
}

/** Whether a request ended because its page was left or a newer request replaced it. */
export const isAborted = (error: unknown): boolean => error instanceof DOMException && error.name === 'AbortError'

/** Returns the failure of an error response. */
export const toFailure = (status: number, body: unknown): Failure => {
  const { detail, code, attr, field, errors, position, fix, request_id } = (
    typeof body === 'object' && body !== null ? body : {}
  ) as Partial<{
    detail: string
    code: string
    attr: string
    /** Path of the field within `attr`. */
    field: string
    errors: FieldIssue[]
    position: Position
    fix: string
    request_id: string
  }>
  const message = detail ?? `The service responded with status ${status}.`
  return new Failure(
    message,
    code ?? 'unknown',
    status,
    errors ?? (attr ? [{ path: field ?? attr, code: code ?? 'unknown', message }] : []),
    position,
    fix,
    request_id,
  )
}
