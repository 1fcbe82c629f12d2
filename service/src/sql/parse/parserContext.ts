import type { Expression } from './ast.ts'
import type { Cursor } from './tokenCursor.ts'

/** Shared parts of the parsers of single constructs: the token cursor, and functions that parse nested expressions and queries. */
export interface ParserContext {
  readonly cursor: Cursor
  /** Parses an expression whose operators bind at least as tightly as `level`. */
  readonly expression: (level?: number) => Expression
  /** Parses a query after its opening parenthesis, up to and including the closing one. */
  readonly subquery: (start: number) => Expression
}
