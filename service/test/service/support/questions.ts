import type { Random } from './random.ts'

/** An endpoint of random kind, and random values for the variables of a run. */
export interface Question {
  readonly name: string
  readonly query: object
  /** Whether the rows have an order. */
  readonly isOrdered: boolean
  readonly isInsight: boolean
  readonly valuesFor: (random: Random) => Record<string, unknown>
}

export const VARIABLES: Readonly<Record<string, string>> = {
  event_name: 'String',
  plan_name: 'String',
  amount: 'Number',
  since: 'Date',
  until: 'Date',
}
export const ZONES = ['UTC', 'Europe/Berlin', 'America/New_York', 'Asia/Kolkata', 'Australia/Lord_Howe'] as const
export const EVENTS = ['visit', 'visit', 'buy', 'read'] as const
export const PLANS = ['free', 'pro', '', 'Ärger', '\u{1f600}', '\uff5e'] as const
export const IDS = Array.from({ length: 12 }, (_, n) => `p${n}`)

const HOUR = 3_600_000
const at = (text: string) => Date.parse(text)

// Both changes of summer time in three zones, the bounds of days, hours and years, and events of years ago.
const TURNS = [
  '2025-03-09T07:00:00Z',
  '2025-03-30T01:00:00Z',
  '2025-04-05T15:00:00Z',
  '2025-10-04T15:30:00Z',
  '2025-10-26T01:00:00Z',
  '2025-11-02T06:00:00Z',
  '2025-12-31T23:00:00Z',
  '2026-01-01T00:00:00Z',
  '2026-01-02T00:00:00Z',
  '2026-01-02T12:00:00Z',
].map(at)
const YEARS_AGO = ['2016-02-29T00:00:00Z', '2016-03-27T01:00:00Z', '2019-12-31T23:00:00Z'].map(at)

/** Returns a time near one of few instants: many are equal, or a millisecond from the bound of an hour. */
export const instant = (random: Random, mayBeOld = true): number => {
  const turn = random.pick(mayBeOld && random.chance(0.1) ? YEARS_AGO : TURNS)
  const hours = random.pick([-24, -2, -1, 0, 0, 1, 2, 24]) * HOUR
  return turn + hours + (random.chance(0.6) ? random.pick([-1, 0, 1]) : random.below(HOUR))
}

const ITEMS = 'toInt(properties.items)'
const AMOUNT = 'toFloat(properties.amount)'
const AGGREGATES = [
  'count()',
  'countIf(properties.paid)',
  `sum(${ITEMS})`,
  `sumIf(${ITEMS}, properties.paid)`,
  `sumOrNull(${ITEMS})`,
  `sum(${AMOUNT})`,
  `avg(${AMOUNT})`,
  `min(${AMOUNT})`,
  `max(${ITEMS})`,
  'min(timestamp)',
  'max(timestamp)',
  'uniq(distinct_id)',
  'uniq(person_id)',
  'uniq($group_0)',
  'uniqExact(properties.plan)',
  'count(DISTINCT person_id)',
  `quantileExact(0.5)(${AMOUNT})`,
  "countIf(person.properties.tier = 'gold')",
]
const GROUPS = [
  [],
  ['toStartOfDay(timestamp)'],
  ['toStartOfDay(timestamp)'],
  ['toStartOfHour(timestamp)', 'properties.plan'],
  ['toStartOfWeek(timestamp)'],
  ['toStartOfMonth(timestamp)', 'event'],
  ['toDate(timestamp)'],
  ["toStartOfDay(timestamp, 'Europe/Berlin')"],
  ["toStartOfDay(timestamp, 'America/New_York')", 'properties.plan'],
  ["toStartOfHour(timestamp, 'Europe/Berlin')"],
  [ITEMS],
  ['properties.plan'],
  ['event', '$group_0'],
  ['person.properties.tier'],
  ['distinct_id'],
  ['properties.paid', 'event'],
]
const RANGE = 'timestamp >= {variables.since} AND timestamp < {variables.until}'
const CONDITIONS = [
  [],
  ['event = {variables.event_name}', RANGE],
  ['event = {variables.event_name}', RANGE],
  [RANGE],
  ['event = {variables.event_name}'],
  ['timestamp <= {variables.until}', "distinct_id != 'p3'"],
  [RANGE, 'properties.plan = {variables.plan_name}'],
  [`${AMOUNT} >= {variables.amount}`, 'event = {variables.event_name}'],
  [RANGE, 'person.properties.tier = {variables.plan_name}'],
  ['timestamp >= now() - INTERVAL 9000 DAY', 'event = {variables.event_name}'],
]

