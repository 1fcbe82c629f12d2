import { onVisibilityChange } from '../browser/visibility'
import type { LoadExtension } from '../extensions/contract'
import { startExtension } from '../extensions/startExtension'
import { later } from '../lib/guard'
import type { Events } from './capture'
import type { Delivery } from './connectDelivery'
import type { Context } from './createContext'
import type { FeatureHost } from './feature'
import type { Ledger } from './ledger'

/** Creates the object that a feature and its extensions use a client through. `load` fetches an extension. */
export const createFeatureHost = (
  { config, log, remote, session, personSince }: Context,
  { useGzip }: Delivery,
  { capture, moment }: Events,
  ledger: Pick<Ledger, 'dropped'>,
  load: LoadExtension,
  onLeave: FeatureHost['onLeave'],
): FeatureHost => {
  const host: FeatureHost = {
    config,
    capture,
    moment,
    session,
    remote,
    useGzip,
    later,
    onLeave,
    personSince,
    onVisibilityChange,
    startExtension: (name, parts, onFailure) =>
      startExtension(load(name), { ...host, ...parts }, (error, hasLoaded) => {
        // The page or a content blocker may forbid a script, which is no defect.
        log[hasLoaded ? 'error' : 'info'](`extension ${name} is not available; its features are off`, error)
        if (hasLoaded) ledger.dropped({ event: name, reason: 'internal_error' })
        onFailure?.()
      }),
  }
  return host
}
