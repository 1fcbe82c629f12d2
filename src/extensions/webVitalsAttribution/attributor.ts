import type { Typing } from '../../host'
import type { Properties } from '../../types'
import { selectorOf } from '../selector'
import type { Attributor } from '../webVitals/metrics'

// An attribution contains URLs and selectors, which are shorter than this.
const MAX_STRING = 1000
// Begins the selectors that are made here. Browsers and web-vitals make others, with ids that may be data.
const OWN = '\0'

/** Returns the strings, numbers and booleans: everything else refers to the page's elements. Of the selectors, only own ones. */
const plain = (attribution: object): Properties =>
  Object.fromEntries(
    Object.entries(attribution)
      .map(([name, value]): [string, unknown] => [name, /target$/i.test(name) ? String(value).split(OWN)[1] : value])
      .filter(
        ([, value]) =>
          /^(number|boolean)$/.test(typeof value) || (typeof value === 'string' && value.length <= MAX_STRING),
      ),
  )

/** Creates the attributor of metrics. `typed`: what a person typed, which no selector may repeat. */
export const createAttributor = (typed: Typing['texts']): Attributor => {
  const generateTarget: Attributor['generateTarget'] = (node) => {
    try {
      const element = node instanceof Element ? node : node?.parentElement
      return element ? OWN + selectorOf(element, typed()) : undefined
    } catch {
      // The page has broken what selectors are made of. web-vitals would throw this into it.
      return undefined
    }
  }
  return {
    generateTarget,
    attributionOf: ({ name, attribution, entries }) => {
      if (!attribution) return undefined
      // web-vitals forgets it if the interaction is no longer one of the ten slowest.
      if (name === 'INP') attribution.interactionTarget ??= generateTarget(entries.find(({ target }) => target)?.target)
      return plain(attribution)
    },
  }
}
