/** Whether mistakes of the site's code are told. Bundlers of production builds remove the code that tells them. */
export const isDevelopment = (): boolean => process.env.NODE_ENV !== 'production'

export const isServer = (): boolean => typeof window === 'undefined'

const told = new Set<string>()

/** Logs a mistake of the site's code once. */
export const tell = (message: string): void => {
  if (told.has(message)) return
  told.add(message)
  console.error(`[trailmark] ${message}`)
}
