import { own } from '../lib/own.ts'
import { wellFormed } from '../lib/storableJson.ts'
import { type ArrivalNames, OWN_ARRIVAL, REPEATED_ARRIVAL, type VisitColumn } from '../storage/schema/visitColumns.ts'

type Fields = Readonly<Record<string, unknown>>

/** A value to send. `undefined`: the engine computes it with the column's expression. */
type Sent<Value> = Value | undefined

// The engine copies longer texts itself, so that an event is not sent several times as large.
const MAX_TEXT = 1_000

/** Returns a property as text. Numbers, lists and objects are rare, and only the engine knows how it writes them. */
const textOf = (value: unknown): Sent<string | null> => {
  if (value === undefined || value === null) return null
  return typeof value === 'string' && value.length <= MAX_TEXT ? wellFormed(value) : undefined
}

const numberOf = (value: unknown): Sent<number> => {
  if (value === undefined || value === null) return NaN
  return typeof value === 'number' && Math.abs(value) <= Number.MAX_SAFE_INTEGER ? value : undefined
}

/** Returns the first of the properties that exists, otherwise ''. */
const firstOf = (properties: Fields, names: readonly string[]): Sent<string> => {
  for (const name of names) {
    const text = textOf(own(properties, name))
    if (text !== null) return text
  }
  return ''
}

const sourceOf = (properties: Fields, { source, domain, host }: ArrivalNames): Sent<string> => {
  const named = textOf(own(properties, source))
  if (named !== null) return named
  const from = textOf(own(properties, domain))
  const site = textOf(own(properties, host))
  if (from === undefined || site === undefined) return undefined
  return from !== null && from === site ? '$direct' : (from ?? '')
}

// The engine escapes these differently from JavaScript.
// oxlint-disable-next-line no-control-regex -- control characters are what this finds
const ESCAPED_DIFFERENTLY = /[\u0000-\u001f\u2028\u2029]/

const arrivalOf = (properties: Fields, names: ArrivalNames): Sent<string> => {
  const texts = [
    sourceOf(properties, names),
    firstOf(properties, [names.medium]),
    firstOf(properties, [names.campaign]),
  ]
  const clickIds = [firstOf(properties, names.searchClickIds), firstOf(properties, names.otherClickIds)]
  if ([...texts, ...clickIds].includes(undefined) || texts.some((text) => ESCAPED_DIFFERENTLY.test(text!)))
    return undefined
  return JSON.stringify([...texts, ...clickIds.map((id) => (id ? 1 : 0))]).replaceAll('/', '\\/')
}

const memberOf = (column: VisitColumn, value: Sent<string | null | boolean | number>) =>
  value === undefined ? '' : `,"${column}":${Number.isNaN(value) ? '"nan"' : JSON.stringify(value)}`

/**
 * Returns the columns of a visit as members of a JSON object, with a comma before each. Their expressions
 * (`storage/schema/visitColumns.ts`) define the values. The engine computes the columns that are missing.
 */
export const visitMembers = (properties: Fields): string => {
  const { $session_entry_url: entryUrl = null } = properties
  const repeats = typeof entryUrl === 'string' || (entryUrl === null ? false : undefined)
  const pathname = textOf(properties.$pathname)
  const entryPathname = repeats ? textOf(properties.$session_entry_pathname) : pathname
  return (
    memberOf('repeats_arrival', repeats) +
    (repeats === undefined
      ? ''
      : memberOf('arrival', arrivalOf(properties, repeats ? REPEATED_ARRIVAL : OWN_ARRIVAL)) +
        memberOf('entry_pathname', entryPathname)) +
    memberOf('pathname', pathname) +
    memberOf('prev_pathname', textOf(properties.$prev_pageview_pathname)) +
    memberOf('prev_seconds', numberOf(properties.$prev_pageview_duration)) +
    memberOf('prev_seen', numberOf(properties.$prev_pageview_max_content_percentage))
  )
}
