import type { Period } from '../../lib/period.ts'

/** Returns the day after a day such as `2026-01-31`. */
export const dayAfter = (day: string): string =>
  new Date(Date.parse(`${day}T00:00:00Z`) + 86_400_000).toISOString().slice(0, 10)

/** The start of what follows the end of a period, as the API's dates name it. */
const STARTS: Readonly<Record<string, string>> = { '-1dEnd': 'dStart', '-1mEnd': 'mStart' }

/** Returns the parameters `after` and `before` of a list of events. A period contains its last day, `before` is exclusive. */
export const boundsOf = ({ dateFrom, dateTo }: Period): { readonly after: string; readonly before?: string } => ({
  after: dateFrom,
  ...(dateTo ? { before: STARTS[dateTo] ?? dayAfter(dateTo) } : {}),
})
