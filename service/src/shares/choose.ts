import { own } from '../lib/own.ts'
import { chooseDays } from './days.ts'
import type { ShareDefinition } from './definition.ts'
import type { Chosen } from './fit.ts'
import type { PieceQuery } from './pieceQuery.ts'
import type { Shown } from './standing.ts'

/** A tile with the values that the reader chose. */
export interface ChosenTile {
  readonly query: PieceQuery
  readonly chosen: Chosen
}

type Table = Readonly<Record<string, unknown>>

const isTable = (value: unknown): value is Table => typeof value === 'object' && value !== null && !Array.isArray(value)

const hasOnly = (table: Table, names: readonly string[]): boolean =>
  Object.keys(table).every((name) => names.includes(name))

const FIELDS = ['tile', 'values', 'dates']

/**
 * Returns the reader's values, and the initial values of the other variables. `undefined`: the share does not allow one
 * of the values.
 */
const chooseValues = ({ choices }: ShareDefinition, given: Table): Table | undefined => {
  if (!hasOnly(given, Object.keys(choices))) return undefined
  const values = Object.entries(choices).map(([name, [initial]]) => [
    name,
    Object.hasOwn(given, name) ? own(given, name) : initial,
  ]) as [string, string | number | boolean][]
  return values.every(([name, value]) => own(choices, name)!.includes(value)) ? Object.fromEntries(values) : undefined
}

/** Returns what a reader asks for. `undefined`: it is not part of the share, for whatever reason. */
export const chooseTile = (definition: ShareDefinition, shown: Shown, asked: unknown): ChosenTile | undefined => {
  if (!isTable(asked) || !hasOnly(asked, FIELDS)) return undefined
  const { tile, values = {}, dates = {} } = asked
  if (!isTable(values) || !isTable(dates) || !hasOnly(dates, ['from', 'to'])) return undefined
  const query = shown.queries.find(({ piece }) => piece.id === tile)
  const chosen = chooseValues(definition, values)
  if (!query || !chosen) return undefined
  if (!shown.days) return Object.keys(dates).length ? undefined : { query, chosen: { values: chosen, days: undefined } }
  const days = chooseDays(shown.days, dates, shown.moment)
  return days && { query, chosen: { values: chosen, days } }
}
