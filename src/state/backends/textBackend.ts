import type { KeyValueStorage } from '../../browser/storage'
import { toJson } from '../../lib/json'
import { type Backend, parseObject } from './backend'

/** Stores values as JSON in one entry named `name` in local storage, session storage or a cookie. */
export const textBackend = (place: KeyValueStorage, name: string): Backend => {
  let seen: string | null = null
  return {
    read: (missing) => parseObject((seen = place.getItem(name))) ?? missing,
    write: (values) => {
      const text = toJson(values)
      // Compares with the stored entry, because the page may have removed it.
      const isStored = place.getItem(name) === text || place.setItem(name, text)
      if (isStored) seen = text
      return isStored
    },
    clear: () => place.removeItem(name),
    hasChanged: () => place.getItem(name) !== seen,
  }
}
