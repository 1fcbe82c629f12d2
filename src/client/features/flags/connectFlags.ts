import { isHidden } from '../../../browser/visibility'
import { createFlagRequester, type FlagsResponse } from '../../../flags/flagRequester'
import { createFlags } from '../../../flags/flags'
import { elapsed } from '../../../lib/elapsed'
import { guarded, later } from '../../../lib/guard'
import { toJson } from '../../../lib/json'
import type { JsonType } from '../../../types'
import { earlyAccess } from './earlyAccess'
import type { Client, Connection } from '../../feature'
import { flagProperties } from './flagProperties'
import { createFlagsClient } from './flagsClient'

// Changes of properties request flags this often at once, and then once a second: an application may change them at each
// key press.
const BURST_MS = 3000
const EVERY_MS = 1000

/** Loads feature flags when they are wanted: at start, on a timer, and after the visitor or its properties changed. */
export const connectFlags = ({ context, delivery, ledger, capture }: Client): Connection => {
  const { config } = context
  let isPaused = false
  let refreshTimer: ReturnType<typeof setTimeout> | undefined
  /** Callbacks that wait for the next response. */
  const callbacks: ((response: FlagsResponse) => void)[] = []

  const client = createFlagsClient(context, delivery)
  const applyResponse = (response: FlagsResponse) =>
    callbacks.splice(0).forEach((callback) => guarded(() => callback(response)))
  const requester = createFlagRequester({
    send: (isStopped) => client.requestFlags(() => isStopped() || config.advanced_disable_flags),
    // Flags also depend on groups. A visitor who comes back after another one is not the same.
    visitor: () => toJson([context.distinctId(), context.person(), context.store.get('$groups')]),
    apply: (response) => {
      // Flags may have been turned off in the meantime.
      if (!config.advanced_disable_flags && (response.body || response.error)) flags.apply(response)
      applyResponse(response)
    },
  })
  const isOff = () => config.advanced_disable_flags || isPaused
  /** Requests flags. Returns false when no response comes soon. */
  const reload = (): boolean => {
    if (isOff()) return false
    ledger.reloadingFlags()
    return requester.request()
  }
  let soonTimer: ReturnType<typeof setTimeout> | undefined
  let nextAt = -Infinity
  /** Requests flags because properties have changed. */
  const reloadSoon = (): void => {
    nextAt = Math.max(nextAt, elapsed() - BURST_MS + EVERY_MS)
    const waitMs = nextAt - elapsed()
    if (waitMs > 0)
      soonTimer ??= later(() => {
        soonTimer = undefined
        reloadSoon()
      }, waitMs)
    else {
      nextAt += EVERY_MS
      reload()
    }
  }
  const flags = createFlags({
    ...context,
    capture,
    reload,
    onMissing: (key) => context.log.warn(`there is no feature flag ${key} for this page`),
  })

  /** Requests flags and calls back with the response; immediately, with an error, if none is expected soon. */
  const reloadThen = (callback: (response: FlagsResponse) => void) => {
    if (reload()) callbacks.push(callback)
    else callback({ error: 'connection_error' })
  }
  let interval = 0
  /** Restarts the timer that requests flags. */
  const refreshLater = () => {
    clearTimeout(refreshTimer)
    interval = config.remote_config_refresh_interval_ms
    if (interval > 0)
      refreshTimer = later(() => {
        if (!isHidden()) reload()
        refreshLater()
      }, interval)
  }

  let requested = client.settings()

  const api = {
    ...flags.api,
    ...flagProperties(context, reloadSoon),
    ...earlyAccess(context, capture, client.get, flags.api.updateFlags),
    featureFlags: {
      ...flags.featureFlags,
      setAnonymousDistinctId: client.setAnonymousId,
      getRemoteConfigPayload: (key: string, callback: (payload: JsonType) => void): void =>
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
  }

  return {
    api,
    properties: flags.properties,
    hasFlags: flags.hasLoaded,
    onStart: () => void reload(),
    onAlign: () => {
      if (interval !== config.remote_config_refresh_interval_ms) refreshLater()
      const before = requested
      requested = client.settings()
      if (requested !== before) reload()
    },
    onIdChange: (anonymousId) => {
      client.setAnonymousId(anonymousId)
      flags.forgetReported()
      reload()
    },
    onReset: (bootstrap = {}) => {
      client.setAnonymousId(undefined)
      flags.forget(bootstrap)
      reload()
    },
    onDenial: () => context.store.set({ $flag_call_reported: undefined }),
    onGroup: ({ type, isNew, properties }) => {
      if (isNew) {
        api.resetGroupPropertiesForFlags(type)
        reload()
      }
      if (properties) api.setGroupPropertiesForFlags({ [type!]: properties })
    },
    onPersonProperties: api.setPersonPropertiesForFlags,
    onOnline: requester.retryNow,
    onEnd: () => {
      clearTimeout(refreshTimer)
      clearTimeout(soonTimer)
      requester.stop()
      applyResponse({ error: 'connection_error' })
    },
  }
}
