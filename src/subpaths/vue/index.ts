import {
  type App,
  computed,
  type ComputedRef,
  inject,
  type MaybeRefOrGetter,
  type Plugin,
  shallowRef,
  type ShallowRef,
  toValue,
  watchEffect,
} from 'vue'
import type { Analytics, FlagValue, JsonType } from 'trailmark'
import { followRouter, type RouterLike } from './router'
import { hasPage, missing, type Settings, start, type Started } from '../shared/start'
import { flagOf, type State, valueOf } from '../shared/store'

export type { Settings } from '../shared/start'
export type { RouterLike } from './router'

export interface VueSettings extends Settings {
  /** The app's router. Pageviews are then those of its navigations, with the route's pattern as `$route`. */
  router?: RouterLike
  /** Whether errors of components are captured. Default: true. */
  errors?: boolean
  /** Calls its argument when the page is hydrated. Default: when the app is mounted. */
  onHydrated?: (run: () => void) => void
}

type Context = Started & { state: ShallowRef<State> }

// By name, because `trailmark/nuxt` may have another copy of this module.
const KEY = Symbol.for('trailmark')

/** Runs `run` when the app's first render is done: before it, if there is no HTML of a server to hydrate. */
const afterFirstRender = (app: App, run: () => void) => {
  const { mount } = app
  app.mount = (container: string | Element, ...rest: never[]) => {
    const element = typeof container === 'string' ? document.querySelector(container) : container
    if (!element?.firstElementChild) run()
    const result = mount(container, ...rest)
    run()
    return result
  }
}

const captureErrors = (app: App, client: Analytics) => {
  const { errorHandler } = app.config
  app.config.errorHandler = (error, instance, info) => {
    client.captureException(error, { vue_info: info })
    if (errorHandler) errorHandler(error, instance, info)
    else console.error(error)
  }
}

/**
 * Creates the plugin. It starts the SDK in the browser, once. On a server, flags come from `options.bootstrap`.
 * @example app.use(createTrailmark({ client: analytics, token: 'my-token', options: { api_host }, router }))
 */
export const createTrailmark = ({ router, errors = true, onHydrated, ...settings }: VueSettings): Plugin => ({
  install(app) {
    const started = start(settings, !!router)
    const { store, client } = started
    const state = shallowRef() as Context['state']
    const stop = store.subscribe((next) => (state.value = next))
    app.provide(KEY, { ...started, state })
    if (!hasPage()) return
    app.onUnmount?.(stop)
    if (onHydrated) onHydrated(store.follow)
    else afterFirstRender(app, store.follow)
    if (errors) captureErrors(app, client)
    if (router) followRouter(router, started.navigated)
  },
})

const useContext = (): Context =>
  inject<Context | undefined>(KEY, undefined) ??
  missing(process.env.NODE_ENV !== 'production' && 'Add: app.use(createTrailmark({ client: analytics, token: "…" }))')

/** Returns the SDK. On a server its methods do nothing. */
export const useAnalytics = (): Analytics => useContext().client

/** Returns the SDK's `capture`. */
export const useCapture = (): Analytics['capture'] => useContext().client.capture

/**
 * Returns a flag's value: true, false or the variant's name; undefined before flags have loaded and for an unknown flag.
 * Captures `$feature_flag_called` in the browser, once per value.
 */
export const useFeatureFlag = (key: MaybeRefOrGetter<string>): ComputedRef<FlagValue | undefined> => {
  const { state, client } = useContext()
  const value = computed(() => valueOf(state.value, toValue(key)))
  // The effect runs on servers too, where the SDK is off.
  watchEffect(() => [value.value, client.getFeatureFlag(toValue(key))])
  return value
}

/** Same as `useFeatureFlag`. */
export const useFeatureFlagVariantKey = useFeatureFlag

/** Returns whether a flag is on; `defaultValue`, or undefined, if it has no value. */
export const useFeatureFlagEnabled = <D extends boolean | undefined = undefined>(
  key: MaybeRefOrGetter<string>,
  defaultValue?: D,
): ComputedRef<boolean | D> => {
  const value = useFeatureFlag(key)
  return computed(() => (value.value === undefined ? (defaultValue as D) : !!value.value))
}

/** Returns the payload of a flag's value. Captures nothing. */
export const useFeatureFlagPayload = (key: MaybeRefOrGetter<string>): ComputedRef<JsonType> => {
  const { state } = useContext()
  return computed(() => flagOf(state.value, toValue(key))?.payload)
}

/** Returns the id of the session; undefined on a server, and until the page is hydrated. */
export const useSessionId = (): ComputedRef<string | undefined> => {
  const { state } = useContext()
  return computed(() => state.value.sessionId)
}

/** Returns the visitor's own decision, and functions that record one. */
export const useConsent = (): {
  status: ComputedRef<State['consent']>
  optIn: () => void
  optOut: () => void
} => {
  const { state, store } = useContext()
  return {
    status: computed(() => state.value.consent),
    optIn: () => store.decide(true),
    optOut: () => store.decide(false),
  }
}
