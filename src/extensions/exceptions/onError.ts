import type { ExceptionParts } from '../../host'
import type { Stop } from '../../types'

/**
 * Reports what the page's own code passes to `window.onerror`: the error, or an event with the message and the position.
 * The browser's calls are not reported, because they have an event. Returns a function that restores the handler.
 */
export const watchOnError = (patch: ExceptionParts['patch'], report: (error: unknown) => void): Stop => {
  const own = () => undefined
  self.onerror ??= own
  const stop = patch(self, 'onerror', (message, filename, lineno, colno, error) => {
    if (self.event?.type !== 'error')
      report(error ?? new ErrorEvent('error', { message, filename, lineno, colno } as ErrorEventInit))
  })
  return () => {
    stop()
    if (self.onerror === own) self.onerror = null
  }
}
