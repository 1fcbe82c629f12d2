// A probe costs two writes, so a storage is tried once.
const usable = new WeakSet<Storage>()

/** Local or session storage of the page; undefined where it is missing, forbidden or full. */
export const storageOf = (kind: 'localStorage' | 'sessionStorage'): Storage | undefined => {
  // Reading the property itself throws in sandboxed frames and where cookies are forbidden.
  try {
    const storage = window[kind]
    const probe = '__trailmark__'
    if (!usable.has(storage)) {
      storage.setItem(probe, probe)
      storage.removeItem(probe)
      usable.add(storage)
    }
    return storage
  } catch {
    return undefined
  }
}
