import type { SurveyEvent, SurveyMatch } from '../../types'
import { isRisky } from './pattern'

const MAX_TEXT = 2048
// Maximum time of a match, ms. A slower pattern is not used again, because browsers cannot interrupt one.
const MAX_MS = 5

const patterns = new Map<string, RegExp | undefined>()
const verdicts = new Map<string, boolean>()

/** Whether the text matches the pattern; undefined if the pattern is invalid, risky or slow. */
export const testPattern = (pattern: string, text: string, now = () => performance.now()): boolean | undefined => {
  const key = `${pattern}\n${text}`
  if (verdicts.has(key)) return verdicts.get(key)
  if (!patterns.has(pattern)) {
    let compiled: RegExp | undefined
    try {
      compiled = new RegExp(pattern)
      if (isRisky(pattern)) compiled = undefined
    } catch {
      // An invalid pattern matches nothing.
    }
    patterns.set(pattern, compiled)
  }
  const compiled = patterns.get(pattern)
  if (!compiled || text.length > MAX_TEXT) return undefined
  const before = now()
  const verdict = compiled.test(text)
  if (now() - before > MAX_MS) patterns.set(pattern, undefined)
  if (verdicts.size > 500) verdicts.clear()
  verdicts.set(key, verdict)
  return verdict
}

const lower = (text: string) => text.toLowerCase()
/** How each match compares one expected value. A name with `not` is met if no value is equal to its positive form. */
const MATCHES: Record<SurveyMatch, (expected: string, actual: string) => boolean | undefined> = {
  exact: (expected, actual) => expected === actual,
  is_not: (expected, actual) => expected !== actual,
  icontains: (expected, actual) => lower(actual).includes(lower(expected)),
  not_icontains: (expected, actual) => !lower(actual).includes(lower(expected)),
  regex: testPattern,
  not_regex: (expected, actual) => testPattern(expected, actual) === false,
  gt: (expected, actual) => +actual > +expected,
  lt: (expected, actual) => +actual < +expected,
}

/** Whether `actual` meets the condition: equal to any of the values, or with a negative match different from all. */
export const matches = (match: SurveyMatch, values: readonly unknown[], actual: string): boolean => {
  const meets = (value: unknown) => !!MATCHES[match]?.(String(value), actual)
  return /not/.test(match) ? values.every(meets) : values.some(meets)
}

/** Whether the page's URL meets a condition. A slash at the end does not matter for exact matches. */
export const matchesUrl = (match: SurveyMatch, expected: string, url: string): boolean => {
  const trimmed = (text: string) => (/exact|is_not/.test(match) ? text.replace(/\/$/, '') : text)
  return matches(match, [trimmed(expected)], trimmed(url))
}

/** Whether an event is the one described, with all its properties. A missing property meets no filter. */
export const matchesEvent = (
  { name, propertyFilters }: SurveyEvent,
  event: { event: string; properties: Record<string, unknown> },
): boolean =>
  name === event.event &&
  Object.entries(propertyFilters ?? {}).every(([property, { values, operator }]) => {
    const actual = event.properties[property]
    return (
      actual !== undefined && actual !== null && matches(operator, values, `${actual as string | number | boolean}`)
    )
  })
