import { onPageLeave } from '../browser/pageExit'
import { onVisibilityChange } from '../browser/visibility'
import type { LoadExtension } from '../extensions/contract'
import { startExtension } from '../extensions/startExtension'
import { later } from '../lib/guard'
import type { Capture } from './capture'
import type { Delivery } from './connectDelivery'
import type { Context } from './createContext'
import type { FeatureHost } from './feature'

/** Creates the object that features and extensions use a client through. `load` fetches an extension. */
export const createFeatureHost = (
  { config, log, remote, session }: Context,
  { useGzip }: Delivery,
  capture: Capture,
  load: LoadExtension,
): FeatureHost => {
  const host: FeatureHost = {
    config,
    capture,
    session,
    remote,
    useGzip,
    later,
    onPageLeave,
    onVisibilityChange,
    startExtension: (name, parts, onFailure) =>
      startExtension(load(name), { ...host, ...parts }, (error) => {
        log.info(`extension ${name} is not available; its features are off`, error)
        onFailure?.()
      }),
  }
  return host
}
