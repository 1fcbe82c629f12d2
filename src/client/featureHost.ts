import { onVisibilityChange } from '../browser/visibility'
import type { LoadExtension } from '../extensions/contract'
import { startExtension } from '../extensions/startExtension'
import { later } from '../lib/guard'
import type { Client, FeatureHost } from './feature'

/** Creates the object that a feature and its extensions use a client through. `load` fetches an extension. */
export const createFeatureHost = (
  { context, delivery, ledger, capture, moment, defineMembers, api }: Client,
  load: LoadExtension,
  onLeave: FeatureHost['onLeave'],
): FeatureHost => {
  const { config, token, log, remote, session, store, tab, tabKeys } = context
  const { distinctId, sessionId, person, personSince, mayStore } = context
  const host: FeatureHost = {
    api,
    capture,
    config,
    defineMembers,
    delivery,
    distinctId,
    later,
    ledger,
    log,
    mayStore,
    moment,
    onLeave,
    onVisibilityChange,
    person,
    personSince,
    remote,
    session,
    sessionId,
    store,
    tab,
    tabKeys,
    token,
    useGzip: delivery.useGzip,
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
