import { toJson } from '../../lib/json'
import { listen } from '../../browser/signal'
import type { Storing } from '../../browser/storage'
import { type Backend, parseObject } from './backend'

/** Local or session storage: one entry called `name`. */
export const webStorageBackend = (storage: Storing, name: string): Backend => {
  let written: string | undefined
  return {
    read: () => {
      try {
        return parseObject(storage.getItem(name))
      } catch {
        return undefined
      }
    },
    write: (values) => {
      const text = toJson(values)
      if (text === written) return true
      try {
        storage.setItem(name, text)
        written = text
        return true
      } catch {
        return false
      }
    },
    clear: () => {
      written = undefined
      try {
        storage.removeItem(name)
      } catch {
        // Forbidden: then nothing was stored either.
      }
    },
    onForeignWrite: (listener) =>
      listen(self, ['storage'], (event) => {
        // A key of null: everything was cleared.
        const { key, storageArea } = event as StorageEvent
        if (storageArea !== storage || (key !== null && key !== name)) return
        written = undefined
        listener()
      }),
  }
}
