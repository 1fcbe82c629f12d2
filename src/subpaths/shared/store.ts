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
  /** Calls the listener with the state, and with each new one. Before `follow`, it is that of the server's HTML. */
  subscribe(listener: (state: State) => void): Stop
  /** Follows the SDK from now on. Called when the page is hydrated. */
  follow(): void
  /** Records the visitor's decision. */
  decide(isGranted: boolean): void
}

const parse = (payload: unknown): JsonType => {
  try {
    return JSON.parse(payload as string) as JsonType
  } catch {
    // The SDK keeps other text too.
    return payload as JsonType
  }
}

/** Returns bootstrapped flags as the SDK returns them. */
const bootstrapped = ({ featureFlags = {}, featureFlagPayloads = {} }: Bootstrap): FlagResult[] =>
  Object.keys(featureFlags).map((key) => {
    const value = featureFlags[key]
    const payload = value ? featureFlagPayloads[key] : undefined
    return {
      key,
      enabled: !!value,
      variant: typeof value === 'string' ? value : undefined,
      payload: typeof payload === 'string' ? parse(payload) : (payload as JsonType),
    }
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
  const listeners = new Set<(state: State) => void>()
  let state: State = { flags: bootstrapped(bootstrap), consent: 'pending' }
  let isFollowing = false

  const update = (change: Partial<State>) => {
    const next = { ...state, ...change }
    // The service's answer is mostly what is known already.
    if (JSON.stringify(next) === JSON.stringify(state)) return
    state = next
    listeners.forEach((listener) => listener(state))
  }
  const read = () => {
    const flags = client.getAllFeatureFlags()
    update({
      // Those of an earlier visit are known before the answer. Without any, the bootstrapped ones stay until then.
      flags: flags.length || client.flagsEndpointWasHit ? flags : state.flags,
      consent: client.get_explicit_consent_status(),
    })
  }

  return {
    subscribe: (listener) => {
      listeners.add(listener)
      listener(state)
      return () => void listeners.delete(listener)
    },
    follow: () => {
      if (isFollowing) return
      isFollowing = true
      read()
      client.onFeatureFlags(read)
      client.onSessionId((sessionId) => update({ sessionId }))
    },
    decide: (isGranted) => {
      client[isGranted ? 'opt_in_capturing' : 'opt_out_capturing']()
      read()
    },
  }
}
