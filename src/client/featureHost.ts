import { listen } from '../browser/signal'
import { onVisibilityChange } from '../browser/visibility'
import type { LoadExtension } from '../extensions/contract'
import { startExtension } from '../extensions/startExtension'
import { outgoingText, outgoingUrl } from '../lib/campaign'
import { later } from '../lib/guard'
import { uuidv7 } from '../lib/uuid'
import type { Client, FeatureHost } from './feature'

/** Creates the object that a feature and its extensions use a client through. `load` fetches an extension. */
export const createFeatureHost = (
  { context, delivery, ledger, capture, moment, defineMembers, calls, api }: Client,
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
    early: calls.early,
    later,
    listen,
    ledger,
    log,
    mayStore,
    moment,
    onLeave,
    outgoingText: (text, ofResource) => outgoingText(text, config, ofResource),
    outgoingUrl: (url) => outgoingUrl(url, config),
    onVisibilityChange,
    person,
    personSince,
    remote,
    request: delivery.send,
    session,
    sessionId,
    store,
    tab,
    tabKeys,
    token,
    useGzip: delivery.useGzip,
    uuidv7,
    startExtension: (name, parts, onFailure) =>
      startExtension(load(name), { ...host, ...parts }, (error, hasLoaded) => {
        // The page or a content blocker may forbid a script. That is not a defect.
        log[hasLoaded ? 'error' : 'info'](`extension ${name} is not available; its features are off`, error)
        if (hasLoaded) ledger.dropped({ event: name, reason: 'internal_error' })
        onFailure?.()
      }),
  }
  return host
}
