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

const HOUR_MS = 3_600_000

/**
 * Returns the hours or days of a span, oldest first, with their runs. The API leaves out those without runs. Hours and
 * days are matched by their names in the project's zone, because a day can have 23 to 25 hours. The first one is partial.
 */
export const bucketsOf = (
  series: readonly (Counts & { readonly start: string })[],
  { interval, buckets, ms }: (typeof SPANS)[number],
  timeZone: string,
  now: number,
): { readonly labels: readonly string[]; readonly counts: readonly Counts[] } => {
  const isHour = interval === 'hour'
  const date = { timeZone, month: 'short', day: 'numeric' } as const
  const key = new Intl.DateTimeFormat('en', isHour ? { ...date, hour: 'numeric', timeZoneName: 'short' } : date)
  const label = new Intl.DateTimeFormat(undefined, isHour ? { timeZone, hour: 'numeric', minute: '2-digit' } : date)
  const found = new Map(series.map((each) => [key.format(new Date(each.start)), each]))
  const times = Array.from({ length: buckets + 1 }, (_, index) => now - (buckets - index) * ms)
  const starts = new Map(times.map((time) => [key.format(time), isHour ? Math.floor(time / HOUR_MS) * HOUR_MS : time]))
  return {
    labels: [...starts.values()].map((start) => label.format(start)),
    counts: [...starts.keys()].map((name) => found.get(name) ?? NOTHING),
  }
}
