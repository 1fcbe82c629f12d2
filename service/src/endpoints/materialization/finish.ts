import type { Column } from '../../storage/storage.ts'

/** What rows are ordered by: a value of a cell, without its time. */
export interface Order {
  readonly at: number
  readonly isDescending: boolean
  readonly nulls?: 'first' | 'last' | undefined
}

/** A group's values, followed by its aggregates. */
export type Row = readonly unknown[]

/** Types whose values in JSON are equal and ordered as in the engine. */
const PLAIN =
  /^(?:LowCardinality\()?(?:Nullable\()?(?:String|Bool|Date(?:32)?|DateTime(?:64)?(?:\([^()]*\))?|U?Int(?:8|16|32|64))\)*$/
const INTEGER = /^(?:Nullable\()?U?Int(?:8|16|32|64)\)?$/

/** Whether equal values of a column are equal in JSON, and can be ordered. */
export const isPlain = ({ type }: Column): boolean => PLAIN.test(type)
/** Whether sums of a column's values are exact while they are safe integers. */
export const isInteger = ({ type }: Column): boolean => INTEGER.test(type)

/**
 * Whether a value is the engine's own. Integers beyond 2^53 are strings, and bytes that are no text become replacement
 * characters, so that different values look equal.
 */
export const isFaithful = (value: unknown, column: Column): boolean =>
  typeof value !== 'string' || (!value.includes('\ufffd') && !isInteger(column))

const compare = (a: unknown, b: unknown): number => {
  if (typeof a === 'string' && typeof b === 'string') return Buffer.compare(Buffer.from(a), Buffer.from(b))
  return Number(a) - Number(b)
}

/** Orders two rows as the engine does: text by its bytes, null last unless `nulls` says otherwise. */
const byOrder =
  (order: readonly Order[]) =>
  (a: Row, b: Row): number => {
    for (const { at, isDescending, nulls } of order) {
      const [left, right] = [a[at], b[at]]
      if (left === right) continue
      if (left === null || right === null) return (left === null) === (nulls === 'first') ? -1 : 1
      const difference = compare(left, right)
      if (difference !== 0) return isDescending ? -difference : difference
    }
    return 0
  }

/** Returns the rows of a page, with the values at the places `columns`. */
export const pageOf = (
  rows: readonly Row[],
  {
    order,
    skip,
    count,
    columns,
  }: {
    readonly order: readonly Order[]
    readonly skip: number
    readonly count: number
    readonly columns: readonly { readonly at: number }[]
  },
): Row[] =>
  (order.length > 0 ? [...rows].sort(byOrder(order)) : rows)
    .slice(skip, skip + count)
    .map((row) => columns.map(({ at }) => row[at]))

const safe = (sum: number): number => (Number.isSafeInteger(sum) ? sum : NaN)

/** Adds two partial results. Null: no value yet. NaN: the sum is not exact. */
export const add = (a: unknown, b: unknown): unknown =>
  a === null ? b : b === null ? a : safe((a as number) + (b as number))
