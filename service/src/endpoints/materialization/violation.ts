import { ApiError } from '../../lib/apiError.ts'
import type { ParsedQuery } from '../../sql/compile.ts'
import { type Position, rejectIn, type Span } from '../../sql/parse/queryError.ts'

/** Why a query cannot be materialized. Stable: API clients match on these codes. */
export type ViolationCode =
  | 'variable_not_in_where'
  | 'variable_in_having'
  | 'variable_in_subquery'
  | 'variable_in_several_queries'
  | 'variable_in_or'
  | 'variable_in_not'
  | 'variable_without_column'
  | 'variable_beside_column'
  | 'invalid_where_usage'
  | 'unsupported_operator'
  | 'source_not_supported'
  | 'aggregate_not_mergeable'
  | 'not_repeatable'
  | 'subquery_in_aggregation'
  | 'array_join'
  | 'session_property'
  | 'live_kind'

/** One reason why a query cannot be materialized: what is wrong, where, and how to fix it. */
export interface Violation {
  readonly code: ViolationCode
  readonly message: string
  readonly position?: Position
  /** For an insight: the path of the field. */
  readonly field?: string
  readonly fix: string
}

/** Returns a violation at a place of the query's text. */
export const violationAt = (
  { text }: Pick<ParsedQuery, 'text'>,
  code: ViolationCode,
  message: string,
  span: Span,
  fix: string,
): Violation => {
  const { position } = rejectIn(text)('not_supported', message, span)
  return { code, message, ...(position ? { position } : {}), fix }
}

/** Returns the error for a query that cannot be materialized: the first violation, with all of them as `errors`. */
export const notMaterializable = (violations: readonly Violation[]): ApiError => {
  const [{ code, message, position, field, fix }] = violations as [Violation]
  return new ApiError('not_materializable', {
    code,
    detail: `${message}. ${fix}.`,
    attr: 'is_materialized',
    errors: violations.map((each) => ({
      path: each.field ?? 'query',
      code: each.code,
      message: `${each.message}. ${each.fix}.`,
      position: each.position,
      fix: each.fix,
    })),
    extra: { ...(position ? { position } : {}), ...(field ? { field } : {}), fix },
  })
}
