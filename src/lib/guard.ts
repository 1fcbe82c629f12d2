/** `run`'s answer, or undefined after `report` heard its error: for what must never throw into the host page. */
export const guarded = <T>(run: () => T, report: (error: unknown) => void): T | undefined => {
  try {
    return run()
  } catch (error) {
    report(error)
    return undefined
  }
}
