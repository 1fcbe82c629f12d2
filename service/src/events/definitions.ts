import { bound, createSource, every, isWithin, LIVE } from '../endpoints/insights/source.ts'
import type { QueryRows } from '../persons/queryRows.ts'
import { call, type FromSql, infix, name, type Sql } from '../sql/catalog/physical.ts'
import { print } from '../sql/print/print.ts'
import { tableSource } from '../sql/resolve/tableSource.ts'
import type { MinuteCache } from './minuteCache.ts'
import { END_OF_TIME } from './position.ts'
import { type EventDefinitions, PROPERTY_KINDS, type PropertyDefinitions, type PropertyValues } from './views.ts'

export type PropertyOwner = 'event' | 'person'

export interface PropertyRequest {
  readonly owner: PropertyOwner
  /** Only properties of events with this name. */
  readonly event?: string | undefined
  readonly signal: AbortSignal
}

export interface ValuesRequest extends PropertyRequest {
  readonly key: string
  /** Text that the values contain, ignoring case. */
  readonly search?: string | undefined
}

/** Names and values that a project's events and persons have, for menus. All methods reject with `ApiError`. */
export interface Definitions {
  events(projectId: number, signal: AbortSignal): Promise<EventDefinitions>
  properties(projectId: number, request: PropertyRequest): Promise<PropertyDefinitions>
  values(projectId: number, request: ValuesRequest): Promise<PropertyValues>
}

const DAYS = 30
const DAY_MS = 24 * 3_600_000
const MAX_EVENT_NAMES = 1_000
const MAX_PROPERTIES = 500
const MAX_NAME = 200
const MAX_VALUES = 50
const MAX_VALUE = 200
const MAX_EXAMPLE = 100
const EXAMPLES = 3

/** Maximum events read to list properties. All properties of each event are read. */
const NAMES_SAMPLE = 20_000
/** Maximum events read to list the values of one property. */
const VALUES_SAMPLE = 1_000_000
const PERSONS_SAMPLE = 100_000
/** Lengths of the periods that events are read from. */
const PERIOD_DAYS = [1, 7, DAYS] as const

/** Number of events in each period. */
type Counts = readonly number[]

/** The events at or after `from` whose person's `cityHash64(distinct_id)` is at most `maxHash`, at most `size` of them. */
interface Sample {
  readonly from: number
  readonly maxHash: string
  readonly size: number
}

const MAX_HASH = 2n ** 64n - 1n
const STEPS = 1_000_000

/**
 * Returns a sample of about `size` events of the shortest period that has as many. The events of a name and day are
 * sorted by this hash, so the engine reads little more than the sample.
 */
const sampleOf = (counts: Counts, size: number): Sample => {
  const found = counts.findIndex((count) => count >= size)
  const period = found < 0 ? counts.length - 1 : found
  const share = Math.min(1, size / Math.max(1, counts[period]!))
  return {
    from: Date.now() - PERIOD_DAYS[period]! * DAY_MS,
    maxHash: String((MAX_HASH * BigInt(Math.ceil(share * STEPS))) / BigInt(STEPS)),
    size,
  }
}

const timeText = (parameter: string) => `fromUnixTimestamp64Milli({${parameter}:Int64}, 'UTC')`

const EVENT_COUNTS = `
  SELECT event, formatDateTime(max(timestamp), '%FT%T.%fZ'), countIf(timestamp >= ${timeText('from0')}), countIf(timestamp >= ${timeText('from1')}), count()
  FROM db.events WHERE project_id = {projectId:UInt32} AND timestamp >= ${timeText('from2')}
  GROUP BY event ORDER BY count() DESC, event LIMIT ${MAX_EVENT_NAMES}`

// The member with the empty name counts all events or persons.
const propertiesOfEventsQuery = (hasEvent: boolean) => `
  SELECT arrayJoin(arrayPushBack(arrayFilter(m -> m.1 != '', JSONExtractKeysAndValuesRaw(toJSONString(properties))), ('', ''))) AS member, member.1 AS name, member.2 AS value
  FROM (SELECT properties FROM db.events
    WHERE project_id = {projectId:UInt32} AND timestamp >= ${timeText('from')} AND cityHash64(distinct_id) <= {maxHash:UInt64} ${hasEvent ? 'AND event = {event:String}' : ''}
    LIMIT {size:UInt32})`

