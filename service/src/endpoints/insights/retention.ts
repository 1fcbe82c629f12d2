import { type Static, Type } from '@sinclair/typebox'
import { ApiError } from '../../lib/apiError.ts'
import { print } from '../../sql/print/print.ts'
import { call, infix, name, type SelectSql, type Sql } from '../../sql/catalog/physical.ts'
import { keyOf, OTHER, rankOf, shownKeyOf, valueOf } from './breakdown.ts'
import { checkShape } from './check.ts'
import { type FilterContext, type FilterGroup, passes } from './filters.ts'
import type { Insight, InsightRows, PlanOptions } from './insight.ts'
import { eventsOf, hasProperties, isNamed } from './nodes.ts'
import {
  bucketsOf,
  type DateRange,
  endOf,
  type Interval,
  intervalStart,
  isoOf,
  nextInterval,
  type Period,
  periodOf,
} from './period.ts'
import { column, from, lambda, number, part } from './select.ts'
import { ACTORS, breakdownLimitOf, breakdownsOf, filtersOf, maybe, type Node, oneOf, SHARED } from './shared.ts'
import { actorOf, bound, createSource, every, isWithin, type Reading, some } from './source.ts'
import { moveInstant } from './zone.ts'

const TYPES = ['retention_first_time', 'retention_recurring', 'retention_first_ever_occurrence'] as const
const PERIODS = { Hour: 'hour', Day: 'day', Week: 'week', Month: 'month' } as const satisfies Record<string, Interval>
const MAX_INTERVALS = 366
const DEFAULT_INTERVALS = 7
const MAX_CELLS = 1_000_000

const Text = Type.String({ maxLength: 1_000 })
const Entity = Type.Object(
  {
    id: maybe(Text),
    type: maybe(Type.Literal('events')),
    kind: maybe(Type.Literal('EventsNode')),
    name: maybe(Text),
    custom_name: maybe(Text),
    properties: Type.Optional(Type.Unknown()),
    order: Type.Optional(Type.Unknown()),
    uuid: Type.Optional(Type.Unknown()),
  },
  { additionalProperties: false },
)

const SCHEMA = Type.Object(
  {
    ...SHARED,
    ...ACTORS,
    kind: Type.Literal('RetentionQuery'),
    retentionFilter: maybe(
      Type.Object(
        {
          retentionType: maybe(oneOf(...TYPES)),
          targetEntity: maybe(Entity),
          returningEntity: maybe(Entity),
          period: maybe(oneOf(...(Object.keys(PERIODS) as (keyof typeof PERIODS)[]))),
          totalIntervals: maybe(Type.Integer({ minimum: 1, maximum: MAX_INTERVALS })),
          cumulative: maybe(Type.Boolean()),
          minimumOccurrences: maybe(Type.Literal(1)),
          timeWindowMode: maybe(Type.Literal('strict_calendar_dates')),
          aggregationType: maybe(Type.Literal('count')),
          aggregationProperty: Type.Optional(Type.Null()),
          retentionCustomBrackets: maybe(Type.Array(Type.Unknown(), { maxItems: 0 })),
          retentionReference: Type.Optional(Type.Unknown()),
          meanRetentionCalculation: Type.Optional(Type.Unknown()),
          dashboardDisplay: Type.Optional(Type.Unknown()),
          display: Type.Optional(Type.Unknown()),
          showTrendLines: Type.Optional(Type.Unknown()),
        },
        { additionalProperties: false },
      ),
    ),
  },
  { additionalProperties: false },
)

export type RetentionQuery = Static<typeof SCHEMA>

const check = (given: unknown, context: FilterContext) => {
  checkShape(SCHEMA, given)
  const { retentionFilter } = given as RetentionQuery
  for (const field of ['targetEntity', 'returningEntity'] as const)
    filtersOf(retentionFilter?.[field]?.properties, `retentionFilter.${field}.properties`, context)
}

const nodeOf = (entity: Static<typeof Entity> | null | undefined): Node =>
  entity ? { event: entity.id ?? null, properties: entity.properties } : { event: '$pageview' }

