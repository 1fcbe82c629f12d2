import { attempt } from '../page'
import { hashData } from './text'

// Words of a route. Anything else in a path can be an id.
const WORDS = /^[a-z]{1,24}([-_.][a-z]{1,24}){0,4}$/i
// Longer data URLs, such as photos, are left out, because they would be most of the recording.
const MAX_DATA_URL = 100_000

/** Returns origin and path of a URL, with `-` for each part of the path that is not made of words. */
const strictUrl = (url: string): string => {
  const parsed = attempt(() => new URL(url, document.baseURI))
  if (!parsed || !/^https?:$/.test(parsed.protocol)) return ''
  return parsed.origin + parsed.pathname.replace(/[^/]+/g, (part) => (WORDS.test(part) ? part : '-'))
}

/** Removes secrets from a URL. */
export type Redact = (url: string) => string

/**
 * Returns the recordable form of a URL; '' for code, blobs and large images. Without `redact`: only the origin and the
 * words of the path.
 */
export const sanitizeUrl = (url: string, redact?: Redact): string => {
  const start = url.trim().slice(0, 32).replace(/\s/g, '')
  if (start[0] === '#') return redact ? redact(url) : hashData(url)
  if (!redact) return strictUrl(url)
  if (/^data:/i.test(start)) return /^data:(image|font)\//i.test(start) && url.length <= MAX_DATA_URL ? url : ''
  if (/^[a-z][a-z\d+.-]*:/i.test(start) && !/^(https?|mailto|tel):/i.test(start)) return ''
  return redact(url)
}

/** Sanitizes a `srcset`. */
export const sanitizeUrls = (urls: string, redact?: Redact): string =>
  !redact || /data:/i.test(urls)
    ? ''
    : urls
        .split(/,\s+/)
        .map((each) => each.trim().replace(/^\S+/, (url) => sanitizeUrl(url, redact)))
        .join(', ')
