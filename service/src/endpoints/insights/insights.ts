import { ApiError } from '../../lib/apiError.ts'
import type { ValidationIssue } from '../../lib/apiError.ts'
import type { Filter, FilterContext, FilterGroup } from './filters.ts'
import { FUNNELS } from './funnels.ts'
import type { Insight, Plan } from './insight.ts'
import { DATE_FORMS, type DateRange, RangeReversed, readDate, reversedRange } from './period.ts'
import { RETENTION } from './retention.ts'
import { breakdownsOf, checkRange, checkShared, filtersOf, type SharedQuery } from './shared.ts'
import { LIVE, type PropertyRef, type Reading } from './source.ts'
import { TRENDS } from './trends.ts'
import { createZone, type Zone } from './zone.ts'

const KINDS: Readonly<Record<string, Insight<never>>> = {
  TrendsQuery: TRENDS,
  FunnelsQuery: FUNNELS,
  RetentionQuery: RETENTION,
}

/** The kinds of insight that an endpoint can hold. */
export const INSIGHT_KINDS: readonly string[] = Object.keys(KINDS)

/** A checked insight query, as an endpoint keeps it. */
export interface InsightQuery extends SharedQuery {
  readonly kind: string
}

export const isInsight = (query: unknown): query is InsightQuery =>
  typeof query === 'object' &&
  query !== null &&
  'kind' in query &&
  typeof query.kind === 'string' &&
  Object.hasOwn(KINDS, query.kind)

/** The calendar by which a query is checked before it is kept: a date is one in every time zone. */
export const UTC: Zone = createZone('UTC')

/** Throws `ApiError` unless the query can be run. */
export const checkInsight = (query: InsightQuery, context: FilterContext = { zone: UTC, now: Date.now() }): void => {
  const { check, beginsAlone } = KINDS[query.kind]!
  check(query, context)
  checkShared(query, context)
  if (!beginsAlone || query.dateRange?.date_from) checkRange(query, context)
}

const MAX_TEXT = 10_000
const DATES: readonly string[] = ['date_from', 'date_to']
const isDate = (name: string) => DATES.includes(name)

/** The variables of an insight: each property of its breakdown and, if it takes them, its dates. */
export const variablesOf = (
  query: InsightQuery,
  takesDates: boolean,
): readonly { readonly name: string; readonly isDate: boolean }[] => [
  ...breakdownsOf(query).map(({ key }) => ({ name: key, isDate: false })),
  ...(takesDates ? DATES : []).map((name) => ({ name, isDate: true })),
]

// An empty value asks for the events without the property, of which the breakdown makes one line.
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

/** The query and filters of one run. Throws `ApiError` that lists every variable which is unknown or of the wrong form. */
const bindVariables = (
  query: InsightQuery,
  { variables: given, takesDates = true }: InsightRun,
  context: FilterContext,
) => {
  const faults: ValidationIssue[] = []
  const refuse = (path: string, code: string, message: string) =>
    faults.push({ path, code, message: `"${path}" ${message}` })
  const breakdowns = breakdownsOf(query)
  const names = breakdowns.map(({ key }) => key)
  const variables = variablesOf(query, takesDates)
  const filters: (Filter | FilterGroup)[] = []
  const dates: Record<string, string> = {}
  for (const key of Object.keys(given).sort()) {
    const value = given[key]
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
        refuse(
          key,
          value === null ? 'required' : 'wrong_type',
          'takes the value that the property must equal: a text, a number, true or false; leave it out for all values',
        )
    } else if (isDate(key) && !takesDates) {
      refuse(
        key,
        'not_available',
        'is not available, because this endpoint is materialized: leave it out, create the endpoint without "is_materialized", or set its "date_variables" to true',
      )
    } else if (isDate(key)) {
      if (typeof value === 'string' && readDate(value, context.zone, context.now)) dates[key] = value
      else refuse(key, value === null ? 'required' : 'wrong_type', `takes ${DATE_FORMS}`)
    } else {
      refuse(
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
  return { filters, dates }
}

export interface InsightRun {
  readonly projectId: number
  readonly variables: Readonly<Record<string, unknown>>
  readonly zone: Zone
  readonly now: number
  /** Whether its dates are variables: true if absent. */
  readonly takesDates?: boolean
  /** Absent: the events themselves. */
  readonly reading?: Reading
}

/** The names of all events that an insight looks at; `undefined`: it may be any. */
export const eventsOfInsight = (query: InsightQuery): readonly string[] | undefined =>
  KINDS[query.kind]!.events(query as never)

/** The refusal of a range, blamed on a date that the caller sent rather than on one that the insight brings. */
const aboutSentDates = (refusal: ApiError, sent: DateRange, { dateRange }: InsightQuery): ApiError => {
  if (refusal instanceof RangeReversed) {
    const { detail, attr } = reversedRange(sent, dateRange ?? {})
    return new ApiError('invalid_input', { detail: `${detail}.`, attr })
  }
  if (refusal.details.attr !== 'date_from' || sent.date_from) return refusal
  return new ApiError(refusal.code, { ...refusal.details, attr: sent.date_to ? 'date_to' : 'query' })
}

/** What one run of an insight asks and answers. Throws `ApiError` if the variables are not those of the query. */
export const planInsight = (query: InsightQuery, run: InsightRun): Plan => {
  const { projectId, zone, now, reading = LIVE } = run
  const context = { zone, now }
  const { filters, dates } = bindVariables(query, run, context)
  const bound = Object.keys(dates).length ? { ...query, dateRange: { ...query.dateRange, ...dates } } : query
  const own = filtersOf(query.properties, 'properties', context)
  try {
    return KINDS[query.kind]!.plan(bound as never, {
      projectId,
      context,
      filters: { type: 'AND', values: [own, ...filters] },
      isFromExact: dates.date_from !== undefined,
      reading,
    })
  } catch (error) {
    throw error instanceof ApiError ? aboutSentDates(error, dates, query) : error
  }
}
