/** Local or session storage of the page; undefined where it is missing, forbidden or full. */
export const storageOf = (kind: 'localStorage' | 'sessionStorage'): Storage | undefined => {
  // Reading the property itself throws in sandboxed frames and where cookies are forbidden.
  try {
    const storage = window[kind]
    const probe = '__trailmark__'
    storage.setItem(probe, probe)
    storage.removeItem(probe)
    return storage
  } catch {
    return undefined
  }
}
