import { DERIVED, personOf, personUuid, withMergedIds } from '../catalog/derived.ts'
import type { DerivedRows } from '../catalog/derivedRows.ts'
import { guarded } from '../catalog/guard.ts'
import { type Kind, mayBeNullable } from '../catalog/kinds.ts'
import { call, infix, name as nameSql, type FromSql, type Sql } from '../catalog/physical.ts'
import { type IsPlain, propertyOfColumn, propertyOfText } from '../catalog/properties.ts'
import type { SourceColumns, SourceScope } from './scope.ts'
import { type Column, EVENTS, RELATED, type TableName, TABLES } from '../catalog/tables.ts'
import type { Value } from '../catalog/value.ts'
import { own } from '../../lib/own.ts'

export interface TableSourceOptions {
  readonly alias: string
  /** Whether a join may leave its columns unmatched, so that they are NULL rather than zero or an empty string. */
  readonly isOptional: boolean
  /** Returns a name that is unique within the query. */
  readonly newName: (prefix: string) => string
  /** Whether each id is its own person, so that no person is looked up. Default: false. */
  readonly isUnmerged?: boolean | undefined
  /** Whether a property of an event has never been an object or an array. Default: false for each. */
  readonly isPlain?: IsPlain | undefined
}

type Select = (key: string, sql: Sql, wanted: string) => Sql

/** Collects the expressions read from the rows named `made`, each once, under a name. */
const createSelection = (made: string) => {
  const items = new Map<string, { value: Sql; name: string }>()
  const select: Select = (key, sql, wanted) => {
    if (!items.has(key)) items.set(key, { value: sql, name: wanted })
    return nameSql(made, items.get(key)!.name)
  }
  return { items, select }
}

const columnsOf = (
  table: TableName,
): { readonly columnNames: readonly string[]; readonly starNames: readonly string[] } => {
  const columns = TABLES[table] as Readonly<Record<string, Column>>
  const columnNames = Object.keys(columns)
  return { columnNames, starNames: columnNames.filter((column) => !own(columns, column)!.isExtra) }
}

const nullableIf = (isOptional: boolean, kind: Kind, sql: Sql): Sql =>
  isOptional && mayBeNullable(kind) ? call('toNullable', sql) : sql

/** Returns a value of inner rows, as seen by the enclosing query. */
const passedOn = (of: Value, key: string, isOptional: boolean, select: (key: string, sql: Sql) => Sql): Value => ({
  kind: of.kind,
  isNullable: of.isNullable || (isOptional && mayBeNullable(of.kind)),
  read: () => select(key, nullableIf(isOptional && !of.isNullable, of.kind, of.read())),
  ...(of.child && {
    child: (step: string | number) => passedOn(of.child!(step), `${key} ${JSON.stringify(step)}`, isOptional, select),
  }),
})

const derivedSource = (
  table: Exclude<TableName, 'events'>,
  { alias, isOptional, newName }: TableSourceOptions,
): SourceScope => {
  const made = newName('t')
  const inner = newName('d')
  const rows = DERIVED[table]({ as: isOptional ? inner : made })
  const { items, select } = createSelection(made)
  const column = (name: string): Value | undefined => {
    const of = Object.hasOwn(TABLES[table], name) ? rows.column(name) : undefined
    return of && isOptional ? passedOn(of, name, true, (key, sql) => select(key, sql, `__j${items.size + 1}`)) : of
  }
  const toSql = (): FromSql => {
    if (!isOptional) return rows.toSql()
    const key = { value: rows.key(), name: '__key' }
    return { kind: 'named', query: { kind: 'select', items: [key, ...items.values()], from: rows.toSql() }, name: made }
  }
  return { alias, ...columnsOf(table), column, relatedNames: [], related: () => undefined, toSql }
}

const groupIndexOf = (relation: string): number => Number(relation.slice(relation.lastIndexOf('_') + 1))

