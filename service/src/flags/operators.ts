import { RE2JS } from 're2js'
import { readMoment, toTime } from './moment.ts'
import { runSteps, type Steps } from '../lib/timeSlices.ts'
import {
  caretRange,
  compareVersions,
  readVersion,
  tildeRange,
  type Version,
  type VersionRange,
  wildcardRange,
} from './version.ts'

/** Returns whether the value of a property matches a condition. The value is never null or absent. `now` is ms since the epoch. */
export interface ValueTest {
  (actual: unknown, now: number): boolean
  /** The test in short steps. Unset: the test is short. */
  readonly inSteps?: (actual: unknown) => Steps<boolean>
}

/** Compares a property with the value of a condition. */
export interface Operator {
  /** Values the operator accepts. Completes "The operator … takes". */
  readonly takes: string
  /** Returns the test for a condition's value. `undefined`: the operator does not accept this value. */
  readonly make: (value: unknown) => ValueTest | undefined
  /** Result for a property that is absent or null. */
  readonly whenMissing: boolean
}

const MAX_CHOICES = 1_000
const MAX_PATTERN = 300
/** Maximum characters that a pattern is compared with, times its instructions: about 7 ms. Longer values do not match. */
export const MAX_PATTERN_STEPS = 50_000

/** Characters that are searched in one step, which takes about 10 ms in the worst case. */
const SEARCH_STEP = 500_000

const isScalar = (value: unknown): value is string | number | boolean =>
  typeof value === 'string' || typeof value === 'boolean' || (typeof value === 'number' && Number.isFinite(value))

const textOf = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value))

const lower = (value: unknown) => textOf(value).toLowerCase()

const numberOf = (value: unknown): number | undefined => {
  const number = typeof value === 'number' ? value : typeof value === 'string' && value.trim() ? Number(value) : NaN
  return Number.isFinite(number) ? number : undefined
}

const choicesOf = (value: unknown): readonly string[] | undefined => {
  const values: unknown[] = Array.isArray(value) ? value : [value]
  return values.length && values.length <= MAX_CHOICES && values.every(isScalar) ? values.map(lower) : undefined
}

const EQUALITY = `a string, a number, true or false, or a list of at most ${MAX_CHOICES} of these`

const isOneOf = (value: unknown): ValueTest | undefined => {
  const choices = choicesOf(value)
  if (!choices) return undefined
  const longest = Math.max(...choices.map(({ length }) => length))
  return (actual) => {
    const text = textOf(actual)
    // Lower case is never shorter, and takes milliseconds for a long text.
    return text.length <= longest && choices.includes(lower(text))
  }
}

const containsOneOf = (value: unknown): ValueTest | undefined => {
  const parts = choicesOf(value)
  if (!parts?.every(Boolean)) return undefined
  const inSteps = function* (actual: unknown): Steps<boolean> {
    const text = lower(actual)
    let searched = 0
    for (const part of parts) {
      if (text.includes(part)) return true
      searched += text.length
      if (searched < SEARCH_STEP) continue
      searched = 0
      yield
    }
    return false
  }
  return Object.assign((actual: unknown) => runSteps(inSteps(actual)), { inSteps })
}

const contains = (value: unknown): ValueTest | undefined => (Array.isArray(value) ? undefined : containsOneOf(value))

const matchesPattern = (value: unknown): ValueTest | undefined => {
  if (typeof value !== 'string' || !value || value.length > MAX_PATTERN) return undefined
  try {
    // RE2 takes linear time for any pattern. JavaScript's own engine takes minutes for `(a+)+$` on thirty letters.
    const pattern = RE2JS.compile(value)
    const maxLength = MAX_PATTERN_STEPS / pattern.programSize()
    return (actual) => {
      const text = textOf(actual)
      return text.length <= maxLength && pattern.matcher(text).find()
    }
  } catch {
    return undefined
  }
}

const not =
  (make: Operator['make']): Operator['make'] =>
  (value) => {
    const test = make(value)
    if (!test) return undefined
    const { inSteps } = test
    return Object.assign((actual: unknown, now: number) => !test(actual, now), {
      inSteps:
        inSteps &&
        function* (actual: unknown): Steps<boolean> {
          return !(yield* inSteps(actual))
        },
    })
  }

