import { setImmediate } from 'node:timers/promises'
import { ApiError } from '../lib/apiError.ts'
import { isUuid } from '../lib/uuid.ts'
import type { QueryRows } from '../persons/queryRows.ts'
import { NO_CALLER } from '../storage/storage.ts'
import { createAssignStacks, type IssueLimits } from './assignStacks.ts'
import type { FingerprintRules } from './fingerprintRules.ts'
import { type IssueEventsRequest, readIssueEvents } from './issueEvents.ts'
import { sumOf, toIssueViews } from './issueViews.ts'
import { createReadIssues } from './readIssues.ts'
import { totalOf } from './releases.ts'
import type { SourceMaps } from './sourceMaps.ts'
import type { IssueDetails, IssueEvent, IssueView } from './views.ts'
import type { ErrorIssue, ErrorTrackingStore, IssueState } from './store.ts'

export const ISSUE_ORDERS = ['last_seen', 'first_seen', 'count'] as const

export interface IssuesRequest {
  /** Start of the period, ms since the epoch. */
  readonly from: number
  readonly state?: IssueState | undefined
  /** A part of the type, the message or the culprit, in any case. */
  readonly search?: string | undefined
  readonly order: (typeof ISSUE_ORDERS)[number]
  readonly limit: number
  readonly offset: number
  /** Aborted when the client no longer waits. */
  readonly signal: AbortSignal
}

/** Issues: groups of exceptions with one cause. All methods reject with `ApiError`. */
export interface Issues {
  /** Lists the issues with events in the period. `pending`: stacks that later requests assign to issues. */
  list(
    projectId: number,
    request: IssuesRequest,
  ): Promise<{ results: IssueView[]; count: number; next: number | null; pending: number }>
  get(projectId: number, id: string, from: number, signal: AbortSignal): Promise<IssueDetails>
  /** Changes the state. `untilEvents`: an ignored issue becomes active after this many more events. */
  setState(projectId: number, id: string, state: IssueState, untilEvents?: number): Promise<void>
  merge(projectId: number, id: string, others: readonly string[]): Promise<void>
  /** Moves fingerprints to a new issue. Returns its id. */
  split(projectId: number, id: string, fingerprints: readonly string[]): Promise<string>
  /** Lists the events of an issue, newest first, with source maps applied. */
  events(
    projectId: number,
    id: string,
    request: IssueEventsRequest,
  ): Promise<{ results: IssueEvent[]; next: string | null }>
}

export interface IssuesDependencies {
  readonly queryRows: QueryRows
  readonly store: ErrorTrackingStore
  readonly sourceMaps: Pick<SourceMaps, 'apply'>
  readonly rules: Pick<FingerprintRules, 'compiledWithReplaced'>
  readonly limits: IssueLimits
  /** Called with the number of stacks that the shared issue took. */
  readonly onOverflow: (projectId: number, stacks: number) => void
}

/** The value that each order sorts by, descending. */
const SORT_KEYS: Readonly<Record<IssuesRequest['order'], keyof ReturnType<typeof sumOf>>> = {
  count: 'count',
  last_seen: 'last',
  first_seen: 'first',
}

const notFound = () => new ApiError('not_found', { detail: 'This project has no issue with this id.' })

export const createIssues = ({
  queryRows,
  store,
  sourceMaps,
  rules,
  limits,
  onOverflow,
}: IssuesDependencies): Issues => {
  const assignStacks = createAssignStacks({ queryRows, store, sourceMaps, rules, limits, onOverflow })

  const read = createReadIssues({ queryRows, store, assignStacks, limits })

  const find = async (projectId: number, id: string): Promise<ErrorIssue> => {
    const issue = isUuid(id) ? await store.issue(projectId, id.toLowerCase()) : undefined
    if (!issue) throw notFound()
    return issue
  }

  return {
    async list(projectId, { from, state, search, order: orderBy, limit, offset, signal }) {
      const { known, order, pending } = await read(projectId, from, signal)
      await setImmediate()
      const part = search?.toLowerCase()
      const key = SORT_KEYS[orderBy]
      const wanted = [...known.values()]
        .filter(
          ({ issue: { type, value, culprit, state: current } }) =>
            (!state || current === state) &&
            (!part || [type, value, culprit].some((text) => text.toLowerCase().includes(part))),
        )
        .map((each) => ({ each, sum: sumOf(each.occurrences) }))
        .filter(({ sum }) => sum.count > 0)
        .sort((a, b) => b.sum[key] - a.sum[key] || (a.each.issue.id < b.each.issue.id ? -1 : 1))
      const page = wanted.slice(offset, offset + limit).map(({ each }) => each)
      return {
        results: await toIssueViews(queryRows, projectId, from, page, order, signal),
        count: wanted.length,
        next: offset + limit < wanted.length ? offset + limit : null,
        pending,
      }
    },

    async get(projectId, id, from, signal) {
      const { id: found } = await find(projectId, id)
      const { known, order } = await read(projectId, from, signal)
      const issue = known.get(found)
      if (!issue) throw notFound()
      const [view] = await toIssueViews(queryRows, projectId, from, [issue], order, signal)
      const byFingerprint = new Map<string, { count: number; example: string | null }>()
      for (const { stack, count, uuid } of issue.occurrences) {
        const fingerprint = issue.stacks.get(stack)!
        const before = byFingerprint.get(fingerprint)
        byFingerprint.set(fingerprint, { count: count + (before?.count ?? 0), example: before?.example ?? uuid })
      }
      return {
        ...view!,
        fingerprints: [...byFingerprint].map(([fingerprint, rest]) => ({ fingerprint, ...rest })),
      }
    },

    async setState(projectId, id, state, untilEvents) {
      const { id: found } = await find(projectId, id)
      const { known, order } = await read(projectId, 0, NO_CALLER) // A change is completed even if its client has left.
      const newest = [...order].filter(([release]) => release).sort(([, a], [, b]) => b - a)[0]?.[0]
      const ignoredUntil = untilEvents === undefined ? null : totalOf(known.get(found)?.occurrences ?? []) + untilEvents
      await store.setState(projectId, found, { state, release: newest ?? '', ignoredUntil })
    },

    async merge(projectId, id, others) {
      const issue = await find(projectId, id)
      const ids = [...new Set(others.map((each) => each.toLowerCase()))]
      if (ids.includes(issue.id))
        throw new ApiError('invalid_input', { attr: 'ids', detail: 'An issue cannot be merged with itself.' })
      for (const each of ids) await find(projectId, each)
      await store.merge(projectId, issue.id, ids)
    },

    async split(projectId, id, fingerprints) {
      const issue = await find(projectId, id)
      const all = new Set(
        [...(await store.fingerprints(projectId))].filter(([, of]) => of === issue.id).map(([each]) => each),
      )
      const moved = [...new Set(fingerprints)]
      const unknown = moved.find((each) => !all.has(each))
      if (unknown !== undefined)
        throw new ApiError('invalid_input', {
          attr: 'fingerprints',
          detail: `The issue has no fingerprint "${unknown.slice(0, 60)}".`,
        })
      if (moved.length === all.size)
        throw new ApiError('invalid_input', {
          attr: 'fingerprints',
          detail: 'At least one fingerprint must stay with the issue.',
        })
      return store.split(projectId, issue.id, moved)
    },

    async events(projectId, id, request) {
      const issue = await find(projectId, id)
      return readIssueEvents({ queryRows, store, sourceMaps }, projectId, issue.id, request)
    },
  }
}
