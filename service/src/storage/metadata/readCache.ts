/** Maximum number of values cached between two changes. */
const MAX_VALUES = 10_000

export type CacheReads = <Args extends readonly (string | number)[], Value>(
  name: string,
  read: (...args: Args) => Promise<Value | undefined>,
  /** Whether the value stays true until the next change. False for a value that expires. */
  mayCache?: (value: Value) => boolean,
) => (...args: Args) => Promise<Value | undefined>

/**
 * Returns a function that wraps reads in a cache, which is valid as long as `version` returns the same value. Without
 * `version`, changes of other processes cannot be seen, and every read goes to the store. Missing values are never cached.
 */
export const createReadCache = (version: (() => unknown) | undefined): CacheReads => {
  let cache = new Map<string, unknown>()
  let cachedVersion: unknown
  return (name, read, mayCache = () => true) => {
    if (!version) return read
    return async (...args) => {
      const current = version()
      if (current !== cachedVersion) {
        cache = new Map()
        cachedVersion = current
      }
      // The value may be newer than `current`, but never older, so it may be stored in this cache. The next change discards it.
      const target = cache
      const key = JSON.stringify([name, ...args])
      if (target.has(key)) return target.get(key) as Awaited<ReturnType<typeof read>>
      const value = await read(...args)
      if (value !== undefined && mayCache(value) && target.size < MAX_VALUES) target.set(key, value)
      return value
    }
  }
}
