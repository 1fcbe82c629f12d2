/** Returns what `run` returns, or undefined if it throws: for operations that browsers and pages may forbid. */
export const attempt = <T>(run: () => T): T | undefined => {
  try {
    return run()
  } catch {
    return undefined
  }
}

interface Types {
  string: string
  number: number
}

/** Returns what `read` returns if it has this type, and undefined if not, or if it throws: for values that pages replace. */
export const readAs = <T extends keyof Types>(type: T, read: () => unknown): Types[T] | undefined => {
  const value = attempt(read)
  return typeof value === type ? (value as Types[T]) : undefined
}
