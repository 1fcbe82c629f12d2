/**
 * A property's value at a time: ms since the epoch, and JSON text. An empty string means that the property was removed.
 */
export type TimedValue = readonly [at: number, json: string]

/** Compares values by time, then by the bytes of their JSON, as the engine does. */
export const isBefore = (a: TimedValue, b: TimedValue): boolean =>
  a[0] < b[0] || (a[0] === b[0] && Buffer.compare(Buffer.from(a[1]), Buffer.from(b[1])) < 0)

export const latest = (values: readonly TimedValue[]): TimedValue => values.reduce((a, b) => (isBefore(a, b) ? b : a))
export const earliest = (values: readonly TimedValue[]): TimedValue => values.reduce((a, b) => (isBefore(b, a) ? b : a))

/** Stored values of a property under one id. A negative time means that the value was never set. */
export interface StoredProperty {
  /** The latest `$set` or `$unset`. */
  readonly set: TimedValue
  /** The earliest `$set_once`. */
  readonly first: TimedValue
  /** The latest `$set_once`. */
  readonly last: TimedValue
}

/**
 * Returns the value of a person's property as JSON text, from the values stored under each of the person's ids. The
 * latest `$set` wins. Without one the earliest `$set_once` does, and after an `$unset` the latest `$set_once` that
 * follows it. An empty string: the person has no such property. `sql/catalog/derived.ts` has the same rule as SQL.
 */
export const propertyJson = (stored: readonly StoredProperty[]): string => {
  const set = latest(stored.map((each) => each.set))
  if (set[1]) return set[1]
  if (set[0] < 0) return earliest(stored.map((each) => each.first))[1]
  const last = latest(stored.map((each) => each.last))
  return isBefore(set, last) ? last[1] : ''
}
