/** Longer values are truncated until expanded. In UTF-16 units. */
export const MAX_SHOWN = 2_000

/** Returns a value of JSON as text: strings as they are, everything else as JSON. */
export const toText = (value: unknown): string =>
  typeof value === 'string' ? value : value === undefined ? '' : JSON.stringify(value)

/** Returns the beginning of a string, without splitting a surrogate pair. */
export const cutText = (text: string, length = MAX_SHOWN): string =>
  text.length <= length ? text : text.slice(0, length).replace(/[\uD800-\uDBFF]$/, '')

/** Returns a string as a URL if it is the URL of a page. `undefined` for any other string, such as `javascript:…`. */
export const linkOf = (text: string): string | undefined =>
  text.length <= MAX_SHOWN && /^https?:\/\/\S+$/i.test(text) && URL.canParse(text) ? text : undefined

/** Whether the SDK or the service, and not the site, sets a property with this name. */
export const isOfSdk = (name: string): boolean => name.startsWith('$') || name === 'token' || name === 'distinct_id'
