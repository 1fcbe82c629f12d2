import { compileQuery, parseQuery } from '../sql/compile.ts'
import type { Statement } from '../storage/storage.ts'

/** Formats of exports. */
export const EXPORT_FORMATS = ['jsonl', 'csv', 'parquet'] as const
export type ExportFormat = (typeof EXPORT_FORMATS)[number]

/** Filters of the exported events. All conditions apply. */
export interface EventSelection {
  /** Names of events. Empty: all. */
  readonly events: readonly string[]
  /** First timestamp, ISO 8601. */
  readonly from?: string | undefined
  /** The timestamp before which events are exported. */
  readonly to?: string | undefined
  /** Only events that were stored after this time. */
  readonly since?: string | undefined
  /** Only events that were stored until this time. */
  readonly until: string
}

/** Events of some days, or a share of one day. */
export interface Part {
  /** UTC days, such as `2026-01-31`. */
  readonly firstDay: string
  readonly lastDay: string
  readonly events: number
  /** Index of this share of the day, from 0. */
  readonly share: number
  /** Number of shares of the day. */
  readonly shares: number
}

/** A part has about as many events at most. Its statement then takes a few seconds. */
export const PART_EVENTS = 200_000

// Spreadsheets run a text with this beginning as a formula. One quote is added, also to texts that already begin with
// quotes, so that an import can remove it.
const FORMULA = "^'*[=+@\\-\\t\\r]"

const text = (column: string, format: ExportFormat) =>
  format === 'csv'
    ? `if(match(${column}, {variables.formula}), concat('''', ${column}), ${column}) AS ${column}`
    : column

const CONDITIONS = {
  first: 'timestamp >= {variables.first}',
  last: 'timestamp < {variables.last}',
  from: 'timestamp >= {variables.from}',
  to: 'timestamp < {variables.to}',
  since: 'created_at > {variables.since}',
  until: 'created_at <= {variables.until}',
} as const

const TIME = "DateTime64(3, 'UTC')" as const
const DAY_MS = 24 * 3_600_000

const conditionsOf = (
  times: Partial<Record<keyof typeof CONDITIONS, string | undefined>>,
  events: readonly string[],
) => {
  const given = (Object.keys(CONDITIONS) as (keyof typeof CONDITIONS)[]).filter((name) => times[name] !== undefined)
  return {
    where: [
      ...given.map((name) => CONDITIONS[name]),
      ...(events.length ? ['has({variables.events}, event)'] : []),
    ].join(' AND '),
    variables: {
      ...Object.fromEntries(given.map((name) => [name, { type: TIME, value: times[name]! }])),
      ...(events.length ? { events: { type: 'Array(String)' as const, value: events } } : {}),
    },
  }
}

/** Returns the statement that counts the events of each day. */
export const daysStatement = (projectId: number, { events, ...times }: EventSelection): Statement => {
  const { where, variables } = conditionsOf(times, events)
  const query = parseQuery(
    `SELECT toString(toDate(timestamp)) AS day, count() AS n FROM events WHERE ${where} GROUP BY day ORDER BY day`,
  )
  return compileQuery(query, { projectId, variables })
}

/** Splits days into parts. `isByDay`: no part has events of two days. */
export const partsOf = (
  days: readonly (readonly [day: string, events: number])[],
  isByDay: boolean,
  partEvents = PART_EVENTS,
): readonly Part[] => {
  const parts: Part[] = []
  for (const [day, events] of days) {
    const last = parts.at(-1)
    if (!isByDay && last && last.shares === 1 && last.events + events <= partEvents) {
      parts[parts.length - 1] = { ...last, lastDay: day, events: last.events + events }
      continue
    }
    const shares = Math.ceil(events / partEvents)
    for (let share = 0; share < shares; share += 1)
      parts.push({ firstDay: day, lastDay: day, events: Math.ceil(events / shares), share, shares })
  }
  return parts
}

/** Returns the statement with the events of a part. */
export const eventsStatement = (
  projectId: number,
  { events, ...times }: EventSelection,
  { firstDay, lastDay, share, shares }: Part,
  format: ExportFormat,
): Statement => {
  const days = {
    first: `${firstDay}T00:00:00.000Z`,
    last: new Date(Date.parse(lastDay) + DAY_MS).toISOString(),
  }
  const { where, variables } = conditionsOf({ ...days, ...times }, events)
  const query = parseQuery(
    `SELECT toString(uuid) AS uuid, ${text('event', format)}, ${text('distinct_id', format)}, toString(person_id) AS person_id, timestamp, properties, ${text('elements_chain', format)}, created_at
      FROM events WHERE ${where}${shares > 1 ? ' AND cityHash64(toString(uuid)) % {variables.shares} = {variables.share}' : ''}`,
  )
  return compileQuery(query, {
    projectId,
    variables: {
      ...variables,
      ...(format === 'csv' ? { formula: { type: 'String', value: FORMULA } } : {}),
      ...(shares > 1 ? { share: { type: 'Int64', value: share }, shares: { type: 'Int64', value: shares } } : {}),
    },
  })
}

/** Returns the statement with the people of a project. */
export const personsStatement = (projectId: number): Statement =>
  compileQuery(parseQuery(`SELECT toString(id) AS person_id, is_identified, created_at, properties FROM persons`), {
    projectId,
    variables: {},
  })

/** Returns the statement with all ids and their persons, which shows who was merged. */
export const idsStatement = (projectId: number, format: ExportFormat): Statement =>
  compileQuery(
    parseQuery(`SELECT ${text('distinct_id', format)}, toString(person_id) AS person_id FROM person_distinct_ids`),
    { projectId, variables: format === 'csv' ? { formula: { type: 'String', value: FORMULA } } : {} },
  )
