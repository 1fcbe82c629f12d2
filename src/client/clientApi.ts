import { uiHost } from '../delivery/hosts'
import { guarded } from '../lib/guard'
import { has, pick } from '../lib/objects'
import { isKey, KEYS } from '../state/keys'
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

export const consentStatus = ({
  consent,
  isOptedOut,
}: Context): Pick<
  Api,
  'has_opted_in_capturing' | 'has_opted_out_capturing' | 'get_explicit_consent_status' | 'is_capturing'
> => ({
  has_opted_in_capturing: () => !consent.isOptedOut(),
  has_opted_out_capturing: consent.isOptedOut,
  get_explicit_consent_status: consent.explicit,
  is_capturing: () => !isOptedOut(),
})