const PROPERTIES_OF_PERSONS = `
  SELECT name, multiIf(name = '', '', latest.2 != '', latest.2, latest.1 < 0, first.2, last > latest, last.2, '') AS value
  FROM (SELECT name, max(set) AS latest, min(first_once) AS first, max(last_once) AS last FROM db.person_properties
    WHERE project_id = {projectId:UInt32} AND cityHash64(distinct_id) % {modulus:UInt32} = 0 GROUP BY distinct_id, name)
  WHERE name = '' OR value != ''`

const KIND = `multiIf(startsWith(value, '"'), if(match(value, '^"\\\\d{4}-\\\\d\\\\d-\\\\d\\\\d("|[T ]\\\\d\\\\d:)'), 'datetime', 'string'),
  value IN ('true', 'false'), 'boolean', startsWith(value, '['), 'list', startsWith(value, '{'), 'object', 'number')`

/** Counts the values of each property. `members`: rows with `name` and `value`, which is JSON. */
const propertiesOf = (members: string) => `
  SELECT name, count(), sumMap(map(${KIND}, 1)),
    groupUniqArrayIf(${EXAMPLES})(leftUTF8(if(startsWith(value, '"'), JSONExtractString(value), value), ${MAX_EXAMPLE}), name != '')
  FROM (${members}) WHERE length(name) <= ${MAX_NAME} GROUP BY name ORDER BY count() DESC, name LIMIT ${MAX_PROPERTIES + 1}`

type PropertyKind = (typeof PROPERTY_KINDS)[number]

// Minimum share of values of one kind. A few values of another kind are mistakes.
const MAJORITY = 0.95

const kindOf = (counts: Readonly<Record<string, number>>, total: number): PropertyKind => {
  const kind = PROPERTY_KINDS.find((each) => Number(counts[each] ?? 0) >= total * MAJORITY)
  if (kind) return kind
  const texts = Number(counts.string ?? 0) + Number(counts.datetime ?? 0)
  return texts >= total * MAJORITY ? 'string' : 'mixed'
}

const toDefinitions = (rows: readonly (readonly unknown[])[]): PropertyDefinitions => {
  const sampled = Number(rows.find(([name]) => name === '')?.[1] ?? 0)
  const results = rows
    .filter(([name]) => name !== '')
    .map(([name, count, kinds, examples]) => ({
      name: String(name),
      type: kindOf(kinds as Record<string, number>, Number(count)),
      types: Object.keys(kinds as object).sort(),
      share: Math.min(1, Number(count) / Math.max(1, sampled)),
      examples: (examples as unknown[]).map(String),
    }))
  return { results, sampled }
}

const escapeLike = (value: string) => value.replace(/[\\%_]/g, '\\$&')

/** Counts the values in `rows`, which contain them as strings in the column `__value`. */
const valuesQuery = (rows: FromSql, search: string | undefined) => {
  const value = name('__value')
  const conditions = [
    call('isNotNull', value),
    infix(call('lengthUTF8', value), '<=', bound('UInt64', MAX_VALUE)),
    ...(search === undefined ? [] : [call('ilike', value, bound('String', `%${escapeLike(search)}%`))]),
  ]
  return {
    kind: 'select',
    items: [
      { value, name: '__text' },
      { value: call('count'), name: '__count' },
    ],
    from: rows,
    where: every(conditions),
    groupBy: [value],
    orderBy: [
      { by: call('count'), isDescending: true },
      { by: value, isDescending: false },
    ],
    limit: bound('UInt64', MAX_VALUES),
  } as const
}

/** Returns rows with the values of a property in a sample of events. */
const valuesOfEvents = (key: string, event: string | undefined, { from, maxHash, size }: Sample): FromSql => {
  const source = createSource(LIVE)
  const conditions = [
    ...isWithin(source, { from, until: END_OF_TIME }),
    infix(call('cityHash64', source.distinctId), '<=', bound('UInt64', maxHash)),
    ...(event === undefined ? [] : [infix(source.event, '=', bound('String', event))]),
  ]
  const value = source.property(key)
  return {
    kind: 'named',
    query: {
      kind: 'select',
      items: [{ value, name: '__value' }],
      from: source.from(),
      where: every(conditions),
      limit: bound('UInt64', size),
    },
    name: '__rows',
  }
}

