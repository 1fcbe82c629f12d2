import type { Filter, OperatorName } from '../../lib/filters.ts'
import type { Period } from '../../lib/period.ts'
import { dayAfter } from './dates.ts'
import type { Column } from './columns.ts'

const quote = (text: string): string => `'${text.replace(/[\\']/g, '\\$&')}'`
const list = (values: readonly string[]): string => values.map(quote).join(', ')
const member = (owner: string, key: string): string => `${owner}[${quote(key)}]`

const OWNERS = { event: 'properties', person: 'person.properties', session: 'session' } as const

const targetOf = ({ type, key }: Filter): string =>
  type === 'session' ? `session.\`${key.replace(/[\\`]/g, '\\$&')}\`` : member(OWNERS[type], key)

const escapeLike = (text: string): string => text.replace(/[\\%_]/g, '\\$&')

/** SQL condition of each operator. */
const CONDITIONS: Readonly<Record<OperatorName, (target: string, values: readonly string[]) => string>> = {
  is: (target, values) => (values.length === 1 ? `${target} = ${quote(values[0]!)}` : `${target} IN (${list(values)})`),
  not: (target, values) =>
    values.length === 1 ? `${target} != ${quote(values[0]!)}` : `NOT (${target} IN (${list(values)}))`,
  has: (target, [value]) => `${target} ILIKE ${quote(`%${escapeLike(value!)}%`)}`,
  'has-not': (target, [value]) => `NOT (${target} ILIKE ${quote(`%${escapeLike(value!)}%`)})`,
  regex: (target, [value]) => `match(${target}, ${quote(value!)})`,
  gt: (target, [value]) => `toFloat(${target}) > ${Number(value) || 0}`,
  lt: (target, [value]) => `toFloat(${target}) < ${Number(value) || 0}`,
  set: (target) => `${target} IS NOT NULL`,
  unset: (target) => `${target} IS NULL`,
}

/** The bounds of named periods, from the start of a day to that of another. `NOW` is the time in the project's zone. */
const BOUNDS: Readonly<Record<string, readonly [from: string, until?: string]>> = {
  today: ['toStartOfDay(NOW)'],
  yesterday: ['toStartOfDay(NOW) - toIntervalDay(1)', 'toStartOfDay(NOW)'],
  '24h': ['NOW - toIntervalHour(24)'],
  '7d': ['toStartOfDay(NOW) - toIntervalDay(6)'],
  '30d': ['toStartOfDay(NOW) - toIntervalDay(29)'],
  '90d': ['toStartOfDay(NOW) - toIntervalDay(89)'],
  month: ['toStartOfMonth(NOW)'],
  'last-month': ['toStartOfMonth(NOW) - toIntervalMonth(1)', 'toStartOfMonth(NOW)'],
  year: ['toStartOfYear(NOW)'],
}

const boundsOf = (period: Period, timeZone: string): readonly string[] => {
  const day = (date: string) => `parseDateTimeBestEffort(${quote(`${date} 00:00:00`)}, ${quote(timeZone)})`
  const [from, until] = BOUNDS[period.name] ?? [day(period.dateFrom), period.dateTo && day(dayAfter(period.dateTo))]
  return [`timestamp >= ${from}`, ...(until ? [`timestamp < ${until}`] : [])].map((text) =>
    text.replaceAll('NOW', `toTimeZone(now(), ${quote(timeZone)})`),
  )
}

const selected = (column: Column): string => {
  if ('property' in column) return member('properties', column.property)
  return column.field === 'person' ? 'person_id' : column.field
}

/** What the table of events shows. */
export interface EventsView {
  readonly columns: readonly Column[]
  /** Empty: all events. */
  readonly names: readonly string[]
  readonly filters: readonly Filter[]
  readonly period: Period
  readonly timeZone: string
}

/** Returns the SQL that selects what the table shows. */
export const eventsSql = ({ columns, names, filters, period, timeZone }: EventsView): string => {
  const conditions = [
    ...boundsOf(period, timeZone),
    ...(names.length ? [names.length === 1 ? `event = ${quote(names[0]!)}` : `event IN (${list(names)})`] : []),
    ...filters.map((filter) => CONDITIONS[filter.operator](targetOf(filter), filter.values)),
  ]
  return [
    `SELECT ${columns.map(selected).join(', ')}`,
    'FROM events',
    `WHERE ${conditions.join('\n  AND ')}`,
    'ORDER BY timestamp DESC',
    'LIMIT 100',
  ].join('\n')
}
