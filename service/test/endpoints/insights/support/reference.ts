/** An event as the references see it. */
export interface SeenEvent {
  readonly event: string
  readonly person: string
  readonly session: string
  /** ms since 1970. */
  readonly at: number
  readonly properties: Readonly<Record<string, unknown>>
}

/** The breakdown value of an event as a string; `null` if it has none. */
export const breakdownValue = ({ properties }: SeenEvent, breakdown: string | undefined): string => {
  const value = breakdown === undefined ? undefined : properties[breakdown]
  if (value === undefined || value === '') return 'null'
  return typeof value === 'string' ? value : JSON.stringify(value)
}

// References call `dayIn` thousands of times, and creating a formatter takes much longer than using it.
const formatters = new Map<string, Intl.DateTimeFormat>()

/** Returns the day in a time zone, by the runtime's calendar. */
export const dayIn = (zone: string, at: number): string => {
  const formatter = formatters.get(zone) ?? new Intl.DateTimeFormat('sv-SE', { timeZone: zone })
  formatters.set(zone, formatter)
  return formatter.format(at)
}

const addDays = (day: string, count: number) =>
  new Date(Date.parse(day) + count * 86_400_000).toISOString().slice(0, 10)

/** Returns the interval of a day: the day, the Sunday of its week, or the first of its month. */
export const intervalOf = (interval: string, day: string): string => {
  if (interval === 'month') return `${day.slice(0, 7)}-01`
  return interval === 'week' ? addDays(day, -new Date(day).getUTCDay()) : day
}

const quantile = (numbers: readonly number[], level: number): number => {
  const sorted = [...numbers].sort((a, b) => a - b)
  const place = (sorted.length - 1) * level
  const below = sorted[Math.floor(place)]!
  return below + (sorted[Math.ceil(place)]! - below) * (place - Math.floor(place))
}

const AGGREGATES: Record<string, (numbers: readonly number[]) => number> = {
  avg: (numbers) => numbers.reduce((a, b) => a + b, 0) / numbers.length,
  sum: (numbers) => numbers.reduce((a, b) => a + b, 0),
  min: (numbers) => Math.min(...numbers),
  max: (numbers) => Math.max(...numbers),
  median: (numbers) => quantile(numbers, 0.5),
  p75: (numbers) => quantile(numbers, 0.75),
  p90: (numbers) => quantile(numbers, 0.9),
  p95: (numbers) => quantile(numbers, 0.95),
  p99: (numbers) => quantile(numbers, 0.99),
}

const aggregate = (name: string, numbers: readonly number[]) => (numbers.length ? AGGREGATES[name]!(numbers) : 0)
const distinct = (values: readonly string[]) => new Set(values).size

export interface ReferenceQuestion {
  readonly event: string
  readonly math: string
  readonly interval: 'day' | 'week' | 'month'
  readonly zone: string
  /** First and last day. */
  readonly from: string
  readonly to: string
  readonly breakdown?: string
  readonly limit: number
}

/** Returns the lines of a trend by breakdown value ('null' for none, 'Other'), from all events for each point. */
export const trendOf = (
  all: readonly SeenEvent[],
  { event, math, interval, zone, from, to, breakdown, limit }: ReferenceQuestion,
): Record<string, number[]> => {
  const first = intervalOf(interval, from)
  const days: string[] = []
  for (let day = first; day <= to; day = addDays(day, 1)) days.push(day)
  const points = [...new Set(days.map((day) => intervalOf(interval, day)))]
  const dayOf = ({ at }: SeenEvent) => dayIn(zone, at)
  const named = all.filter((each) => each.event === event)
  const inRange = named.filter((each) => days.includes(dayOf(each)))
  const raw = (each: SeenEvent) => breakdownValue(each, breakdown)
  const counts = new Map<string, number>()
  for (const each of inRange) counts.set(raw(each), (counts.get(raw(each)) ?? 0) + 1)
  const keyText = (value: string) => (value === 'null' ? '[null]' : JSON.stringify([value]))
  const shown = [...counts]
    .sort(([a, m], [b, n]) => n - m || (keyText(a) < keyText(b) ? -1 : 1))
    .slice(0, limit)
    .map(([value]) => value)
  const valueOf = (each: SeenEvent) => (breakdown === undefined || shown.includes(raw(each)) ? raw(each) : 'Other')

  const numberAt = (value: string, point: string): number => {
    const isHere = (each: SeenEvent) => intervalOf(interval, dayOf(each)) === point && days.includes(dayOf(each))
    const mine = named.filter((each) => valueOf(each) === value)
    const here = mine.filter(isHere)
    if (math === 'total') return here.length
    if (math === 'dau') return distinct(here.map(({ person }) => person))
    if (math === 'unique_session') return distinct(here.map(({ session }) => session).filter(Boolean))
    if (math === 'weekly_active' || math === 'monthly_active') {
      let last = point
      while (intervalOf(interval, addDays(last, 1)) === point) last = addDays(last, 1)
      const begin = addDays(last, math === 'weekly_active' ? -6 : -29)
      return distinct(
        mine
          .filter((each) => dayOf(each) >= begin && dayOf(each) <= last && dayOf(each) <= to)
          .map(({ person }) => person),
      )
    }
    if (math.startsWith('first_')) {
      const firsts = new Map<string, SeenEvent>()
      for (const each of named)
        if (!firsts.has(each.person) || firsts.get(each.person)!.at > each.at) firsts.set(each.person, each)
      return [...firsts.values()].filter((each) => valueOf(each) === value && isHere(each)).length
    }
    if (math.endsWith('_count_per_actor')) {
      const people = [...new Set(here.map(({ person }) => person))]
      return aggregate(
        math.replace('_count_per_actor', ''),
        people.map((person) => here.filter((each) => each.person === person).length),
      )
    }
    const numbers = here.flatMap(({ properties }) =>
      typeof properties.amount === 'number' || /^\d+$/.test(String(properties.amount))
        ? [Number(properties.amount)]
        : [],
    )
    return aggregate(math, numbers)
  }

  const values = breakdown === undefined ? ['null'] : [...new Set(named.map(valueOf))]
  return Object.fromEntries(values.map((value) => [value, points.map((point) => numberAt(value, point))]))
}