const valuesOfPersons = (key: string): FromSql => {
  let names = 0
  const persons = tableSource('persons', {
    alias: 'p',
    isOptional: false,
    newName: (prefix) => `__${prefix}${(names += 1)}`,
  })
  const value: Sql = persons.column('properties')!.child!(key).read()
  return {
    kind: 'named',
    query: { kind: 'select', items: [{ value, name: '__value' }], from: persons.toSql() },
    name: '__rows',
  }
}

/** Creates the lists. They are cached for a minute, because they read many events. */
export const createDefinitions = ({
  queryRows,
  cache,
}: {
  readonly queryRows: QueryRows
  readonly cache: MinuteCache
}): Definitions => {
  /** Returns the names of events with their numbers in each period. */
  const countEvents = (projectId: number, waiting: AbortSignal) =>
    cache.get(projectId, 'events', waiting, async (signal) => {
      const from = PERIOD_DAYS.map((days, place) => [`from${place}`, Date.now() - days * DAY_MS] as const)
      const params = { projectId, ...Object.fromEntries(from) }
      const rows = await queryRows(projectId, { text: EVENT_COUNTS, params }, signal)
      return rows.map(([event, lastSeenAt, ...counts]) => ({
        name: String(event),
        last_seen_at: String(lastSeenAt),
        counts: counts.map(Number),
      }))
    })

  const countsOf = async (projectId: number, event: string | undefined, signal: AbortSignal): Promise<Counts> => {
    const all = await countEvents(projectId, signal)
    const wanted = event === undefined ? all : all.filter(({ name }) => name === event)
    return PERIOD_DAYS.map((_, period) => wanted.reduce((sum, { counts }) => sum + counts[period]!, 0))
  }

  const propertiesOfEvents = async (projectId: number, event: string | undefined, signal: AbortSignal) => {
    const read = async ({ from, maxHash, size }: Sample) => {
      const text = propertiesOf(propertiesOfEventsQuery(event !== undefined))
      const params = { projectId, from, maxHash, size, ...(event === undefined ? {} : { event }) }
      return toDefinitions(await queryRows(projectId, { text, params }, signal))
    }
    const sample = sampleOf(await countsOf(projectId, event, signal), NAMES_SAMPLE)
    const found = await read(sample)
    // All events may belong to a few persons who are not in the sample.
    return found.sampled ? found : read({ ...sample, maxHash: String(MAX_HASH) })
  }

  const propertiesOfPersons = async (projectId: number, signal: AbortSignal) => {
    const counting = "SELECT count() FROM db.person_properties WHERE project_id = {projectId:UInt32} AND name = ''"
    const [[count] = []] = await queryRows(projectId, { text: counting, params: { projectId } }, signal)
    const modulus = Math.max(1, Math.floor(Number(count) / PERSONS_SAMPLE))
    const text = propertiesOf(PROPERTIES_OF_PERSONS)
    return toDefinitions(await queryRows(projectId, { text, params: { projectId, modulus } }, signal))
  }

  return {
    events: async (projectId, signal) => ({
      results: (await countEvents(projectId, signal)).map(({ counts, ...each }) => ({
        ...each,
        count: counts.at(-1)!,
      })),
      days: DAYS,
    }),

    properties: (projectId, { owner, event, signal: waiting }) =>
      cache.get(projectId, JSON.stringify(['properties', owner, event]), waiting, (signal) =>
        owner === 'event' ? propertiesOfEvents(projectId, event, signal) : propertiesOfPersons(projectId, signal),
      ),

    values: (projectId, { owner, event, key, search, signal: waiting }) =>
      cache.get(projectId, JSON.stringify(['values', owner, event, key, search]), waiting, async (signal) => {
        const rows =
          owner === 'event'
            ? valuesOfEvents(key, event, sampleOf(await countsOf(projectId, event, signal), VALUES_SAMPLE))
            : valuesOfPersons(key)
        const found = await queryRows(projectId, print(valuesQuery(rows, search), projectId), signal)
        return { results: found.map(([value, count]) => ({ value: String(value), count: Number(count) })) }
      }),
  }
}
