export type Interval = 'hour' | 'day' | 'week' | 'month'

export interface Period {
  readonly name: string
  readonly label: string
  /** Key that chooses the period. */
  readonly shortcut: string
  readonly dateFrom: string
  readonly dateTo?: string
  readonly interval: Interval
}

/** The periods to choose from. Dates are those of the API: relative to now, in the project's time zone. */
export const PERIODS: readonly Period[] = [
  { name: 'today', label: 'Today', shortcut: 'd', dateFrom: 'dStart', interval: 'hour' },
  { name: 'yesterday', label: 'Yesterday', shortcut: 'e', dateFrom: '-1dStart', dateTo: '-1dEnd', interval: 'hour' },
  { name: '24h', label: 'Last 24 hours', shortcut: 'h', dateFrom: '-24h', interval: 'hour' },
  { name: '7d', label: 'Last 7 days', shortcut: 'w', dateFrom: '-6d', interval: 'day' },
  { name: '30d', label: 'Last 30 days', shortcut: 't', dateFrom: '-29d', interval: 'day' },
  { name: '90d', label: 'Last 90 days', shortcut: 'q', dateFrom: '-89d', interval: 'day' },
  { name: 'month', label: 'This month', shortcut: 'm', dateFrom: 'mStart', interval: 'day' },
  { name: 'last-month', label: 'Last month', shortcut: 'p', dateFrom: '-1mStart', dateTo: '-1mEnd', interval: 'day' },
  { name: 'year', label: 'This year', shortcut: 'y', dateFrom: 'yStart', interval: 'month' },
]

const DEFAULT = '7d'
const DATE = /^\d{4}-\d\d-\d\d$/
const DAY_MS = 86_400_000

const intervalOf = (from: string, to: string): Interval => {
  const days = (Date.parse(to) - Date.parse(from)) / DAY_MS
  return days < 2 ? 'hour' : days <= 92 ? 'day' : days <= 400 ? 'week' : 'month'
}

/** Returns the period of the query parameters `period`, or `from` and `to` with dates. By default the last 7 days. */
export const periodOf = (search: URLSearchParams): Period => {
  const [from, to] = [search.get('from'), search.get('to')]
  if (from && to && DATE.test(from) && DATE.test(to))
    return {
      name: 'custom',
      label: `${from} – ${to}`,
      shortcut: 'c',
      dateFrom: from,
      dateTo: to,
      interval: intervalOf(from, to),
    }
  const name = search.get('period') ?? DEFAULT
  return PERIODS.find((each) => each.name === name) ?? PERIODS.find((each) => each.name === DEFAULT)!
}

export interface ApiDateRange {
  readonly date_from: string
  readonly date_to?: string
}

export const toDateRange = ({ dateFrom, dateTo }: Period): ApiDateRange => ({
  date_from: dateFrom,
  ...(dateTo ? { date_to: dateTo } : {}),
})
