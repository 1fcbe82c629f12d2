import { uiHost } from '../delivery/hosts'
import { guarded } from '../lib/guard'
import { has, pick } from '../lib/objects'
import { isKey, KEYS } from '../state/keys'
import type { Capture } from './capture'
import { NO_VALUE } from './compatibility'
import type { Context } from './createContext'
import type { Api } from './publicApi'

/** Members of the public object that only read or write state, grouped by concern. */

export const superProperties = ({
  log,
  store,
  tabStore,
  toProperties,
}: Context): Pick<
  Api,
  | 'register'
  | 'register_once'
  | 'unregister'
  | 'register_for_session'
  | 'unregister_for_session'
  | 'get_property'
  | 'getSessionProperty'
> => ({
  register: (properties) => {
    const values = toProperties(properties)
    const reserved = Object.keys(values).filter((name) => has(KEYS, name) && !isKey(name, 'rides'))
    if (reserved.length) log.error(`register() ignores ${reserved.join()}: reserved by the SDK`)
    store.set(pick(values, (name) => !reserved.includes(name)))
  },
  register_once: (properties, unless = NO_VALUE) =>
    store.set(pick(toProperties(properties), (name) => store.get(name) === undefined || store.get(name) === unless)),
  unregister: (name) => {
    if (!has(KEYS, name)) store.set({ [name]: undefined })
  },
  register_for_session: (properties) => tabStore.set(toProperties(properties)),
  unregister_for_session: (name) => tabStore.set({ [name]: undefined }),
  get_property: store.get,
  getSessionProperty: tabStore.get,
})

export const sessionApi = ({
  config,
  token,
  session,
  sessionId,
  distinctId,
}: Context): Pick<
  Api,
  'get_distinct_id' | 'get_session_id' | 'onSessionId' | 'sessionManager' | 'get_session_replay_url'
> => {
  const onSessionId: Api['onSessionId'] = (listener) => {
    const id = session.current()
    if (id) guarded(() => listener(id, session.windowId()))
    return session.onChange(listener)
  }
  return {
    get_distinct_id: distinctId,
    get_session_id: sessionId,
    onSessionId,
    sessionManager: {
      onSessionId,
      checkAndGetSessionAndWindowId: (readOnly) => {
        if (!readOnly) session.touch()
        return { sessionId: sessionId(), windowId: session.windowId(), sessionStartTimestamp: session.startedAt()! }
      },
      resetSessionId: session.end,
    },
    get_session_replay_url: ({ withTimestamp, timestampLookBack = 10 } = {}) => {
      const id = sessionId()
      const seconds = (Date.now() - session.startedAt()!) / 1000
      const from = withTimestamp ? `?t=${Math.max(0, Math.floor(seconds - timestampLookBack))}` : ''
      return `${uiHost(config)}/project/${token}/replay/${id}${from}`
    },
  }
}

/**
 * `dropWaiting` drops events that wait to be sent. `align` applies the current consent everywhere. `onOptIn` is called when
 * the visitor is no longer opted out.
 */
export const consentApi = (
  { config, log, consent, isCookieless, isOptedOut }: Context,
  capture: Capture,
  reset: (deviceToo: boolean) => void,
  dropWaiting: () => void,
  align: () => void,
  onOptIn: () => void,
): Pick<
  Api,
  | 'opt_in_capturing'
  | 'opt_out_capturing'
  | 'clear_opt_in_out_capturing'
  | 'has_opted_in_capturing'
  | 'has_opted_out_capturing'
  | 'get_explicit_consent_status'
  | 'is_capturing'
> => {
  const decide = (granted: boolean | undefined) => {
    const wasOut = isOptedOut()
    if (config.cookieless_mode === 'always') log.warn("consent does nothing with cookieless_mode: 'always'")
    else consent.decide(granted)
    // Other tabs are notified of consent after the ids are stored, and of a denial before they are removed.
    if (granted) align()
    consent.keep()
    align()
    if (wasOut && !isOptedOut()) onOptIn()
  }
  return {
    opt_in_capturing: ({ captureEventName = '$opt_in', captureProperties } = {}) => {
      const isChange = consent.explicit() !== 'granted'
      // A visitor who had no id gets a new one.
      if (isCookieless() && config.cookieless_mode === 'on_reject') reset(true)
      decide(true)
      if (captureEventName && isChange) capture(captureEventName, captureProperties, { send_instantly: true })
    },
    opt_out_capturing: () => {
      // Events captured before are not sent after the visitor opted out.
      dropWaiting()
      decide(false)
    },
    clear_opt_in_out_capturing: () => decide(undefined),
    has_opted_in_capturing: () => !consent.isOptedOut(),
    has_opted_out_capturing: consent.isOptedOut,
    get_explicit_consent_status: consent.explicit,
    is_capturing: () => !isOptedOut(),
  }
}
