/** Spans of time whose runs are shown. */
export const SPANS = [
  { value: 'day', label: '24 hours', interval: 'hour', buckets: 24, ms: 3_600_000 },
  { value: 'week', label: '7 days', interval: 'day', buckets: 7, ms: 86_400_000 },
  { value: 'month', label: '30 days', interval: 'day', buckets: 30, ms: 86_400_000 },
] as const

interface Counts {
  readonly runs: number
  readonly errors: number
}

const NOTHING: Counts = { runs: 0, errors: 0 }

/**
 * Returns the hours or days of a span, oldest first, with their runs. The API leaves out those without runs. Hours and
 * days are matched by their names in the project's zone, because a day can have 23 to 25 hours.
 */
export const bucketsOf = (
  series: readonly (Counts & { readonly start: string })[],
  { interval, buckets, ms }: (typeof SPANS)[number],
  timeZone: string,
  now: number,
): { readonly labels: readonly string[]; readonly counts: readonly Counts[] } => {
  const format = new Intl.DateTimeFormat(
    undefined,
    interval === 'hour'
      ? { timeZone, month: 'short', day: 'numeric', hour: '2-digit', minute: '2-digit' }
      : { timeZone, month: 'short', day: 'numeric' },
  )
  const hourMs = 3_600_000
  const found = new Map(series.map((each) => [format.format(new Date(each.start)), each]))
  const times = Array.from({ length: buckets }, (_, index) => now - (buckets - 1 - index) * ms)
  const labels = [
    ...new Set(times.map((time) => format.format(interval === 'hour' ? Math.floor(time / hourMs) * hourMs : time))),
  ]
  return { labels, counts: labels.map((label) => found.get(label) ?? NOTHING) }
}
