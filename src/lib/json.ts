import { attempt } from './guard'
import { serialize } from './serialize'
import { has } from './objects'

/**
 * Returns the JSON text of a value; undefined for undefined. Never throws. Ignores a `toJSON` that the page has added to
 * all arrays or objects, such as that of Prototype.js 1.6, by removing it until this returns.
 */
export const toJson = (value: unknown): string => {
  const hostile = [Array.prototype, Object.prototype].filter((each) => has(each, 'toJSON'))
  const theirs = hostile.map((each) => Object.getOwnPropertyDescriptor(each, 'toJSON')!)
  // Reflect does not throw for a frozen prototype.
  hostile.forEach((each) => Reflect.deleteProperty(each, 'toJSON'))
  let text: string
  try {
    text = JSON.stringify(value)
  } catch {
    // A BigInt, a cycle, or a getter that throws. Serialized values have none of them.
    text = JSON.stringify(serialize(value))
  } finally {
    hostile.forEach((each, index) => Reflect.defineProperty(each, 'toJSON', theirs[index]!))
  }
  // JSON.stringify writes only lone surrogates, which no store accepts, as `\ud…`. The rest of the pattern skips other
  // escapes, including that of a backslash.
  return text?.includes('\\ud')
    ? text.replace(/\\(ud[89a-f]..|.)/g, (escape) => (escape.length > 2 ? '\ufffd' : escape))
    : text
}

/** Returns the value of a JSON string, or undefined for anything else. */
export const parseJson = (text: unknown): unknown => attempt(() => JSON.parse(text as string) as unknown)

export const isPlainObject = (value: unknown): value is object & Record<string, unknown> =>
  typeof value === 'object' && !!value && !Array.isArray(value)

/** Whether a value of the service is true or false. */
export const isBoolean = (value: unknown): boolean => value === !!value

/** Whether a value of the service turns something on or off, or on with settings. */
export const isToggle = (value: unknown): boolean => isBoolean(value) || isPlainObject(value)
