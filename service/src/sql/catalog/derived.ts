import { channelOf, CLICK_IDS } from './channel.ts'
import { guarded } from './guard.ts'
import { call, infix, name, text, type FromSql, type QuerySql, type SelectSql, type Sql } from './physical.ts'
import { propertyOfText } from './properties.ts'
import {
  EVENTS,
  GROUP_PROPERTIES,
  PERSON_DISTINCT_IDS,
  PERSON_PROPERTIES,
  type Stored,
  type TableName,
} from './tables.ts'
import { value, type Value } from './value.ts'

/** Rows derived from stored rows, under a name. Only the columns that are read are computed. */
export interface DerivedRows {
  readonly column: (column: string) => Value | undefined
  /** The key: a person's main id, a session's id or a group's key. */
  readonly key: () => Sql
  /** Call last, after all columns were read. */
  readonly toSql: () => FromSql
}

export interface DerivedOptions {
  /** The name of the rows in the query around them. */
  readonly as: string
  /** Whether they are joined to rows that may have no match: missing columns are then NULL. */
  readonly isJoined?: boolean
  /** For groups: the index of the type, from 0. */
  readonly groupIndex?: number
}

const number = (digits: number): Sql => ({ kind: 'number', digits: String(digits) })
const part = (of: Sql, place: number): Sql => call('tupleElement', of, number(place))
const item = (sql: Sql, as: string) => ({ value: sql, name: as })
const named = (query: QuerySql, as: string): FromSql => ({ kind: 'named', query, name: as })
const columns = (names: readonly string[]) => names.map((each) => item(name(each), each))
const stored = (table: Stored, names: readonly string[], as: string): FromSql =>
  named(guarded(table, columns(names)), as)
const leftJoin = (left: FromSql, right: FromSql, on: Sql): FromSql => ({ kind: 'join', join: 'left', left, right, on })
const timeOf = (ms: Sql): Sql => call('fromUnixTimestamp64Milli', ms, text('UTC'))
const isNamed = (of: Sql, wanted: string) => infix(of, '=', text(wanted))

/** The person of each merged id, one row per id. Ids that were never merged have no row. */
export const mergedIds = (as: string): FromSql => {
  const from = stored(PERSON_DISTINCT_IDS, ['distinct_id', 'person', 'is_identified', 'version'], '__i')
  const latest = (column: string) => item(call('argMax', name('__i', column), name('__i', 'version')), column)
  return named(
    {
      kind: 'select',
      items: [item(name('__i', 'distinct_id'), 'distinct_id'), latest('person'), latest('is_identified')],
      from,
      groupBy: [name('__i', 'distinct_id')],
    },
    as,
  )
}

/** `rows`, which have a `distinct_id`, joined with their merged ids under the name `ids`. */
export const withMergedIds = (rows: FromSql, as: string, ids: string): FromSql =>
  leftJoin(rows, mergedIds(ids), infix(name(as, 'distinct_id'), '=', name(ids, 'distinct_id')))

/** The main id of the person of `rows` that `withMergedIds` joined. */
export const personOf = (as: string, ids: string): Sql =>
  call('if', call('empty', name(ids, 'person')), name(as, 'distinct_id'), name(ids, 'person'))

/** A person's public id: the same at any time, in any process. */
export const personUuid = (person: Sql): Sql =>
  call('reinterpretAsUUID', call('sipHash128', { kind: 'project' }, person))

// A property is stored as JSON in a string, so that "12" differs from 12. Empty if it is missing.
const decoded = (json: Sql): Sql =>
  call(
    'if',
    call('startsWith', json, text('"')),
    call('JSONExtractString', json),
    call('nullIf', call('nullIf', json, text('')), text('null')),
  )

/** A property whose JSON is stored on its own. */
const kept = (ask: (id: string, sql: Sql) => Sql, id: string, json: Sql): Value => ({
  kind: 'property',
  isNullable: true,
  read: () => ask(id, decoded(json)),
  child: (key) => propertyOfText(() => ask(`${id} json`, json), [key]),
})

const createItems = (as: string) => {
  const items = new Map<string, { value: Sql; name: string }>()
  return {
    ask: (id: string, sql: Sql): Sql => {
      if (!items.has(id)) items.set(id, item(sql, `__c${items.size + 1}`))
      return name(as, items.get(id)!.name)
    },
    all: () => (items.size ? [...items.values()] : [item(number(1), '__row')]),
  }
}

