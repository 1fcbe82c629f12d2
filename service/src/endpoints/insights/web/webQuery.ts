import { type Static, type TObject, type TSchema, Type } from '@sinclair/typebox'
import { ApiError } from '../../../lib/apiError.ts'
import { checkShape, fieldError } from '../check.ts'
import type { FilterContext } from '../filters.ts'
import {
  DATE_FORMS,
  type DateRange,
  isCompareTo,
  moveBack,
  type Period,
  previousPeriod,
  RangeReversed,
  readDate,
} from '../period.ts'
import { filtersOf, maybe, SHARED } from '../shared.ts'
import { goalFilters, splitFilters } from './webFilters.ts'

const Absent = maybe(Type.Literal(false))

/** Conversion goal of a session: an event and, as an extension of this service, its property filters. */
const GOAL = Type.Object(
  {
    customEventName: Type.String({ minLength: 1, maxLength: 1_000 }),
    properties: Type.Optional(Type.Unknown()),
  },
  { additionalProperties: false },
)

export type Goal = Static<typeof GOAL>

/** The fields that both kinds of web queries have. Fields of PostHog that the service lacks may only be false or null. */
export const WEB = {
  dateRange: SHARED.dateRange,
  properties: SHARED.properties,
  filterTestAccounts: SHARED.filterTestAccounts,
  version: SHARED.version,
  tags: SHARED.tags,
  compareFilter: maybe(
    Type.Object(
      { compare: maybe(Type.Boolean()), compare_to: maybe(Type.String({ maxLength: 10 })) },
      { additionalProperties: false },
    ),
  ),
  conversionGoal: maybe(GOAL),
  sampling: maybe(Type.Object({ enabled: Absent }, { additionalProperties: false })),
  doPathCleaning: Absent,
  includeRevenue: Absent,
  useSessionsTable: Type.Optional(Type.Unknown()),
} as const

/** The fields that both kinds of web queries have. */
export type WebQuery = Static<TObject<typeof WEB>>

/** Throws `ApiError` unless a query has the shape of its schema, and its shared fields are valid. */
export const checkWeb = (schema: TSchema, query: unknown, context: FilterContext): void => {
  if ((query as { conversionGoal?: { actionId?: unknown } | null }).conversionGoal?.actionId !== undefined)
    throw fieldError(
      'conversionGoal.actionId',
      'is not available, because the service has no actions. Name the event as "customEventName", with its "properties"',
    )
  checkShape(schema, query)
  const { properties, compareFilter, conversionGoal } = query as WebQuery
  splitFilters(filtersOf(properties, 'properties', context))
  if (conversionGoal) goalFilters(conversionGoal.properties, context)
  const to = compareFilter?.compare_to
  if (to && !isCompareTo(to))
    throw fieldError('compareFilter.compare_to', 'must be a time span such as -1d, -1w, -1m or -1y')
}

const read = (text: string, field: 'date_from' | 'date_to', { zone, now }: FilterContext) => {
  const found = readDate(text, zone, now)
  if (found) return found
  throw new ApiError('invalid_input', {
    attr: field,
    detail: `"${field}" must be ${DATE_FORMS}, got "${text.slice(0, 40)}".`,
  })
}

const DEFAULT_FROM = '-7d'

/** The periods of a query. Sessions belong to the period in which they start. */
export interface WebPeriods {
  /** Its end may be in the future. */
  readonly current: Period
  /** The period to compare with. While the current one is running, it ends after the same elapsed time. */
  readonly previous?: Period
}

/**
 * Returns the periods of a query. A range that begins with a day consists of whole days; one that begins at a time, such
 * as `-24h`, begins exactly then and ends now. Throws `ApiError`.
 */
export const periodsOf = ({ dateRange, compareFilter }: WebQuery, context: FilterContext): WebPeriods => {
  const { date_from, date_to }: DateRange = dateRange ?? {}
  const { zone, now } = context
  const { from, isRange } = read(date_from ?? DEFAULT_FROM, 'date_from', context)
  const until = date_to
    ? read(date_to, 'date_to', context).until
    : isRange
      ? read('dEnd', 'date_to', context).until
      : now
  if (from >= until) throw new RangeReversed('invalid_input')
  const current = { from, until }
  if (!compareFilter?.compare) return { current }
  const to = compareFilter.compare_to ?? undefined
  const isRunning = from < now && now < until
  if (!isRange && !to) return { current, previous: { from: from - (until - from), until: from } }
  const previous = previousPeriod(current, to, zone)
  return { current, previous: isRunning ? { ...previous, until: moveBack(current, to, zone)(now) } : previous }
}
