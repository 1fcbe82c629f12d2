import { infix, type Sql } from '../../sql/catalog/physical.ts'
import { type FilterContext, passes } from './filters.ts'
import { filtersOf, type Node } from './shared.ts'
import { bound, every, type Source } from './source.ts'

/** Returns the condition that an event has a node's name. */
export const isNamed = (source: Source, { event }: Node): Sql =>
  every(event ? [infix(source.event, '=', bound('String', event))] : [])

/** Returns the names of the events of nodes, or `undefined` if one of them matches every event. */
export const eventsOf = (nodes: readonly Node[]): readonly string[] | undefined => {
  const names = nodes.flatMap(({ event }) => (event ? [event] : []))
  return names.length === nodes.length ? [...new Set(names)].sort() : undefined
}

/** Returns the condition that an event matches a node's property filters. */
export const hasProperties = (source: Source, { properties, fixedProperties }: Node, context: FilterContext): Sql =>
  every([
    passes(source, filtersOf(properties, '', context), context),
    passes(source, filtersOf(fixedProperties, '', context), context),
  ])
