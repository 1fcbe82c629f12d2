/**
 * ClickHouse SQL as data: the output of resolving and the input of printing. Its names are those of the storage or of the compiler, except
 * for the names of output columns.
 */
export type Sql =
  | { readonly kind: 'text'; readonly value: string }
  | { readonly kind: 'number'; readonly digits: string }
  | { readonly kind: 'boolean'; readonly value: boolean }
  | { readonly kind: 'null' }
  | { readonly kind: 'parameter'; readonly type: string; readonly value: unknown }
  | { readonly kind: 'project' }
  /** `standsFor`: the expression that the engine substitutes, if the name is another column of the same select. */
  | { readonly kind: 'name'; readonly path: readonly string[]; readonly standsFor?: Sql }
  /** The object at a path of a JSON column, as JSON: `properties.^a.b`. */
  | { readonly kind: 'subObject'; readonly of: Sql; readonly path: readonly string[] }
  | { readonly kind: 'subColumn'; readonly of: Sql; readonly path: readonly string[] }
  | {
      readonly kind: 'call'
      readonly name: string
      readonly parameters?: readonly Sql[]
      readonly args: readonly Sql[]
      readonly over?: WindowSql
    }
  | {
      readonly kind: 'infix'
      readonly first: Sql
      readonly rest: readonly { readonly operator: InfixOperator; readonly right: Sql }[]
    }
  | { readonly kind: 'in'; readonly isNot: boolean; readonly left: Sql; readonly right: Sql }
  | { readonly kind: 'lambda'; readonly names: readonly string[]; readonly body: Sql }
  | { readonly kind: 'query'; readonly query: QuerySql }

export type CallSql = Extract<Sql, { readonly kind: 'call' }>

export type InfixOperator = '+' | '-' | '*' | '/' | '%' | '=' | '!=' | '<' | '<=' | '>' | '>=' | 'AND' | 'OR'

export interface OrderSql {
  readonly by: Sql
  readonly isDescending: boolean
  readonly nulls?: 'first' | 'last'
}

export interface BoundSql {
  readonly kind: 'unbounded' | 'current' | 'offset'
  readonly side: 'preceding' | 'following'
  readonly offset?: Sql
}

export interface WindowSql {
  readonly partitionBy: readonly Sql[]
  readonly orderBy: readonly OrderSql[]
  readonly frame?: { readonly unit: 'rows' | 'range'; readonly from: BoundSql; readonly to?: BoundSql }
}

export type FromSql =
  | { readonly kind: 'storage'; readonly database: string; readonly table: string; readonly owner: string }
  | { readonly kind: 'named'; readonly query: QuerySql; readonly name: string }
  | {
      readonly kind: 'join'
      readonly join: 'inner' | 'left' | 'right' | 'full' | 'cross'
      readonly left: FromSql
      readonly right: FromSql
      readonly on?: Sql
    }

export interface SelectSql {
  readonly kind: 'select'
  readonly isDistinct?: boolean
  readonly items: readonly { readonly value: Sql; readonly name: string }[]
  readonly from?: FromSql
  readonly arrayJoin?: {
    readonly isLeft: boolean
    readonly items: readonly { readonly value: Sql; readonly name: string }[]
  }
  readonly where?: Sql
  readonly groupBy?: readonly Sql[]
  readonly having?: Sql
  readonly orderBy?: readonly OrderSql[]
  readonly limitBy?: { readonly limit: Sql; readonly offset?: Sql; readonly by: readonly Sql[] }
  readonly limit?: Sql
  readonly offset?: Sql
}

export interface SetSql {
  readonly kind: 'set'
  readonly first: QuerySql
  readonly rest: readonly { readonly operator: string; readonly query: QuerySql }[]
}

export type QuerySql = SelectSql | SetSql

export const call = (name: string, ...args: readonly Sql[]): Sql => ({ kind: 'call', name, args })
export const text = (value: string): Sql => ({ kind: 'text', value })
export const name = (...path: readonly string[]): Sql => ({ kind: 'name', path })
export const infix = (first: Sql, operator: InfixOperator, right: Sql): Sql => ({
  kind: 'infix',
  first,
  rest: [{ operator, right }],
})
