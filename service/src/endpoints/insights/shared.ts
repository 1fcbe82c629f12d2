import { type Static, type TSchema, Type } from '@sinclair/typebox'
import { checkShape, fieldError } from './check.ts'
import { faultOfFilter, type Filter, FILTER, type FilterContext, type FilterGroup } from './filters.ts'
import { DATE_FORMS, periodOf, RangeReversed, readDate, reversedRange } from './period.ts'
import { MAX_GROUP_TYPES } from '../../sql/catalog/tables.ts'
import { faultOfProperty, type PropertyRef } from './source.ts'

/** Makes a field optional. null means absent. */
export const maybe = <Schema extends TSchema>(schema: Schema) => Type.Optional(Type.Union([schema, Type.Null()]))

export const oneOf = <Value extends string>(...values: readonly Value[]) =>
  Type.Union(values.map((value) => Type.Literal(value)))

const Text = Type.String({ minLength: 1, maxLength: 1_000 })

const Breakdown = Type.Object(
  {
    property: Text,
    type: maybe(Type.String()),
    group_type_index: maybe(Type.Integer()),
    histogram_bin_count: Type.Optional(Type.Null()),
    normalize_url: maybe(Type.Literal(false)),
  },
  { additionalProperties: false },
)

export const MAX_BREAKDOWNS = 3

const BreakdownFilter = Type.Object(
  {
    breakdown: maybe(Text),
    breakdown_type: maybe(Type.String()),
    breakdown_group_type_index: maybe(Type.Integer()),
    breakdowns: maybe(Type.Array(Breakdown, { maxItems: MAX_BREAKDOWNS })),
    breakdown_limit: maybe(Type.Integer({ minimum: 1, maximum: 1_000 })),
    breakdown_hide_other_aggregation: maybe(Type.Boolean()),
  },
  { additionalProperties: false },
)

const DateRange = Type.Object(
  {
    date_from: maybe(Type.String({ maxLength: 40 })),
    date_to: maybe(Type.String({ maxLength: 40 })),
    explicitDate: maybe(Type.Boolean()),
  },
  { additionalProperties: false },
)

/** The fields that all kinds of insights share. */
export const SHARED = {
  dateRange: maybe(DateRange),
  properties: Type.Optional(Type.Unknown()),
  breakdownFilter: maybe(BreakdownFilter),
  filterTestAccounts: maybe(Type.Literal(false)),
  samplingFactor: maybe(Type.Literal(1)),
  version: Type.Optional(Type.Unknown()),
  tags: Type.Optional(Type.Unknown()),
} as const

/** The field of kinds that follow an actor across events: the group type to follow instead of persons. */
export const ACTORS = {
  aggregation_group_type_index: maybe(Type.Integer({ minimum: 0, maximum: MAX_GROUP_TYPES - 1 })),
} as const

/** The fields of nodes, which select events. */
export const NODE = {
  kind: Type.Literal('EventsNode'),
  event: maybe(Text),
  name: maybe(Type.String({ maxLength: 1_000 })),
  custom_name: maybe(Type.String({ maxLength: 1_000 })),
  properties: Type.Optional(Type.Unknown()),
  fixedProperties: Type.Optional(Type.Unknown()),
} as const

export interface SharedQuery {
  readonly dateRange?: Static<typeof DateRange> | null
  readonly properties?: unknown
  readonly breakdownFilter?: Static<typeof BreakdownFilter> | null
}

export interface Node {
  readonly event?: string | null
  readonly name?: string | null
  readonly custom_name?: string | null
  readonly properties?: unknown
  readonly fixedProperties?: unknown
}

/** Returns the properties to break down by. */
export const breakdownsOf = ({ breakdownFilter }: SharedQuery): readonly PropertyRef[] => {
  if (!breakdownFilter) return []
  const { breakdown, breakdown_type: type, breakdown_group_type_index: index, breakdowns } = breakdownFilter
  if (breakdowns?.length)
    return breakdowns.map(({ property, type, group_type_index }) => ({ key: property, type, group_type_index }))
  return breakdown ? [{ key: breakdown, type, group_type_index: index }] : []
}

