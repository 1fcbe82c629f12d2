const PREFIX = 'trailmark-console:'

/** Reads and writes JSON of this browser. Storage may be full or forbidden; the console works without it. */
export const readStored = <Value>(name: string): Value | undefined => {
  try {
    const text = localStorage.getItem(PREFIX + name)
    return text === null ? undefined : (JSON.parse(text) as Value)
  } catch {
    return undefined
  }
}

/** `undefined` removes the value. */
export const writeStored = (name: string, value: unknown): void => {
  try {
    if (value === undefined) localStorage.removeItem(PREFIX + name)
    else localStorage.setItem(PREFIX + name, JSON.stringify(value))
  } catch {
    // Full or forbidden: the value lasts as long as the page.
  }
}

/** Removes everything that the console has stored in this browser. Another release may have stored it in another form. */
export const forgetStored = (): void => {
  try {
    for (const key of Object.keys(localStorage)) if (key.startsWith(PREFIX)) localStorage.removeItem(key)
  } catch {
    // Forbidden: nothing is stored.
  }
}
