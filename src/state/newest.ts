import type { Properties } from '../types'
import { parseObject } from './backends/backend'

/** Returns the time of the last reset in these values, ms; 0: never. */
export const resetAt = (values: Properties): number =>
  values.$last_posthog_reset ? Date.parse(values.$last_posthog_reset as string) || 0 : 0

/** Returns when the visitor's id was decided, ms; 0: it was generated, or another SDK of the protocol set it. */
export const identityAt = (values: Properties): number => Number(values.$identity_at) || 0

/** Returns the times that order stored texts, the most important first. */
const timesOf = (text: string): number[] => {
  const values = parseObject(text)
  if (!values?.distinct_id) return [-1]
  const lastActiveAt = Array.isArray(values.$sesid) ? Number(values.$sesid[0]) : 0
  return [Math.max(resetAt(values), identityAt(values)), lastActiveAt || 0]
}

/**
 * Returns the newest of several stored texts about the visitor: the one with the latest `identify` or `reset`; if none has
 * any, or if they are equal, the one with the latest activity; of equal ones the first. Text without a visitor is the oldest.
 */
export const newest = (texts: readonly string[]): string => {
  const later = (a: string, b: string) => {
    const [mine, other] = [timesOf(a), timesOf(b)]
    return other[0]! - mine[0]! || other[1]! - mine[1]!
  }
  return [...texts].sort(later)[0]!
}