export interface RetentionPlan {
  readonly query: RetentionQuery
  readonly type: (typeof TYPES)[number]
  readonly target: Node
  readonly returning: Node
  readonly isCumulative: boolean
  /** The period in which people begin. */
  readonly period: Period
  /** Starts of the intervals in which people begin. */
  readonly cohorts: readonly number[]
  /** Starts of all intervals, including those in which people return after the last cohort. */
  readonly intervals: readonly number[]
  /** The end of the last interval. */
  readonly end: number
  /** The number of intervals that a cohort is observed for. */
  readonly width: number
  readonly filters: FilterGroup
  readonly context: FilterContext
  readonly reading: Reading
}

const ONE = number(1)
const isOne = (flag: Sql): Sql => infix(flag, '=', ONE)

// The index of an instant's interval, from 1.
const intervalOf = (instant: Sql, { intervals }: RetentionPlan): Sql => {
  const starts = bound('Array(Int64)', intervals)
  return call('indexOf', starts, call('roundDown', instant, starts))
}

// The events that begin (`target`), return (`returning`), or have the target's name (`named`).
const eventRows = (plan: RetentionPlan, keyIn: (key: Sql) => Sql): SelectSql => {
  const { type, context } = plan
  const isRecurring = type === 'retention_recurring'
  const source = createSource(plan.reading, { takesWeights: isRecurring })
  const actor = actorOf(source, plan.query.aggregation_group_type_index)
  const all = passes(source, plan.filters, context)
  const named = isNamed(source, plan.target)
  const target = every([named, hasProperties(source, plan.target, context), all])
  const returning = every([isNamed(source, plan.returning), hasProperties(source, plan.returning, context), all])
  const isBegin = every(isWithin(source, plan.period))
  const isReturn = every([returning, ...isWithin(source, { from: plan.period.from, until: plan.end })])
  // A first time is determined by all earlier events.
  const begins = {
    retention_recurring: every([target, isBegin]),
    retention_first_time: every([target, ...isWithin(source, { until: plan.period.until })]),
    retention_first_ever_occurrence: every([named, ...isWithin(source, { until: plan.period.until })]),
  }[type]
  const flag = (test: Sql) => call('toUInt8', test)
  return {
    kind: 'select',
    items: [
      column(actor.id, 'person'),
      // Only the first time is searched among the events.
      ...(isRecurring ? [] : [column(source.instant, 'instant'), column(source.uuid, 'uuid')]),
      column(keyIn(keyOf(source, plan.query)), 'key'),
      column(intervalOf(source.among(plan.intervals).instant, plan), 'interval'),
      column(flag(begins), 'begins'),
      column(flag(every([target, isBegin])), 'counts'),
      column(flag(isReturn), 'returns'),
    ],
    from: source.from(),
    where: every([...actor.isThere, some([begins, isReturn])]),
  }
}

// One row per person: the person, their cohorts, as (interval, key), and the intervals in which they returned.
const personRows = (plan: RetentionPlan, keyIn: (key: Sql) => Sql): SelectSql => {
  const row = (of: string) => name('e', of)
  const cohort = call('tuple', row('interval'), row('key'))
  const first = call(
    'argMinIf',
    call('tuple', cohort, row('counts')),
    call('tuple', row('instant'), row('uuid')),
    isOne(row('begins')),
  )
  const isIn = every([infix(call('countIf', isOne(row('begins'))), '>', number(0)), isOne(part(first, 2))])
  const cohorts =
    plan.type === 'retention_recurring'
      ? call('groupUniqArrayIf', cohort, isOne(row('begins')))
      : call('if', isIn, call('array', part(first, 1)), call('array'))
  return {
    kind: 'select',
    items: [
      column(row('person'), 'person'),
      column(cohorts, 'cohorts'),
      column(call('groupUniqArrayIf', row('interval'), isOne(row('returns'))), 'returns'),
    ],
    from: from(eventRows(plan, keyIn), 'e'),
    groupBy: [row('person')],
  }
}

const cohortRows = (plan: RetentionPlan, keyIn: (key: Sql) => Sql): SelectSql => ({
  kind: 'select',
  items: [
    column(part(name('cohort'), 1), 'interval'),
    column(part(name('cohort'), 2), 'key'),
    column(name('p', 'returns'), 'returns'),
  ],
  from: from(personRows(plan, keyIn), 'p'),
  arrayJoin: { isLeft: false, items: [column(name('p', 'cohorts'), 'cohort')] },
})

