import type { Constant } from './constant.ts'
import type { Kind } from './kinds.ts'
import type { Sql } from './physical.ts'

/** A resolved value of the query: its kind, and how the engine reads it. */
export interface Value {
  readonly kind: Kind
  readonly isNullable: boolean
  /**
   * Returns its SQL, for a property as a string. Call only if the value is used, because reading a column makes its
   * table select it.
   */
  readonly read: () => Sql
  /** For a property: as a string, but NULL for arrays and objects, which is cheaper. */
  readonly scalar?: () => Sql
  /** For JSON: the value at a key, or at a position counted from 1. */
  readonly child?: (key: string | number) => Value
  /** For a property: read it in one way only from now on, so that grouping by it covers every use. */
  readonly pin?: () => void
  /** The value of a literal or a variable. */
  readonly constant?: Constant
  /** For a number: whether it is a Float64 or an Int64, if known. */
  readonly width?: 'float' | 'integer'
  readonly members?: readonly Value[]
}

export const value = (kind: Kind, sql: Sql, isNullable = false): Value => ({ kind, isNullable, read: () => sql })
