import type { Column } from '../../../storage/storage.ts'
import { createZone } from '../../insights/zone.ts'

/** Sort key of rows: a value of a cell, without its time. */
export interface Order {
  readonly at: number
  readonly isDescending: boolean
  readonly nulls?: 'first' | 'last' | undefined
}

/** A group's values, followed by its aggregates. */
export type Row = readonly unknown[]

/** Types whose values in JSON are equal and ordered as in the engine. Times without a zone have that of the engine's machine. */
const PLAIN =
  /^(?:LowCardinality\()?(?:Nullable\()?(?:String|Bool|Date(?:32)?|DateTime(?:64)?\((?:\d+, )?'[^']+'\)|U?Int(?:8|16|32|64))\)*$/
const INTEGER = /^(?:Nullable\()?U?Int(?:8|16|32|64)\)?$/

/** Whether equal values of a column are equal in JSON, and can be ordered. */
export const isPlain = ({ type }: Column): boolean => PLAIN.test(type)
/** Whether sums of a column's values are exact while they are safe integers. */
export const isInteger = ({ type }: Column): boolean => INTEGER.test(type)

const ZONED = /DateTime(?:64)?\((?:\d+, )?'([^']+)'\)/
const MAX_TIMES = 20_000
/** By zone and local time: whether two instants have it. */
const twice = new Map<string, boolean>()

const isTwice = (zone: string, time: string): boolean => {
  const key = `${zone} ${time}`
  const known = twice.get(key)
  if (known !== undefined) return known
  if (twice.size >= MAX_TIMES) twice.clear()
  let found = true
  try {
    found = createZone(zone).isTwice(Date.parse(`${time.replace(' ', 'T')}Z`))
  } catch {
    // The engine knows more zones than Node.
  }
  twice.set(key, found)
  return found
}

/**
 * Whether a value is the engine's own, so that only equal values look equal. Integers beyond 2^53 are strings, bytes that are no text
 * become replacement characters, and a local time is two instants where the clock was set back.
 */
export const isFaithful = (value: unknown, column: Column): boolean => {
  if (typeof value !== 'string') return true
  const zone = ZONED.exec(column.type)?.[1]
  return !value.includes('\ufffd') && !isInteger(column) && (!zone || zone === 'UTC' || !isTwice(zone, value))
}

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

/** Adds up the partial results of each aggregate. `undefined`: there are none. */
export const sumOf = (parts: readonly Row[]): readonly unknown[] | undefined =>
  parts.length === 0 ? undefined : parts.reduce((sum, each) => sum.map((value, at) => add(value, each[at])))
