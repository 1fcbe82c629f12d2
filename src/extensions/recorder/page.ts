/** Returns what `run` returns, or undefined if it throws. */
export const attempt = <T>(run: () => T): T | undefined => {
  try {
    return run()
  } catch {
    return undefined
  }
}

export const isHidden = (): boolean => document.visibilityState === 'hidden'
