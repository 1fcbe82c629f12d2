/**
 * Caches what `read` returns until the running script ends. For readings that cost a burst of events more than the events
 * do. `renew` clears the cache.
 */
export const oncePerTask = <T>(read: () => T): { (): T; renew(): void } => {
  let known: { value: T } | undefined
  const renew = () => {
    known = undefined
  }
  const get = () => {
    if (!known) {
      known = { value: read() }
      void Promise.resolve().then(renew)
    }
    return known.value
  }
  return Object.assign(get, { renew })
}
