import { setImmediate } from 'node:timers/promises'
import type { QueryRows } from '../persons/queryRows.ts'
import { isWithin } from '../lib/cutJson.ts'
import { STACK_ID_LENGTH } from './fingerprint.ts'

/** The events of one stack and release. Times in ms since the epoch. */
export interface Occurrence {
  readonly stack: string
  /** '': the events have none. */
  readonly release: string
  /** Events of the period. */
  readonly count: number
  /** Events of all time. */
  readonly total: number
  readonly first: number
  readonly last: number
  /** uuid of the latest event. */
  readonly uuid: string
}

/** Counts of several stacks in the period. */
export interface Totals {
  readonly people: number
  /** Events by day (UTC). */
  readonly days: Readonly<Record<string, number>>
}

/** Maximum stacks whose people are counted. */
const MAX_COUNTED = 4_000

const EXCEPTIONS = "project_id = {projectId:UInt32} AND event = '$exception'"
/** SQL for the stack id that ingestion adds to exceptions. '' if the event has no `$exception_list`. */
export const STACK = "ifNull(properties.`$exception_stack`.:String, '')"
// Anyone who has the token can send a release of any length.
const RELEASE = "substringUTF8(ifNull(properties.`$release_id`.:String, ''), 1, 200)"

// Enough for 50,000 stacks with releases of usual lengths.
const MAX_BYTES = 9_000_000

const OCCURRENCES = `
  SELECT ${STACK} AS stack, ${RELEASE} AS release, countIf(timestamp >= fromUnixTimestamp64Milli({from:Int64}, 'UTC')),
    toUnixTimestamp64Milli(min(timestamp)), toUnixTimestamp64Milli(max(timestamp)), toString(argMax(uuid, timestamp)), count()
  FROM db.events WHERE ${EXCEPTIONS} AND length(stack) = ${STACK_ID_LENGTH}
  GROUP BY stack, release QUALIFY ${isWithin('length(release) + 150', { order: 'max(timestamp) DESC, stack, release', maxBytes: MAX_BYTES })}
  ORDER BY max(timestamp) DESC LIMIT {limit:UInt32}`

// A person who was never merged has no row, and the distinct id names the person.
const TOTALS = `
  SELECT transform(stack, {stacks:Array(String)}, {issues:Array(UInt32)}, toUInt32(0)) AS issue,
    uniqExact(if(owner = '', distinct_id, owner)), sumMap(map(toString(toDate(at)), toUInt64(1)))
  FROM (
    SELECT ${STACK} AS stack, distinct_id, timestamp AS at FROM db.events
    WHERE ${EXCEPTIONS} AND timestamp >= fromUnixTimestamp64Milli({from:Int64}, 'UTC') AND stack IN {stacks:Array(String)}
  ) AS e
  LEFT JOIN (
    SELECT distinct_id, argMax(person, version) AS owner FROM db.person_distinct_ids
    WHERE project_id = {projectId:UInt32} GROUP BY distinct_id
  ) AS p ON e.distinct_id = p.distinct_id
  GROUP BY issue`

/** Returns the stacks of a project's exceptions with their releases, of all time. `limit`: of the most recent ones. */
export const readOccurrences = async (
  queryRows: QueryRows,
  projectId: number,
  { from, limit, signal }: { readonly from: number; readonly limit: number; readonly signal: AbortSignal },
): Promise<Occurrence[]> => {
  const rows = await queryRows(projectId, { text: OCCURRENCES, params: { projectId, from, limit } }, signal)
  // Parsing tens of thousands of rows takes tens of milliseconds, so their conversion gets a turn of its own.
  await setImmediate()
  return rows.map(([stack, release, count, first, last, uuid, total]) => ({
    stack: String(stack),
    release: String(release),
    count: Number(count),
    total: Number(total),
    first: Number(first),
    last: Number(last),
    uuid: String(uuid),
  }))
}

/** Returns the persons and days of several groups of stacks in the period, in the order of the groups. */
export const readTotals = async (
  queryRows: QueryRows,
  projectId: number,
  from: number,
  groups: readonly (readonly string[])[],
  signal: AbortSignal,
): Promise<Totals[]> => {
  const stacks = groups.flatMap((group, at) => group.map((stack) => [stack, at + 1] as const)).slice(0, MAX_COUNTED)
  if (!stacks.length) return groups.map(() => ({ people: 0, days: {} }))
  const rows = await queryRows(
    projectId,
    {
      text: TOTALS,
      params: { projectId, from, stacks: stacks.map(([stack]) => stack), issues: stacks.map(([, issue]) => issue) },
    },
    signal,
  )
  const byIssue = new Map(
    rows.map(([issue, people, days]) => [Number(issue), { people: Number(people), days }] as const),
  )
  return groups.map((_, at) => {
    const { people = 0, days = {} } = byIssue.get(at + 1) ?? {}
    return {
      people,
      days: Object.fromEntries(Object.entries(days as Record<string, unknown>).map(([day, n]) => [day, Number(n)])),
    }
  })
}
