import type { Failure } from '../../api/failure.ts'
import { problemOf } from './problem.ts'

/** Shows why and where a query failed. A suggestion is applied with one click. */
export const QueryProblem = ({
  failure,
  canFix,
  onGoTo,
  onFix,
}: {
  readonly failure: Failure
  /** Whether the text is still the one that failed. */
  readonly canFix: boolean
  readonly onGoTo: (offset: number) => void
  readonly onFix: (start: number, end: number, replacement: string) => void
}) => {
  const problem = problemOf(failure)
  const { position } = failure
  return (
    <div class="notice bad" role="alert">
      <p>{problem?.message ?? failure.message}</p>
      {(position || failure.requestId) && (
        <div class="row">
          {position && (
            <button type="button" class="button" onClick={() => onGoTo(position.start)}>
              Go to line {position.line}, column {position.column}
            </button>
          )}
          {problem?.replacement !== undefined && canFix && (
            <button
              type="button"
              class="button primary"
              onClick={() => onFix(problem.start, problem.end, problem.replacement!)}
            >
              Replace with {problem.replacement}
            </button>
          )}
          {!position && failure.requestId && <span class="small muted">Request {failure.requestId}</span>}
        </div>
      )}
    </div>
  )
}
