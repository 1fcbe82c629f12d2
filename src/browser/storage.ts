/** What is used of local or session storage. */
export type Storing = Pick<Storage, 'getItem' | 'setItem' | 'removeItem'>

let standIn: Storing | undefined

/** From here on `storage` stands in for the local storage that workers do not have. */
export const standInForLocalStorage = (storage: Storing | undefined): void => {
  standIn = storage
}

// A probe costs two writes, so a storage is tried once.
const usable = new WeakSet<Storage>()

/** Local or session storage of the page; undefined where it is missing, forbidden or full. */
export const storageOf = (kind: 'localStorage' | 'sessionStorage'): Storing | undefined => {
  // Reading the property itself throws in sandboxed frames and where cookies are forbidden.
  try {
    const storage = self[kind]
    const probe = '__trailmark__'
    if (!usable.has(storage)) {
      storage.setItem(probe, probe)
      storage.removeItem(probe)
      usable.add(storage)
    }
    return storage
  } catch {
    return kind === 'localStorage' ? standIn : undefined
  }
}
