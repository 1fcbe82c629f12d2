import type { Analytics, FlagValue, JsonType, Stop } from 'trailmark'
import { getContext, onMount, setContext } from 'svelte'
import { missing, type Settings, start, type Started } from '../shared/start'
import { flagOf, type State, valueOf } from '../shared/store'
import { type AfterNavigate, followKit } from './kit'

export type { Settings } from '../shared/start'
export type { AfterNavigate } from './kit'

export interface SvelteSettings extends Settings {
  /** `afterNavigate` of `$app/navigation`. Pageviews are then those of SvelteKit, with the route's id as `$route`. */
  afterNavigate?: AfterNavigate
}

/** A store of Svelte: `$flag` in a component is its value. */
export interface Readable<T> {
  subscribe(run: (value: T) => void): Stop
}

// By name, because a page may have two copies of this module.
const KEY = Symbol.for('trailmark')

/**
 * Starts the SDK in the browser, once, for the component and those in it. Call it in the root layout. On a server, flags come
 * from `options.bootstrap`.
 * @example setTrailmark({ client: analytics, token: 'my-token', options: { api_host, bootstrap: data.bootstrap }, afterNavigate })
 */
export const setTrailmark = ({ afterNavigate, ...settings }: SvelteSettings): Analytics => {
  const started = start(settings, !!afterNavigate)
  setContext(KEY, started)
  // When it is mounted, the page is hydrated.
  onMount(started.store.follow)
  if (afterNavigate) followKit(afterNavigate, started.navigated)
  return started.client
}

const useContext = () =>
  getContext<Started | undefined>(KEY) ??
  missing(
    process.env.NODE_ENV !== 'production' &&
      'Add to the root +layout.svelte: setTrailmark({ client: analytics, token: "…" })',
  )

/** Returns a store of a part of the state, which changes only if the part does. */
const select = <T>(read: (state: State) => T): Readable<T> => {
  const { store } = useContext()
  return {
    subscribe: (run) => {
      let last: { value: T } | undefined
      return store.subscribe((state) => {
        const value = read(state)
        if (!last || last.value !== value) run((last = { value }).value)
      })
    },
  }
}

/** Returns the SDK. On a server its methods do nothing. */
export const getAnalytics = (): Analytics => useContext().client

/**
 * Returns a store of a flag's value: true, false or the variant's name; undefined before flags have loaded and for an unknown
 * flag. Captures `$feature_flag_called` in the browser, once per value.
 */
export const featureFlag = (key: string): Readable<FlagValue | undefined> => {
  const { client } = useContext()
  return select((state) => {
    client.getFeatureFlag(key)
    return valueOf(state, key)
  })
}

/** Returns a store of the payload of a flag's value. Captures nothing. */
export const featureFlagPayload = (key: string): Readable<JsonType> => select((state) => flagOf(state, key)?.payload)

/** Returns a store of the session's id; undefined on a server, and until the page is hydrated. */
export const sessionId = (): Readable<string | undefined> => select((state) => state.sessionId)

/** Returns a store of the visitor's own decision, with functions that record one. */
export const consent = (): Readable<State['consent']> & { optIn(): void; optOut(): void } => {
  const { store } = useContext()
  return {
    ...select((state) => state.consent),
    optIn: () => store.decide(true),
    optOut: () => store.decide(false),
  }
}

interface ErrorInput {
  error: unknown
  status?: number
}

/**
 * Returns `handleError` of `hooks.client.ts`. It captures unexpected errors, and then calls `handler`.
 * @example export const handleError = captureErrors(analytics)
 */
export const captureErrors =
  <I extends ErrorInput, R>(client: Analytics, handler?: (input: I) => R) =>
  (input: I): R | undefined => {
    if (input.status !== 404) client.captureException(input.error)
    if (handler) return handler(input)
    console.error(input.error)
    return undefined
  }
