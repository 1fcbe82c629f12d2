import type { ParsedQuery } from '../../sql/compile.ts'
import { type Position, refuseIn, type Span } from '../../sql/parse/queryError.ts'

/** Why a query cannot be materialized. Stable: callers and users match on these. */
export type ObstacleCode =
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

/** One reason why a query cannot be materialized: what is in the way, where, and what would do instead. */
export interface Obstacle {
  readonly code: ObstacleCode
  readonly message: string
  readonly position?: Position
  /** Of an insight: the place, as the path of a field. */
  readonly field?: string
  readonly fix: string
}

/** An obstacle at a place of the query. */
export const obstacleAt = (
  { text }: Pick<ParsedQuery, 'text'>,
  code: ObstacleCode,
  message: string,
  span: Span,
  fix: string,
): Obstacle => {
  const { position } = refuseIn(text)('not_supported', message, span)
  return { code, message, ...(position ? { position } : {}), fix }
}
