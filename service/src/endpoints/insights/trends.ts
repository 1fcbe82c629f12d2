import { type Static, Type } from '@sinclair/typebox'
import { print } from '../../sql/print/print.ts'
import { call, infix, name, type QuerySql, type SelectSql, type Sql, text } from '../../sql/catalog/physical.ts'
import { keyOf, OTHER, rankOf, shownKeyOf, valueOf } from './breakdown.ts'
import { checkShape, fieldError } from './check.ts'
import { type FilterContext, type FilterGroup, finiteNumber, passes } from './filters.ts'
import { type Formula, parseFormula } from './formula.ts'
import type { Insight, InsightRows, Statement } from './insight.ts'
import { eventsOf, hasProperties, isNamed } from './nodes.ts'
import {
  bucketsOf,
  type Interval,
  isCompareTo,
  namesOf,
  nextInterval,
  type Period,
  periodOf,
  previousPeriod,
} from './period.ts'
import { column, from } from './select.ts'
import { breakdownsOf, filtersOf, maybe, NODE, oneOf, SHARED } from './shared.ts'
import {
  bound,
  createSource,
  every,
  faultOfProperty,
  isWithin,
  type PropertyRef,
  type Reading,
  type Source,
} from './source.ts'
import { moveInstant } from './zone.ts'

const NUMBERS = ['avg', 'sum', 'min', 'max', 'median', 'p75', 'p90', 'p95', 'p99'] as const
const PER_ACTOR = ['avg', 'min', 'max', 'median', 'p75', 'p90', 'p95', 'p99'].map((each) => `${each}_count_per_actor`)
const MATHS = [
  'total',
  'dau',
  'weekly_active',
  'monthly_active',
  'unique_session',
  'unique_group',
  'first_time_for_user',
  'first_matching_event_for_user',
  ...NUMBERS,
  ...PER_ACTOR,
]

const Series = Type.Object(
  {
    ...NODE,
    math: maybe(oneOf(...MATHS)),
    math_property: maybe(Type.String({ minLength: 1, maxLength: 1_000 })),
    math_property_type: Type.Optional(Type.Unknown()),
    math_hogql: Type.Optional(Type.Null()),
    math_group_type_index: maybe(Type.Integer()),
  },
  { additionalProperties: false },
)

const TOTAL_VALUE = ['BoldNumber', 'ActionsPie', 'ActionsTable', 'ActionsBarValue', 'WorldMap'] as const
const DISPLAYS = [
  'ActionsLineGraph',
  'ActionsBar',
  'ActionsUnstackedBar',
  'ActionsStackedBar',
  'ActionsAreaGraph',
  'ActionsLineGraphCumulative',
  ...TOTAL_VALUE,
] as const

const FormulaText = Type.String({ minLength: 1, maxLength: 500 })

const SCHEMA = Type.Object(
  {
    ...SHARED,
    kind: Type.Literal('TrendsQuery'),
    series: Type.Array(Series, { minItems: 1, maxItems: 26 }),
    interval: maybe(oneOf<Interval>('minute', 'hour', 'day', 'week', 'month')),
    compareFilter: maybe(
      Type.Object(
        { compare: maybe(Type.Boolean()), compare_to: maybe(Type.String()) },
        { additionalProperties: false },
      ),
    ),
    trendsFilter: maybe(
      Type.Object(
        {
          display: maybe(oneOf(...DISPLAYS)),
          formula: maybe(FormulaText),
          formulas: maybe(Type.Array(FormulaText, { maxItems: 26 })),
          formulaNodes: maybe(
            Type.Array(
              Type.Object({ formula: FormulaText, custom_name: maybe(Type.String()) }, { additionalProperties: false }),
              { maxItems: 26 },
            ),
          ),
          smoothingIntervals: maybe(Type.Literal(1)),
          showLegend: Type.Optional(Type.Unknown()),
          showValuesOnSeries: Type.Optional(Type.Unknown()),
          aggregationAxisFormat: Type.Optional(Type.Unknown()),
          yAxisScaleType: Type.Optional(Type.Unknown()),
        },
        { additionalProperties: false },
      ),
    ),
  },
  { additionalProperties: false },
)

type TrendsQuery = Static<typeof SCHEMA>
type SeriesNode = Static<typeof Series>

const formulasOf = ({ trendsFilter }: TrendsQuery): readonly { formula: string; custom_name?: string | null }[] => {
  if (trendsFilter?.formulaNodes?.length) return trendsFilter.formulaNodes
  if (trendsFilter?.formulas?.length) return trendsFilter.formulas.map((formula) => ({ formula }))
  return trendsFilter?.formula ? [{ formula: trendsFilter.formula }] : []
}

