/**
 * Caches what `read` returns until the running script ends. For reads that take longer than capturing an event. `renew` clears the cache.
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
