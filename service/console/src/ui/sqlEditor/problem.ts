import type { Failure } from '../../api/failure.ts'

/** An invalid range of a query's text, as offsets. */
export interface SqlProblem {
  readonly start: number
  readonly end: number
  readonly message: string
  /** Suggested replacement. */
  readonly replacement?: string | undefined
}

/** Returns the name that a fix such as "Did you mean 'event'?" suggests. */
export const replacementOf = (fix: string | undefined): string | undefined =>
  /^Did you mean '([^']+)'\?$/.exec(fix ?? '')?.[1]

/** Returns the place that a failed query names, or `undefined`. */
export const problemOf = (failure: Failure | undefined): SqlProblem | undefined =>
  failure?.position && {
    start: failure.position.start,
    end: failure.position.end,
    message: [failure.message, failure.fix].filter(Boolean).join('. '),
    replacement: replacementOf(failure.fix),
  }
