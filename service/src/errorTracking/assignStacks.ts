import { setImmediate } from 'node:timers/promises'
import { type EventKey, KEY_COLUMNS, readWholeEvents, toKey } from '../events/rows.ts'
import type { QueryRows } from '../persons/queryRows.ts'
import { exceptionsOf, withoutQuery } from './exceptions.ts'
import { culpritOf, fingerprintOf, type MappedFrame } from './fingerprint.ts'
import type { FingerprintRules } from './fingerprintRules.ts'
import { decidingRule } from './matchRules.ts'
import type { Occurrence } from './occurrences.ts'
import type { SourceMaps } from './sourceMaps.ts'
import type { ErrorStack, ErrorTrackingStore } from './store.ts'

/** Maximum stacks whose fingerprints one request computes. */
export const MAX_NEW_STACKS = 500
const SAMPLES = 50
// Pages have a few files. A hostile event has a thousand.
export const MAX_MAP_IDS = 20
const MAP_ID = /^[\da-z-]{8,100}$/
const MAX_TEXT = 500

/** Stacks of one project, as a multiple of its issues. */
export const STACKS_PER_ISSUE = 5

/** Limits per project. Anyone with its public token can reach them. */
export interface IssueLimits {
  /** Maximum issues. Further fingerprints share one. */
  readonly issues: number
  /** Maximum stacks, those with the most recent events. */
  readonly stacks: number
}

export interface AssignedStacks {
  readonly fingerprintOfStack: ReadonlyMap<string, ErrorStack>
  /** Stacks that are left for later requests. */
  readonly pending: number
}

/** Returns the fingerprint of each stack, after computing those of new and stale stacks. */
export type AssignStacks = (
  projectId: number,
  occurrences: readonly Occurrence[],
  signal: AbortSignal,
) => Promise<AssignedStacks>

const describeFrame = (frame: MappedFrame | undefined): string => {
  if (!frame?.filename) return ''
  const file = withoutQuery(frame.filename)
  return frame.function && frame.function !== '?' ? `${frame.function} (${file})` : file
}

/** Creates the function that assigns stacks to issues. It runs once at a time for each project. */
export const createAssignStacks = ({
  queryRows,
  store,
  sourceMaps,
  rules,
  limits,
  onOverflow,
}: {
  readonly queryRows: QueryRows
  readonly store: ErrorTrackingStore
  readonly sourceMaps: Pick<SourceMaps, 'apply'>
  readonly rules: Pick<FingerprintRules, 'compiledWithReplaced'>
  readonly limits: IssueLimits
  /** Called with the number of stacks that the shared issue took. */
  readonly onOverflow: (projectId: number, stacks: number) => void
}): AssignStacks => {
  const syncing = new Map<number, Promise<unknown>>()

  const keysOf = async (projectId: number, uuids: readonly string[], signal: AbortSignal): Promise<EventKey[]> => {
    const text = `SELECT ${KEY_COLUMNS} FROM db.events WHERE project_id = {projectId:UInt32} AND event = '$exception' AND uuid IN {uuids:Array(UUID)}`
    return (await queryRows(projectId, { text, params: { projectId, uuids } }, signal)).map(toKey)
  }

  /** Assigns stacks to issues by a sample event each. */
  const assign = async (projectId: number, occurrences: readonly Occurrence[], signal: AbortSignal): Promise<void> => {
    const known = await rules.compiledWithReplaced(projectId)
    let overflowed = 0
    for (let at = 0; at < occurrences.length; at += SAMPLES) {
      const part = occurrences.slice(at, at + SAMPLES)
      const keys = await keysOf(
        projectId,
        part.map(({ uuid }) => uuid),
        signal,
      )
      for await (const event of readWholeEvents(queryRows, projectId, keys, signal)) {
        const { $exception_list: list, $exception_fingerprint: given, $exception_rules: ids } = event.properties
        const exceptions = await sourceMaps.apply(projectId, exceptionsOf(list), signal)
        const rule = decidingRule(known, ids, exceptions)
        const mapIds = new Set(exceptions.flatMap(({ frames }) => frames.map(({ mapId }) => mapId)))
        const isOverflow = await store.assign(
          projectId,
          {
            stack: part.find(({ uuid }) => uuid === event.uuid)!.stack,
            fingerprint: fingerprintOf(exceptions, { given, rule }),
            mapIds: [...mapIds].filter((id) => MAP_ID.test(id)).slice(0, MAX_MAP_IDS),
          },
          {
            type: rule?.issue ?? exceptions[0]?.type ?? 'Error',
            value: exceptions[0]?.value.slice(0, MAX_TEXT) ?? '',
            culprit: describeFrame(culpritOf(exceptions)).slice(0, MAX_TEXT),
          },
          limits.issues,
        )
        if (isOverflow) overflowed += 1
        // SQLite queries run on the event loop's thread, so other requests get a turn in between.
        await setImmediate()
      }
    }
    if (overflowed) onOverflow(projectId, overflowed)
  }

  const synchronize: AssignStacks = async (projectId, occurrences, signal) => {
    const known = new Map((await store.stacks(projectId)).map((each) => [each.stack, each]))
    await setImmediate()
    const firstOf = new Map(occurrences.map((each) => [each.stack, each]))
    const due = [...firstOf.values()].filter(({ stack }) => known.get(stack)?.isStale ?? true)
    await setImmediate()
    if (!due.length) return { fingerprintOfStack: known, pending: 0 }
    // Makes room: removes stacks that have no events, or none among the most recent that were read.
    const isFull = known.size + due.length > limits.stacks || (await store.countIssues(projectId)) >= limits.issues
    if (isFull)
      await store.forget(
        projectId,
        [...known.keys()].filter((stack) => !firstOf.has(stack)),
      )
    await assign(projectId, due.slice(0, MAX_NEW_STACKS), signal)
    const now = new Map((await store.stacks(projectId)).map((each) => [each.stack, each]))
    return { fingerprintOfStack: now, pending: Math.max(0, due.length - MAX_NEW_STACKS) }
  }

  return (projectId, occurrences, signal) => {
    const result = (syncing.get(projectId) ?? Promise.resolve()).then(() => synchronize(projectId, occurrences, signal))
    const done = result
      .catch(() => {})
      .finally(() => {
        if (syncing.get(projectId) === done) syncing.delete(projectId)
      })
    syncing.set(projectId, done)
    return result
  }
}
