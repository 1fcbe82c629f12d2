import type { QueryRows } from '../persons/queryRows.ts'
import type { ErrorIssue } from '../storage/metadata/metadata.ts'
import { type Occurrence, readTotals } from './occurrences.ts'
import { totalOf } from './releases.ts'
import type { IssueView } from './views.ts'

/** What is known of an issue and its events. */
export interface Known {
  readonly issue: ErrorIssue
  readonly stacks: Map<string, string>
  readonly occurrences: Occurrence[]
}

const iso = (ms: number): string => new Date(ms).toISOString()
const sum = (numbers: readonly number[]) => numbers.reduce((total, each) => total + each, 0)

const releasesOf = (occurrences: readonly Occurrence[], order: ReadonlyMap<string, number>) => {
  const byRelease = new Map<string, Occurrence[]>()
  for (const each of occurrences) byRelease.set(each.release, [...(byRelease.get(each.release) ?? []), each])
  return [...byRelease]
    .sort(([a], [b]) => order.get(b)! - order.get(a)!)
    .map(([release, all]) => ({
      release,
      count: sum(all.map(({ count }) => count)),
      first_seen: iso(Math.min(...all.map(({ first }) => first))),
      last_seen: iso(Math.max(...all.map(({ last }) => last))),
    }))
}

/** Returns the number of events in the period. */
export const countOf = ({ occurrences }: Pick<Known, 'occurrences'>): number =>
  sum(occurrences.map(({ count }) => count))

/** Returns issues as the API shows them. `from`: start of the period, in ms. `order`: of releases. */
export const toIssueViews = async (
  queryRows: QueryRows,
  projectId: number,
  from: number,
  all: readonly Known[],
  order: ReadonlyMap<string, number>,
): Promise<IssueView[]> => {
  const totals = await readTotals(
    queryRows,
    projectId,
    from,
    all.map(({ stacks }) => [...stacks.keys()]),
  )
  return all.map(({ issue, occurrences }, at) => ({
    id: issue.id,
    type: issue.type,
    value: issue.value,
    culprit: issue.culprit,
    state: issue.state,
    first_seen: occurrences.length ? iso(Math.min(...occurrences.map(({ first }) => first))) : issue.createdAt,
    last_seen: occurrences.length ? iso(Math.max(...occurrences.map(({ last }) => last))) : issue.createdAt,
    count: countOf({ occurrences }),
    people: totals[at]!.people,
    series: Object.entries(totals[at]!.days)
      .map(([date, count]) => ({ date, count }))
      .sort((a, b) => a.date.localeCompare(b.date)),
    releases: releasesOf(occurrences, order),
    resolved_at: issue.resolvedAt,
    reopened_at: issue.reopenedAt,
    ignored_events: issue.ignoredUntil === null ? null : issue.ignoredUntil - totalOf(occurrences),
  }))
}
