import type { Stop } from '../types'
import type { Extension, ExtensionHost } from './contract'

/** Starts an extension when it has loaded, unless it was stopped before. `onFailure` receives why it does not run. */
export const startExtension = <Parts>(
  loading: Promise<Extension<Parts>>,
  host: ExtensionHost & Parts,
  onFailure: (error: unknown) => void,
): Stop => {
  let stop: Stop | undefined
  let isStopped = false
  loading
    .then((extension) => {
      if (!isStopped) stop = extension.start(host)
    })
    .catch(onFailure)
  return () => {
    isStopped = true
    stop?.()
  }
}
