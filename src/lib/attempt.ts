/** Returns what `run` returns, or undefined if it throws: for operations that browsers and pages may forbid. */
export const attempt = <T>(run: () => T): T | undefined => {
  try {
    return run()
  } catch {
    return undefined
  }
}
