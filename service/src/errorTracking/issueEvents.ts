import { decodeCursor, encodeCursor, isPosition, type Position } from '../events/position.ts'
import { KEY_COLUMNS, readWholeEvents, type StoredEvent, toKey } from '../events/rows.ts'
import type { QueryRows } from '../persons/queryRows.ts'
import { exceptionsOf } from './exceptions.ts'
import type { MappedException, MappedFrame } from './fingerprint.ts'
import { STACK } from './occurrences.ts'
import type { SourceMaps } from './sourceMaps.ts'
import type { IssueEvent } from './views.ts'
import type { ErrorTrackingStore } from './store.ts'

const MAX_STACKS_OF_ISSUE = 4_000

export interface IssueEventsRequest {
  readonly limit: number
  readonly cursor?: string | undefined
  readonly signal: AbortSignal
}

// An event may have two megabytes of each. The event itself, by its uuid, has all of it.
const MAX_TEXT = 2_000
const MAX_STEPS_LENGTH = 50_000

const textOf = (value: unknown): string | null => (typeof value === 'string' && value ? value.slice(0, MAX_TEXT) : null)

/** Returns the last steps that are not too long together. */
const stepsOf = (list: unknown): Record<string, unknown>[] => {
  const steps = (Array.isArray(list) ? list : []).filter(
    (step): step is Record<string, unknown> => typeof step === 'object' && step !== null && !Array.isArray(step),
  )
  let length = 0
  const first = steps.findLastIndex((step) => (length += JSON.stringify(step).length) > MAX_STEPS_LENGTH)
  return steps.slice(first + 1)
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
    steps: stepsOf($exception_steps),
  }
}

/** Returns a page of the events of an issue, newest first, with source maps applied. Rejects with `ApiError`. */
export const readIssueEvents = async (
  {
    queryRows,
    store,
    sourceMaps,
  }: {
    readonly queryRows: QueryRows
    readonly store: ErrorTrackingStore
    readonly sourceMaps: Pick<SourceMaps, 'apply'>
  },
  projectId: number,
  issueId: string,
  { limit, cursor, signal }: IssueEventsRequest,
): Promise<{ results: IssueEvent[]; next: string | null }> => {
  const issueOf = await store.fingerprints(projectId)
  const stacks = (await store.stacks(projectId))
    .filter(({ fingerprint }) => issueOf.get(fingerprint) === issueId)
    .map(({ stack }) => stack)
    .slice(-MAX_STACKS_OF_ISSUE)
  if (!stacks.length) return { results: [], next: null }
  const startOver = 'Omit it to start with the newest event.'
  const position =
    cursor === undefined ? undefined : decodeCursor<Position>(cursor, isPosition, { attr: 'cursor', startOver })
  const rows = await queryRows(
    projectId,
    {
      text: `SELECT ${KEY_COLUMNS} FROM db.events WHERE project_id = {projectId:UInt32} AND event = '$exception' AND ${STACK} IN {stacks:Array(String)}
        ${position ? "AND (timestamp, uuid) < (fromUnixTimestamp64Milli({at:Int64}, 'UTC'), {uuid:UUID})" : ''}
        ORDER BY timestamp DESC, uuid DESC LIMIT {limit:UInt32}`,
      params: { projectId, stacks, limit: limit + 1, ...position },
    },
    signal,
  )
  const keys = rows.map(toKey)
  const results: IssueEvent[] = []
  for await (const event of readWholeEvents(queryRows, projectId, keys.slice(0, limit), signal)) {
    const exceptions = exceptionsOf(event.properties.$exception_list)
    results.push(toEventView(event, await sourceMaps.apply(projectId, exceptions, signal)))
  }
  const last = keys[limit - 1]
  return {
    results,
    next: last && keys.length > limit ? encodeCursor({ at: last.timestamp, uuid: last.uuid } satisfies Position) : null,
  }
}
