import { hasPage } from '../browser/page'
import { changeConfig, type UserConfig } from '../config/settings'
import type { LoadExtension } from '../extensions/extensions'
import type { Log } from '../lib/log'
import type { Config } from '../types'
import { createCapture } from './capture'
import { consentApi, sessionApi, superProperties } from './clientApi'
import { connectDelivery } from './connectDelivery'
import { connectFlags } from './connectFlags'
import { type FeatureHost, runFeatures } from './features'
import type { Ledger } from './ledger'
import { openState } from './openState'
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
  const state = openState(config, token, log)
  const { consent, identity, isOptedOut, remote, session, store, tabStore } = state

  const fetchExtension: FeatureHost['fetchExtension'] = (name) =>
    load(name).catch((error) => void log.info(`extension ${name} is not available; its features are off`, error))
  const loadGzip = () => fetchExtension('gzip').then((loaded) => loaded?.gzipNow)
  const delivery = connectDelivery({ config, token, state, ledger, loadGzip })
  const { outbox, queue } = delivery

  const events = createCapture({ config, token, log, ledger, state, queue })
  const { capture, pageview } = events
  const flags = connectFlags({ config, token, state, delivery, capture, onReloading: ledger.reloadingFlags })
  const people = createPeople({ config, log, ledger, state, capture, flags })

  const mayAutocapture = () => !config.advanced_disable_flags && !remote.items.autocapture_opt_out
  // Features watch the page: without one there is nothing to run.
  const features = runFeatures(
    { config, capture, fetchExtension, mayAutocapture, hasViewed: pageview.hasViewed },
    () => hasPage() && !isOptedOut(),
  )
  remote.onChange(() => {
    features.align()
    if (!mayAutocapture())
      queue.clear('turned_off_by_service', ({ event }) => event === '$autocapture' || event === '$copy_autocapture')
  })

  let decision = consent.explicit()
  /** Brings everything that follows the configuration or consent in line with it. */
  const align = () => {
    decision = consent.explicit()
    state.align()
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
  events.connect({
    before: adopt,
    flagProperties: flags.properties,
    onPersonProperties: flags.api.setPersonPropertiesForFlags,
  })
  const stopLifecycle = startPageLifecycle({ state, delivery, flags, adopt })

  const api: Api = {
    capture,
    calculateEventProperties: events.calculateEventProperties,
    getPageViewId: pageview.current,
    ...people.api,
    ...flags.api,
    ...superProperties(state, log),
    ...sessionApi(state, config, token),
    ...consentApi({
      config,
      log,
      state,
      capture,
      align,
      reset: people.api.reset,
      dropWaiting: () => queue.clear('opted_out'),
    }),
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
