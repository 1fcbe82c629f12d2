import { decodeCursor, encodeCursor, isPosition, type Position } from '../events/position.ts'
import { type EventKey, KEY_COLUMNS, readEvents, type StoredEvent, toKey } from '../events/rows.ts'
import { ApiError } from '../lib/apiError.ts'
import { isUuid } from '../lib/uuid.ts'
import type { Ask } from '../persons/ask.ts'
import type { ErrorIssue, IssueState, Metadata } from '../storage/metadata/metadata.ts'
import { exceptionsOf } from './exceptions.ts'
import { culpritOf, fingerprintOf, type MappedException, type MappedFrame } from './fingerprint.ts'
import { type Occurrence, readOccurrences, readTotals, STACK } from './occurrences.ts'
import { isAgain, isEnough, releaseOrder, totalOf } from './releases.ts'
import type { SourceMaps } from './sourceMaps.ts'
import type { IssueDetails, IssueEvent, IssueView } from './views.ts'

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
}

export interface IssueEventsRequest {
  readonly limit: number
  readonly cursor?: string | undefined
}

/** Issues: groups of exceptions with one cause. All methods reject with `ApiError`. */
export interface Issues {
  /** Lists the issues with events in the period. `pending`: stacks that later requests assign to issues. */
  list(
    projectId: number,
    request: IssuesRequest,
  ): Promise<{ results: IssueView[]; count: number; next: number | null; pending: number }>
  get(projectId: number, id: string, from: number): Promise<IssueDetails>
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
  readonly ask: Ask
  readonly metadata: Pick<Metadata, 'errorTracking'>
  readonly sourceMaps: Pick<SourceMaps, 'apply'>
}

/** Maximum stacks whose fingerprints one request computes. */
const MAX_NEW_STACKS = 500
const SAMPLES = 50
const MAX_STACKS_OF_ISSUE = 4_000
const MAX_TEXT = 500

const notFound = () => new ApiError('not_found', { detail: 'This project has no issue with this id.' })

const iso = (ms: number): string => new Date(ms).toISOString()
const textOf = (value: unknown): string | null => (typeof value === 'string' && value ? value : null)

