import { isPlainObject } from './json'
import { has } from './objects'

/** Returns a copy of data: objects, arrays and primitives. */
export const copyOf = <T>(value: T): T =>
  Array.isArray(value) ? (value.map(copyOf) as T) : isPlainObject(value) ? copyMembers({ ...value }) : value

/** Replaces each member that is an object or an array by a copy. Returns the object. */
const copyMembers = <T extends object>(object: T): T => {
  // `for in` is fastest, but also visits properties that the page has added to all objects.
  for (const name in object)
    if (typeof object[name] === 'object' && has(object, name)) object[name] = copyOf(object[name])
  return object
}
