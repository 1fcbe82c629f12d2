import type { Query } from '../../api/query.ts'
import { joinList, splitList } from '../../lib/listText.ts'
import { type Interval, periodOf } from '../../lib/period.ts'
import { oneOf, sharedFields, toNode } from '../insightQuery.ts'

/** How a series aggregates its events. `isNumeric`: it aggregates the numbers of a property. */
export const MATHS = [
  { value: 'total', label: 'Events' },
  { value: 'dau', label: 'People' },
  { value: 'unique_session', label: 'Sessions' },
  { value: 'weekly_active', label: 'People in 7 days' },
  { value: 'monthly_active', label: 'People in 30 days' },
  { value: 'first_time_for_user', label: 'First time of a person' },
  { value: 'sum', label: 'Sum of', isNumeric: true },
  { value: 'avg', label: 'Average of', isNumeric: true },
  { value: 'median', label: 'Median of', isNumeric: true },
  { value: 'p90', label: '90th percentile of', isNumeric: true },
  { value: 'p99', label: '99th percentile of', isNumeric: true },
  { value: 'min', label: 'Minimum of', isNumeric: true },
  { value: 'max', label: 'Maximum of', isNumeric: true },
] as const satisfies readonly { value: string; label: string; isNumeric?: true }[]

export type MathName = (typeof MATHS)[number]['value']

export const DISPLAYS = [
  { value: 'line', label: 'Line', wire: 'ActionsLineGraph' },
  { value: 'bar', label: 'Bars', wire: 'ActionsUnstackedBar' },
  { value: 'number', label: 'Number', wire: 'BoldNumber' },
  { value: 'table', label: 'Table', wire: 'ActionsTable' },
] as const
export type Display = (typeof DISPLAYS)[number]['value']

export const COMPARISONS = [
  { value: 'none', label: 'No comparison' },
  { value: 'previous', label: 'Period before' },
  { value: 'year', label: 'A year ago' },
] as const
type Comparison = (typeof COMPARISONS)[number]['value']

const COMPARE_FIELDS: Readonly<Record<Comparison, Readonly<Record<string, unknown>>>> = {
  none: {},
  previous: { compareFilter: { compare: true } },
  year: { compareFilter: { compare: true, compare_to: '-1y' } },
}

export const INTERVALS = ['hour', 'day', 'week', 'month'] as const satisfies readonly Interval[]
export const MAX_SERIES = 5

export interface TrendSeries {
  /** `''` is any event. */
  readonly event: string
  readonly math: MathName
  /** Property whose numbers are used, `''` if the math needs none. Those of persons begin with `person.`. */
  readonly property: string
}

export const needsProperty = (math: MathName): boolean =>
  MATHS.some((each) => each.value === math && 'isNumeric' in each)

/** Writes a series for the URL: `total,$pageview`, or `sum,purchase,price`. */
export const formatSeries = ({ event, math, property }: TrendSeries): string =>
  joinList([math, event, ...(property ? [property] : [])])

const parseSeries = (text: string): TrendSeries => {
  const [math = '', event = '', property = ''] = splitList(text)
  return { math: oneOf(math, MATHS), event, property }
}

const DEFAULT_SERIES: TrendSeries = { event: '$pageview', math: 'dau', property: '' }

/** The settings of a trend, from the URL. */
export const trendsOf = (search: URLSearchParams) => {
  const series = search.getAll('s').slice(0, MAX_SERIES).map(parseSeries)
  return {
    series: series.length ? series : [DEFAULT_SERIES],
    display: oneOf(search.get('display'), DISPLAYS),
    compare: oneOf(search.get('compare'), COMPARISONS),
    interval: INTERVALS.find((each) => each === search.get('interval')) ?? periodOf(search).interval,
    formula: search.get('formula') ?? '',
    breakdown: search.get('by') ?? '',
  }
}

const toSeriesNode = ({ event, math, property }: TrendSeries) => {
  const isOfPerson = property.startsWith('person.')
  return {
    ...toNode(event),
    math,
    ...(needsProperty(math) && property
      ? {
          math_property: isOfPerson ? property.slice('person.'.length) : property,
          math_property_type: isOfPerson ? 'person_properties' : 'event_properties',
        }
      : {}),
  }
}

/** Returns the query of a trend, from the URL. */
export const trendsQuery = (search: URLSearchParams): Query => {
  const { series, display, compare, interval, formula } = trendsOf(search)
  return {
    kind: 'TrendsQuery',
    ...sharedFields(search),
    series: series.map(toSeriesNode),
    interval,
    trendsFilter: {
      display: DISPLAYS.find(({ value }) => value === display)!.wire,
      ...(formula ? { formula } : {}),
    },
    ...COMPARE_FIELDS[compare],
  }
}
