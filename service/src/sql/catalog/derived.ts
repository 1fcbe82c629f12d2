import { createItems, type DerivedOptions, type DerivedRows, item, nullable } from './derivedRows.ts'
import { guarded } from './guard.ts'
import { call, infix, name, text, type FromSql, type QuerySql, type SelectSql, type Sql } from './physical.ts'
import { propertyOfText } from './properties.ts'
import { sessions } from './sessions.ts'
import { GROUP_PROPERTIES, PERSON_DISTINCT_IDS, PERSON_PROPERTIES, type Stored, type TableName } from './tables.ts'
import { value, type Value } from './value.ts'
import { own } from '../../lib/own.ts'

const number = (digits: number): Sql => ({ kind: 'number', digits: String(digits) })
const part = (of: Sql, place: number): Sql => call('tupleElement', of, number(place))
const named = (query: QuerySql, as: string): FromSql => ({ kind: 'named', query, name: as })
const columns = (names: readonly string[]) => names.map((each) => item(name(each), each))
const stored = (table: Stored, names: readonly string[], as: string): FromSql =>
  named(guarded(table, columns(names)), as)
const leftJoin = (left: FromSql, right: FromSql, on: Sql): FromSql => ({ kind: 'join', join: 'left', left, right, on })
const timeOf = (ms: Sql): Sql => call('fromUnixTimestamp64Milli', ms, text('UTC'))
const isNamed = (of: Sql, wanted: string) => infix(of, '=', text(wanted))

/** Returns the person of each merged id, one row per id. Ids that were never merged have no row. */
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

/** Returns `rows`, which have a `distinct_id`, joined with their merged ids under the name `ids`. */
export const withMergedIds = (rows: FromSql, as: string, ids: string): FromSql =>
  leftJoin(rows, mergedIds(ids), infix(name(as, 'distinct_id'), '=', name(ids, 'distinct_id')))

/** Returns the main id of the person of `rows` that `withMergedIds` joined. */
export const personOf = (as: string, ids: string): Sql =>
  call('if', call('empty', name(ids, 'person')), name(as, 'distinct_id'), name(ids, 'person'))

/** Returns a person's public id, which is the same at any time and in any process. */
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

/** Returns a property whose JSON is stored on its own. */
const kept = (select: (id: string, sql: Sql) => Sql, id: string, json: Sql): Value => ({
  kind: 'property',
  isNullable: true,
  read: () => select(id, decoded(json)),
  child: (key) => propertyOfText(() => select(`${id} json`, json), [key]),
})

