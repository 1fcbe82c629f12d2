import { ApiError } from '../../lib/apiError.ts'
import type { ValidationIssue } from '../../lib/apiError.ts'
import type { Filter, FilterContext, FilterGroup } from './filters.ts'
import { ACTORS } from './actors.ts'
import { FUNNELS } from './funnels.ts'
import type { Insight, Plan } from './insight.ts'
import { DATE_FORMS, type DateRange, RangeReversed, readDate, reversedRange } from './period.ts'
import { RETENTION } from './retention.ts'
import { breakdownsOf, checkRange, checkShared, filtersOf, type SharedQuery } from './shared.ts'
import { LIVE, type PropertyRef, type Reading } from './source.ts'
import { TRENDS } from './trends/trends.ts'
import { WEB_OVERVIEW } from './web/overview.ts'
import { WEB_STATS_TABLE } from './web/statsTable.ts'
import { WEB_VITALS } from './web/vitals.ts'
import { createZone, type Zone } from './zone.ts'
import { own } from '../../lib/own.ts'

const KINDS: Readonly<Record<string, Insight<never>>> = {
  TrendsQuery: TRENDS,
  FunnelsQuery: FUNNELS,
  RetentionQuery: RETENTION,
  WebOverviewQuery: WEB_OVERVIEW,
  WebStatsTableQuery: WEB_STATS_TABLE,
  ActorsQuery: ACTORS,
  WebVitalsQuery: WEB_VITALS,
}

/** The kinds of insight that an endpoint can hold. */
export const INSIGHT_KINDS: readonly string[] = Object.keys(KINDS)

/** A checked insight query, as stored with an endpoint. */
export interface InsightQuery extends SharedQuery {
  readonly kind: string
}

export const isInsight = (query: unknown): query is InsightQuery =>
  typeof query === 'object' &&
  query !== null &&
  'kind' in query &&
  typeof query.kind === 'string' &&
  Object.hasOwn(KINDS, query.kind)

/** The time zone in which a query is checked before it is stored: a valid date is valid in every time zone. */
export const UTC: Zone = createZone('UTC')

/** Throws `ApiError` unless the query can be run. */
export const checkInsight = (query: InsightQuery, context: FilterContext = { zone: UTC, now: Date.now() }): void => {
  const { check, beginsAlone } = own(KINDS, query.kind)!
  check(query, context)
  checkShared(query, context)
  if (!beginsAlone || query.dateRange?.date_from) checkRange(query, context)
}

const MAX_TEXT = 10_000
const DATES: readonly string[] = ['date_from', 'date_to']
const isDate = (name: string) => DATES.includes(name)

/**
 * Returns the variables of an insight: each property of its breakdown and, if it accepts dates, `date_from` and
 * `date_to`.
 */
export const variablesOf = (
  query: InsightQuery,
  takesDates: boolean,
): readonly { readonly name: string; readonly isDate: boolean }[] => [
  ...breakdownsOf(query).map(({ key }) => ({ name: key, isDate: false })),
  ...(takesDates ? DATES : []).map((name) => ({ name, isDate: true })),
]

// An empty value selects the events without the property, which are one line of the breakdown.
const filterFor = ({ key, type, group_type_index }: PropertyRef, value: string): Filter | FilterGroup => {
  const of = { key, ...(type ? { type } : {}), ...(typeof group_type_index === 'number' ? { group_type_index } : {}) }
  return value === ''
    ? {
        type: 'OR',
        values: [
          { ...of, operator: 'is_not_set' },
          { ...of, operator: 'exact', value: '' },
        ],
      }
    : { ...of, operator: 'exact', value }
}

