import { wellFormed } from './storableJson.ts'

// Blanks, control characters, marks of direction, and characters that fonts show as nothing.
const INVISIBLE = /[\s\p{Cc}\p{Cf}\p{Z}\p{Default_Ignorable_Code_Point}\u2800]/gu
const VISIBLE = /[^\s\p{Cc}\p{Cf}\p{Z}\p{Default_Ignorable_Code_Point}\u2800]/u

/** Returns what a person sees of `text`. */
export const visibleText = (text: string): string => text.replace(INVISIBLE, '')

/**
 * Returns the name of an event, a property, a group type or the like in its stored form: NUL and lone surrogates, which
 * not every store accepts, become U+FFFD. `undefined`: the value is not a string, or has no visible character.
 */
export const nameOf = (value: unknown): string | undefined =>
  typeof value === 'string' && VISIBLE.test(value) ? wellFormed(value).replaceAll('\0', '\ufffd') : undefined

/**
 * Returns an id of a person, a group, a session or the like in its stored form. Differs from `nameOf` in that it also
 * accepts numbers.
 */
export const idOf = (value: unknown): string | undefined =>
  nameOf(typeof value === 'number' && Number.isFinite(value) ? String(value) : value)
