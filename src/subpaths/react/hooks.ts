import { useCallback, useSyncExternalStore } from 'react'
import type { Analytics, Bootstrap, CaptureOptions, Properties } from 'trailmark'
import { onConsent } from './consent'
import { useProvided } from './context'
import { isServer, tell } from './mistakes'

type Subscribe = (client: Analytics, listener: () => void) => () => void

/** Reads a value that changes. `fromServer` returns what the server has rendered with, for hydration. */
export const useStore = <T>(
  hook: string,
  subscribe: Subscribe,
  read: (client: Analytics) => T,
  fromServer: (bootstrap: Bootstrap) => T,
): T => {
  const { client, bootstrap } = useProvided(hook)
  return useSyncExternalStore(
    useCallback((listener: () => void) => subscribe(client, listener), [client, subscribe]),
    () => read(client),
    () => fromServer(bootstrap),
  )
}

/** Returns the instance of the provider. Call its methods in effects and handlers. */
export const useTrailmark = (): Analytics => useProvided('useTrailmark()').client

/** Returns a `capture` that stays the same function. */
export const useCapture = (): Analytics['capture'] => {
  const { client } = useProvided('useCapture()')
  return useCallback(
    (event: string, properties?: Properties | null, options?: CaptureOptions) => {
      if (!isServer()) return client.capture(event, properties, options)
      // Bundlers leave this out of production builds.
      if (process.env.NODE_ENV !== 'production')
        tell(
          `The event ${event} was captured while a server rendered, and is not sent. Capture it in an effect or a handler, or with trailmark/server`,
        )
      return undefined
    },
    [client],
  )
}

export interface Session {
  sessionId: string
  windowId: string
}

const onSession: Subscribe = (client, listener) => client.onSessionId(listener)

/** Returns the ids of the session; undefined on a server and before there is one. */
export const useSession = (): Session | undefined => {
  const text = useStore(
    'useSession()',
    onSession,
    (client) => {
      const { sessionId, windowId } = client.sessionManager.checkAndGetSessionAndWindowId(true)
      return sessionId && `${sessionId} ${windowId}`
    },
    () => '',
  )
  const [sessionId, windowId] = text.split(' ') as [string, string]
  return sessionId ? { sessionId, windowId } : undefined
}

export interface Consent {
  /** The visitor's own decision. `pending` on a server. */
  status: 'granted' | 'denied' | 'pending'
  grant: Analytics['opt_in_capturing']
  deny: Analytics['opt_out_capturing']
  /** Forgets the decision. */
  clear: Analytics['clear_opt_in_out_capturing']
}

/** Returns the visitor's decision, and functions that record one. */
export const useConsent = (): Consent => {
  const { client } = useProvided('useConsent()')
  const status = useStore(
    'useConsent()',
    onConsent,
    () => client.get_explicit_consent_status(),
    (): Consent['status'] => 'pending',
  )
  return {
    status,
    grant: client.opt_in_capturing,
    deny: client.opt_out_capturing,
    clear: client.clear_opt_in_out_capturing,
  }
}
