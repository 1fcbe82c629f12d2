import { copyOf } from '../../lib/copy'
import { memo } from '../../lib/memo'
import { has, objectOf } from '../../lib/objects'
import type { CapturedEvent, Properties } from '../../types'
import type { Stage } from '../stage'

// Pages capture events of a few kinds. One that invents property names gets no more memory than this.
const MAX_SHAPES = 50

/**
 * Returns a function that lays properties over merged layers. Engines copy an object fast, and add names to a copy slowly:
 * so it copies an object that has all the names already, one for each set of names.
 */
const layOver = (merged: Readonly<Properties>) => {
  const objects = Object.keys(merged).filter((name) => typeof merged[name] === 'object')
  const shapes = new Map<string, Properties>()
  return (own: Readonly<Properties>): Properties => {
    const names = Object.keys(own)
    const key = names.join()
    let shape = shapes.get(key)
    if (!shape) {
      shape = { ...merged, ...objectOf(names, () => undefined) }
      if (shapes.size > MAX_SHAPES) shapes.clear()
      shapes.set(key, shape)
    }
    const properties = { ...shape }
    for (const name of names) properties[name] = own[name]
    // Changes of this event show in no other.
    for (const name of objects) properties[name] = copyOf(properties[name])
    return properties
  }
}

/**
 * Returns one stage for each group of layers of properties, strongest first. The last stage puts all layers under the
 * event's own properties; what `ofEvent` returns is the weakest. Layers are merged again only when one of them is another
 * object than before.
 */
export const addLayers = <N extends string>(
  groups: Record<N, () => readonly Readonly<Properties>[]>,
  ofEvent: (event: CapturedEvent) => Properties,
): Record<N, Stage> => {
  const names = Object.keys(groups) as N[]
  const read: (readonly Readonly<Properties>[])[] = []
  const merge = memo((...layers: Readonly<Properties>[]) => {
    const merged = Object.assign({}, ...layers.reverse()) as Properties
    return { merged, over: layOver(merged) }
  })
  return objectOf(names, (name): Stage => {
    const index = names.indexOf(name as N)
    return (event) => {
      read[index] = groups[name as N]()
      if (index < names.length - 1) return event
      const { properties } = event
      const { merged, over } = merge(...read.flat())
      for (const [name, value] of Object.entries(ofEvent(event)))
        if (!has(properties, name) && !has(merged, name)) properties[name] = value
      event.properties = over(properties)
      return event
    }
  })
}
