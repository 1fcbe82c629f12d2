const KEY = 'trailmark-console-reloaded'

/**
 * Reloads the page when a chunk is missing: after an upgrade of the service, an open tab requests files of the previous
 * release. At most once a minute, so that a broken build does not reload forever.
 */
export const reloadOldTab = (): void => {
  addEventListener('vite:preloadError', (event) => {
    const last = Number(sessionStorage.getItem(KEY))
    if (Date.now() - last < 60_000) return
    event.preventDefault()
    sessionStorage.setItem(KEY, String(Date.now()))
    location.reload()
  })
}
