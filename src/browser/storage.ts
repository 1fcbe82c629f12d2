import { attempt } from '../lib/guard'

/** Local or session storage that never throws: what fails reads as null and is not written. */
export interface KeyValueStorage {
  getItem(name: string): string | null
  /** Returns whether the value is stored now. A full storage stores nothing. */
  setItem(name: string, value: string): boolean
  removeItem(name: string): void
}

let standIn: KeyValueStorage | undefined

/** From here on `storage` stands in for the local storage that workers do not have. */
export const standInForLocalStorage = (storage: KeyValueStorage | undefined): void => {
  standIn = storage
}

/**
 * Local or session storage of the page; undefined where it is missing or forbidden. Nothing is written to find that out:
 * before consent a page may not write at all.
 */
export const storageOf = (kind: 'localStorage' | 'sessionStorage'): KeyValueStorage | undefined => {
  // The property itself throws in sandboxed frames, and its methods may start to throw at any time.
  if (!attempt(() => self[kind].getItem)) return kind === 'localStorage' ? standIn : undefined
  return {
    getItem: (name) => attempt(() => self[kind].getItem(name)) ?? null,
    setItem: (name, value) =>
      !!attempt(() => {
        self[kind].setItem(name, value)
        return self[kind].getItem(name) === value
      }),
    removeItem: (name) => void attempt(() => self[kind].removeItem(name)),
  }
}
