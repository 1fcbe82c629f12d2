import { type FromSql, name, type QuerySql, type SelectSql, type Sql } from '../../sql/catalog/physical.ts'
import { EVENTS, PERSON_DISTINCT_IDS } from '../../sql/catalog/tables.ts'
import { childrenOf } from './tree.ts'

// The compiler reads events as a named subquery. Where the query reads persons, sessions or groups, that subquery joins them to another
// named subquery, which is the leftmost in its FROM and reads the stored events. The functions below analyze such a FROM.

export type NamedSql = Extract<FromSql, { kind: 'named' }>
/** The subquery that reads the stored events. */
export type Base = SelectSql & { readonly from: Extract<FromSql, { kind: 'storage' }> }

const isBase = (query: QuerySql): query is Base => query.kind === 'select' && query.from?.kind === 'storage'

/** Returns the subquery that reads the stored events, and its name. */
export const baseOf = (from: FromSql | undefined): { readonly as: string; readonly base: Base } => {
  if (from?.kind === 'join') return baseOf(from.left)
  if (from?.kind !== 'named' || from.query.kind !== 'select') throw new Error('Compiler bug: no events are read')
  return isBase(from.query) ? { as: from.name, base: from.query } : baseOf(from.query.from)
}

const isPassedOn = ({ value, name: own }: SelectSql['items'][number], as: string): boolean =>
  value.kind === 'name' && value.path.length === 2 && value.path[0] === as && value.path[1] === own

/** Returns `from` with the stored events replaced by `rows`, which have the columns `names`. */
export const withBase = (from: FromSql, rows: QuerySql, names: readonly string[]): FromSql => {
  if (from.kind === 'join') return { ...from, left: withBase(from.left, rows, names) }
  const { query } = from as NamedSql
  if (isBase(query)) return { ...(from as NamedSql), query: rows }
  const { from: inner, items } = query as SelectSql
  const { as } = baseOf(inner)
  const passed = names.map((each) => ({ value: name(as, each), name: each }))
  return {
    ...(from as NamedSql),
    query: {
      ...(query as SelectSql),
      items: [...passed, ...items.filter((item) => !isPassedOn(item, as))],
      from: withBase(inner!, rows, names),
    },
  }
}

const conditionsOf = (from: FromSql | undefined): readonly Sql[] =>
  from?.kind === 'join' ? [...conditionsOf(from.left), ...(from.on ? [from.on] : [])] : []

const columnsIn = (sql: Sql, as: string): readonly string[] =>
  sql.kind === 'name'
    ? sql.path.length === 2 && sql.path[0] === as
      ? [sql.path[1]!]
      : []
    : childrenOf(sql).flatMap((each) => columnsIn(each, as))

/** Persons and groups joined to events. */
export interface Joined {
  /** Columns computed from the joined rows, by name. */
  readonly columns: ReadonlyMap<string, Sql>
  /** Columns of events that the joins need. */
  readonly keys: readonly string[]
}

export const joinedOf = ({ query }: NamedSql): Joined => {
  if (isBase(query)) return { columns: new Map(), keys: [] }
  const { items, from } = query as SelectSql
  const { as } = baseOf(from)
  const columns = new Map(
    items.filter((item) => !isPassedOn(item, as)).map(({ name: own, value }) => [own, value] as const),
  )
  const keys = [...conditionsOf(from), ...columns.values()].flatMap((each) => columnsIn(each, as))
  return { columns, keys: [...new Set(keys)] }
}

/** Returns the stored tables that a part of a query reads. */
const tablesIn = (node: unknown): readonly string[] =>
  typeof node === 'object' && node !== null
    ? [
        ...((node as { kind?: unknown }).kind === 'storage' ? [(node as { table: string }).table] : []),
        ...Object.values(node).flatMap(tablesIn),
      ]
    : []

/** Returns whether the only table joined to the events is the one with the persons of merged ids. */
export const joinsOnlyOwners = (from: NamedSql): boolean =>
  tablesIn(from).every((table) => table === EVENTS.name || table === PERSON_DISTINCT_IDS.name)

const joinsEvents = (from: FromSql | undefined): boolean =>
  from?.kind === 'join' && (tablesIn(from.right).includes(EVENTS.name) || joinsEvents(from.left))

/** Returns whether sessions are joined to the events. Sessions are computed from all events. */
export const joinsSessions = ({ query }: NamedSql): boolean => joinsEvents((query as SelectSql).from)
