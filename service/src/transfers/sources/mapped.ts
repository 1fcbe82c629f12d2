import { own } from '../../lib/own.ts'
import type { Fields } from '../../lib/fields.ts'
import { isUuid } from '../../lib/uuid.ts'
import { ImportError } from '../importError.ts'
import { dayOf, given, isFields, type Source, textOf, timeOf } from './source.ts'

/** Column names of a file, by meaning. */
interface Mapping {
  readonly event: string
  readonly distinctId: string
  readonly timestamp: string
  readonly uuid?: string | undefined
  /** Names of properties by column. Absent: all other columns, under their names. */
  readonly properties?: Readonly<Record<string, string>> | undefined
  /** Name of all events, if no column contains it. */
  readonly name?: string | undefined
  /** Unit of numeric times, in ms. */
  readonly unit: number
}

const UNITS: Readonly<Record<string, number>> = { s: 1_000, ms: 1, us: 0.001 }

const columnIn = (mapping: Fields, name: string): string => {
  const column = textOf(own(mapping, name))
  if (column === undefined) throw new ImportError(`the mapping needs "${name}", the name of a column`)
  return column
}

const mappingOf = (text: string): Mapping => {
  let mapping: unknown
  try {
    mapping = JSON.parse(text)
  } catch {
    // The text is not JSON.
  }
  if (!isFields(mapping))
    throw new ImportError(
      'the mapping must be a JSON object, such as {"event":"name","distinct_id":"user","timestamp":"time"}',
    )
  const unit = own(UNITS, textOf(mapping.unit) ?? 'ms')
  if (!unit) throw new ImportError('"unit" of the mapping must be s, ms or us')
  const { properties } = mapping
  if (properties !== undefined && !isFields(properties))
    throw new ImportError('"properties" of the mapping must be an object from columns to names')
  return {
    name: textOf(mapping.event_name),
    event: mapping.event_name === undefined ? columnIn(mapping, 'event') : '',
    distinctId: columnIn(mapping, 'distinct_id'),
    timestamp: columnIn(mapping, 'timestamp'),
    uuid: textOf(mapping.uuid),
    properties: properties as Mapping['properties'],
    unit,
  }
}

const NUMBER = /^\d{1,17}(\.\d+)?$/

/** Returns the source for files of any product. A mapping names their columns. Throws `ImportError`. */
export const mapped = (text: string): Source => {
  const { name, event, distinctId, timestamp, uuid, properties, unit } = mappingOf(text)
  const used = new Set([event, distinctId, timestamp, uuid])
  return {
    name: 'mapped',
    what: 'JSON lines or CSV of any product, with --map',
    read(row) {
      const named = name ?? textOf(own(row, event))
      const person = textOf(own(row, distinctId))
      const time = own(row, timestamp)
      const isNumber = typeof time === 'number' || (typeof time === 'string' && NUMBER.test(time))
      const at = isNumber ? Number(time) * unit : timeOf(time)
      if (named === undefined) return 'no_event'
      if (person === undefined) return 'no_person'
      if (at === undefined) return 'no_time'
      const columns = properties
        ? Object.entries(properties).map(([column, as]) => [as, own(row, column)] as const)
        : Object.entries(row).filter(([column]) => !used.has(column))
      const id = uuid === undefined ? undefined : own(row, uuid)
      return {
        event: named,
        distinctId: person,
        timestamp: at,
        properties: given(Object.fromEntries(columns)),
        ...dayOf(time),
        ...(isUuid(id) ? { uuid: id } : textOf(id) ? { key: textOf(id)! } : {}),
      }
    },
  }
}
