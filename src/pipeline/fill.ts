import { copyOf } from '../lib/copy'
import { memo } from '../lib/memo'
import { has } from '../lib/objects'
import type { CapturedEvent, Properties } from '../types'

// Pages capture events of a few kinds. One that invents property names gets no more memory than this.
const MAX_SHAPES = 50

/**
 * Returns a function that puts merged layers under the properties of an event, and `weak` under both. Engines copy an
 * object fast, and add names to a copy slowly: so it copies an object that has all names already, one for each set of them.
 */
const layUnder = (layers: Readonly<Properties>) => {
  const objects = Object.keys(layers).filter((name) => typeof layers[name] === 'object')
  const shapes = new Map<string, Properties>()
  return (own: Properties, weak: Properties): Properties => {
    const key = Object.keys(own).join()
    if (shapes.size > MAX_SHAPES) shapes.clear()
    if (!shapes.has(key)) shapes.set(key, { ...weak, ...layers, ...own })
    const properties = { ...shapes.get(key) }
    for (const name of Object.keys(weak)) if (!has(layers, name)) properties[name] = weak[name]
    // Changes of this event show in no other.
    for (const name of objects) properties[name] = copyOf(layers[name])
    return Object.assign(properties, own)
  }
}

/**
 * Returns what puts layers of properties under an event's own, `weak` below all of them. `layers`: strongest first. They
 * are merged again only when one of them is another object than before.
 */
export const createFill = () => {
  const merge = memo((...layers: Readonly<Properties>[]) =>
    layUnder(Object.assign({}, ...layers.reverse()) as Properties),
  )
  return (event: CapturedEvent, layers: readonly Readonly<Properties>[], weak: Properties): CapturedEvent => {
    event.properties = merge(...layers)(event.properties, weak)
    return event
  }
}
