import type { ApiEvent } from '../../api/events.ts'
import { propertyName } from '../../lib/propertyNames.ts'
import { maskProperty } from '../../lib/sensitive.ts'

/** Columns that are not properties. */
const FIELDS = {
  event: 'Event',
  person: 'Person',
  distinct_id: 'Distinct ID',
  timestamp: 'Time',
  created_at: 'Stored',
  uuid: 'UUID',
} as const

export type Field = keyof typeof FIELDS

/** A column of the table: a field of events, or a property. */
export type Column = { readonly field: Field } | { readonly property: string }

const PROPERTY = 'properties.'
const DEFAULT: readonly Column[] = [
  { field: 'event' },
  { field: 'person' },
  { property: '$pathname' },
  { property: '$browser' },
  { property: '$geoip_country_code' },
  { field: 'timestamp' },
]

/** All columns but properties. */
export const FIELD_COLUMNS: readonly Column[] = (Object.keys(FIELDS) as Field[]).map((field) => ({ field }))

/** Writes a column for the URL: `timestamp`, or `properties.$pathname`. */
export const formatColumn = (column: Column): string => ('field' in column ? column.field : PROPERTY + column.property)

const parseColumn = (text: string): Column | undefined => {
  if (text.startsWith(PROPERTY) && text.length > PROPERTY.length) return { property: text.slice(PROPERTY.length) }
  return Object.hasOwn(FIELDS, text) ? { field: text as Field } : undefined
}

/** Returns the columns of the query parameter `column`. Broken ones are left out. */
export const columnsOf = (search: URLSearchParams): readonly Column[] => {
  const columns = [...new Set(search.getAll('column'))].flatMap((text) => parseColumn(text) ?? [])
  return columns.length ? columns : DEFAULT
}

/** Returns the query parameter `column` of columns. `undefined`: they are the default. */
export const columnParameter = (columns: readonly Column[]): readonly string[] | undefined => {
  const texts = columns.map(formatColumn)
  return texts.join('\n') === DEFAULT.map(formatColumn).join('\n') ? undefined : texts
}

export const columnTitle = (column: Column): string =>
  'field' in column ? FIELDS[column.field] : propertyName(column.property)

/** Returns the value of a column for a file, with sensitive ones masked. */
export const exportedValue = (column: Column, event: ApiEvent): unknown => {
  if ('property' in column) {
    const { property } = column
    return Object.hasOwn(event.properties, property) ? maskProperty(property, event.properties[property]) : undefined
  }
  return column.field === 'person' ? event.person_id : event[column.field]
}
