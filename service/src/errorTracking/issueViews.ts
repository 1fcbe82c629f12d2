import type { QueryRows } from '../persons/queryRows.ts'
import { type Occurrence, readTotals } from './occurrences.ts'
import { totalOf } from './releases.ts'
import type { IssueView } from './views.ts'
import type { ErrorIssue } from './store.ts'

/** What is known of an issue and its events. */
export interface Known {
  readonly issue: ErrorIssue
  readonly stacks: Map<string, string>
  readonly occurrences: Occurrence[]
}

const iso = (ms: number): string => new Date(ms).toISOString()

/** The number of events in the period, and the times of the first and last event ever, in ms since the epoch. */
interface Sum {
  count: number
  first: number
  last: number
}

const NONE: Readonly<Sum> = { count: 0, first: Infinity, last: -Infinity }

const add = (sum: Readonly<Sum>, { count, first, last }: Readonly<Sum>): Sum => ({
  count: sum.count + count,
  first: Math.min(sum.first, first),
  last: Math.max(sum.last, last),
})

/** Sums occurrences up. An issue can have as many as the project has stacks. */
export const sumOf = (occurrences: readonly Occurrence[]): Sum => occurrences.reduce(add, NONE)

const releasesOf = (occurrences: readonly Occurrence[], order: ReadonlyMap<string, number>) => {
  const byRelease = new Map<string, Sum>()
  for (const each of occurrences) byRelease.set(each.release, add(byRelease.get(each.release) ?? NONE, each))
  return [...byRelease]
    .sort(([a], [b]) => order.get(b)! - order.get(a)!)
    .map(([release, { count, first, last }]) => ({
      release,
      count,
      first_seen: iso(first),
      last_seen: iso(last),
    }))
}

/** Returns issues as the API shows them. `from`: start of the period, in ms. `order`: of releases. */
export const toIssueViews = async (
  queryRows: QueryRows,
  projectId: number,
  from: number,
  all: readonly Known[],
  order: ReadonlyMap<string, number>,
  signal: AbortSignal,
): Promise<IssueView[]> => {
  const totals = await readTotals(
    queryRows,
    projectId,
    from,
    all.map(({ stacks }) => [...stacks.keys()]),
    signal,
  )
  return all.map(({ issue, occurrences }, at) => {
    const { count, first, last } = sumOf(occurrences)
    return {
      id: issue.id,
      type: issue.type,
      value: issue.value,
      culprit: issue.culprit,
      state: issue.state,
      first_seen: occurrences.length ? iso(first) : issue.createdAt,
      last_seen: occurrences.length ? iso(last) : issue.createdAt,
      count,
      people: totals[at]!.people,
      series: Object.entries(totals[at]!.days)
        .map(([date, events]) => ({ date, count: events }))
        .sort((a, b) => a.date.localeCompare(b.date)),
      releases: releasesOf(occurrences, order),
      resolved_at: issue.resolvedAt,
      reopened_at: issue.reopenedAt,
      ignored_events: issue.ignoredUntil === null ? null : issue.ignoredUntil - totalOf(occurrences),
    }
  })
}
