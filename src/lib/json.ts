import { attempt } from './guard'
import { serialize } from './serialize'
import { has } from './objects'

/**
 * The JSON text of a value; never throws. Without the `toJSON` that a page may have given to all arrays or objects
 * (Prototype.js 1.6 writes arrays as text by it): they have it back when this returns. Undefined for undefined.
 */
export const toJson = (value: unknown): string => {
  const hostile = [Array.prototype, Object.prototype].filter((each) => has(each, 'toJSON'))
  const theirs = hostile.map((each) => Object.getOwnPropertyDescriptor(each, 'toJSON')!)
  // Reflect: of a frozen prototype nothing can be taken, and that is no reason to throw.
  hostile.forEach((each) => Reflect.deleteProperty(each, 'toJSON'))
  let text: string
  try {
    text = JSON.stringify(value)
  } catch {
    // A BigInt, a cycle, a getter that throws: what is serialized has none of them.
    text = JSON.stringify(serialize(value))
  } finally {
    hostile.forEach((each, index) => Reflect.defineProperty(each, 'toJSON', theirs[index]!))
  }
  // Halves of surrogate pairs, which no store takes, are all that is written as `\ud…`; the rest of the pattern skips
  // other escapes, a backslash's own among them.
  return text?.includes('\\ud')
    ? text.replace(/\\(ud[89a-f]..|.)/g, (escape) => (escape.length > 2 ? '\ufffd' : escape))
    : text
}

/** Returns the value of a JSON string, or undefined for anything else. */
export const parseJson = (text: unknown): unknown => attempt(() => JSON.parse(text as string) as unknown)

export const isPlainObject = (value: unknown): value is object & Record<string, unknown> =>
  typeof value === 'object' && !!value && !Array.isArray(value)
