import {
  computed,
  type EnvironmentProviders,
  ErrorHandler,
  inject,
  InjectionToken,
  makeEnvironmentProviders,
  provideAppInitializer,
  signal,
  type Signal,
} from '@angular/core'
import type { Analytics, FlagValue, JsonType } from 'trailmark'
import { missing, type Settings, start, type Started } from '../shared/start'
import { flagOf, type State, valueOf } from '../shared/store'
import { followRouter, type RouterLike } from './router'

export type { Settings } from '../shared/start'
export type { RouterLike } from './router'

export interface AngularSettings extends Settings {
  /** The class `Router` of `@angular/router`. Pageviews are then those of its navigations, with the route's pattern as `$route`. */
  router?: abstract new (...args: never[]) => RouterLike
  /** Whether errors that reach Angular's `ErrorHandler` are captured. Default: true. */
  errors?: boolean
}

type Context = Started & { state: Signal<State> }

const CONTEXT = new InjectionToken<Context>('trailmark')

const createContext = (settings: Settings, hasRouter: boolean): Context => {
  const started = start(settings, hasRouter)
  let initial!: State
  started.store.subscribe((state) => (initial = state))()
  const state = signal(initial)
  started.store.subscribe(state.set)
  return { ...started, state }
}

/** Captures errors, and passes them on to Angular's own handler. */
const createErrorHandler = (): ErrorHandler => {
  const { client } = inject(CONTEXT)
  const handler = new ErrorHandler()
  return {
    handleError: (error: unknown) => {
      client.captureException(error)
      handler.handleError(error)
    },
  }
}

/**
 * Returns the providers of an application. They start the SDK in the browser, once. On a server, flags come from
 * `options.bootstrap`.
 * @example bootstrapApplication(App, { providers: [provideTrailmark({ client: analytics, token: 'my-token', router: Router })] })
 */
export const provideTrailmark = ({ router, errors = true, ...settings }: AngularSettings): EnvironmentProviders =>
  makeEnvironmentProviders([
    { provide: CONTEXT, useFactory: () => createContext(settings, !!router) },
    provideAppInitializer(() => {
      const { store, navigated } = inject(CONTEXT)
      if (typeof document === 'undefined') return
      store.follow()
      if (router) followRouter(inject(router as never), navigated)
    }),
    ...(errors ? [{ provide: ErrorHandler, useFactory: createErrorHandler }] : []),
  ])

const injectContext = (): Context =>
  inject(CONTEXT, { optional: true }) ??
  missing(
    process.env.NODE_ENV !== 'production' &&
      'Add to the providers of the application: provideTrailmark({ client: analytics, token: "…" })',
  )

/** Returns the SDK. On a server its methods do nothing. */
export const injectAnalytics = (): Analytics => injectContext().client

/**
 * Returns a signal of a flag's value: true, false or the variant's name; undefined before flags have loaded and for an unknown
 * flag. Captures `$feature_flag_called` in the browser, once per value.
 */
export const injectFeatureFlag = (key: string): Signal<FlagValue | undefined> => {
  const { state, client } = injectContext()
  return computed(() => {
    // Later, because its event may start a session, and a computed signal must not change another one.
    queueMicrotask(() => client.getFeatureFlag(key))
    return valueOf(state(), key)
  })
}

/** Returns a signal of the payload of a flag's value. Captures nothing. */
export const injectFeatureFlagPayload = (key: string): Signal<JsonType> => {
  const { state } = injectContext()
  return computed(() => flagOf(state(), key)?.payload)
}

/** Returns a signal of the session's id; undefined on a server. */
export const injectSessionId = (): Signal<string | undefined> => {
  const { state } = injectContext()
  return computed(() => state().sessionId)
}

/** Returns a signal of the visitor's own decision, and functions that record one. */
export const injectConsent = (): { status: Signal<State['consent']>; optIn: () => void; optOut: () => void } => {
  const { state, store } = injectContext()
  return {
    status: computed(() => state().consent),
    optIn: () => store.decide(true),
    optOut: () => store.decide(false),
  }
}
