import { isHidden } from '../browser/visibility'
import { createFlagRequester, type FlagsResponse } from '../flags/flagRequester'
import { createFlags } from '../flags/flags'
import { guarded, later } from '../lib/guard'
import type { Bootstrap } from '../types'
import type { Capture } from './capture'
import type { Delivery } from './connectDelivery'
import type { Context } from './createContext'
import { earlyAccess } from './earlyAccess'
import { flagProperties } from './flagProperties'
import { createFlagsClient } from './flagsClient'

/**
 * Loads feature flags when they are wanted: at start, on a timer, and after the visitor or its properties changed.
 * `onReloading`: flags are about to be requested.
 */
export const connectFlags = (context: Context, delivery: Delivery, capture: Capture, onReloading: () => void) => {
  const { config } = context
  let isPaused = false
  let refreshTimer: ReturnType<typeof setTimeout> | undefined
  /** Callbacks that wait for the next response. */
  const callbacks: ((response: FlagsResponse) => void)[] = []

  const client = createFlagsClient(context, delivery)
  const settle = (response: FlagsResponse) =>
    callbacks.splice(0).forEach((callback) => guarded(() => callback(response)))
  const requester = createFlagRequester({
    send: client.requestFlags,
    visitor: context.distinctId,
    apply: (response) => {
      if (response.body || response.error) flags.apply(response)
      settle(response)
    },
  })
  const isOff = () => config.advanced_disable_flags || isPaused
  /** Requests flags. Returns false when no response comes soon. */
  const reload = (): boolean => {
    if (isOff()) return false
    onReloading()
    return requester.request()
  }
  const flags = createFlags({ ...context, capture, reload })

  /** Requests flags and calls back with the response; at once, with an error, when none comes soon. */
  const reloadThen = (callback: (response: FlagsResponse) => void) => {
    if (reload()) callbacks.push(callback)
    else callback({ error: 'connection_error' })
  }
  /** Restarts the timer that requests flags. A change of the interval holds from the next time on. */
  const refreshLater = () => {
    clearTimeout(refreshTimer)
    const interval = config.remote_config_refresh_interval_ms
    if (interval > 0)
      refreshTimer = later(() => {
        if (!isHidden()) reload()
        refreshLater()
      }, interval)
  }

  return {
    properties: flags.properties,
    hasLoaded: flags.hasLoaded,
    reload,
    retryNow: requester.retryNow,
    refreshLater,
    /** The visitor has another id now. `anonymousId`, the one before, goes along with the next request. */
    onIdChange: (anonymousId?: string) => {
      if (anonymousId) client.setAnonymousId(anonymousId)
      flags.forgetReported()
      reload()
    },
    /** Forgets the visitor's flags. `bootstrap` has those of the next visitor, if they are known. */
    forget: (bootstrap: Bootstrap = {}) => {
      client.setAnonymousId(undefined)
      flags.forget(bootstrap)
      reload()
    },
    api: {
      ...flags.api,
      ...flagProperties(context, reload),
      ...earlyAccess(context, capture, client.get, flags.api.updateFlags),
      featureFlags: {
        ...flags.featureFlags,
        setAnonymousDistinctId: client.setAnonymousId,
        getRemoteConfigPayload: (key: string, callback: (payload: unknown) => void): void =>
          reloadThen(() => callback(flags.api.getFeatureFlagPayload(key))),
        reloadFeatureFlagsAsync: (): Promise<{ status: 'loaded' | 'error' | 'skipped' }> =>
          new Promise((done) => {
            if (isOff()) done({ status: 'skipped' })
            else reloadThen(({ error }) => done({ status: error ? 'error' : 'loaded' }))
          }),
        setReloadingPaused: (paused: boolean): void => {
          isPaused = paused
        },
      },
    },
    stop: (): void => {
      clearTimeout(refreshTimer)
      requester.stop()
      settle({ error: 'connection_error' })
    },
  }
}
