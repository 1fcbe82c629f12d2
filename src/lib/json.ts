/**
 * The JSON text of a value, without the `toJSON` that a page may have given to all arrays or objects (Prototype.js 1.6
 * writes arrays as text by it). They have it back when this returns.
 */
export const toJson = (value: unknown): string => {
  const hostile = [Array.prototype, Object.prototype].filter((each) => Object.hasOwn(each, 'toJSON'))
  const theirs = hostile.map((each) => Object.getOwnPropertyDescriptor(each, 'toJSON')!)
  // Reflect: of a frozen prototype nothing can be taken, and that is no reason to throw.
  hostile.forEach((each) => Reflect.deleteProperty(each, 'toJSON'))
  try {
    return JSON.stringify(value)
  } finally {
    hostile.forEach((each, index) => Reflect.defineProperty(each, 'toJSON', theirs[index]!))
  }
}

/** The value of a JSON text; undefined for anything else. */
export const parseJson = (text: unknown): unknown => {
  try {
    return JSON.parse(text as string)
  } catch {
    return undefined
  }
}

export const isPlainObject = (value: unknown): value is object & Record<string, unknown> =>
  typeof value === 'object' && !!value && !Array.isArray(value)