const mathOf = ({ math }: SeriesNode): string => math ?? 'total'
const isNumeric = (node: SeriesNode) => (NUMBERS as readonly string[]).includes(mathOf(node))

// "person_properties" is of the type "person"; "data_warehouse_properties", which older queries carry, means nothing more than the event's own.
const numbersOf = ({
  math_property: key,
  math_property_type: type,
  math_group_type_index: index,
}: SeriesNode): PropertyRef => ({
  key: key!,
  type: typeof type === 'string' && type !== 'data_warehouse_properties' ? type.replace(/_properties$/, '') : 'event',
  group_type_index: index,
})

const MATH_FIELDS: Readonly<Record<string, string>> = {
  type: 'math_property_type',
  key: 'math_property',
  group_type_index: 'math_group_type_index',
}

const check = (given: unknown, context: FilterContext) => {
  checkShape(SCHEMA, given)
  const query = given as TrendsQuery
  query.series.forEach((node, index) => {
    filtersOf(node.properties, `series.${index}.properties`, context)
    filtersOf(node.fixedProperties, `series.${index}.fixedProperties`, context)
    if (isNumeric(node) && !node.math_property)
      throw fieldError(
        `series.${index}.math_property`,
        `is required with the math "${node.math}": the property to take numbers from`,
      )
    const fault = isNumeric(node)
      ? faultOfProperty(numbersOf(node))
      : mathOf(node) === 'unique_group'
        ? faultOfProperty({ key: '', type: 'group', group_type_index: node.math_group_type_index })
        : undefined
    if (fault) throw fieldError(`series.${index}.${MATH_FIELDS[fault.field]}`, fault.message)
  })
  const compareTo = query.compareFilter?.compare_to
  if (compareTo && !isCompareTo(compareTo))
    throw fieldError('compareFilter.compare_to', 'is how far back to compare, such as -1w')
  for (const { formula } of formulasOf(query)) {
    if (!parseFormula(formula, query.series.length)) {
      throw fieldError(
        'trendsFilter',
        `has a formula that cannot be read: "${formula.slice(0, 60)}". It is made of the series' letters (A to ${String.fromCharCode(64 + query.series.length)}), numbers, + - * / and parentheses`,
      )
    }
  }
}

/** Quantiles are exact, interpolated between the two nearest values. */
const quantile =
  (level: string): ((of: Sql) => Sql) =>
  (of) => ({
    kind: 'call',
    name: 'quantileExactInclusive',
    parameters: [{ kind: 'number', digits: level }],
    args: [of],
  })

const AGGREGATES: Readonly<Record<string, (of: Sql) => Sql>> = {
  avg: (of) => call('avg', of),
  sum: (of) => call('sum', of),
  min: (of) => call('min', of),
  max: (of) => call('max', of),
  median: quantile('0.5'),
  p75: quantile('0.75'),
  p90: quantile('0.9'),
  p95: quantile('0.95'),
  p99: quantile('0.99'),
}

const WINDOW_DAYS: Readonly<Record<string, number>> = { weekly_active: 7, monthly_active: 30 }

interface Plan {
  readonly period: Period
  /** Starts of the intervals. */
  readonly buckets: readonly number[]
  /** When the interval after the last one begins. */
  readonly end: number
  /** The values to show are those of this period. */
  readonly topPeriod: Period
  readonly query: TrendsQuery
  readonly filters: FilterGroup
  readonly context: FilterContext
  readonly reading: Reading
}

const matching = (
  source: Source,
  node: SeriesNode,
  { filters, context }: Plan,
  { withProperties = true } = {},
): readonly Sql[] => [
  isNamed(source, node),
  ...(withProperties ? [passes(source, filters, context), hasProperties(source, node, context)] : []),
]

const weightOf = ({ weight }: Source) => (weight ? [column(weight, 'weight')] : [])

// Chosen over all series before anything is counted, so that a person with two other values counts once under "Other".
const keyRows = (plan: Plan): QuerySql => {
  const [first, ...rest] = plan.query.series.map((node): SelectSql => {
    const source = createSource(plan.reading, { takesWeights: true })
    const where = every([...matching(source, node, plan), ...isWithin(source, plan.topPeriod)])
    const key = keyOf(source, plan.query)
    return { kind: 'select', items: [column(key, 'key'), ...weightOf(source)], from: source.from(), where }
  })
  return rest.length
    ? { kind: 'set', first: first!, rest: rest.map((query) => ({ operator: 'union all', query })) }
    : first!
}

