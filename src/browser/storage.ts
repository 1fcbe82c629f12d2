import { attempt } from '../lib/guard'

/** Local or session storage that never throws. A failed read returns null. */
export interface KeyValueStorage {
  getItem(name: string): string | null
  /** Returns whether the value is stored. A full storage stores nothing. */
  setItem(name: string, value: string): boolean
  removeItem(name: string): void
}

let standIn: KeyValueStorage | undefined

/** Sets the replacement for local storage, which workers do not have. */
export const standInForLocalStorage = (storage: KeyValueStorage | undefined): void => {
  standIn = storage
}

/**
 * Returns local or session storage of the page; undefined if it is missing or forbidden. Finds that out without writing,
 * which is not allowed before consent.
 */
export const storageOf = (kind: 'localStorage' | 'sessionStorage'): KeyValueStorage | undefined => {
  // The property itself throws in sandboxed frames, and its methods may start to throw at any time.
  if (!attempt(() => self[kind].getItem)) return kind === 'localStorage' ? standIn : undefined
  return {
    // Some pages parse what they read.
    getItem: (name) => attempt(() => self[kind].getItem(name)?.toString()) ?? null,
    setItem: (name, value) =>
      !!attempt(() => {
        const isStored = () => self[kind].getItem(name) === value
        // A read is in memory, a write is a call to another process of the browser.
        if (!isStored()) self[kind].setItem(name, value)
        return isStored()
      }),
    removeItem: (name) => void attempt(() => self[kind].removeItem(name)),
  }
}
