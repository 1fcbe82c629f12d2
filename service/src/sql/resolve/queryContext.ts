import type { SelectSql } from '../catalog/physical.ts'
import type { IsPlain } from '../catalog/properties.ts'
import type { Value } from '../catalog/value.ts'
import type { Query, Select } from '../parse/ast.ts'
import type { Reject, Span } from '../parse/queryError.ts'
import type { ExpressionResolver } from './resolveExpression.ts'
import type { ResolvedQuery } from './resolverContext.ts'
import type { Scope } from './scope.ts'

/** Inputs of the resolver besides the query. */
export interface ResolveOptions {
  readonly text: string
  readonly variable: (name: string, span: Span) => Value
  /** Returns the SQL to use instead of a resolved select. It must have the same columns. */
  readonly replace?: ((node: Select, sql: SelectSql) => SelectSql) | undefined
  /** Whether each id is a separate person, so that no person is looked up. Default: false. */
  readonly isUnmerged?: boolean | undefined
  /** Whether a property of an event has never been an object or an array. Default: false for each. */
  readonly isPlain?: IsPlain | undefined
}

/** Shared parts of the resolvers of clauses. */
export interface QueryContext extends Pick<ResolveOptions, 'isUnmerged' | 'isPlain'> {
  readonly text: string
  readonly root: Query
  readonly reject: Reject
  /** Returns a name that is unique within the query. */
  readonly newName: (prefix: string) => string
  readonly query: (node: Query, outer: Scope | undefined) => ResolvedQuery
  readonly expressions: ExpressionResolver
  readonly replace: NonNullable<ResolveOptions['replace']>
}
