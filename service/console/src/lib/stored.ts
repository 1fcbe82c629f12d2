/** Reads and writes JSON of this browser. Storage may be full or forbidden; the console works without it. */
export const readStored = <Value>(name: string): Value | undefined => {
  try {
    const text = localStorage.getItem(`trailmark-console:${name}`)
    return text === null ? undefined : (JSON.parse(text) as Value)
  } catch {
    return undefined
  }
}

/** `undefined` removes the value. */
export const writeStored = (name: string, value: unknown): void => {
  try {
    if (value === undefined) localStorage.removeItem(`trailmark-console:${name}`)
    else localStorage.setItem(`trailmark-console:${name}`, JSON.stringify(value))
  } catch {
    // Full or forbidden: the value lasts as long as the page.
  }
}