const nullable = (isJoined: boolean | undefined, sql: Sql): Sql => (isJoined ? call('toNullable', sql) : sql)

/** Properties of persons or groups: pivots rows of (owner, name, value) into one row per owner. */
const createOwners = (
  { as, isJoined }: DerivedOptions,
  rowsOf: (names: Sql | undefined) => SelectSql,
  owner: readonly string[],
) => {
  const { ask, all } = createItems(as)
  const names = new Set<string>(isJoined ? [] : [''])
  let isWhole = false
  const row = (column: string) => name('__v', column)
  const isReal = infix(infix(row('name'), '!=', text('')), 'AND', infix(row('value'), '!=', text('')))
  const whole = () => {
    isWhole = true
    const members = call(
      'groupArrayIf',
      call('concat', call('toJSONString', row('name')), text(':'), row('value')),
      isReal,
    )
    return ask(
      'properties',
      nullable(
        isJoined,
        call('concat', text('{'), call('arrayStringConcat', call('arraySort', members), text(',')), text('}')),
      ),
    )
  }
  const child = (key: string | number): Value => {
    const property = String(key)
    const json = call('anyIf', row('value'), isNamed(row('name'), property))
    names.add(property)
    return kept(ask, `property ${property}`, json)
  }
  return {
    ask,
    row,
    /** The time when it was first seen. */
    createdAt: (): Value => {
      names.add('')
      const sql = timeOf(call('minIf', row('first_at'), isNamed(row('name'), '')))
      return { kind: 'time', isNullable: Boolean(isJoined), read: () => ask('created_at', nullable(isJoined, sql)) }
    },
    properties: (): Value => ({ kind: 'property', isNullable: Boolean(isJoined), read: whole, child }),
    readAll: () => {
      isWhole = true
    },
    key: (column: string) => ask(`key ${column}`, row(column)),
    toSql: (): FromSql => {
      const wanted: Sql | undefined = isWhole ? undefined : call('tuple', ...[...(names.size ? names : [''])].map(text))
      return named({ kind: 'select', items: all(), from: named(rowsOf(wanted), '__v'), groupBy: owner.map(row) }, as)
    },
  }
}

const isAmong = (of: Sql, names: Sql | undefined): Sql | undefined =>
  names && { kind: 'in', isNot: false, left: of, right: names }
const both = (tests: readonly (Sql | undefined)[]): Sql | undefined =>
  tests
    .filter((each) => each !== undefined)
    .reduce<Sql | undefined>((all, each) => (all ? infix(all, 'AND', each) : each), undefined)

// The latest $set or $unset wins. Without either, the earliest $set_once wins. After an $unset, the latest $set_once
// wins if it is later.
const personValue = ([set, first, last]: readonly [Sql, Sql, Sql]): Sql =>
  call(
    'multiIf',
    call('notEmpty', part(set, 2)),
    part(set, 2),
    infix(part(set, 1), '<', number(0)),
    part(first, 2),
    infix(last, '>', set),
    part(last, 2),
    text(''),
  )

const personRows = (names: Sql | undefined): SelectSql => {
  const from = withMergedIds(
    stored(PERSON_PROPERTIES, ['name', 'distinct_id', 'set', 'first_once', 'last_once'], '__r'),
    '__r',
    '__d',
  )
  const [set, first, last] = [
    call('max', name('__r', 'set')),
    call('min', name('__r', 'first_once')),
    call('max', name('__r', 'last_once')),
  ]
  const person = personOf('__r', '__d')
  return {
    kind: 'select',
    items: [
      item(person, 'person'),
      item(name('__r', 'name'), 'name'),
      item(personValue([set, first, last]), 'value'),
      item(part(first, 1), 'first_at'),
      item(call('max', name('__d', 'is_identified')), 'identified'),
    ],
    from,
    where: isAmong(name('__r', 'name'), names),
    groupBy: [person, name('__r', 'name')],
  }
}

const persons = (options: DerivedOptions): DerivedRows => {
  const owners = createOwners(options, personRows, ['person'])
  const { ask, row } = owners
  const made: Readonly<Record<string, () => Value>> = {
    id: () =>
      value('uuid', ask('id', nullable(options.isJoined, personUuid(row('person')))), Boolean(options.isJoined)),
    created_at: owners.createdAt,
    properties: owners.properties,
    is_identified: () => {
      owners.createdAt().read()
      return value('boolean', ask('is_identified', call('toBool', call('max', row('identified')))))
    },
  }
  return { column: (column) => made[column]?.(), key: () => owners.key('person'), toSql: owners.toSql }
}

