import { type Static, type TSchema, Type } from '@sinclair/typebox'
import { call, infix, name, type SelectSql, type Sql } from '../../sql/catalog/physical.ts'
import { print } from '../../sql/print/print.ts'
import { ApiError } from '../../lib/apiError.ts'
import { isKeyOf } from './breakdown.ts'
import { checkShape, fieldError } from './check.ts'
import { peopleOf } from './funnelPeople.ts'
import type { FunnelsQuery } from './funnelQuery.ts'
import { funnelPlanOf, FUNNELS } from './funnels.ts'
import type { Insight, PlanOptions } from './insight.ts'
import { isoOf, namesOf } from './period.ts'
import { peopleOfCohort, RETENTION, retentionPlanOf, type RetentionQuery } from './retention.ts'
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

/**
 * A step of a funnel, from 1: the people who reached it or, negative, those who reached the previous step but not this
 * one.
 */
const FUNNEL_STEP = Type.Object(
  {
    kind: Type.Literal('FunnelsActorsQuery'),
    source: Type.Object({ kind: Type.Literal('FunnelsQuery') }),
    funnelStep: Type.Integer({ minimum: -20, maximum: 20 }),
    funnelStepBreakdown: BREAKDOWN,
  },
  { additionalProperties: false },
)

/** A retention cell: the people of a cohort who returned after some intervals. The cohort is named by its `date` in the results. */
const RETENTION_CELL = Type.Object(
  {
    kind: Type.Literal('RetentionActorsQuery'),
    source: Type.Object({ kind: Type.Literal('RetentionQuery') }),
    date: Type.String({ maxLength: 40 }),
    interval: maybe(Type.Integer({ minimum: 0, maximum: 366 })),
  },
  { additionalProperties: false },
)

const ACTORS_QUERY = Type.Object(
  {
    kind: Type.Literal('ActorsQuery'),
    source: Type.Object({ kind: oneOf('InsightActorsQuery', 'FunnelsActorsQuery', 'RetentionActorsQuery') }),
    limit: maybe(Type.Integer({ minimum: 1, maximum: MAX_LIMIT })),
    offset: maybe(Type.Integer({ minimum: 0, maximum: MAX_OFFSET })),
  },
  { additionalProperties: false },
)

type TrendsPoint = Omit<Static<typeof TRENDS_POINT>, 'source'> & { readonly source: TrendsQuery }
type FunnelStep = Omit<Static<typeof FUNNEL_STEP>, 'source'> & { readonly source: FunnelsQuery }
type RetentionCell = Omit<Static<typeof RETENTION_CELL>, 'source'> & { readonly source: RetentionQuery }
type Source = TrendsPoint | FunnelStep | RetentionCell
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

/** Throws `ApiError` unless a breakdown value has as many parts as the insight has breakdowns. */
const checkBreakdown = (
  field: string,
  breakdown: string | null | readonly (string | null)[] | undefined,
  query: SharedQuery,
): void => {
  const broken = breakdownsOf(query).length
  if (breakdown !== undefined && [breakdown].flat().length !== broken && [breakdown].flat()[0] !== 'Other')
    throw fieldError(field, `must have one value for each breakdown of the insight, which has ${broken}`)
}

const checkNoGroups = ({ aggregation_group_type_index: index }: FunnelsQuery | RetentionQuery): void => {
  if (typeof index === 'number')
    throw fieldError('source.source.aggregation_group_type_index', 'must be absent: groups have no people')
}

const checkPoint = ({ source, series, breakdown, compare }: TrendsPoint): void => {
  checkBreakdown('source.breakdown', breakdown, source)
  if ((series ?? 0) >= source.series.length)
    throw fieldError('source.series', `must be less than ${source.series.length}, the number of series`)
  if (compare === 'previous' && !source.compareFilter?.compare)
    throw fieldError('source.compare', 'requires an insight with a "compareFilter"')
}

const checkStep = ({ source, funnelStep, funnelStepBreakdown }: FunnelStep): void => {
  const steps = source.series.length
  checkBreakdown('source.funnelStepBreakdown', funnelStepBreakdown, source)
  if (funnelStep === 0 || funnelStep === -1 || Math.abs(funnelStep) > steps)
    throw fieldError(
      'source.funnelStep',
      `must be a step from 1 to ${steps}, or from -2 to -${steps} for those who left before it`,
    )
  checkNoGroups(source)
}

