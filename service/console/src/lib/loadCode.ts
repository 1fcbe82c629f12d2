const KEY = 'trailmark-console-reloaded'
const RETRY_MS = 300

// Firefox stops loading chunks when a person leaves the page. A reload would end their navigation.
let isLeaving = false
addEventListener('beforeunload', () => (isLeaving = true))
addEventListener('pageshow', () => (isLeaving = false))

/** Reloads the page, at most once a minute, so that a broken build does not reload forever. */
const reload = (): void => {
  const last = Number(sessionStorage.getItem(KEY))
  if (isLeaving || Date.now() - last < 60_000) return
  sessionStorage.setItem(KEY, String(Date.now()))
  location.reload()
}

// Vite requests a style once only.
const isOfStyle = (error: unknown) => String(error).includes('preload CSS')

/**
 * Loads a chunk, and tries again if that fails, because the connection may have broken. If the chunk is still missing, reloads
 * the page while `isWanted`: after an upgrade of the service, an open tab requests files of the previous release.
 */
export const loadCode = async <Code>(load: () => Promise<Code>, isWanted: () => boolean): Promise<Code> => {
  try {
    return await load().catch(async (error: unknown) => {
      if (isOfStyle(error)) throw error
      await new Promise((done) => setTimeout(done, RETRY_MS))
      return load()
    })
  } catch (error) {
    if (isWanted()) reload()
    throw error
  }
}
