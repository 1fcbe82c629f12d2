import type { Stop } from '../types'
import type { Extension, ExtensionHost } from './contract'

/**
 * Starts an extension when it has loaded, unless it was stopped before. `onFailure` receives why it does not run, and
 * whether it has loaded, so that it failed by a defect.
 */
export const startExtension = <Parts>(
  loading: Promise<Extension<Parts>>,
  host: ExtensionHost & Parts,
  onFailure: (error: unknown, hasLoaded: boolean) => void,
): Stop => {
  let stop: Stop | undefined
  let isStopped = false
  let hasLoaded = false
  loading
    .then((extension) => {
      hasLoaded = true
      if (!isStopped) stop = extension.start(host)
    })
    .catch((error: unknown) => isStopped || onFailure(error, hasLoaded))
  return () => {
    isStopped = true
    stop?.()
  }
}