const describeFrame = (frame: MappedFrame | undefined): string => {
  if (!frame?.filename) return ''
  const file = frame.filename.replace(/[?#].*$/, '')
  return frame.function && frame.function !== '?' ? `${frame.function} (${file})` : file
}

/** What is known of an issue and its events. */
interface Known {
  readonly issue: ErrorIssue
  readonly stacks: Map<string, string>
  readonly occurrences: Occurrence[]
}

const toFrameView = ({ filename, function: name, line, column, inApp, isMapped, mapId, source }: MappedFrame) => ({
  filename,
  function: name,
  line: line ?? null,
  column: column ?? null,
  in_app: inApp,
  is_mapped: isMapped,
  map_id: mapId,
  source: source ? { before: [...source.before], line: source.line, after: [...source.after] } : null,
})

const toEventView = (event: StoredEvent, exceptions: readonly MappedException[]): IssueEvent => {
  const { $release_id, $current_url, $browser, $exception_steps } = event.properties
  return {
    uuid: event.uuid,
    timestamp: event.timestamp,
    distinct_id: event.distinct_id,
    person_id: event.person_id,
    session_id: event.$session_id,
    release: textOf($release_id) ?? '',
    url: textOf($current_url),
    browser: textOf($browser),
    exceptions: exceptions.map(({ type, value, isHandled, frames }) => ({
      type,
      value,
      is_handled: isHandled,
      frames: frames.map(toFrameView),
    })),
    steps: (Array.isArray($exception_steps) ? $exception_steps : []).filter(
      (step): step is Record<string, unknown> => typeof step === 'object' && step !== null && !Array.isArray(step),
    ),
  }
}

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

export const createIssues = ({ ask, metadata, sourceMaps }: IssuesDependencies): Issues => {
  const store = metadata.errorTracking
  /** One synchronization of a project at a time. */
  const syncing = new Map<number, Promise<unknown>>()

  const keysOf = async (projectId: number, uuids: readonly string[]): Promise<EventKey[]> =>
    (
      await ask(projectId, {
        text: `SELECT ${KEY_COLUMNS} FROM db.events WHERE project_id = {projectId:UInt32} AND event = '$exception' AND uuid IN {uuids:Array(UUID)}`,
        params: { projectId, uuids },
      })
    ).map(toKey)

  const mapped = (projectId: number, { properties }: StoredEvent) =>
    sourceMaps.apply(projectId, exceptionsOf(properties.$exception_list))

  /** Assigns stacks to issues by a sample event each. */
  const assign = async (projectId: number, occurrences: readonly Occurrence[]): Promise<void> => {
    for (let at = 0; at < occurrences.length; at += SAMPLES) {
      const part = occurrences.slice(at, at + SAMPLES)
      const keys = await keysOf(
        projectId,
        part.map(({ uuid }) => uuid),
      )
      for (const event of await readEvents(ask, projectId, keys, { isWhole: true })) {
        const exceptions = await mapped(projectId, event)
        const mapIds = new Set(exceptions.flatMap(({ frames }) => frames.map(({ mapId }) => mapId)))
        await store.assign(
          projectId,
          {
            stack: part.find(({ uuid }) => uuid === event.uuid)!.stack,
            fingerprint: fingerprintOf(exceptions, event.properties.$exception_fingerprint),
            mapIds: [...mapIds].filter((id) => id && !id.includes(' ')),
          },
          {
            type: exceptions[0]?.type ?? 'Error',
            value: exceptions[0]?.value.slice(0, MAX_TEXT) ?? '',
            culprit: describeFrame(culpritOf(exceptions)).slice(0, MAX_TEXT),
          },
        )
      }
    }
  }

  /** Returns the fingerprint of each stack, after computing those of new and stale stacks. */
  const synchronize = async (projectId: number, occurrences: readonly Occurrence[]) => {
    const known = new Map((await store.stacks(projectId)).map((each) => [each.stack, each]))
    const firstOf = new Map(occurrences.map((each) => [each.stack, each]))
    const due = [...firstOf.values()].filter(({ stack }) => known.get(stack)?.isStale ?? true)
    if (!due.length) return { fingerprintOfStack: known, pending: 0 }
    await assign(projectId, due.slice(0, MAX_NEW_STACKS))
    const now = new Map((await store.stacks(projectId)).map((each) => [each.stack, each]))
    return { fingerprintOfStack: now, pending: Math.max(0, due.length - MAX_NEW_STACKS) }
  }

  const synchronizeInTurn = (projectId: number, occurrences: readonly Occurrence[]) => {
    const result = (syncing.get(projectId) ?? Promise.resolve()).then(() => synchronize(projectId, occurrences))
    const done = result
      .catch(() => {})
      .finally(() => {
        if (syncing.get(projectId) === done) syncing.delete(projectId)
      })
    syncing.set(projectId, done)
    return result
  }

  /** Reads all issues with events. Reopens those that came back. */
  const read = async (projectId: number, from: number) => {
    const occurrences = await readOccurrences(ask, projectId, from)
    const { fingerprintOfStack, pending } = await synchronizeInTurn(projectId, occurrences)
    const issueOf = await store.fingerprints(projectId)
    const order = releaseOrder(occurrences)
    const known = new Map<string, Known>(
      (await store.issues(projectId)).map((issue) => [issue.id, { issue, stacks: new Map(), occurrences: [] }]),
    )
    for (const each of occurrences) {
      const fingerprint = fingerprintOfStack.get(each.stack)?.fingerprint
      const of = fingerprint === undefined ? undefined : known.get(issueOf.get(fingerprint) ?? '')
      if (!of || fingerprint === undefined) continue
      of.stacks.set(each.stack, fingerprint)
      of.occurrences.push(each)
    }
    for (const [id, each] of known) {
      if (!isAgain(each.issue, each.occurrences, order) && !isEnough(each.issue, each.occurrences)) continue
      await store.reopen(projectId, id)
      known.set(id, {
        ...each,
        issue: { ...each.issue, state: 'active', ignoredUntil: null, reopenedAt: new Date().toISOString() },
      })
    }
    return { known, order, pending }
  }

  const find = async (projectId: number, id: string): Promise<ErrorIssue> => {
    const issue = isUuid(id) ? await store.issue(projectId, id.toLowerCase()) : undefined
    if (!issue) throw notFound()
    return issue
  }

  const toViews = async (
    projectId: number,
    from: number,
    all: readonly Known[],
    order: ReadonlyMap<string, number>,
  ): Promise<IssueView[]> => {
    const totals = await readTotals(
      ask,
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
      count: sum(occurrences.map(({ count }) => count)),
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

  const countOf = ({ occurrences }: Known) => sum(occurrences.map(({ count }) => count))
  const SORT_KEYS: Readonly<Record<IssuesRequest['order'], (known: Known) => number>> = {
    count: countOf,
    last_seen: ({ occurrences }) => Math.max(...occurrences.map(({ last }) => last)),
    first_seen: ({ occurrences }) => Math.min(...occurrences.map(({ first }) => first)),
  }

  return {
    async list(projectId, { from, state, search, order: orderBy, limit, offset }) {
      const { known, order, pending } = await read(projectId, from)
      const part = search?.toLowerCase()
      const key = SORT_KEYS[orderBy]
      const wanted = [...known.values()]
        .filter((each) => countOf(each) > 0 && (!state || each.issue.state === state))
        .filter(
          ({ issue: { type, value, culprit } }) =>
            !part || [type, value, culprit].some((text) => text.toLowerCase().includes(part)),
        )
        .map((each) => ({ each, at: key(each) }))
        .sort((a, b) => b.at - a.at || a.each.issue.id.localeCompare(b.each.issue.id))
      const page = wanted.slice(offset, offset + limit).map(({ each }) => each)
      return {
        results: await toViews(projectId, from, page, order),
        count: wanted.length,
        next: offset + limit < wanted.length ? offset + limit : null,
        pending,
      }
    },

    async get(projectId, id, from) {
      const { id: found } = await find(projectId, id)
      const { known, order } = await read(projectId, from)
      const issue = known.get(found)
      if (!issue) throw notFound()
      const [view] = await toViews(projectId, from, [issue], order)
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
      const { known, order } = await read(projectId, 0)
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
      const all = [...(await store.fingerprints(projectId))].filter(([, of]) => of === issue.id).map(([each]) => each)
      const moved = [...new Set(fingerprints)]
      const unknown = moved.find((each) => !all.includes(each))
      if (unknown !== undefined)
        throw new ApiError('invalid_input', {
          attr: 'fingerprints',
          detail: `The issue has no fingerprint "${unknown.slice(0, 60)}".`,
        })
      if (moved.length === all.length)
        throw new ApiError('invalid_input', {
          attr: 'fingerprints',
          detail: 'At least one fingerprint must stay with the issue.',
        })
      return store.split(projectId, issue.id, moved)
    },

    async events(projectId, id, { limit, cursor }) {
      const issue = await find(projectId, id)
      const issueOf = await store.fingerprints(projectId)
      const stacks = (await store.stacks(projectId))
        .filter(({ fingerprint }) => issueOf.get(fingerprint) === issue.id)
        .map(({ stack }) => stack)
        .slice(-MAX_STACKS_OF_ISSUE)
      if (!stacks.length) return { results: [], next: null }
      const startOver = 'Omit it to start with the newest event.'
      const position =
        cursor === undefined ? undefined : decodeCursor<Position>(cursor, isPosition, { attr: 'cursor', startOver })
      const rows = await ask(projectId, {
        text: `SELECT ${KEY_COLUMNS} FROM db.events WHERE project_id = {projectId:UInt32} AND event = '$exception' AND ${STACK} IN {stacks:Array(String)}
          ${position ? "AND (timestamp, uuid) < (fromUnixTimestamp64Milli({at:Int64}, 'UTC'), {uuid:UUID})" : ''}
          ORDER BY timestamp DESC, uuid DESC LIMIT {limit:UInt32}`,
        params: { projectId, stacks, limit: limit + 1, ...position },
      })
      const keys = rows.map(toKey)
      const results: IssueEvent[] = []
      for (const event of await readEvents(ask, projectId, keys.slice(0, limit), { isWhole: true }))
        results.push(toEventView(event, await mapped(projectId, event)))
      const last = keys[limit - 1]
      return {
        results,
        next:
          last && keys.length > limit ? encodeCursor({ at: last.timestamp, uuid: last.uuid } satisfies Position) : null,
      }
    },
  }
}
