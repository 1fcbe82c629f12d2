const tagOf = (value: object) => Object.prototype.toString.call(value)

/**
 * A copy of `value` that is safe to turn into JSON, whatever the page handed over.
 *
 * Strings go through `text`. Dates and URLs become text, maps objects, sets arrays, errors their name
 * and message, bigints text; functions, symbols and undefined vanish; what contains itself reads `[Circular]`; a getter
 * that throws reads `[Throws]`. An object that appears twice without containing itself is copied twice.
 */
export const toPlain = (value: unknown, text: (value: string) => string, within: readonly object[] = []): unknown => {
  if (typeof value === 'string') return text(value)
  if (typeof value === 'bigint') return String(value)
  if (typeof value === 'function' || typeof value === 'symbol') return undefined
  if (typeof value !== 'object' || value === null) return value
  if (within.includes(value)) return '[Circular]'
  // A page may nest without end; JSON.stringify would overflow the stack far below this.
  if (within.length > 100) return '[Too deep]'

  const inside = [...within, value]
  const copy = (each: unknown) => toPlain(each, text, inside)
  try {
    if (value instanceof Date) return isNaN(+value) ? null : value.toISOString()
    if (value instanceof URL) return copy(value.href)
    if (value instanceof Error) return copy(`${value.name}: ${value.message}`)
    if (value instanceof Set) return [...value].map(copy)
    if (value instanceof Map) return copy(Object.fromEntries(value))
    if (Array.isArray(value)) return value.map((each) => copy(each) ?? null)
    if (/Window|Document|Element\]|Node|Event\]/.test(tagOf(value))) return tagOf(value)
  } catch {
    return '[Throws]'
  }

  const result: Record<string, unknown> = {}
  for (const key of Object.keys(value)) {
    let item: unknown
    try {
      item = copy((value as Record<string, unknown>)[key])
    } catch {
      item = '[Throws]'
    }
    // defineProperty, because a page's own key may be `__proto__`.
    if (key === '__proto__') Object.defineProperty(result, key, { value: item, enumerable: true })
    else if (item !== undefined) result[key] = item
  }
  return result
}
