/** A part of the query's text, as offsets in UTF-16 units. `end` is exclusive. */
export interface Span {
  readonly start: number
  readonly end: number
}

/** The place of an error in the text. `line` and `column` count from 1; columns are UTF-16 units. */
export interface Position extends Span {
  readonly line: number
  readonly column: number
}

/** Reasons why the compiler rejects a query. Stable: API clients match on these codes. */
export type QueryErrorCode =
  | 'query_too_long'
  | 'query_too_deep'
  | 'query_too_complex'
  | 'syntax_error'
  | 'unterminated_string'
  | 'unterminated_comment'
  | 'several_statements'
  | 'statement_not_allowed'
  | 'clause_not_allowed'
  | 'template_string'
  | 'placeholder_unknown'
  | 'placeholder_native'
  | 'table_unknown'
  | 'table_function'
  | 'column_unknown'
  | 'column_ambiguous'
  | 'column_reserved'
  | 'name_duplicate'
  | 'name_reserved'
  | 'function_unknown'
  | 'function_arguments'
  | 'function_misused'
  | 'type_unknown'
  | 'type_mismatch'
  | 'date_invalid'
  | 'limit_invalid'
  | 'position_invalid'
  | 'property_invalid'
  | 'set_columns_differ'
  | 'set_order_ambiguous'
  | 'not_supported'
  | 'variable_missing'
  | 'variable_invalid'

const positionOf = (text: string, span: Span): Position => {
  const before = text.slice(0, span.start)
  const lineStart = before.lastIndexOf('\n') + 1
  return { start: span.start, end: span.end, line: before.split('\n').length, column: span.start - lineStart + 1 }
}

/** The error for a query: what is wrong (`message`), where (`position`), and how to fix it if known (`fix`). */
export class QueryError extends Error {
  readonly code: QueryErrorCode
  readonly position?: Position
  readonly fix?: string

  constructor(code: QueryErrorCode, message: string, place?: { text: string; span: Span }, fix?: string) {
    super(message)
    this.name = 'QueryError'
    this.code = code
    if (place) this.position = positionOf(place.text, place.span)
    if (fix !== undefined) this.fix = fix
  }
}

/** Returns a function that creates errors for parts of one text. */
export type Reject = (code: QueryErrorCode, message: string, span: Span, fix?: string) => QueryError

export const rejectIn =
  (text: string): Reject =>
  (code, message, span, fix) =>
    new QueryError(code, message, { text, span }, fix)
