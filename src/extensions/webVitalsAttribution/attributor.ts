import type { Typing } from '../../host'
import type { Properties } from '../../types'
import { selectorOf } from '../selector'
import type { Attributor } from '../webVitals/metrics'

// An attribution contains URLs and selectors, which are shorter than this.
const MAX_STRING = 1000
// Marks the selectors made here. Those made by browsers and web-vitals may contain ids with personal data.
const OWN = '\0'

/** Returns the strings, numbers and booleans, because other values hold elements of the page. Keeps only selectors made here. */
const plain = (attribution: object): Properties =>
  Object.fromEntries(
    Object.entries(attribution)
      .map(([name, value]): [string, unknown] => [name, /target$/i.test(name) ? String(value).split(OWN)[1] : value])
      .filter(
        ([, value]) =>
          /^(number|boolean)$/.test(typeof value) || (typeof value === 'string' && value.length <= MAX_STRING),
      ),
  )

/** Creates the attributor of metrics. `matcher` finds what a person typed, which no selector may repeat. */
export const createAttributor = (matcher: Typing['matcher']): Attributor => {
  const generateTarget: Attributor['generateTarget'] = (node) => {
    try {
      const element = node instanceof Element ? node : node?.parentElement
      return element ? OWN + selectorOf(element, matcher()) : undefined
    } catch {
      // The page has overridden a DOM method that selectors use. web-vitals would let the error reach the page.
      return undefined
    }
  }
  return {
    generateTarget,
    attributionOf: ({ name, attribution, entries }) => {
      if (!attribution) return undefined
      // web-vitals loses the target when the interaction is no longer among the ten slowest.
      if (name === 'INP') attribution.interactionTarget ??= generateTarget(entries.find(({ target }) => target)?.target)
      return plain(attribution)
    },
  }
}