/** Returns events, joined with their persons, sessions and groups if the query reads those. */
const eventsSource = ({ alias, isOptional, newName, isUnmerged, isPlain }: TableSourceOptions): SourceScope => {
  const made = newName('t')
  const events = newName('e')
  const { items, select } = createSelection(made)
  const known = new Map<string, Value>()

  // An outer select reads the joined columns.
  const joinedTables = new Map<string, DerivedRows>()
  const { items: joinedItems, select: selectJoined } = createSelection(made)
  let isPersonRead = false
  const ids = newName('d')
  const stored = (column: string): Sql => {
    select(column, nameSql(column), column)
    return nameSql(events, items.get(column)!.name)
  }
  const person = (): Sql => {
    isPersonRead = true
    const id = stored('distinct_id')
    return isUnmerged ? id : personOf(events, ids)
  }
  const joined = (key: string, sql: Sql) => selectJoined(key, sql, `__j${joinedItems.size + 1}`)
  const given = (kind: Kind, key: string, sql: () => Sql): Value =>
    passedOn({ kind, isNullable: false, read: sql }, key, isOptional, joined)

  const relatedRows = (relation: string): DerivedRows => {
    const before = joinedTables.get(relation)
    if (before) return before
    const table = own(RELATED, relation) as Exclude<TableName, 'events'>
    const rows = DERIVED[table]({
      as: newName('r'),
      isJoined: true,
      ...(table === 'groups' ? { groupIndex: groupIndexOf(relation) } : {}),
    })
    joinedTables.set(relation, rows)
    return rows
  }
  // The related row's columns that the event itself has are present even where the row is missing.
  const OWN: Readonly<Record<string, (column: string, relation: string) => Value | undefined>> = {
    persons: (column) => (column === 'id' ? personId() : undefined),
    sessions: (column) => (column === 'session_id' ? storedColumn('$session_id') : undefined),
    groups: (column, relation) => (column === 'key' ? storedColumn(`$group_${groupIndexOf(relation)}`) : undefined),
  }
  const related = (relation: string): SourceColumns | undefined => {
    if (!Object.hasOwn(RELATED, relation)) return undefined
    const table = own(RELATED, relation)!
    const column = (name: string): Value | undefined => {
      if (!Object.hasOwn(TABLES[table], name)) return undefined
      const own = OWN[table]?.(name, relation)
      if (own) return own
      const of = relatedRows(relation).column(name)
      return of && passedOn(of, `${relation} ${name}`, isOptional, joined)
    }
    return { columnNames: columnsOf(table).columnNames, column }
  }
  const onOf = (relation: string): Sql => {
    if (relation === 'person') return person()
    return stored(relation === 'session' ? '$session_id' : `$group_${groupIndexOf(relation)}`)
  }

  const personId = () => given('uuid', 'person_id', () => personUuid(person()))
  const storedColumn = (name: string): Value => {
    const { kind, physical = name } = own(EVENTS.columns, name)!
    const column = nameSql(physical)
    const read = () => select(name, nullableIf(isOptional, kind, column), name)
    const demand = (key: string, sql: Sql) => select(`${name} ${key}`, sql, `__p${items.size + 1}`)
    const child = (key: string | number) =>
      typeof key === 'string'
        ? propertyOfColumn(column, [key], { demand, known, isPlain })
        : propertyOfText(() => call('toJSONString', read()), [key])
    return { kind, isNullable: isOptional && mayBeNullable(kind), read, ...(kind === 'json' && { child }) }
  }
  const column = (name: string): Value | undefined => {
    if (name === 'person_id') return personId()
    return Object.hasOwn(EVENTS.columns, name) ? storedColumn(name) : undefined
  }

  const toSql = (): FromSql => {
    const joins = [...joinedTables].map(([relation, rows]) => ({ rows, on: infix(onOf(relation), '=', rows.key()) }))
    // A select needs at least one column, even if only its rows are counted.
    const base = guarded(EVENTS, items.size ? [...items.values()] : [{ value: nameSql(EVENTS.owner), name: '__row' }])
    if (!joins.length && !isPersonRead) return { kind: 'named', query: base, name: made }
    const alone: FromSql = { kind: 'named', query: base, name: events }
    const first = isPersonRead && !isUnmerged ? withMergedIds(alone, events, ids) : alone
    const from = joins.reduce<FromSql>(
      (left, { rows, on }) => ({ kind: 'join', join: 'left', left, right: rows.toSql(), on }),
      first,
    )
    const passed = [...items.values()].map(({ name }) => ({ value: nameSql(events, name), name }))
    return { kind: 'named', query: { kind: 'select', items: [...passed, ...joinedItems.values()], from }, name: made }
  }
  return { alias, ...columnsOf('events'), column, relatedNames: Object.keys(RELATED), related, toSql }
}

/** Returns a table as the expressions of a select see it, with the project's condition on every stored table that it reads. */
export const tableSource = (table: TableName, options: TableSourceOptions): SourceScope =>
  table === 'events' ? eventsSource(options) : derivedSource(table, options)
