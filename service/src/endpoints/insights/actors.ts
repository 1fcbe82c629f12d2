import { type Static, Type } from '@sinclair/typebox'
import { call, infix, name, type SelectSql, type Sql } from '../../sql/catalog/physical.ts'
import { print } from '../../sql/print/print.ts'
import { ApiError } from '../../lib/apiError.ts'
import { isKeyOf } from './breakdown.ts'
import { checkShape, fieldError } from './check.ts'
import type { FilterContext } from './filters.ts'
import { peopleOf } from './funnelPeople.ts'
import type { FunnelsQuery } from './funnelQuery.ts'
import { funnelPlanOf, FUNNELS } from './funnels.ts'
import type { Insight, PlanOptions } from './insight.ts'
import { namesOf } from './period.ts'
import { column, from, number } from './select.ts'
import { breakdownsOf, checkRange, checkShared, filtersOf, maybe, oneOf, type SharedQuery } from './shared.ts'
import { bound, every } from './source.ts'
import { TRENDS, trendsPlans } from './trends/trends.ts'
import { isTotalValue, type TrendsQuery } from './trends/trendsQuery.ts'
import { peopleRows } from './trends/trendsStatement.ts'

const DEFAULT_LIMIT = 100
const MAX_LIMIT = 1_000
const MAX_OFFSET = 100_000

const BreakdownValue = Type.Union([Type.String({ maxLength: 10_000 }), Type.Null()])
const BREAKDOWN = Type.Optional(Type.Union([Type.Array(BreakdownValue, { maxItems: 3 }), BreakdownValue]))

/** A point of a chart: `day` as in the `days` of its results. Absent: the whole period. */
const TRENDS_POINT = Type.Object(
  {
    kind: Type.Literal('InsightActorsQuery'),
    source: Type.Object({ kind: Type.Literal('TrendsQuery') }),
    series: maybe(Type.Integer({ minimum: 0, maximum: 25 })),
    day: maybe(Type.String({ maxLength: 40 })),
    breakdown: BREAKDOWN,
    compare: maybe(oneOf('current', 'previous')),
  },
  { additionalProperties: false },
)

/** A step of a funnel, from 1: the people who reached it or, negative, those who reached the one before but not this. */
const FUNNEL_STEP = Type.Object(
  {
    kind: Type.Literal('FunnelsActorsQuery'),
    source: Type.Object({ kind: Type.Literal('FunnelsQuery') }),
    funnelStep: Type.Integer({ minimum: -20, maximum: 20 }),
    funnelStepBreakdown: BREAKDOWN,
  },
  { additionalProperties: false },
)

const ACTORS_QUERY = Type.Object(
  {
    kind: Type.Literal('ActorsQuery'),
    source: Type.Object({ kind: oneOf('InsightActorsQuery', 'FunnelsActorsQuery') }),
    limit: maybe(Type.Integer({ minimum: 1, maximum: MAX_LIMIT })),
    offset: maybe(Type.Integer({ minimum: 0, maximum: MAX_OFFSET })),
  },
  { additionalProperties: false },
)

type TrendsPoint = Omit<Static<typeof TRENDS_POINT>, 'source'> & { readonly source: TrendsQuery }
type FunnelStep = Omit<Static<typeof FUNNEL_STEP>, 'source'> & { readonly source: FunnelsQuery }
type Source = TrendsPoint | FunnelStep
type ActorsQuery = Omit<Static<typeof ACTORS_QUERY>, 'source'> & SharedQuery & { readonly source: Source }

const INSIGHT = 'source.source'

/** Runs a check of the insight. Its errors name the fields as they are within the whole query. */
const checkInside = (check: () => void): void => {
  try {
    check()
  } catch (error) {
    if (!(error instanceof ApiError) || error.code !== 'query_invalid') throw error
    const { detail, extra } = error.details
    throw new ApiError('query_invalid', {
      ...error.details,
      ...(detail ? { detail: detail.replaceAll('"query.', `"query.${INSIGHT}.`) } : {}),
      ...(typeof extra?.field === 'string'
        ? { extra: { ...extra, field: extra.field.replace('query.', `query.${INSIGHT}.`) } }
        : {}),
    })
  }
}

const checkSource = (source: Source, context: FilterContext): void => {
  const isTrends = source.kind === 'InsightActorsQuery'
  checkShape(isTrends ? TRENDS_POINT : FUNNEL_STEP, source, 'source')
  checkInside(() => {
    const { check } = isTrends ? TRENDS : FUNNELS
    check(source.source, context)
    checkShared(source.source, context)
    checkRange(source.source, context)
  })
  const steps = source.source.series.length
  const broken = breakdownsOf(source.source).length
  const [field, breakdown] = isTrends
    ? (['source.breakdown', source.breakdown] as const)
    : (['source.funnelStepBreakdown', source.funnelStepBreakdown] as const)
  if (breakdown !== undefined && [breakdown].flat().length !== broken && [breakdown].flat()[0] !== 'Other')
    throw fieldError(field, `must have one value for each breakdown of the insight, which has ${broken}`)
  if (isTrends) {
    if ((source.series ?? 0) >= steps)
      throw fieldError('source.series', `must be less than ${steps}, the number of series`)
    if (source.compare === 'previous' && !source.source.compareFilter?.compare)
      throw fieldError('source.compare', 'needs an insight with a "compareFilter"')
    return
  }
  const { funnelStep, source: funnel } = source
  if (funnelStep === 0 || funnelStep === -1 || Math.abs(funnelStep) > steps)
    throw fieldError(
      'source.funnelStep',
      `must be a step from 1 to ${steps}, or from -2 to -${steps} for those who left before it`,
    )
  if (typeof funnel.aggregation_group_type_index === 'number')
    throw fieldError('source.source.aggregation_group_type_index', 'must be absent: groups have no people')
}

