/** Most answers that are remembered between two changes. */
const MOST = 10_000

export type Remember = <Args extends readonly (string | number)[], Value>(
  name: string,
  read: (...args: Args) => Promise<Value | undefined>,
  /** Whether the value stays true as long as nothing changes: not if it ends with time. */
  mayKeep?: (value: Value) => boolean,
) => (...args: Args) => Promise<Value | undefined>

/**
 * Makes reads that are answered from memory as long as `version` answers the same. Without `version`, which others' changes
 * cannot be seen without, every read asks the store. What is not there is never remembered.
 */
export const createMemory = (version: (() => unknown) | undefined): Remember => {
  let known = new Map<string, unknown>()
  let knownOf: unknown
  return (name, read, mayKeep = () => true) => {
    if (!version) return read
    return async (...args) => {
      const now = version()
      if (now !== knownOf) [known, knownOf] = [new Map(), now]
      // What is read now may be newer than `now`, never older: it goes with those of `now`, which the next change ends.
      const mine = known
      const key = JSON.stringify([name, ...args])
      if (mine.has(key)) return mine.get(key) as Awaited<ReturnType<typeof read>>
      const value = await read(...args)
      if (value !== undefined && mayKeep(value) && mine.size < MOST) mine.set(key, value)
      return value
    }
  }
}
