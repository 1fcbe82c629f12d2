export const isServer = (): boolean => typeof window === 'undefined'

const told = new Set<string>()

/** Logs a mistake of the site's code once. */
export const tell = (message: string): void => {
  if (told.has(message)) return
  told.add(message)
  console.error(`[trailmark] ${message}`)
}