export const breakdownLimitOf = ({ breakdownFilter }: SharedQuery): number => breakdownFilter?.breakdown_limit ?? 25

const MAX_FILTERS = 200
const MAX_LEVELS = 8

const isGroup = (value: unknown): value is { type: unknown; values: unknown } =>
  typeof value === 'object' && value !== null && 'values' in value

/** Returns the filters of a field: a list, joined by AND, or a group `{type: AND|OR, values}`. Throws `ApiError`. */
export const filtersOf = (given: unknown, field: string, context: FilterContext): FilterGroup => {
  let count = 0
  const read = (value: unknown, at: string, level: number): Filter | FilterGroup => {
    count += 1
    if (count > MAX_FILTERS || level > MAX_LEVELS)
      throw fieldError(field, `may have at most ${MAX_FILTERS} filters on ${MAX_LEVELS} levels`)
    if (isGroup(value)) {
      if (value.type !== 'AND' && value.type !== 'OR') throw fieldError(`${at}.type`, 'must be "AND" or "OR"')
      if (!Array.isArray(value.values)) throw fieldError(`${at}.values`, 'must be a list of filters or groups')
      // An empty group of either type matches all events.
      return {
        type: value.values.length ? value.type : 'AND',
        values: value.values.map((each, index) => read(each, `${at}.values.${index}`, level + 1)),
      }
    }
    checkShape(FILTER, value, at)
    const fault = faultOfFilter(value as Filter, context)
    if (fault) throw fieldError(`${at}.${fault.field}`, fault.message)
    return value as Filter
  }
  if (given === undefined || given === null) return { type: 'AND', values: [] }
  if (Array.isArray(given))
    return { type: 'AND', values: given.map((each, index) => read(each, `${field}.${index}`, 0)) }
  if (!isGroup(given)) throw fieldError(field, 'must be a list of filters, or {"type": "AND" or "OR", "values": […]}')
  return read(given, field, 0) as FilterGroup
}

/** Checks the shared fields beyond their schema. Throws `ApiError`. */
export const checkShared = (query: SharedQuery, context: FilterContext): void => {
  filtersOf(query.properties, 'properties', context)
  const { breakdownFilter, dateRange } = query
  const refs = breakdownsOf(query)
  for (const ref of refs) {
    const fault = faultOfProperty(ref)
    if (fault) throw fieldError('breakdownFilter', `breaks down by a property whose ${fault.field} ${fault.message}`)
  }
  if (breakdownFilter?.breakdown && breakdownFilter.breakdowns?.length)
    throw fieldError('breakdownFilter', 'must have either "breakdown" or "breakdowns", not both')
  const names = refs.map(({ key }) => key)
  if (new Set(names).size < names.length) throw fieldError('breakdownFilter.breakdowns', 'must name each property once')
  const clash = names.find((name) => name === 'date_from' || name === 'date_to')
  if (clash)
    throw fieldError('breakdownFilter', `cannot break down by "${clash}", which is the name of a date variable`)
  for (const field of ['date_from', 'date_to'] as const) {
    const text = dateRange?.[field]
    if (text && !readDate(text, context.zone, context.now))
      throw fieldError(`dateRange.${field}`, `must be ${DATE_FORMS}`)
  }
}

/** Throws `ApiError` unless a query's range begins before it ends. */
export const checkRange = ({ dateRange }: SharedQuery, context: FilterContext): void => {
  try {
    periodOf(dateRange ?? {}, { interval: 'day', ...context })
  } catch (error) {
    throw error instanceof RangeReversed
      ? fieldError('dateRange', `begins after it ends: ${reversedRange(dateRange ?? {}).detail}`)
      : error
  }
}
