import { toJson } from './json'

// Maximum number of characters of a value in a message.
const MAX_SHOWN = 60

/** Returns a short text for a value in a message. Never throws. */
export const shown = (value: unknown): string => {
  const text = toJson(value) ?? typeof value
  return text.length > MAX_SHOWN ? `${text.slice(0, MAX_SHOWN)}...` : text
}

/** Returns the message for an invalid value of `name`: what it expects, what it got, and what happens instead. */
export const expected = (name: string, what: string, value: unknown, outcome: string): string =>
  `${name} expects ${what}, got ${shown(value)}. ${outcome}`
