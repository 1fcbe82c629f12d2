/** Whether the value of a property, never absent, matches a condition. */
type ValueTest = (actual: unknown) => boolean
type Operator = (wanted: unknown) => ValueTest | undefined

const textOf = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value))
const lower = (value: unknown) => textOf(value).toLowerCase()
const listOf = (value: unknown): unknown[] => (Array.isArray(value) ? value : [value])
const numberOf = (value: unknown): number =>
  typeof value === 'number' || (typeof value === 'string' && value.trim()) ? Number(value) : NaN

const isOneOf: Operator = (wanted) => {
  const choices = listOf(wanted).map(lower)
  return (actual) => choices.includes(lower(actual))
}
const contains: Operator = (wanted) => {
  const parts = listOf(wanted).map(lower)
  return (actual) => parts.some((part) => lower(actual).includes(part))
}

// Patterns that mean the same in RE2, which the service uses, and take linear time: no groups that repeat, no lookaround, no
// classes that differ, and at most two repetitions.
const OTHER_SYNTAX = /\)[*+?{]|\(\?|\\[^dDwWbB\W]/
const MAX_PATTERN_TEXT = 1_000
const matches: Operator = (wanted) => {
  const pattern = textOf(wanted)
  if (OTHER_SYNTAX.test(pattern) || pattern.split(/[*+{]/).length > 3) return undefined
  try {
    const compiled = new RegExp(pattern, 'u')
    return (actual) => {
      const text = textOf(actual)
      if (text.length > MAX_PATTERN_TEXT) throw new Error('The text is too long for local evaluation.')
      return compiled.test(text)
    }
  } catch {
    return undefined
  }
}

const compares =
  (holds: (order: number) => boolean): Operator =>
  (wanted) =>
  (actual) => {
    const order = numberOf(actual) - numberOf(wanted)
    if (!Number.isNaN(order)) return holds(order)
    const [a, b] = [textOf(actual), String(wanted)]
    return holds(a < b ? -1 : a > b ? 1 : 0)
  }

const DATE = /^(\d{4}-\d\d-\d\d)(?:[T ](\d\d:\d\d(?::\d\d(?:\.\d+)?)?) ?(Z|[+-]\d\d:\d\d)?)?$/
const timeOf = (value: unknown): number => {
  const [, date, clock = '00:00', zone = 'Z'] = DATE.exec(textOf(value)) ?? []
  return Date.parse(`${date}T${clock}${zone}`)
}
// Relative dates are evaluated by the service.
const dated =
  (holds: (order: number) => boolean): Operator =>
  (wanted) => {
    const limit = timeOf(wanted)
    if (Number.isNaN(limit)) return undefined
    return (actual) => {
      const time = timeOf(actual)
      if (Number.isNaN(time)) throw new Error('The date is not in ISO format.')
      return holds(time - limit)
    }
  }

const VERSION = /^v?(\d{1,9})(?:\.(\d{1,9}))?(?:\.(\d{1,9}))?(?:\.\d+)*(?:[-+].*)?$/
const versionOf = (value: unknown) =>
  VERSION.exec(textOf(value).trim())
    ?.slice(1)
    .map((part) => Number(part ?? 0))
const versioned =
  (holds: (order: number) => boolean): Operator =>
  (wanted) => {
    const limit = versionOf(wanted)
    return (
      limit &&
      ((actual) => {
        const version = versionOf(actual)
        return !!version && holds(version.map((part, at) => part - limit[at]!).find(Boolean) ?? 0)
      })
    )
  }

const not =
  (operator: Operator): Operator =>
  (wanted) => {
    const test = operator(wanted)
    return test && ((actual) => !test(actual))
  }

const ORDERS = {
  eq: (order: number) => order === 0,
  neq: (order: number) => order !== 0,
  gt: (order: number) => order > 0,
  gte: (order: number) => order >= 0,
  lt: (order: number) => order < 0,
  lte: (order: number) => order <= 0,
}
const { eq, gt, gte, lt, lte } = ORDERS

/** Operators of conditions that give the service's result. All others are evaluated by the service. */
const OPERATORS: Record<string, Operator | undefined> = {
  exact: isOneOf,
  is_not: not(isOneOf),
  icontains: contains,
  not_icontains: not(contains),
  icontains_multi: contains,
  not_icontains_multi: not(contains),
  regex: matches,
  not_regex: not(matches),
  gt: compares(gt),
  gte: compares(gte),
  lt: compares(lt),
  lte: compares(lte),
  is_set: () => () => true,
  is_not_set: () => () => false,
  is_date_exact: dated(eq),
  is_date_before: dated(lt),
  is_date_after: dated(gt),
  ...Object.fromEntries(Object.entries(ORDERS).map(([name, holds]) => [`semver_${name}`, versioned(holds)])),
}
const IS_MISSING = /^(is_not|not_|semver_neq)/

/** Returns whether a condition holds for a value. `undefined`: only the service can tell. */
export const isMet = (operator = 'exact', wanted: unknown, actual: unknown): boolean | undefined => {
  if (!Object.hasOwn(OPERATORS, operator)) return undefined
  if (actual === null) return IS_MISSING.test(operator) && operator !== 'semver_neq'
  try {
    return OPERATORS[operator]!(wanted)?.(actual)
  } catch {
    return undefined
  }
}