/** Returns the filters and dates of one run. Throws an `ApiError` that lists every unknown or invalid variable. */
const bindVariables = (
  query: InsightQuery,
  { variables: given, takesDates = true }: InsightRun,
  context: FilterContext,
) => {
  const faults: ValidationIssue[] = []
  const reject = (path: string, code: string, message: string) =>
    faults.push({ path, code, message: `"${path}" ${message}` })
  const breakdowns = breakdownsOf(query)
  const names = breakdowns.map(({ key }) => key)
  const variables = variablesOf(query, takesDates)
  const filters: (Filter | FilterGroup)[] = []
  const dates = new Map<string, string>()
  for (const key of Object.keys(given).sort()) {
    const value = own(given, key)
    if (names.includes(key)) {
      const isValue =
        (typeof value === 'string' && value.length <= MAX_TEXT) ||
        typeof value === 'number' ||
        typeof value === 'boolean'
      if (isValue)
        filters.push(
          filterFor(
            breakdowns.find((each) => each.key === key)!,
            String(value),
          ),
        )
      else
        reject(
          key,
          value === null ? 'required' : 'wrong_type',
          'must be the value that the property equals: a string, a number, true or false. Omit it for all values',
        )
    } else if (isDate(key) && !takesDates) {
      reject(
        key,
        'not_available',
        'is not available, because this endpoint is materialized. Omit it, create the endpoint without "is_materialized", or set its "date_variables" to true',
      )
    } else if (isDate(key)) {
      if (typeof value === 'string' && readDate(value, context.zone, context.now)) dates.set(key, value)
      else reject(key, value === null ? 'required' : 'wrong_type', `takes ${DATE_FORMS}`)
    } else {
      reject(
        key,
        'unknown',
        `is not a variable of this endpoint${variables.length ? `, whose variables are ${variables.map(({ name }) => `"${name}"`).join(', ')}` : ', which has none'}`,
      )
    }
  }
  if (faults.length)
    throw new ApiError('invalid_variables', {
      detail: `${faults.map(({ message }) => message).join('; ')}.`,
      attr: 'variables',
      errors: faults,
    })
  return { filters, dates: Object.fromEntries(dates) as { date_from?: string; date_to?: string } }
}

export interface InsightRun {
  readonly projectId: number
  readonly variables: Readonly<Record<string, unknown>>
  readonly zone: Zone
  readonly now: number
  /** Whether dates are variables. Default true. */
  readonly takesDates?: boolean
  /** Default: the events themselves. */
  readonly reading?: Reading
}

/** Whether every insight of a query's kind is computed from whole sessions. */
export const readsWholeSessions = ({ kind }: InsightQuery): boolean => Boolean(own(KINDS, kind)!.readsSessions)

/** Whether a query's kind is never materialized, although it reads events only. */
export const isAlwaysLive = ({ kind }: InsightQuery): boolean => Boolean(own(KINDS, kind)!.isLive)

/** Returns the names of all events that an insight reads. `undefined`: any event. */
export const eventsOfInsight = (query: InsightQuery): readonly string[] | undefined =>
  own(KINDS, query.kind)!.events(query as never)

/** Returns the error for a range, for a date that the caller sent rather than one of the insight. */
const aboutSentDates = (error: ApiError, sent: DateRange, { dateRange }: InsightQuery): ApiError => {
  if (error instanceof RangeReversed) {
    const { detail, attr } = reversedRange(sent, dateRange ?? {})
    return new ApiError('invalid_input', { detail: `${detail}.`, attr })
  }
  if (error.details.attr !== 'date_from' || sent.date_from) return error
  return new ApiError(error.code, { ...error.details, attr: sent.date_to ? 'date_to' : 'query' })
}

/** Plans one run of an insight. Throws `ApiError` if a variable is unknown or invalid. */
export const planInsight = (query: InsightQuery, run: InsightRun): Plan => {
  const { projectId, zone, now, reading = LIVE } = run
  const context = { zone, now }
  const { filters, dates } = bindVariables(query, run, context)
  const bound = Object.keys(dates).length ? { ...query, dateRange: { ...query.dateRange, ...dates } } : query
  const ofQuery = filtersOf(query.properties, 'properties', context)
  try {
    return own(KINDS, query.kind)!.plan(bound as never, {
      projectId,
      context,
      filters: { type: 'AND', values: [ofQuery, ...filters] },
      isFromExact: dates.date_from !== undefined,
      reading,
    })
  } catch (error) {
    throw error instanceof ApiError ? aboutSentDates(error, dates, query) : error
  }
}
