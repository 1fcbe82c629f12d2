import type { Span } from './queryError.ts'

/** A name as written, without quotes. */
export interface Name extends Span {
  readonly text: string
}

export type CompareOperator = '=' | '!=' | '<' | '<=' | '>' | '>='
export type MatchOperator = 'like' | 'ilike' | 'regexp' | 'iregexp'
export type ChainOperator = '+' | '-' | '*' | '/' | '%' | '||'

export interface Link {
  readonly operator: ChainOperator
  readonly right: Expression
}

export interface FrameBound {
  readonly kind: 'unbounded' | 'current' | 'offset'
  readonly side: 'preceding' | 'following'
  readonly offset?: Expression
}

export interface Window {
  readonly partitionBy: readonly Expression[]
  readonly orderBy: readonly Ordering[]
  readonly frame?: { readonly unit: 'rows' | 'range'; readonly from: FrameBound; readonly to?: FrameBound }
}

/**
 * An expression. Operators of one level form one flat node (`chain`, `logic`), so a long sum is a long list rather than a deep tree.
 */
export type Expression = Span &
  (
    | { readonly kind: 'text'; readonly value: string }
    | { readonly kind: 'number'; readonly digits: string }
    | { readonly kind: 'boolean'; readonly value: boolean }
    | { readonly kind: 'null' }
    | { readonly kind: 'variable'; readonly name: string }
    | { readonly kind: 'field'; readonly path: readonly Name[] }
    | { readonly kind: 'star'; readonly table?: Name; readonly except: readonly Name[] }
    | { readonly kind: 'member'; readonly of: Expression; readonly name: string }
    | { readonly kind: 'index'; readonly of: Expression; readonly at: Expression }
    | { readonly kind: 'tupleMember'; readonly of: Expression; readonly position: number }
    | {
        readonly kind: 'call'
        readonly name: Name
        readonly parameters?: readonly Expression[]
        readonly args: readonly Expression[]
        readonly isDistinct: boolean
        readonly filter?: Expression
        readonly over?: Window
      }
    | { readonly kind: 'lambda'; readonly names: readonly Name[]; readonly body: Expression }
    | { readonly kind: 'chain'; readonly first: Expression; readonly rest: readonly Link[] }
    | { readonly kind: 'logic'; readonly operator: 'and' | 'or'; readonly terms: readonly Expression[] }
    | { readonly kind: 'not'; readonly of: Expression }
    | { readonly kind: 'minus'; readonly of: Expression }
    | {
        readonly kind: 'compare'
        readonly operator: CompareOperator
        readonly left: Expression
        readonly right: Expression
      }
    | {
        readonly kind: 'match'
        readonly operator: MatchOperator
        readonly isNot: boolean
        readonly left: Expression
        readonly right: Expression
      }
    | { readonly kind: 'isNull'; readonly isNot: boolean; readonly of: Expression }
    | {
        readonly kind: 'between'
        readonly isNot: boolean
        readonly of: Expression
        readonly low: Expression
        readonly high: Expression
      }
    | { readonly kind: 'in'; readonly isNot: boolean; readonly left: Expression; readonly right: Expression }
    | { readonly kind: 'orElse'; readonly terms: readonly Expression[] }
    | {
        readonly kind: 'choice'
        readonly condition: Expression
        readonly then: Expression
        readonly otherwise: Expression
      }
    | {
        readonly kind: 'case'
        readonly of?: Expression
        readonly branches: readonly { readonly when: Expression; readonly then: Expression }[]
        readonly otherwise?: Expression
      }
    | { readonly kind: 'cast'; readonly of: Expression; readonly type: Name }
    | { readonly kind: 'interval'; readonly amount: Expression; readonly unit: string }
    | { readonly kind: 'array'; readonly items: readonly Expression[] }
    | { readonly kind: 'tuple'; readonly items: readonly Expression[] }
    | { readonly kind: 'subquery'; readonly query: Query }
  )

export interface Ordering {
  readonly by: Expression
  readonly isDescending: boolean
  readonly nulls?: 'first' | 'last'
}

export interface SelectItem {
  readonly value: Expression
  readonly alias?: Name
}

export type JoinKind = 'inner' | 'left' | 'right' | 'full' | 'cross'

export type Source = Span &
  (
    | { readonly kind: 'table'; readonly name: Name; readonly alias?: Name }
    | { readonly kind: 'derived'; readonly query: Query; readonly alias?: Name }
    | {
        readonly kind: 'join'
        readonly join: JoinKind
        readonly left: Source
        readonly right: Source
        readonly on?: Expression
        readonly using?: readonly Name[]
      }
  )

/** `WITH name AS (query)` names a table, `WITH expression AS name` a value. */
export type CommonPart =
  | { readonly kind: 'table'; readonly name: Name; readonly query: Query }
  | { readonly kind: 'value'; readonly name: Name; readonly value: Expression }

export interface LimitBy {
  readonly limit: Expression
  readonly offset?: Expression
  readonly by: readonly Expression[]
}

export interface Select extends Span {
  readonly kind: 'select'
  readonly common: readonly CommonPart[]
  readonly isDistinct: boolean
  readonly items: readonly SelectItem[]
  readonly from?: Source
  readonly arrayJoin?: {
    readonly isLeft: boolean
    readonly items: readonly { readonly value: Expression; readonly alias: Name }[]
  }
  readonly where?: Expression
  readonly groupBy: readonly Expression[]
  readonly having?: Expression
  readonly orderBy: readonly Ordering[]
  readonly limitBy?: LimitBy
  readonly limit?: Expression
  readonly offset?: Expression
}

export type SetOperator =
  | 'union all'
  | 'union distinct'
  | 'intersect'
  | 'intersect distinct'
  | 'except'
  | 'except distinct'

export interface SetQuery extends Span {
  readonly kind: 'set'
  readonly common: readonly CommonPart[]
  readonly first: Query
  readonly rest: readonly { readonly operator: SetOperator; readonly query: Query }[]
}

export type Query = Select | SetQuery
