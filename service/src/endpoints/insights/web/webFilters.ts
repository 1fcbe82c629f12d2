import { fieldError } from '../check.ts'
import type { Filter, FilterContext, FilterGroup } from '../filters.ts'
import { filtersOf } from '../shared.ts'
import { own } from '../../../lib/own.ts'

type Level = 'event' | 'session'

const LEVELS: Readonly<Record<string, Level>> = { event: 'event', session: 'session', person: 'session' }

const levelsOf = (filter: Filter | FilterGroup): readonly (Level | undefined)[] =>
  'values' in filter ? filter.values.flatMap(levelsOf) : [own(LEVELS, filter.type ?? 'event')]

const termsOf = (filter: Filter | FilterGroup): readonly (Filter | FilterGroup)[] =>
  'values' in filter && filter.type === 'AND' ? filter.values.flatMap(termsOf) : [filter]

/**
 * Separates filters of events, which one view must pass, from those of sessions and persons. Throws `ApiError` for
 * filters of groups, and for alternatives (OR) between both.
 */
export const splitFilters = (filters: FilterGroup): Readonly<Record<Level, FilterGroup>> => {
  const terms = termsOf(filters)
  const levels = terms.map((term) => new Set(levelsOf(term)))
  if (levels.some((each) => each.has(undefined)))
    throw fieldError('properties', 'must be properties of events, persons or sessions')
  if (levels.some((each) => each.size > 1))
    throw fieldError('properties', 'cannot have a property of events in one OR with properties of persons or sessions')
  const at = (level: Level): FilterGroup => ({
    type: 'AND',
    values: terms.filter((_, index) => levels[index]!.has(level)),
  })
  return { event: at('event'), session: at('session') }
}

/** Returns the filters of a goal's events. Throws `ApiError` if one is not of an event's property. */
export const goalFilters = (properties: unknown, context: FilterContext): FilterGroup => {
  const filters = filtersOf(properties, 'conversionGoal.properties', context)
  if (levelsOf(filters).some((level) => level !== 'event'))
    throw fieldError('conversionGoal.properties', 'must be properties of events')
  return filters
}
