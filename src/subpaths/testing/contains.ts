const isObject = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null

/** A matcher such as `expect.any(Number)` of Jest and Vitest. */
const matcherOf = (value: unknown): ((actual: unknown) => boolean) | undefined => {
  const { asymmetricMatch } = Object(value) as { asymmetricMatch?: unknown }
  return typeof asymmetricMatch === 'function'
    ? (actual) => !!(asymmetricMatch as (actual: unknown) => unknown).call(value, actual)
    : undefined
}

/** Whether `actual` equals `expected`. Objects may have more members; lists may not. */
export const contains = (actual: unknown, expected: unknown): boolean => {
  const matches = matcherOf(expected)
  if (matches) return matches(actual)
  if (expected instanceof RegExp) return typeof actual === 'string' && expected.test(actual)
  if (!isObject(expected) || !isObject(actual)) return Object.is(actual, expected)
  if (Array.isArray(expected))
    return (
      Array.isArray(actual) &&
      actual.length === expected.length &&
      expected.every((each, at) => contains(actual[at], each))
    )
  return Object.entries(expected).every(([name, value]) => contains(actual[name], value))
}