const statementOf = (plan: RetentionPlan): SelectSql => {
  const row = (of: string) => name('c', of)
  // Keys are replaced before people are grouped, so that a person with two values under "Other" counts once.
  const rows = cohortRows(plan, (key) => shownKeyOf(key, () => cohortRows(plan, (raw) => raw), plan.query))
  const distance = infix(name('r'), '-', row('interval'))
  const isSeen = every([infix(distance, '>', number(0)), infix(distance, '<', number(plan.width))])
  const distances = call(
    'arrayMap',
    lambda(['r'], distance),
    call('arrayFilter', lambda(['r'], isSeen), row('returns')),
  )
  // A person who returned later had not left before.
  const columns = plan.isCumulative
    ? call('range', ONE, infix(call('arrayMax', call('arrayPushBack', distances, number(0))), '+', ONE))
    : distances
  const seen: SelectSql = {
    kind: 'select',
    items: [
      column(row('key'), 'key'),
      column(row('interval'), 'interval'),
      column(call('arrayMap', lambda(['d'], call('toUInt32', name('d'))), columns), 'columns'),
    ],
    from: from(rows, 'c'),
  }
  const each = (of: string) => name('s', of)
  const ones = call('arrayMap', lambda(['d'], call('toUInt64', ONE)), each('columns'))
  return {
    kind: 'select',
    items: [
      column(each('key'), 'key'),
      column(each('interval'), 'interval'),
      column(call('count'), 'people'),
      column(call('sumMap', each('columns'), ones), 'returned'),
    ],
    from: from(seen, 's'),
    groupBy: [each('key'), each('interval')],
  }
}

/**
 * Returns the people of a cell: those of a cohort who returned after a number of intervals, with the number of intervals in
 * which they returned. After none, all of the cohort. `cohort`: its index in the results.
 */
export const peopleOfCohort = (plan: RetentionPlan, cohort: number, after: number): SelectSql => {
  const row = (of: string) => name('p', of)
  const isInCohort = infix(part(name('c'), 1), '=', number(cohort + 1))
  const distance = infix(name('r'), '-', number(cohort + 1))
  const isSeen = every([infix(distance, '>', number(0)), infix(distance, '<', number(plan.width))])
  const hasReturned = infix(distance, plan.isCumulative ? '>=' : '=', number(after))
  return {
    kind: 'select',
    items: [
      column(row('person'), 'person'),
      column(call('arrayCount', lambda(['r'], isSeen), row('returns')), 'intervals'),
    ],
    from: from(
      personRows(plan, (key) => key),
      'p',
    ),
    where: every([
      call('arrayExists', lambda(['c'], isInCohort), row('cohorts')),
      ...(after > 0 ? [call('arrayExists', lambda(['r'], every([isSeen, hasReturned])), row('returns'))] : []),
    ]),
  }
}

const shape = (
  rows: InsightRows,
  { query, cohorts, intervals, end, width, context }: RetentionPlan,
): readonly unknown[] => {
  const isBroken = breakdownsOf(query).length > 0
  const word = query.retentionFilter?.period ?? 'Day'
  const counts = new Map<string, number>()
  const sizes = new Map<string, number>()
  const idOf = (key: string, cohort: number, distance: number) => `${cohort} ${distance} ${key}`
  for (const [given, interval, people, returned] of rows) {
    const key = String(given)
    const cohort = Number(interval) - 1
    sizes.set(key, (sizes.get(key) ?? 0) + Number(people))
    counts.set(idOf(key, cohort, 0), Number(people))
    const [distances, numbers] = returned as [number[], number[]]
    distances.forEach((distance, index) => counts.set(idOf(key, cohort, Number(distance)), Number(numbers[index])))
  }
  const isHidden = (key: string) => key === OTHER && query.breakdownFilter?.breakdown_hide_other_aggregation
  const byPeople = (a: string, b: string) => rankOf(a) - rankOf(b) || sizes.get(b)! - sizes.get(a)! || (a < b ? -1 : 1)
  const keys = isBroken ? [...sizes.keys()].filter((key) => !isHidden(key)).sort(byPeople) : ['[]']
  const isOver = (interval: number) =>
    (intervals[interval + 1] ?? (interval < intervals.length ? end : Infinity)) <= context.now
  return keys.flatMap((key) =>
    cohorts.map((start, cohort) => ({
      values: Array.from({ length: width }, (_, distance) => ({
        count: counts.get(idOf(key, cohort, distance)) ?? 0,
        label: `${word} ${distance}`,
        ...(isOver(cohort + distance) ? {} : { incomplete: true }),
      })),
      label: `${word} ${cohort}`,
      date: isoOf(start, context.zone),
      ...(isBroken ? { breakdown_value: valueOf(key, query) } : {}),
    })),
  )
}

