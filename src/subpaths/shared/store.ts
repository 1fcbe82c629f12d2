import type { Analytics, Bootstrap, FlagResult, FlagValue, JsonType, Stop } from 'trailmark'

/** What components show of the visitor. A new object for each change. */
export interface State {
  flags: readonly FlagResult[]
  /** Undefined on the server and before the first session. */
  sessionId?: string
  /** The visitor's own decision. `pending` on the server. */
  consent: 'granted' | 'denied' | 'pending'
}

/** The visitor's flags, session and consent as a store. */
export interface Store {
  /** The state of the server's HTML, which a client's first render must have too. */
  readonly initial: State
  /** The same object until something changes. */
  current(): State
  subscribe(listener: () => void): Stop
  /** Follows the SDK from now on. Until then, the state is the initial one. Called when the page is hydrated. */
  follow(): void
  /** Records the visitor's decision. */
  decide(isGranted: boolean): void
}

const parse = (payload: unknown): JsonType => {
  if (typeof payload !== 'string') return payload as JsonType
  try {
    return JSON.parse(payload) as JsonType
  } catch {
    return payload
  }
}

/** Returns bootstrapped flags as the SDK returns them. */
const bootstrapped = ({ featureFlags = {}, featureFlagPayloads = {} }: Bootstrap): FlagResult[] =>
  Object.keys(featureFlags).map((key) => {
    const value = featureFlags[key]
    const payload = value ? parse(featureFlagPayloads[key]) : undefined
    return { key, enabled: !!value, variant: typeof value === 'string' ? value : undefined, payload }
  })

/** Returns a flag's value, payload and state. */
export const flagOf = ({ flags }: State, key: string): FlagResult | undefined => flags.find((each) => each.key === key)

/** Returns the value of a flag: whether it is on, or its variant. */
export const valueOf = (state: State, key: string): FlagValue | undefined => {
  const flag = flagOf(state, key)
  return flag && (flag.variant ?? flag.enabled)
}

/** Creates the store of a client. `bootstrap`: the flags that the server knows. */
export const createStore = (client: Analytics, bootstrap: Bootstrap = {}): Store => {
  const initial: State = { flags: bootstrapped(bootstrap), consent: 'pending' }
  const listeners = new Set<() => void>()
  let state = initial
  let isFollowing = false

  const update = (change: Partial<State>) => {
    const next = { ...state, ...change }
    // The service's answer is mostly what is known already.
    if (JSON.stringify(next) === JSON.stringify(state)) return
    state = next
    listeners.forEach((listener) => listener())
  }
  const readConsent = () => update({ consent: client.get_explicit_consent_status() })
  const readFlags = () => update({ flags: client.getAllFeatureFlags() })

  return {
    initial,
    current: () => state,
    subscribe: (listener) => {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
    follow: () => {
      if (isFollowing || typeof document === 'undefined') return
      isFollowing = true
      readConsent()
      // Those of an earlier visit are known before the answer. Without any, the bootstrapped ones stay until then.
      if (client.getAllFeatureFlags().length) readFlags()
      client.onFeatureFlags(readFlags)
      client.onSessionId((sessionId) => update({ sessionId }))
    },
    decide: (isGranted) => {
      if (isGranted) client.opt_in_capturing()
      else client.opt_out_capturing()
      readConsent()
    },
  }
}
