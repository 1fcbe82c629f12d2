import type { Kind } from './kinds.ts'
import type { Sql } from './physical.ts'

/** A value of the query, resolved: what it is and how the engine reads it. */
export interface Value {
  readonly kind: Kind
  readonly isNullable: boolean
  /** Its ClickHouse form. For a property: as text. Called only when the value is used, because reading a column asks its table for it. */
  readonly read: () => Sql
  /** For a property: as text, but NULL for arrays and objects, which is cheaper. */
  readonly scalar?: () => Sql
  /** For JSON: the value under a key, or at a position that counts from 1. */
  readonly child?: (key: string | number) => Value
  /** For a property: from here on read it in one way only, so that grouping by it covers every use of it. */
  readonly pin?: () => void
  /** What a literal or a variable stands for. */
  readonly constant?: string | number | boolean | readonly string[]
  /** For a number: whether it is a Float64 or an Int64, if that is known. */
  readonly width?: 'float' | 'integer'
  readonly members?: readonly Value[]
}

export const value = (kind: Kind, sql: Sql, isNullable = false): Value => ({ kind, isNullable, read: () => sql })
