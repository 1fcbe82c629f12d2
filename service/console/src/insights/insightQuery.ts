import type { Query } from '../api/query.ts'
import { filtersOf, PROPERTY_TYPES, toApiFilter } from '../lib/filters.ts'
import { periodOf, toDateRange } from '../lib/period.ts'

/** Lines of a breakdown. Further values are one line, "Other". */
const BREAKDOWN_LIMIT = 10

/** Returns the breakdown of the query parameter `by`, such as `$browser` or `person.plan`, as the API takes it. */
const breakdownOf = (name: string | null) => {
  if (!name) return {}
  const type = PROPERTY_TYPES.find((each) => each !== 'event' && name.startsWith(`${each}.`)) ?? 'event'
  const property = type === 'event' ? name : name.slice(type.length + 1)
  return { breakdownFilter: { breakdowns: [{ property, type }], breakdown_limit: BREAKDOWN_LIMIT } }
}

/** Returns the fields that all kinds of insights share, from the URL: dates, filters, breakdown. */
export const sharedFields = (search: URLSearchParams): Readonly<Record<string, unknown>> => ({
  dateRange: toDateRange(periodOf(search)),
  properties: filtersOf(search).map(toApiFilter),
  ...breakdownOf(search.get('by')),
})

/** An event of a query. `''` is any event. */
export const toNode = (event: string): Readonly<Record<string, unknown>> => ({
  kind: 'EventsNode',
  event: event || null,
})

/** A kind of insight: reads its query from the URL. */
export type ToQuery = (search: URLSearchParams) => Query

/** Returns the value of a parameter if it is one of `values`, otherwise the first of them. */
export const oneOf = <Value extends string>(text: string | null, values: readonly { readonly value: Value }[]): Value =>
  values.find(({ value }) => value === text)?.value ?? values[0]!.value
