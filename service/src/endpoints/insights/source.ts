import { guarded } from '../sql/guard.ts'
import { call, infix, name, type FromSql, type SelectSql, type Sql } from '../sql/physical.ts'
import { propertyOfColumn } from '../sql/properties.ts'
import { EVENTS } from '../sql/tables.ts'

/** The events of one project, and what is read of them. Every part of an insight that reads storage goes through one. */
export interface Source {
  readonly event: Sql
  /** Without a table of persons, the person is the `distinct_id`. */
  readonly person: Sql
  readonly session: Sql
  readonly uuid: Sql
  readonly timestamp: Sql
  /** ms since 1970. */
  readonly instant: Sql
  /** An event's property as text; NULL if it has none. */
  property(key: string): Sql
  /** To be called last, when all that is read has been asked for. */
  from(): FromSql
}

const FIELDS = { event: 'event', person: 'distinct_id', session: '$session_id', uuid: 'uuid', timestamp: 'timestamp' } as const

const field = (key: keyof typeof FIELDS) => name('e', FIELDS[key])

/** Reads behind the guard: what stands around it, joins and conditions included, cannot bring other projects' rows back. */
export const createSource = (): Source => {
  const items = new Map<string, { value: Sql; name: string }>()
  for (const column of Object.values(FIELDS)) items.set(column, { value: name(column), name: column })
  const property = (key: string): Sql => {
    const id = `property ${key}`
    const known = items.get(id) ?? { value: propertyOfColumn(name('properties'), [key], (_, sql) => sql).read(), name: `p${items.size}` }
    items.set(id, known)
    return name('e', known.name)
  }
  return {
    event: field('event'),
    person: field('person'),
    session: field('session'),
    uuid: field('uuid'),
    timestamp: field('timestamp'),
    instant: call('toUnixTimestamp64Milli', field('timestamp')),
    property,
    from: () => ({ kind: 'named', query: guarded(EVENTS, [...items.values()] as SelectSql['items']), name: 'e' }),
  }
}

/** A value that travels beside the text. */
export const bound = (type: 'String' | 'Float64' | 'Int64' | 'UInt64' | 'Array(String)' | 'Array(Int64)' | "DateTime64(3, 'UTC')", value: unknown): Sql => ({ kind: 'parameter', type, value })

const moment = (instant: number) => bound("DateTime64(3, 'UTC')", new Date(instant).toISOString().replace('T', ' ').replace('Z', ''))

/** Whether an event falls into a period; without `from`, whether it comes before its end. */
export const isWithin = ({ timestamp }: Source, { from, until }: { from?: number; until: number }): readonly Sql[] => [
  ...(from === undefined ? [] : [infix(timestamp, '>=', moment(from))]),
  infix(timestamp, '<', moment(until)),
]

const joined = (operator: 'AND' | 'OR', otherwise: boolean) => (terms: readonly Sql[]): Sql => {
  const [first, ...rest] = terms
  if (!first) return { kind: 'boolean', value: otherwise }
  return rest.length ? { kind: 'infix', first, rest: rest.map((right) => ({ operator, right })) } : first
}

export const every = joined('AND', true)
export const some = joined('OR', false)
export const not = (of: Sql): Sql => call('not', of)