// Compares numbers and numeric strings as numbers, and everything else by characters.
const compares =
  (holds: (order: number) => boolean): Operator['make'] =>
  (value) => {
    if (typeof value !== 'number' && typeof value !== 'string') return undefined
    const wanted = numberOf(value)
    return (actual) => {
      const number = numberOf(actual)
      if (wanted !== undefined && number !== undefined) return holds(number - wanted)
      const [a, b] = [textOf(actual), String(value)]
      return holds(a < b ? -1 : a > b ? 1 : 0)
    }
  }

const dated =
  (holds: (order: number) => boolean): Operator['make'] =>
  (value) => {
    const moment = readMoment(value)
    return (
      moment &&
      ((actual, now) => {
        const time = toTime(actual)
        return time !== undefined && holds(time - moment(now))
      })
    )
  }

const versioned =
  (holds: (order: number) => boolean): Operator['make'] =>
  (value) => {
    const wanted = readVersion(value)
    return (
      wanted &&
      ((actual) => {
        const version = readVersion(actual)
        return version !== undefined && holds(compareVersions(version, wanted))
      })
    )
  }

const within =
  (rangeOf: (value: unknown) => VersionRange | undefined): Operator['make'] =>
  (value) => {
    const range = rangeOf(value)
    return (
      range &&
      ((actual) => {
        const version = readVersion(actual)
        return (
          version !== undefined && compareVersions(version, range[0]) >= 0 && compareVersions(version, range[1]) < 0
        )
      })
    )
  }

const rangeFrom = (toRange: (version: Version) => VersionRange) => (value: unknown) => {
  const version = readVersion(value)
  return version && toRange(version)
}

const TEXT = { takes: 'a non-empty string or a number' }
const TEXTS = { takes: `a list of at most ${MAX_CHOICES} non-empty strings` }
const PATTERN = {
  takes: `a regular expression of at most ${MAX_PATTERN} characters, without lookaround and backreferences (RE2)`,
}
const ORDER = { takes: 'a number or a string', whenMissing: false }
const DATE = {
  takes:
    'a date such as "2026-01-31", a time such as "2026-01-31T10:00:00Z", or a relative date such as "-30d" (h, d, w, m, y)',
  whenMissing: false,
}
const VERSION = { takes: 'a version such as "1.2.3"', whenMissing: false }

/** Operators on properties of persons and groups (docs/reference/protocol.md#13). */
export const OPERATORS: Readonly<Record<string, Operator>> = {
  exact: { takes: EQUALITY, make: isOneOf, whenMissing: false },
  is_not: { takes: EQUALITY, make: not(isOneOf), whenMissing: true },
  icontains: { ...TEXT, make: contains, whenMissing: false },
  not_icontains: { ...TEXT, make: not(contains), whenMissing: true },
  icontains_multi: { ...TEXTS, make: containsOneOf, whenMissing: false },
  not_icontains_multi: { ...TEXTS, make: not(containsOneOf), whenMissing: true },
  regex: { ...PATTERN, make: matchesPattern, whenMissing: false },
  not_regex: { ...PATTERN, make: not(matchesPattern), whenMissing: true },
  gt: { ...ORDER, make: compares((order) => order > 0) },
  gte: { ...ORDER, make: compares((order) => order >= 0) },
  lt: { ...ORDER, make: compares((order) => order < 0) },
  lte: { ...ORDER, make: compares((order) => order <= 0) },
  is_set: { takes: 'nothing', make: () => () => true, whenMissing: false },
  is_not_set: { takes: 'nothing', make: () => () => false, whenMissing: true },
  is_date_exact: { ...DATE, make: dated((order) => order === 0) },
  is_date_before: { ...DATE, make: dated((order) => order < 0) },
  is_date_after: { ...DATE, make: dated((order) => order > 0) },
  semver_eq: { ...VERSION, make: versioned((order) => order === 0) },
  semver_neq: { ...VERSION, make: versioned((order) => order !== 0) },
  semver_gt: { ...VERSION, make: versioned((order) => order > 0) },
  semver_gte: { ...VERSION, make: versioned((order) => order >= 0) },
  semver_lt: { ...VERSION, make: versioned((order) => order < 0) },
  semver_lte: { ...VERSION, make: versioned((order) => order <= 0) },
  semver_tilde: { ...VERSION, make: within(rangeFrom(tildeRange)) },
  semver_caret: { ...VERSION, make: within(rangeFrom(caretRange)) },
  semver_wildcard: {
    takes: 'a version with a wildcard such as "1.2.*"',
    make: within(wildcardRange),
    whenMissing: false,
  },
}