const isBreakdown = (key: Sql, breakdown: string | null | readonly (string | null)[] | undefined): readonly Sql[] =>
  breakdown === undefined ? [] : [isKeyOf(key, [breakdown].flat())]

/** Returns the people of a point, with the number of their events. */
const peopleOfPoint = ({ source, series, day, breakdown, compare }: TrendsPoint, options: PlanOptions): SelectSql => {
  const plans = trendsPlans(source, options)
  const plan = plans[compare === 'previous' ? 1 : 0]!
  const { zone } = options.context
  const interval = source.interval ?? 'day'
  const nameOf = (start: number) => namesOf(start, interval, zone).day
  // A total has one point, whatever its day.
  const isOnDay = Boolean(day) && !isTotalValue(source)
  const bucket = plan.buckets.find((start) => !isOnDay || nameOf(start) === day)
  if (bucket === undefined)
    throw fieldError(
      'source.day',
      `must be one of the "days" of the insight's results, such as "${nameOf(plan.buckets[0]!)}"`,
    )
  const row = (of: string) => name('g', of)
  return {
    kind: 'select',
    items: [column(row('value'), 'person'), column(call('count'), 'events')],
    from: from(peopleRows(source.series[series ?? 0]!, plan), 'g'),
    where: every([
      ...(isOnDay ? [infix(row('bucket'), '=', bound('Int64', bucket))] : []),
      ...isBreakdown(row('key'), breakdown),
    ]),
    groupBy: [row('value')],
  }
}

/** Returns the people who reached a step, or left before it. */
const peopleOfStep = ({ source, funnelStep, funnelStepBreakdown }: FunnelStep, options: PlanOptions): SelectSql => {
  const plan = funnelPlanOf({ ...source, funnelsFilter: { ...source.funnelsFilter, funnelVizType: 'steps' } }, options)
  const row = (of: string) => name('g', of)
  const reached = call('length', row('times'))
  return {
    kind: 'select',
    items: [column(row('person'), 'person'), column(call('any', reached), 'steps')],
    from: from(peopleOf(plan), 'g'),
    where: every([
      funnelStep > 0 ? infix(reached, '>=', number(funnelStep)) : infix(reached, '=', number(-funnelStep - 1)),
      ...isBreakdown(row('key'), funnelStepBreakdown),
    ]),
    groupBy: [row('person')],
  }
}

/** The people behind a point of a trends chart or a step of a funnel. */
export const ACTORS: Insight<ActorsQuery> = {
  beginsAlone: true,
  isLive: true,
  check(query, context) {
    checkShape(ACTORS_QUERY, query)
    checkSource((query as ActorsQuery).source, context)
  },
  events: ({ source: { kind, source } }) =>
    kind === 'InsightActorsQuery' ? TRENDS.events(source) : FUNNELS.events(source),
  plan({ source: given, dateRange, limit: wanted, offset: skipped }, { projectId, ...options }) {
    const [limit, offset] = [wanted ?? DEFAULT_LIMIT, skipped ?? 0]
    const filters = filtersOf(given.source.properties, `${INSIGHT}.properties`, options.context)
    const inside: PlanOptions = { ...options, projectId, filters: { type: 'AND', values: [filters, options.filters] } }
    const bounded = <Query extends SharedQuery>(source: Query): Query => ({
      ...source,
      dateRange: { ...source.dateRange, ...dateRange },
    })
    const isPoint = given.kind === 'InsightActorsQuery'
    const people = isPoint
      ? peopleOfPoint({ ...given, source: bounded(given.source) }, inside)
      : peopleOfStep({ ...given, source: bounded(given.source) }, inside)
    const statement: SelectSql = {
      ...people,
      orderBy: [
        { by: people.items[1]!.value, isDescending: true },
        { by: people.items[0]!.value, isDescending: false },
      ],
      limit: bound('UInt64', limit + 1),
      offset: bound('UInt64', offset),
    }
    return {
      statements: [print(statement, projectId)],
      shape: ([rows]) => ({
        columns: ['actor', isPoint ? 'event_count' : 'steps'],
        results: rows!.slice(0, limit).map(([id, count]) => [{ type: 'person', id }, Number(count)]),
        hasMore: rows!.length > limit,
        limit,
        offset,
      }),
    }
  },
}