const checkCell = ({ source }: RetentionCell): void => {
  checkNoGroups(source)
  if (breakdownsOf(source).length)
    throw fieldError('source.source.breakdownFilter', 'must be absent: the people of a cohort are listed as a whole')
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
  // A total has one point, regardless of its day.
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

/** Returns the people of a cohort who returned after some intervals. */
const peopleOfCell = ({ source, date, interval }: RetentionCell, options: PlanOptions): SelectSql => {
  const plan = retentionPlanOf(source, options)
  const dates = plan.cohorts.map((start) => isoOf(start, options.context.zone))
  const cohort = dates.indexOf(date)
  if (cohort < 0)
    throw fieldError('source.date', `must be one of the "date"s of the insight's results, such as "${dates[0]!}"`)
  const after = interval ?? 0
  if (after >= plan.width)
    throw fieldError('source.interval', `must be less than ${plan.width}, the number of intervals of the insight`)
  return peopleOfCohort(plan, cohort, after)
}

interface Kind<Of extends Source> {
  readonly schema: TSchema
  readonly insight: Pick<Insight<Of['source']>, 'check' | 'events' | 'beginsAlone'>
  /** Checks what the schema cannot express, once the insight is checked. Throws `ApiError`. */
  readonly check: (source: Of) => void
  /** Returns a row for each person: the person, and a number by which they are ordered. */
  readonly people: (source: Of, options: PlanOptions) => SelectSql
  /** Name of the number in the response. */
  readonly count: string
}

const KINDS: { readonly [Name in Source['kind']]: Kind<Extract<Source, { kind: Name }>> } = {
  InsightActorsQuery: {
    schema: TRENDS_POINT,
    insight: TRENDS,
    check: checkPoint,
    people: peopleOfPoint,
    count: 'event_count',
  },
  FunnelsActorsQuery: {
    schema: FUNNEL_STEP,
    insight: FUNNELS,
    check: checkStep,
    people: peopleOfStep,
    count: 'steps',
  },
  RetentionActorsQuery: {
    schema: RETENTION_CELL,
    insight: RETENTION,
    check: checkCell,
    people: peopleOfCell,
    count: 'intervals',
  },
}

// TypeScript does not see that the kind is that of the source.
const kindOf = ({ kind }: Source): Kind<Source> => KINDS[kind] as unknown as Kind<Source>

/** The people behind a point of a trends chart, a step of a funnel or a cell of a retention. */
export const ACTORS: Insight<ActorsQuery> = {
  beginsAlone: true,
  isLive: true,
  check(query, context) {
    checkShape(ACTORS_QUERY, query)
    const { source } = query as ActorsQuery
    const { schema, insight, check } = kindOf(source)
    checkShape(schema, source, 'source')
    checkInside(() => {
      insight.check(source.source, context)
      checkShared(source.source, context)
      if (!insight.beginsAlone || source.source.dateRange?.date_from) checkRange(source.source, context)
    })
    check(source)
  },
  events: ({ source }) => kindOf(source).insight.events(source.source),
  plan({ source: given, dateRange, limit: wanted, offset: skipped }, { projectId, ...options }) {
    const [limit, offset] = [wanted ?? DEFAULT_LIMIT, skipped ?? 0]
    const filters = filtersOf(given.source.properties, `${INSIGHT}.properties`, options.context)
    const inside: PlanOptions = { ...options, projectId, filters: { type: 'AND', values: [filters, options.filters] } }
    const source = { ...given.source, dateRange: { ...given.source.dateRange, ...dateRange } }
    const { people: peopleOf, count } = kindOf(given)
    const people = peopleOf({ ...given, source } as Source, inside)
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
        columns: ['actor', count],
        results: rows!.slice(0, limit).map(([id, number]) => [{ type: 'person', id }, Number(number)]),
        hasMore: rows!.length > limit,
        limit,
        offset,
      }),
    }
  },
}
