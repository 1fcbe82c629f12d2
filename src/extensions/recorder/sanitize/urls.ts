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

// Shorter beginnings say little, and are part of too many words.
const MIN_BEGINNING = 5
const STARS = '*****'
const SPACE = '(?:\\s|\\+|%20)+'
const fold = (text: string) =>
  text
    .trim()
    .replace(/[\s+]+/g, ' ')
    .toLowerCase()
const patternOf = (text: string) => text.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&').replace(/ /g, SPACE)

/** Replaces the parts of a URL after its origin that are the beginning of a typed value. */
const hideInParts = (url: string, typed: readonly string[]): string => {
  const origin = /^[a-z][a-z\d+.-]*:\/*[^/?#]*/i.exec(url)?.[0] ?? ''
  return (
    origin +
    url.slice(origin.length).replace(/[^/?#&=;]+/g, (part) => {
      const text = fold(attempt(() => decodeURIComponent(part)) ?? part)
      return text.length >= MIN_BEGINNING && typed.some((each) => each.startsWith(text)) ? STARS : part
    })
  )
}

/** Replaces what begins like a typed value, as far as it is the same. */
const hideInText = (text: string, typed: readonly string[]): string =>
  typed.reduce((hidden, value) => {
    if (value.length < MIN_BEGINNING) return hidden
    const begins = RegExp(patternOf(value.slice(0, MIN_BEGINNING)), 'gi')
    let result = ''
    let at = 0
    for (let match = begins.exec(hidden); match; match = begins.exec(hidden)) {
      let end = match.index + match[0].length
      for (const char of value.slice(MIN_BEGINNING)) {
        const same = char === ' ' ? RegExp(`^${SPACE}`).exec(hidden.slice(end, end + 20))?.[0] : hidden[end]
        if (!same || (char !== ' ' && same.toLowerCase() !== char)) break
        end += same.length
      }
      result += hidden.slice(at, match.index) + STARS
      at = begins.lastIndex = end
    }
    return result + hidden.slice(at)
  }, text)

/**
 * Replaces beginnings of typed values in a URL, or in a text: a page that searches while a person types has requested each of
 * them, and the answers arrive later.
 */
export const hideBeginnings = (text: string, values: readonly string[], isUrl: boolean): string =>
  (isUrl ? hideInParts : hideInText)(text, values.map(fold))
