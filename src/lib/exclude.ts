import type { Config, Properties } from '../types'
import { permittedText, type UrlOptions } from './campaign'
import { isPlainObject } from './json'

type Options = UrlOptions & Pick<Config, 'property_denylist' | 'property_blacklist'>

// Properties that hold properties of the person or of a group.
const OF_OTHERS = /^\$(set|set_once|group_set)$/

const withoutUrlParts = (value: unknown, options: UrlOptions, isOfPage: boolean): unknown => {
  const within = (each: unknown) => withoutUrlParts(each, options, isOfPage)
  if (typeof value === 'string') return permittedText(value, options, isOfPage)
  if (Array.isArray(value)) return value.map(within)
  // Names too: those of heatmap data are URLs.
  return isPlainObject(value)
    ? Object.fromEntries(Object.entries(value).map((entry) => entry.map(within) as [string, unknown]))
    : value
}

/**
 * Returns properties without what the options exclude: names of `property_denylist`, also among those of the person or
 * group, and parts of URLs. All properties that leave the page pass this.
 */
export const exclude = (properties: Properties, options: Options): Properties => {
  const denied = [...options.property_blacklist, ...options.property_denylist]
  const hasUrlParts = options.disable_capture_url_hashes || options.mask_personal_data_properties
  if (!denied.length && !hasUrlParts) return properties
  const result = { ...properties }
  for (const name of denied) delete result[name]
  for (const [name, value] of Object.entries(result))
    if (OF_OTHERS.test(name) && isPlainObject(value)) result[name] = exclude(value, options)
    // The page's strings have the protocol's names. Those of callers keep hashes.
    else if (hasUrlParts) result[name] = withoutUrlParts(value, options, name[0] === '$' || name === 'title')
  return result
}