const isWeighed = ({ reading }: Plan) => reading.isWeighed

const shownKey = (key: Sql, plan: Plan): Sql =>
  shownKeyOf(key, () => keyRows(plan), plan.query, isWeighed(plan) ? 'weight' : undefined)

const bucketOf = (instant: Sql, { buckets }: Plan): Sql => call('roundDown', instant, bound('Array(Int64)', buckets))

// The intervals in whose trailing days an event lies: their ends come after it, and their windows have begun.
const bucketsOfWindow = (source: Source, days: number, { buckets, end, context: { zone } }: Plan): Sql => {
  const ends = [...buckets.slice(1), end]
  const begins = ends.map((each) => moveInstant(zone, 'day', -days, each))
  const { instant } = source.among([...ends, ...begins])
  const countUpTo = (times: readonly number[]) =>
    call(
      'arrayCount',
      { kind: 'lambda', names: ['x'], body: infix(name('x'), '<=', instant) },
      bound('Array(Int64)', times),
    )
  const one: Sql = { kind: 'number', digits: '1' }
  const indexes = call('range', countUpTo(ends), countUpTo(begins))
  return call(
    'arrayMap',
    {
      kind: 'lambda',
      names: ['i'],
      body: call('arrayElement', bound('Array(Int64)', buckets), infix(name('i'), '+', one)),
    },
    indexes,
  )
}

interface Rows {
  readonly query: SelectSql
  readonly aggregate: (rows: (name: string) => Sql) => Sql
}

// What is counted or computed with, read only where it is needed: a person costs a join, and what is stored is told apart by all that is read.
const countedBy = (source: Source, node: SeriesNode): readonly Sql[] => {
  if (isNumeric(node)) return [finiteNumber(source.property(numbersOf(node)))]
  if (node.math === 'unique_group') return [source.group(node.math_group_type_index!)]
  if (node.math === 'dau') return [source.person]
  return node.math === 'unique_session' ? [source.session] : []
}

// Numbers that are added up or ranked are taken event by event.
const isPerEvent = (node: SeriesNode) => isNumeric(node) && node.math !== 'min' && node.math !== 'max'

// How many events: rows of what is stored may stand for several.
const countOf = (plan: Plan, row: (of: string) => Sql): Sql =>
  isWeighed(plan) ? call('sum', row('weight')) : call('count')

const countedRows = (node: SeriesNode, plan: Plan): Rows => {
  const source = createSource(plan.reading, { takesWeights: !isPerEvent(node) })
  const values = countedBy(source, node).map((value) => column(value, 'value'))
  const where = every([...matching(source, node, plan), ...isWithin(source, plan.period)])
  const { instant } = source.among(plan.buckets)
  const items = [
    column(bucketOf(instant, plan), 'bucket'),
    column(shownKey(keyOf(source, plan.query), plan), 'key'),
    ...values,
    ...weightOf(source),
  ]
  const aggregate = (row: (of: string) => Sql): Sql => {
    if (isNumeric(node)) return AGGREGATES[node.math!]!(row('value'))
    if (node.math === 'dau') return call('uniqExact', row('value'))
    // Events without a session or group have the empty text.
    if (node.math === 'unique_session' || node.math === 'unique_group')
      return call('uniqExact', call('nullIf', row('value'), text('')))
    return countOf(plan, row)
  }
  return { query: { kind: 'select', items, from: source.from(), where }, aggregate }
}

const perActorRows = (node: SeriesNode, plan: Plan): Rows => {
  const { query } = countedRows({ ...node, math: 'dau' }, plan)
  const row = (of: string) => name('r', of)
  const counts: SelectSql = {
    kind: 'select',
    items: [column(row('bucket'), 'bucket'), column(row('key'), 'key'), column(countOf(plan, row), 'value')],
    from: from(query, 'r'),
    groupBy: [row('bucket'), row('key'), row('value')],
  }
  return { query: counts, aggregate: (of) => AGGREGATES[node.math!.slice(0, -'_count_per_actor'.length)]!(of('value')) }
}

const windowRows = (node: SeriesNode, plan: Plan): Rows => {
  const source = createSource(plan.reading, { takesWeights: true })
  const days = WINDOW_DAYS[node.math!]!
  const begin = moveInstant(plan.context.zone, 'day', -days, plan.buckets[1] ?? plan.end)
  const where = every([...matching(source, node, plan), ...isWithin(source, { from: begin, until: plan.period.until })])
  const items = [
    column(call('arrayJoin', bucketsOfWindow(source, days, plan)), 'bucket'),
    column(shownKey(keyOf(source, plan.query), plan), 'key'),
    column(source.person, 'value'),
  ]
  return {
    query: { kind: 'select', items, from: source.from(), where },
    aggregate: (row) => call('uniqExact', row('value')),
  }
}