const groupRows =
  (index: number | undefined) =>
  (names: Sql | undefined): SelectSql => {
    const from = stored(GROUP_PROPERTIES, ['group_type_index', 'name', 'group_key', 'set', 'first_once'], '__r')
    const row = (column: string) => name('__r', column)
    const [set, first] = [call('max', row('set')), call('min', row('first_once'))]
    const at = call('if', isNamed(row('name'), ''), part(first, 1), part(set, 1))
    return {
      kind: 'select',
      items: [
        item(row('group_type_index'), 'index'),
        item(row('group_key'), 'key'),
        item(row('name'), 'name'),
        item(part(set, 2), 'value'),
        item(part(first, 1), 'first_at'),
        item(at, 'at'),
      ],
      from,
      where: both([
        index === undefined ? undefined : infix(row('group_type_index'), '=', number(index)),
        isAmong(row('name'), names),
      ]),
      groupBy: [row('group_type_index'), row('group_key'), row('name')],
    }
  }

const groups = (options: DerivedOptions): DerivedRows => {
  const owners = createOwners(options, groupRows(options.groupIndex), ['index', 'key'])
  const { ask, row } = owners
  const made: Readonly<Record<string, () => Value>> = {
    index: () => value('number', ask('index', nullable(options.isJoined, row('index'))), Boolean(options.isJoined)),
    key: () => value('text', ask('key', nullable(options.isJoined, row('key'))), Boolean(options.isJoined)),
    created_at: owners.createdAt,
    updated_at: () => {
      owners.readAll()
      return value(
        'time',
        ask('updated_at', nullable(options.isJoined, timeOf(call('max', row('at'))))),
        Boolean(options.isJoined),
      )
    },
    properties: owners.properties,
  }
  return { column: (column) => made[column]?.(), key: () => owners.key('key'), toSql: owners.toSql }
}

// Ids that were seen, and ids that were merged without being seen.
const distinctIds = ({ as, isJoined }: DerivedOptions): DerivedRows => {
  const { ask, all } = createItems(as)
  const seen: SelectSql = {
    kind: 'select',
    items: [item(name('__r', 'distinct_id'), 'distinct_id')],
    from: stored(PERSON_PROPERTIES, ['distinct_id', 'name'], '__r'),
    where: isNamed(name('__r', 'name'), ''),
  }
  const merged: SelectSql = {
    kind: 'select',
    items: [item(name('__m', 'distinct_id'), 'distinct_id')],
    from: stored(PERSON_DISTINCT_IDS, ['distinct_id'], '__m'),
  }
  const ids: QuerySql = { kind: 'set', first: seen, rest: [{ operator: 'union distinct', query: merged }] }
  const made: Readonly<Record<string, () => Value>> = {
    distinct_id: () =>
      value('text', ask('distinct_id', nullable(isJoined, name('__v', 'distinct_id'))), Boolean(isJoined)),
    person_id: () =>
      value('uuid', ask('person_id', nullable(isJoined, personUuid(personOf('__v', '__d')))), Boolean(isJoined)),
  }
  return {
    column: (column) => made[column]?.(),
    key: () => ask('key', name('__v', 'distinct_id')),
    toSql: () => named({ kind: 'select', items: all(), from: withMergedIds(named(ids, '__v'), '__v', '__d') }, as),
  }
}

const EVENT_COUNTS: Readonly<Record<string, string>> = {
  $pageview_count: '$pageview',
  $screen_count: '$screen',
  $autocapture_count: '$autocapture',
}

// Properties of a session's first or last event that has them.
const ENDS: Readonly<Record<string, { readonly of: string; readonly by: 'argMinIf' | 'argMaxIf' }>> = {
  $entry_current_url: { of: '$current_url', by: 'argMinIf' },
  $entry_pathname: { of: '$pathname', by: 'argMinIf' },
  $entry_referring_domain: { of: '$referring_domain', by: 'argMinIf' },
  $entry_utm_source: { of: 'utm_source', by: 'argMinIf' },
  $entry_utm_medium: { of: 'utm_medium', by: 'argMinIf' },
  $entry_utm_campaign: { of: 'utm_campaign', by: 'argMinIf' },
  $entry_utm_term: { of: 'utm_term', by: 'argMinIf' },
  $entry_utm_content: { of: 'utm_content', by: 'argMinIf' },
  $exit_current_url: { of: '$current_url', by: 'argMaxIf' },
  $exit_pathname: { of: '$pathname', by: 'argMaxIf' },
}

