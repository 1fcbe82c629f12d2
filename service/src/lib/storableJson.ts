/**
 * Maximum nesting that is stored. Real properties have a few levels, and code that walks them must not overflow the
 * stack.
 */
export const MAX_DEPTH = 64

/** Returns whether `value` is nested deeper than `levels`. */
export const isDeeperThan = (value: unknown, levels: number): boolean => {
  if (typeof value !== 'object' || value === null) return false
  if (levels === 0) return true
  // Reading the values by their names takes four times as long.
  return Object.values(value).some((each) => typeof each === 'object' && isDeeperThan(each, levels - 1))
}

// The largest integers of the engine's JSON. JavaScript writes numbers up to 1e21 in plain digits.
const MAX_INTEGER = 2 ** 63

const numberText = (value: number) =>
  Number.isFinite(value) ? (Math.abs(value) >= MAX_INTEGER ? value.toExponential() : JSON.stringify(value)) : 'null'

interface WellFormed {
  /** Available in Node 20, but missing from its types. */
  toWellFormed(): string
  isWellFormed(): boolean
}

// `JSON.stringify` is slow at escaping half surrogate pairs in long strings.
const LONG_STRING = 1_000

/** Whether the output of `JSON.stringify` may contain values that the engine cannot store. */
const isUnstorable = (value: unknown): boolean => {
  if (typeof value === 'number') return Math.abs(value) >= MAX_INTEGER
  if (typeof value === 'string') return value.length > LONG_STRING && !(value as unknown as WellFormed).isWellFormed()
  if (typeof value !== 'object' || value === null) return false
  return Object.values(value).some(isUnstorable)
}

/** Replaces lone surrogates, which the engine rejects. */
export const wellFormed = (text: string): string => (text as unknown as WellFormed).toWellFormed()

const write = (value: unknown): string => {
  if (typeof value === 'string') return JSON.stringify(wellFormed(value))
  if (typeof value === 'number') return numberText(value)
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'null'
  if (Array.isArray(value)) return `[${value.map(write).join(',')}]`
  return `{${Object.entries(value)
    .map(([key, inner]) => `${JSON.stringify(wellFormed(key))}:${write(inner)}`)
    .join(',')}}`
}

/**
 * Returns `value` as JSON that the engine can store, without integers beyond its range and lone surrogates.
 * `value` must come from JSON and be nested at most `MAX_DEPTH` levels.
 */
export const storableJson = (value: unknown): string => {
  if (isUnstorable(value)) return write(value)
  // The built-in writer is several times faster. It escapes half surrogate pairs.
  const json = JSON.stringify(value)
  return json.includes('\\ud') ? write(value) : json
}