const firstRows = (node: SeriesNode, plan: Plan): Rows => {
  const source = createSource(plan.reading)
  const isAnyFirst = node.math === 'first_time_for_user'
  const where = every([
    ...matching(source, node, plan, { withProperties: !isAnyFirst }),
    ...isWithin(source, { until: plan.period.until }),
  ])
  const passed = every(matching(source, node, plan))
  const items = [
    column(source.person, 'person'),
    column(source.instant, 'instant'),
    column(source.uuid, 'uuid'),
    column(keyOf(source, plan.query), 'key'),
    column(call('toUInt8', passed), 'passed'),
  ]
  const events: SelectSql = { kind: 'select', items, from: source.from(), where }
  const row = (of: string) => name('r', of)
  const first = call(
    'argMin',
    call('tuple', row('instant'), row('key'), row('passed')),
    call('tuple', row('instant'), row('uuid')),
  )
  const firsts: SelectSql = {
    kind: 'select',
    items: [column(first, 'first')],
    from: from(events, 'r'),
    groupBy: [row('person')],
  }
  const part = (position: number) =>
    call('tupleElement', name('f', 'first'), { kind: 'number', digits: String(position) })
  const query: SelectSql = {
    kind: 'select',
    items: [column(bucketOf(part(1), plan), 'bucket'), column(shownKey(part(2), plan), 'key')],
    from: from(firsts, 'f'),
    where: every([
      infix(part(1), '>=', bound('Int64', plan.period.from)),
      infix(part(3), '=', { kind: 'number', digits: '1' }),
    ]),
  }
  return { query, aggregate: () => call('count') }
}

const rowsOf = (node: SeriesNode, plan: Plan): Rows => {
  const math = mathOf(node)
  if (math in WINDOW_DAYS) return windowRows(node, plan)
  if (math.startsWith('first_')) return firstRows(node, plan)
  return PER_ACTOR.includes(math) ? perActorRows(node, plan) : countedRows(node, plan)
}

const statementOf = (plan: Plan): QuerySql => {
  const [first, ...rest] = plan.query.series.map((node, index): SelectSql => {
    const { query, aggregate } = rowsOf(node, plan)
    const row = (of: string) => name('g', of)
    return {
      kind: 'select',
      items: [
        column({ kind: 'number', digits: String(index) }, 'series'),
        column(row('bucket'), 'bucket'),
        column(row('key'), 'key'),
        column(call('ifNull', call('toFloat64', aggregate(row)), { kind: 'number', digits: '0' }), 'value'),
      ],
      from: from(query, 'g'),
      groupBy: [row('bucket'), row('key')],
    }
  })
  return rest.length
    ? { kind: 'set', first: first!, rest: rest.map((query) => ({ operator: 'union all', query })) }
    : first!
}

const isTotalValue = ({ trendsFilter }: TrendsQuery) =>
  (TOTAL_VALUE as readonly unknown[]).includes(trendsFilter?.display)

interface Line {
  readonly series: number
  readonly formula?: { readonly formula: string; readonly custom_name?: string | null }
  readonly key: string
  readonly points: readonly number[]
}

const sumOf = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0)
const byTotal = (a: Line, b: Line) =>
  rankOf(a.key) - rankOf(b.key) || sumOf(b.points) - sumOf(a.points) || (a.key < b.key ? -1 : a.key > b.key ? 1 : 0)

const linesOf = (rows: InsightRows, { query, buckets }: Plan): readonly Line[] => {
  const hidesOther = query.breakdownFilter?.breakdown_hide_other_aggregation
  const keys = breakdownsOf(query).length
    ? [...new Set(rows.map(([, , key]) => String(key)))].filter((key) => !(hidesOther && key === OTHER))
    : ['[]']
  const places = new Map(buckets.map((bucket, index) => [bucket, index]))
  const points = new Map<string, number[]>()
  const pointsOf = (series: number, key: string) => {
    const id = `${series} ${key}`
    const known = points.get(id) ?? buckets.map(() => 0)
    points.set(id, known)
    return known
  }
  const had = new Set<string>()
  for (const [series, bucket, key, value] of rows) {
    const place = places.get(Number(bucket))
    had.add(`${series} ${key}`)
    if (place !== undefined) pointsOf(Number(series), String(key))[place] = Number(value)
  }
  const formulas = formulasOf(query)
  if (formulas.length) {
    return formulas.flatMap((node, index) => {
      const formula: Formula = parseFormula(node.formula, query.series.length)!
      const lines = keys.map((key): Line => ({
        series: index,
        formula: node,
        key,
        points: buckets.map((_, place) => formula(query.series.map((__, series) => pointsOf(series, key)[place]!))),
      }))
      return lines.sort(byTotal)
    })
  }
  const isBroken = breakdownsOf(query).length > 0
  return query.series.flatMap((_, series) =>
    keys
      .filter((key) => !isBroken || had.has(`${series} ${key}`))
      .map((key): Line => ({ series, key, points: pointsOf(series, key) }))
      .sort(byTotal),
  )
}

