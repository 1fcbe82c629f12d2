import { toJson } from './json'

// Enough to recognize a value by.
const MAX_SHOWN = 60

/** A value in a message: short, and never the reason of another error. */
export const shown = (value: unknown): string => {
  const text = toJson(value) ?? typeof value
  return text.length > MAX_SHOWN ? `${text.slice(0, MAX_SHOWN)}...` : text
}

/** The message for a value that `name` does not take: what it expects, what it got, and what holds instead. */
export const expected = (name: string, what: string, value: unknown, outcome: string): string =>
  `${name} expects ${what}, got ${shown(value)}. ${outcome}`
