const KEY = 'trailmark-console-reloaded'

/**
 * Reloads the page when a chunk is missing: after an upgrade of the service, an open tab requests files of the previous
 * release. At most once a minute, so that a broken build does not reload forever.
 */
export const reloadOldTab = (): void => {
  // Firefox stops loading chunks when a person leaves the page. A reload would end their navigation.
  let isLeaving = false
  addEventListener('beforeunload', () => (isLeaving = true))
  addEventListener('pageshow', () => (isLeaving = false))
  addEventListener('vite:preloadError', (event) => {
    const last = Number(sessionStorage.getItem(KEY))
    if (isLeaving || Date.now() - last < 60_000) return
    event.preventDefault()
    sessionStorage.setItem(KEY, String(Date.now()))
    location.reload()
  })
}