// A session shorter than this, with one page and no click, is a bounce.
const BOUNCE_SECONDS = 10

const sessions = ({ as, isJoined }: DerivedOptions): DerivedRows => {
  const { ask, all } = createItems(as)
  const read = new Map<string, Sql>()
  const row = (column: string) => name('__v', column)
  const eventOrder = call('tuple', row('timestamp'), row('uuid'))
  const [start, end] = [call('min', row('timestamp')), call('max', row('timestamp'))]
  const duration = call('dateDiff', text('second'), start, end)
  const countOf = (event: string) => call('countIf', isNamed(row('event'), event))
  const made = (kind: Value['kind'], column: string, sql: Sql): Value =>
    value(kind, ask(column, nullable(isJoined, sql)), Boolean(isJoined))
  const endOfProperty = (of: string, by: 'argMinIf' | 'argMaxIf'): Sql => {
    // As a string. Nested values are irrelevant for URLs and campaigns.
    read.set(of, call('CAST', { kind: 'subColumn', of: name('properties'), path: [of] }, text('Nullable(String)')))
    return call(by, row(`property ${of}`), eventOrder, call('isNotNull', row(`property ${of}`)))
  }
  const endOf = (column: string): Value => ({
    ...made('property', column, endOfProperty(ENDS[column]!.of, ENDS[column]!.by)),
    isNullable: true,
  })
  const arrivalOf = (...properties: readonly string[]): Sql =>
    call('lower', call('coalesce', ...properties.map((of) => endOfProperty(of, 'argMinIf')), text('')))
  const channel = (): Sql =>
    channelOf({
      source: arrivalOf('utm_source', '$referring_domain'),
      medium: arrivalOf('utm_medium'),
      campaign: arrivalOf('utm_campaign'),
      searchId: arrivalOf(...CLICK_IDS.search),
      otherId: arrivalOf(...CLICK_IDS.other),
    })
  const bounce = [
    infix(countOf('$pageview'), '<=', number(1)),
    infix(countOf('$autocapture'), '=', number(0)),
    infix(duration, '<', number(BOUNCE_SECONDS)),
  ]
  const simple: Readonly<Record<string, () => Value>> = {
    session_id: () => made('text', 'session_id', row('$session_id')),
    distinct_id: () => made('text', 'distinct_id', call('argMin', row('distinct_id'), eventOrder)),
    $start_timestamp: () => made('time', '$start_timestamp', start),
    $end_timestamp: () => made('time', '$end_timestamp', end),
    $session_duration: () => made('number', '$session_duration', duration),
    $event_count: () => made('number', '$event_count', call('count')),
    $channel_type: () => made('text', '$channel_type', channel()),
    $is_bounce: () =>
      made(
        'boolean',
        '$is_bounce',
        call('toBool', {
          kind: 'infix',
          first: bounce[0]!,
          rest: bounce.slice(1).map((right) => ({ operator: 'AND', right })),
        }),
      ),
  }
  const column = (wanted: string): Value | undefined => {
    if (Object.hasOwn(EVENT_COUNTS, wanted)) return made('number', wanted, countOf(EVENT_COUNTS[wanted]!))
    return Object.hasOwn(ENDS, wanted) ? endOf(wanted) : simple[wanted]?.()
  }
  return {
    column,
    key: () => ask('key', row('$session_id')),
    toSql: () => {
      const items = [
        ...columns(['$session_id', 'event', 'distinct_id', 'timestamp', 'uuid']),
        ...[...read].map(([property, sql]) => item(sql, `property ${property}`)),
      ]
      const where = infix(row('$session_id'), '!=', text(''))
      return named(
        {
          kind: 'select',
          items: all(),
          from: named(guarded(EVENTS, items), '__v'),
          where,
          groupBy: [row('$session_id')],
        },
        as,
      )
    },
  }
}

/** Tables that are derived from others. */
export const DERIVED: Readonly<Record<Exclude<TableName, 'events'>, (options: DerivedOptions) => DerivedRows>> = {
  persons,
  person_distinct_ids: distinctIds,
  groups,
  sessions,
}
