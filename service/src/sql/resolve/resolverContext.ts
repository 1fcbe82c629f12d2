import type { Kind } from '../catalog/kinds.ts'
import type { QuerySql, Sql } from '../catalog/physical.ts'
import type { Value } from '../catalog/value.ts'
import type { Expression, Query } from '../parse/ast.ts'
import type { Reject, Span } from '../parse/queryError.ts'
import type { Coercions } from './coercions.ts'
import type { Scope } from './scope.ts'

/** A resolved query and its columns, in order. */
export interface ResolvedQuery {
  readonly query: QuerySql
  readonly columns: readonly { readonly name: string; readonly kind: Kind; readonly isNullable: boolean }[]
}

export interface ExpressionContext {
  readonly reject: Reject
  readonly variable: (name: string, span: Span) => Value
  /** Returns a name that is unique within the query. */
  readonly newName: (prefix: string) => string
  readonly subquery: (query: Query, scope: Scope) => ResolvedQuery
}

/** Shared parts of the resolvers of single constructs. */
export interface ResolverContext extends ExpressionContext {
  readonly coercions: Coercions
  readonly resolve: (node: Expression, scope: Scope, asFilter?: boolean) => Value
  /** Resolves an expression where only true counts: WHERE, HAVING, ON, branches. */
  readonly condition: (node: Expression, scope: Scope) => Sql
  /** Returns the SQL of a value. A property is read as a string. */
  readonly textual: (of: Value) => Sql
  /** Resolves an expression to SQL. A property is read as a string. */
  readonly plain: (node: Expression, scope: Scope) => Sql
}

/** Resolvers by kind of expression. `asFilter`: NULL counts as false, so that comparisons may stay plain. */
export type Resolvers<K extends Expression['kind'] = Expression['kind']> = {
  readonly [Each in K]: (node: Extract<Expression, { kind: Each }>, scope: Scope, asFilter: boolean) => Value
}
