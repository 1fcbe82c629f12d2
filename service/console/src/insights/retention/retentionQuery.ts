import type { Query } from '../../api/query.ts'
import { filtersOf, toApiFilter } from '../../lib/filters.ts'
import { oneOf } from '../insightQuery.ts'

export const UNITS = [
  { value: 'Week', label: 'weeks' },
  { value: 'Hour', label: 'hours' },
  { value: 'Day', label: 'days' },
  { value: 'Month', label: 'months' },
] as const

export const COHORTS = [
  { value: 'first', label: 'for the first time', wire: 'retention_first_time' },
  { value: 'recurring', label: 'each time', wire: 'retention_recurring' },
] as const

const DEFAULT_INTERVALS = 8
const MAX_INTERVALS = 60

/** The settings of a retention, from the URL. */
export const retentionOf = (search: URLSearchParams) => ({
  target: search.get('start') ?? '$pageview',
  returning: search.get('return') ?? '$pageview',
  unit: oneOf(search.get('unit'), UNITS),
  cohorts: oneOf(search.get('cohorts'), COHORTS),
  intervals: Math.min(Math.max(2, Number(search.get('intervals')) || DEFAULT_INTERVALS), MAX_INTERVALS),
})

const toEntity = (event: string) => ({ id: event || null, type: 'events' })

/** Returns the query of a retention, from the URL. There are as many cohorts as intervals; the last one is running. */
export const retentionQuery = (search: URLSearchParams): Query => {
  const { target, returning, unit, cohorts, intervals } = retentionOf(search)
  return {
    kind: 'RetentionQuery',
    properties: filtersOf(search).map(toApiFilter),
    retentionFilter: {
      retentionType: COHORTS.find(({ value }) => value === cohorts)!.wire,
      targetEntity: toEntity(target),
      returningEntity: toEntity(returning),
      period: unit,
      totalIntervals: intervals,
    },
  }
}