const startsAfter = (start: number, count: number, interval: Interval, { zone }: FilterContext): readonly number[] => {
  const starts: number[] = []
  for (let next = start; starts.length < count; starts.push(next)) next = nextInterval(interval, next, zone)
  return starts
}

// Without a start, the last cohort is that of the range's end, and there are as many cohorts as observed intervals.
// With a start, all cohorts are observed equally long.
const calendarOf = (
  range: DateRange,
  {
    interval,
    width,
    context,
    isFromExact,
  }: { interval: Interval; width: number; context: FilterContext; isFromExact: boolean },
) => {
  const { zone } = context
  if (range.date_from) {
    const period = periodOf(range, { interval, ...context, isFromExact })
    const cohorts = bucketsOf(period, interval, zone)
    const [last, ...after] = startsAfter(cohorts.at(-1)!, width, interval, context).toReversed()
    return { period, cohorts, intervals: [...cohorts, ...after.toReversed()], end: last! }
  }
  const until = endOf(range, { interval, ...context })
  const from = intervalStart(
    interval,
    moveInstant(zone, interval, 1 - width, intervalStart(interval, until - 1, zone)),
    zone,
  )
  const cohorts = bucketsOf({ from, until }, interval, zone)
  return { period: { from, until }, cohorts, intervals: cohorts, end: until }
}

/** Returns the plan of a retention. Throws `ApiError` if its result could be too large. */
export const retentionPlanOf = (
  query: RetentionQuery,
  { context, filters, isFromExact, reading }: Omit<PlanOptions, 'projectId'>,
): RetentionPlan => {
  const { retentionFilter } = query
  const interval = PERIODS[retentionFilter?.period ?? 'Day']
  const width = retentionFilter?.totalIntervals ?? DEFAULT_INTERVALS
  const calendar = calendarOf(query.dateRange ?? {}, { interval, width, context, isFromExact })
  const lines = calendar.cohorts.length * (breakdownsOf(query).length ? breakdownLimitOf(query) + 1 : 1)
  if (lines * width > MAX_CELLS) {
    throw new ApiError('invalid_input', {
      detail: `The result could have ${lines * width} numbers, more than ${MAX_CELLS}. Choose a shorter range, a longer "period", fewer "totalIntervals" or a smaller "breakdown_limit".`,
      attr: 'date_from',
    })
  }
  return {
    ...calendar,
    query,
    type: retentionFilter?.retentionType ?? 'retention_first_time',
    target: nodeOf(retentionFilter?.targetEntity),
    returning: nodeOf(retentionFilter?.returningEntity),
    isCumulative: retentionFilter?.cumulative ?? false,
    width,
    filters,
    context,
    reading,
  }
}

/** Retention: people by the interval in which they began, and how many of them returned in later intervals. */
export const RETENTION: Insight<RetentionQuery> = {
  beginsAlone: true,
  check,
  events: ({ retentionFilter }) =>
    eventsOf([nodeOf(retentionFilter?.targetEntity), nodeOf(retentionFilter?.returningEntity)]),
  plan(query, { projectId, ...options }) {
    const plan = retentionPlanOf(query, options)
    return {
      statements: [print(statementOf(plan), projectId)],
      shape: ([rows]) => ({ results: shape(rows!, plan), hasMore: rows!.some(([key]) => key === OTHER) }),
    }
  },
}