const queryOf = (random: Random): { text: string; isOrdered: boolean } => {
  const conditions = random.pick(CONDITIONS)
  const where = conditions.length ? ` WHERE ${conditions.join(' AND ')}` : ''
  if (random.chance(0.1))
    return {
      text: `SELECT distinct_id, timestamp, event, properties.plan, ${ITEMS}, uuid FROM events${where} ORDER BY timestamp, uuid${random.chance(0.5) ? ' LIMIT 20' : ''}`,
      isOrdered: true,
    }
  const groups = random.pick(GROUPS)
  const aggregates = random.some(AGGREGATES, 1 + random.below(4))
  const columns = [...groups.map((each, n) => `${each} AS g${n}`), ...aggregates.map((each, n) => `${each} AS a${n}`)]
  const names = groups.map((_, n) => `g${n}`)
  const direction = () => random.pick(['', ' DESC', ' NULLS FIRST', ' DESC NULLS FIRST'])
  const isOrdered = groups.length > 0 && random.chance(0.7)
  const order = isOrdered ? ` ORDER BY ${names.map((each) => each + direction()).join(', ')}` : ''
  const limit = isOrdered && random.chance(0.3) ? ` LIMIT 4 OFFSET ${random.below(2)}` : ''
  const having = groups.length && random.chance(0.1) ? ' HAVING count() > 1' : ''
  return {
    text: `SELECT ${columns.join(', ')} FROM events${where}${names.length ? ` GROUP BY ${names.join(', ')}` : ''}${having}${order}${limit}`,
    isOrdered,
  }
}

const iso = (ms: number) => new Date(ms).toISOString()
const dateOf = (random: Random) => {
  const written = iso(instant(random))
  return random.chance(0.3) ? written.slice(0, 10) : written
}
const VALUES: Readonly<Record<string, (random: Random) => unknown>> = {
  event_name: (random) => random.pick([...EVENTS, 'none']),
  plan_name: (random) => random.pick([...PLANS, 'gold', 'none']),
  amount: (random) => random.pick([0, 0.1, 2.5, 100]),
  since: dateOf,
  until: dateOf,
}

const sqlQuestion = (random: Random, name: string): Question => {
  const { text, isOrdered } = queryOf(random)
  const needed = Object.keys(VALUES).filter((each) => text.includes(`{variables.${each}}`))
  return {
    name,
    query: { kind: 'HogQLQuery', query: text },
    isOrdered,
    isInsight: false,
    valuesFor: (own) => {
      const values = Object.fromEntries(needed.map((each) => [each, VALUES[each]!(own)]))
      // Most ranges are not empty.
      const { since, until } = values as Record<string, string>
      return since && until && since > until && own.chance(0.9) ? { ...values, since: until, until: since } : values
    },
  }
}

const node = (random: Random, more: object = {}) => ({
  kind: 'EventsNode',
  event: random.pick(['visit', 'buy', null]),
  ...more,
})
const MATHS = ['total', 'total', 'dau', 'weekly_active', 'sum', 'avg', 'max', 'p90', 'first_time_for_user']
const breakdownOf = (random: Random) =>
  random.pick([
    {},
    { breakdownFilter: { breakdown: 'plan', breakdown_limit: 3 } },
    { breakdownFilter: { breakdown: 'tier', breakdown_type: 'person' } },
  ])
const rangeOf = (random: Random) =>
  random.pick([
    { date_from: '2025-03-01', date_to: '2025-04-10' },
    { date_from: '2025-10-01', date_to: '2026-01-05' },
    { date_from: '2025-03-30T00:30:00.001Z', date_to: '2025-03-30T22:10:00Z' },
  ])
const INSIGHTS: readonly ((random: Random) => object)[] = [
  (random) => ({
    kind: 'TrendsQuery',
    series: Array.from({ length: 1 + random.below(2) }, () =>
      node(random, { math: random.pick(MATHS), math_property: 'amount' }),
    ),
    interval: random.pick(['hour', 'day', 'day', 'week', 'month']),
    dateRange: rangeOf(random),
    ...breakdownOf(random),
  }),
  (random) => ({
    kind: 'FunnelsQuery',
    series: [node(random, { event: 'visit' }), node(random, { event: 'buy' })],
    dateRange: rangeOf(random),
    funnelsFilter: { funnelWindowInterval: random.pick([1, 24, 240]), funnelWindowIntervalUnit: 'hour' },
    ...breakdownOf(random),
  }),
  (random) => ({
    kind: 'RetentionQuery',
    dateRange: rangeOf(random),
    retentionFilter: {
      retentionType: random.pick(['retention_recurring', 'retention_first_time']),
      targetEntity: { id: random.pick(['visit', null]) },
      returningEntity: { id: random.pick(['visit', 'buy']) },
      period: random.pick(['Day', 'Week']),
      totalIntervals: 1 + random.below(6),
    },
  }),
]

const insightQuestion = (random: Random, name: string): Question => ({
  name,
  query: random.pick(INSIGHTS)(random),
  isOrdered: true,
  isInsight: true,
  valuesFor: (own) => {
    if (own.chance(0.4)) return {}
    const [from, to] = [iso(instant(own, false)), iso(instant(own, false))].sort() as [string, string]
    // At most a season, because an hourly chart of years has too many points.
    const last = Math.min(at(to), at(from) + 60 * 24 * HOUR)
    return { date_from: own.chance(0.5) ? from : from.slice(0, 10), date_to: iso(last) }
  },
})

/** Returns endpoints of all kinds. */
export const questionsOf = (random: Random, count: number): Question[] =>
  Array.from({ length: count }, (_, n) =>
    n % 4 === 3 ? insightQuestion(random, `question-${n}`) : sqlQuestion(random, `question-${n}`),
  )