const labelOf = (line: Line, { query }: Plan, value: unknown): string => {
  const node = query.series[line.series]
  const label = line.formula
    ? line.formula.custom_name || `Formula (${line.formula.formula})`
    : (node!.custom_name ?? node!.event ?? 'All events')
  if (value === undefined) return label
  const words = [value]
    .flat()
    .map((each) => each ?? '(none)')
    .join('::')
  return (line.formula ? formulasOf(query) : query.series).length > 1 ? `${label} - ${words}` : words
}

const shape = (rows: InsightRows, plan: Plan, compareLabel: 'current' | 'previous' | undefined): readonly unknown[] => {
  const { query, buckets, context, period } = plan
  const interval = isTotalValue(query) ? 'day' : (query.interval ?? 'day')
  const names = buckets.map((bucket) => namesOf(bucket, interval, context.zone))
  const [days, labels] = [names.map(({ day }) => day), names.map(({ label }) => label)]
  const isBroken = breakdownsOf(query).length > 0
  return linesOf(rows, plan).map((line) => {
    const node = query.series[line.series]!
    const value = isBroken ? valueOf(line.key, query) : undefined
    const sums = () => line.points.map((_, index) => sumOf(line.points.slice(0, index + 1)))
    return {
      ...(isTotalValue(query)
        ? { data: [], labels: [], days: [], count: 0, aggregated_value: line.points[0] }
        : {
            data: query.trendsFilter?.display === 'ActionsLineGraphCumulative' ? sums() : line.points,
            labels,
            days,
            count: sumOf(line.points),
          }),
      label: labelOf(line, plan, value),
      ...(isBroken ? { breakdown_value: value } : {}),
      action: line.formula
        ? null
        : {
            days: isTotalValue(query) ? [] : days,
            id: node.event ?? null,
            type: 'events',
            order: line.series,
            name: node.name ?? node.event ?? 'All events',
            custom_name: node.custom_name ?? null,
            math: mathOf(node),
            math_property: node.math_property ?? null,
            math_hogql: null,
            math_group_type_index: node.math_group_type_index ?? null,
            properties: node.properties ?? {},
          },
      filter: {
        insight: 'TRENDS',
        date_from: new Date(period.from).toISOString(),
        date_to: new Date(period.until - 1).toISOString(),
        interval: query.interval ?? 'day',
      },
      ...(compareLabel ? { compare: true, compare_label: compareLabel } : {}),
    }
  })
}

/** Lines over time, or totals: how often events happened, to how many people, with which numbers. */
export const TRENDS: Insight<TrendsQuery> = {
  check,
  events: ({ series }) => eventsOf(series),
  plan(query, { projectId, context, filters, isFromExact, reading }) {
    const interval = query.interval ?? 'day'
    const { zone } = context
    const current = periodOf(query.dateRange ?? {}, { interval, zone, now: context.now, isFromExact })
    const planOf = (period: Period): Plan => {
      const buckets = isTotalValue(query) ? [period.from] : bucketsOf(period, interval, zone)
      const end = isTotalValue(query) ? period.until : nextInterval(interval, buckets.at(-1)!, zone)
      return { period, buckets, end, topPeriod: current, query, filters, context, reading }
    }
    const compares = Boolean(query.compareFilter?.compare)
    const plans = [
      planOf(current),
      ...(compares ? [planOf(previousPeriod(current, query.compareFilter?.compare_to ?? undefined, zone))] : []),
    ]
    return {
      statements: plans.map((plan): Statement => print(statementOf(plan), projectId)),
      shape: (answers) => ({
        results: plans.flatMap((plan, index) =>
          shape(answers[index]!, plan, compares ? (index ? 'previous' : 'current') : undefined),
        ),
        hasMore: breakdownsOf(query).length > 0 && answers.some((rows) => rows.some(([, , key]) => key === OTHER)),
      }),
    }
  },
}
