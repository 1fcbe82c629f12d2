import { hasPage } from '../browser/page'
import { changeConfig, type UserConfig } from '../config/settings'
import type { LoadExtension } from '../extensions/contract'
import type { Log } from '../lib/log'
import type { Config } from '../types'
import { createCapture } from './capture'
import { consentApi, sessionApi, superProperties } from './clientApi'
import { connectDelivery } from './connectDelivery'
import { connectFlags } from './connectFlags'
import { createContext } from './createContext'
import { createFeatureHost } from './featureHost'
import { runFeatures } from './features'
import type { Ledger } from './ledger'
import { startPageLifecycle } from './pageLifecycle'
import { createPeople } from './people/people'
import type { Api } from './publicApi'

export interface ClientInputs {
  load: LoadExtension
  token: string
  config: Config
  /** The options that the site passed itself. */
  userConfig: UserConfig
  log: Log
  /** Records every event that goes into the queue, is delivered, or is dropped. */
  ledger: Ledger
  /** The client was shut down. */
  onEnd(): void
}

/** One running SDK for one project: introduces the rooms to each other. */
export const createClient = ({ load, token, config, userConfig, log, ledger, onEnd }: ClientInputs) => {
  const context = createContext(config, token, log)
  const { consent, identity, isOptedOut, remote, session, store, tabStore } = context

  const delivery = connectDelivery(context, ledger)
  const { outbox, queue } = delivery

  const events = createCapture(context, ledger, queue)
  const { capture, pageview } = events
  const flags = connectFlags(context, delivery, capture, ledger.reloadingFlags)
  const people = createPeople(context, ledger, capture, flags)

  const host = createFeatureHost(context, delivery, events, load)
  // Features watch the page: without one there is nothing to run.
  const features = runFeatures(host, () => hasPage() && !isOptedOut())
  delivery.onGzipNeeded(features.align)
  remote.onChange(() => {
    features.align()
    if (!host.mayAutocapture())
      queue.clear('turned_off_by_service', ({ event }) => event === '$autocapture' || event === '$copy_autocapture')
  })

  let decision = consent.explicit()
  /** Brings everything that follows the configuration or consent in line with it. */
  const align = () => {
    decision = consent.explicit()
    context.align()
    session.claim()
    outbox.align()
    features.align()
    flags.refreshLater()
  }
  /** Takes over what another tab, or the page, has changed in the browser: consent, a reset, ids, the session. */
  const adopt = () => {
    consent.keep()
    if (consent.explicit() !== decision) {
      // A denial in another tab holds for what waits in this one.
      if (consent.explicit() === 'denied') queue.clear('opted_out')
      align()
    }
    people.adoptReset()
  }
  events.connect(adopt, flags.properties, flags.api.setPersonPropertiesForFlags)
  const stopLifecycle = startPageLifecycle(context, delivery, flags, adopt)

  const api: Api = {
    capture,
    calculateEventProperties: events.calculateEventProperties,
    getPageViewId: pageview.current,
    ...people.api,
    ...flags.api,
    ...superProperties(context),
    ...sessionApi(context),
    ...consentApi(context, capture, people.api.reset, () => queue.clear('opted_out'), align),
    set_config: (changes) => {
      if (changeConfig(config, changes, log, userConfig)) align()
    },
    debug: (on) => {
      config.debug = on !== false
    },
    flush: queue.flush,
    shutdown: async () => {
      features.stop()
      flags.stop()
      events.stop()
      stopLifecycle()
      queue.leave()
      queue.stop()
      store.stop()
      tabStore.stop()
      onEnd()
    },
  }
  return {
    api,
    hasFlags: flags.hasLoaded,
    /** Starts what runs by itself, once everything is in place. */
    start: () => {
      const { distinctID, isIdentifiedID } = config.bootstrap
      if (distinctID && isIdentifiedID && !identity.isIdentified()) api.identify(distinctID)
      align()
      queue.takeOver()
      flags.reload()
    },
  }
}

export type Client = ReturnType<typeof createClient>