/** Pivots rows of (owner, name, value) into one row per owner, which is a person or a group. */
const createOwners = (
  { as, isJoined }: DerivedOptions,
  rowsOf: (names: Sql | undefined) => SelectSql,
  owner: readonly string[],
) => {
  const { select, all } = createItems(as)
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
    return select(
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
    return kept(select, `property ${property}`, json)
  }
  return {
    select,
    row,
    /** Returns the time at which the person or group was first seen. */
    createdAt: (): Value => {
      names.add('')
      const sql = timeOf(call('minIf', row('first_at'), isNamed(row('name'), '')))
      return { kind: 'time', isNullable: Boolean(isJoined), read: () => select('created_at', nullable(isJoined, sql)) }
    },
    properties: (): Value => ({ kind: 'property', isNullable: Boolean(isJoined), read: whole, child }),
    readAll: () => {
      isWhole = true
    },
    key: (column: string) => select(`key ${column}`, row(column)),
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

const personRows =
  (among: QuerySql | undefined) =>
  (names: Sql | undefined): SelectSql => {
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
      where: both([isAmong(name('__r', 'name'), names), isAmong(person, among && { kind: 'query', query: among })]),
      groupBy: [person, name('__r', 'name')],
    }
  }

const persons = (options: DerivedOptions): DerivedRows => {
  const owners = createOwners(options, personRows(options.among), ['person'])
  const { select, row } = owners
  const made: Readonly<Record<string, () => Value>> = {
    id: () =>
      value('uuid', select('id', nullable(options.isJoined, personUuid(row('person')))), Boolean(options.isJoined)),
    created_at: owners.createdAt,
    properties: owners.properties,
    is_identified: () => {
      owners.createdAt().read()
      return value('boolean', select('is_identified', call('toBool', call('max', row('identified')))))
    },
  }
  return { column: (column) => own(made, column)?.(), key: () => owners.key('person'), toSql: owners.toSql }
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
  const { select, row } = owners
  const made: Readonly<Record<string, () => Value>> = {
    index: () => value('number', select('index', nullable(options.isJoined, row('index'))), Boolean(options.isJoined)),
    key: () => value('text', select('key', nullable(options.isJoined, row('key'))), Boolean(options.isJoined)),
    created_at: owners.createdAt,
    updated_at: () => {
      owners.readAll()
      return value(
        'time',
        select('updated_at', nullable(options.isJoined, timeOf(call('max', row('at'))))),
        Boolean(options.isJoined),
      )
    },
    properties: owners.properties,
  }
  return { column: (column) => own(made, column)?.(), key: () => owners.key('key'), toSql: owners.toSql }
}

/** Returns the ids that were seen, and those that were merged without being seen. */
const knownIds = (): QuerySql => {
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
  return { kind: 'set', first: seen, rest: [{ operator: 'union distinct', query: merged }] }
}

/** Selects the main ids of the persons that have one of the rows' `distinct_id`s. */
const personsOfIds = (ids: FromSql, as: string, where: Sql): SelectSql => ({
  kind: 'select',
  items: [item(personOf(as, '__d'), 'person')],
  from: withMergedIds(ids, as, '__d'),
  where,
})

/** Selects the main ids of the persons with a distinct id that `matches`. */
export const personsWithId = (matches: (id: Sql) => Sql): SelectSql =>
  personsOfIds(named(knownIds(), '__v'), '__v', matches(name('__v', 'distinct_id')))

/**
 * Selects the main ids of the persons of which a value of these properties `matches`: the person's own value, or one that
 * another value has replaced.
 */
export const personsWithValue = (properties: readonly string[], matches: (value: Sql) => Sql): SelectSql => {
  const row = (column: string) => name('__r', column)
  const columns = ['set', 'first_once', 'last_once']
  const isMatch = columns
    .map((column) => matches(decoded(part(row(column), 2))))
    .reduce((left, right) => infix(left, 'OR', right))
  const facts = stored(PERSON_PROPERTIES, ['name', 'distinct_id', ...columns], '__r')
  return personsOfIds(
    facts,
    '__r',
    infix(isAmong(row('name'), call('tuple', ...properties.map(text)))!, 'AND', isMatch),
  )
}

const distinctIds = ({ as, isJoined }: DerivedOptions): DerivedRows => {
  const { select, all } = createItems(as)
  const made: Readonly<Record<string, () => Value>> = {
    distinct_id: () =>
      value('text', select('distinct_id', nullable(isJoined, name('__v', 'distinct_id'))), Boolean(isJoined)),
    person_id: () =>
      value('uuid', select('person_id', nullable(isJoined, personUuid(personOf('__v', '__d')))), Boolean(isJoined)),
  }
  return {
    column: (column) => own(made, column)?.(),
    key: () => select('key', name('__v', 'distinct_id')),
    toSql: () =>
      named({ kind: 'select', items: all(), from: withMergedIds(named(knownIds(), '__v'), '__v', '__d') }, as),
  }
}

/** Tables that are derived from other tables. */
export const DERIVED: Readonly<Record<Exclude<TableName, 'events'>, (options: DerivedOptions) => DerivedRows>> = {
  persons,
  person_distinct_ids: distinctIds,
  groups,
  sessions,
}
