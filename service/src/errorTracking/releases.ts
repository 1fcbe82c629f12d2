import type { Occurrence } from './occurrences.ts'
import type { ErrorIssue } from './store.ts'

/** Returns when each release was first seen, ms since the epoch. This is the order of releases: their names have none. */
export const releaseOrder = (
  occurrences: readonly Pick<Occurrence, 'release' | 'first'>[],
): ReadonlyMap<string, number> => {
  const order = new Map<string, number>()
  for (const { release, first } of occurrences) order.set(release, Math.min(first, order.get(release) ?? Infinity))
  return order
}

/** Returns the number of events of all time. */
export const totalOf = (occurrences: readonly Pick<Occurrence, 'total'>[]): number =>
  occurrences.reduce((sum, { total }) => sum + total, 0)

/** Whether an ignored issue has had as many events as it was ignored for. */
export const isEnough = (
  { state, ignoredUntil }: Pick<ErrorIssue, 'state' | 'ignoredUntil'>,
  occurrences: readonly Pick<Occurrence, 'total'>[],
): boolean => state === 'ignored' && ignoredUntil !== null && totalOf(occurrences) >= ignoredUntil

/**
 * Whether a resolved issue regressed: it has an event after its resolution, in a release first seen after the newest
 * release of that time. Late events of earlier releases, which the fix has not reached, do not count. Events without
 * a release count.
 */
export const isAgain = (
  { state, resolvedAt, resolvedRelease }: Pick<ErrorIssue, 'state' | 'resolvedAt' | 'resolvedRelease'>,
  occurrences: readonly Pick<Occurrence, 'release' | 'last'>[],
  order: ReadonlyMap<string, number>,
): boolean => {
  if (state !== 'resolved' || resolvedAt === null) return false
  const at = Date.parse(resolvedAt)
  const newest = (resolvedRelease && order.get(resolvedRelease)) || at
  return occurrences.some(({ release, last }) => last > at && (!release || order.get(release)! > newest))
}
