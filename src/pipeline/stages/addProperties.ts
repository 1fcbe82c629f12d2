import { copyOf } from '../../lib/copy'
import { memo } from '../../lib/memo'
import { has } from '../../lib/objects'
import type { CapturedEvent, Properties } from '../../types'
import type { Stage, Then } from '../stage'

type Layer = Readonly<Properties>

// Most pages capture events with a few different sets of property names.
const MAX_TEMPLATES = 50

/**
 * Returns a function that puts `shared` below the properties of an event, and `derived` below both. V8 is fast at copying
 * an object and slow at adding properties to one, so an object with all names is kept for each set of names and copied.
 * The names of `derived` come last: next to the event's time and to the next event's uuid, their values compress best.
 */
const putBelow = (shared: Layer) => {
  const nested = Object.keys(shared).filter((name) => typeof shared[name] === 'object')
  const templates = new Map<string, Properties>()
  return (own: Layer, derived: Layer): Properties => {
    const key = Object.keys(own).join()
    if (templates.size > MAX_TEMPLATES) templates.clear()
    if (!templates.has(key)) templates.set(key, { ...shared, ...own, ...derived, ...shared })
    const properties = { ...templates.get(key) }
    for (const name of Object.keys(derived)) if (!has(shared, name)) properties[name] = derived[name]
    // A change of one event must not show in another.
    for (const name of nested) properties[name] = copyOf(shared[name])
    return Object.assign(properties, own)
  }
}

/**
 * Adds properties below the event's own: first those of `layers`, the strongest first, then those that `derive` returns
 * for the event. Layers are merged again only if one of them is another object than for the event before.
 */
export const addProperties = (
  layers: (then?: Then) => readonly Layer[],
  derive: (event: CapturedEvent) => Layer,
): Stage => {
  const merge = memo((...all: Layer[]) => putBelow(Object.assign({}, ...all.reverse()) as Properties))
  return (event, _, then) => {
    event.properties = merge(...layers(then))(event.properties, derive(event))
    return event
  }
}
