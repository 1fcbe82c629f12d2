import type { BoundValue } from '../../../../src/sql/compile.ts'
import { type ReferencePerson, referencePeople, type ReferenceEvent } from '../../../ingest/support/peopleReference.ts'

/** A captured event. */
export interface Captured extends ReferenceEvent {
  readonly amount?: number
}

/** An event with its person, computed without SQL. */
export interface Row {
  readonly event: string
  readonly id: string
  readonly at: number
  readonly amount: number | undefined
  readonly person: ReferencePerson
  readonly plan: string | null
  readonly seats: number | null
  /** Time of the person's first event, ms since the epoch. */
  readonly createdAt: number | undefined
}

const nobody = (id: string): ReferencePerson => ({ ids: [id], isIdentified: false, properties: {} })

/** Returns each event once, with its person as determined by all events. */
export const rowsOf = (events: readonly Captured[]): Row[] => {
  const people = referencePeople(events)
  const byId = new Map(people.flatMap((person) => person.ids.map((id) => [id, person] as const)))
  return events.map(({ event, id, at, amount }) => {
    const person = byId.get(id) ?? nobody(id)
    const seen = events.filter((each) => person.ids.includes(each.id) && !each.isPersonless).map((each) => each.at)
    const { plan, seats } = person.properties
    return {
      event,
      id,
      at,
      amount,
      person,
      plan: (plan as string | undefined) ?? null,
      seats: (seats as number | undefined) ?? null,
      createdAt: seen.length > 0 ? Math.min(...seen) : undefined,
    }
  })
}

export type Values = Readonly<Record<string, BoundValue>>

/** Value of a variable in the reference: times are ms since the epoch. */
export const plainOf = ({ type, value }: BoundValue): number | string =>
  type.startsWith('DateTime64') ? Date.parse(`${String(value).replace(' ', 'T')}Z`) : (value as number | string)

export const groupBy = (rows: readonly Row[], key: (row: Row) => unknown): [unknown, Row[]][] => {
  const groups = new Map<string, [unknown, Row[]]>()
  for (const row of rows) {
    const own = key(row)
    const group = groups.get(JSON.stringify(own)) ?? [own, []]
    group[1].push(row)
    groups.set(JSON.stringify(own), group)
  }
  return [...groups.values()]
}

export const peopleIn = (rows: readonly Row[]): number => new Set(rows.map(({ person }) => person)).size

const known = (values: readonly (number | null | undefined)[]): number[] =>
  values.filter((value) => typeof value === 'number')

/** Returns the sum of the present values; NULL if there are none. */
export const sum = (values: readonly (number | null | undefined)[]): number | null =>
  known(values).length > 0 ? known(values).reduce((total, value) => total + value, 0) : null

export const average = (values: readonly (number | null | undefined)[]): number | null =>
  known(values).length > 0 ? sum(values)! / known(values).length : null

export const dayOf = (ms: number): string => new Date(ms).toISOString().slice(0, 10)
