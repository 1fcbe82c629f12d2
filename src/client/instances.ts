import { hasPage } from '../browser/page'
import { type OptionMembers, type OptionRows, OPTIONS } from '../config/options'
import { type OptionRules, resolveConfig } from '../config/settings'
import type { LoadExtension } from '../extensions/contract'
import { expected } from '../lib/expected'
import { guarded } from '../lib/guard'
import { createLog } from '../lib/log'
import type { SiteRecording } from '../host'
import type { Config } from '../types'
import { VERSION } from '../version'
import { memberAt, whyAbsent } from './callMethod'
import { createCalls, isFunction, type Method } from './calls'
import { type Client, createClient } from './createClient'
import { LOGGER, PRIMARY_NAMES } from './compatibility'
import type { Feature } from './feature'
import { createLedger } from './ledger'
import type { Missing } from './missingParts'
import { NOT_YET, type NotYet } from './notYet'
import { type Provided, providedBy } from './provided'
import { type Analytics, type Api, METHODS, type Methods, type Options, type Planless } from './publicApi'

type Members = Record<string, unknown>

// Placeholders for the token in guides and templates.
const PLACEHOLDER = /your[-_ ]|project[-_ ]token|^[<{$%[]|\.\.\.|\u2026|^(undefined|null)$/i

/** Runs calls where there is no client, and returns their results. */
export type FallbackApi = (path: string, args: readonly unknown[]) => unknown

/** Handles `init` where there is no page. `begin` creates and starts the client, `end` allows another `init`. */
export type WithoutPage = (analytics: Analytics, begin: () => void, end: () => void) => FallbackApi | undefined

/** Replacements for the parts that a build may lack. A build with all parts sets none. */
export interface Lacking {
  /** Stand-ins that the core uses instead of parts. */
  standIns?: Partial<Provided>
  /** The methods of all parts. */
  methods?: Methods
  /** Returns the import that a member needs and lacks. */
  missing?: Missing
}

/** Components of a build of the SDK, besides the core. */
export interface Build extends Lacking {
  features: readonly Feature[]
  /** Returns the function that loads extensions. */
  makeLoad(config: Config): LoadExtension
  /** Handles `init` in workers and on servers. Unset: `init` does nothing there. */
  withoutPage?: WithoutPage
}

/**
 * Creates an `analytics` object of the core and a build's features. It touches nothing of the page until `init`, and no
 * member throws. `others`: the named instances so far, shared by all instances of one primary, which has no `name`.
 */
export const createAnalytics = (build: Build, name?: string, others: Record<string, Analytics> = {}): Analytics => {
  const { features, methods, standIns, makeLoad, withoutPage, missing = () => undefined } = build
  const members = Object.assign({}, ...features.map((each) => each.members)) as OptionMembers
  const rows = Object.assign({}, OPTIONS, ...features.map((each) => each.options)) as OptionRows
  const rules: OptionRules = { rows, members, check: providedBy(features, standIns).check }
  /** All methods, with their return values without a client. */
  const results = Object.assign({}, METHODS, NOT_YET, methods, ...features.map((each) => each.methods)) as Methods
  let client: Client | undefined
  let fallback: FallbackApi | undefined
  let token: string | undefined
  const config = {} as Analytics['config']
  /** Whether no client will come. */
  let isOff = false

  const log = createLog(() => !!config.debug)
  const ledger = createLedger(log)
  const calls = createCalls(results, log, (path, args) => run(path, args))

  const onEnd = () => {
    client = undefined
    token = undefined
    calls.clear()
  }

  const init = (projectToken: string, options?: Options | null, asName?: string): Analytics => {
    if (asName && asName !== name && !PRIMARY_NAMES.includes(asName)) {
      others[asName] ??= createAnalytics(build, asName, others)
      Object.assign(analytics, { [asName]: others[asName] })
      return others[asName].init(projectToken, options, asName)
    }
    const trimmed = typeof projectToken === 'string' ? projectToken.trim() : ''
    if (token) {
      log.warn(
        `init was called again${trimmed === token ? '' : ' with another token'}; the first call wins. Use set_config, or init with another name`,
      )
      return analytics
    }
    const userConfig = {}
    token = trimmed
    Object.assign(config, resolveConfig(options, log, rules, userConfig), { token })
    isOff = false
    if (projectToken && typeof projectToken !== 'string')
      log.error(expected('init()', 'a project token (string)', projectToken, 'Nothing is captured'))
    const isPersonalKey = /^phx_/.test(trimmed)
    if (isPersonalKey)
      log.error(
        'init() got a personal API key, which must not be in a page. Revoke it, and pass the project token. Nothing is captured or sent',
      )
    else if (PLACEHOLDER.test(trimmed))
      log.error(
        `init() got ${trimmed}, a placeholder. Replace it by the project token, or the service rejects all events`,
      )
    const begin = () => {
      fallback = undefined
      client = createClient({
        features,
        standIns,
        rules,
        load: makeLoad(config),
        token: trimmed,
        config,
        userConfig,
        log,
        ledger,
        calls,
        missing,
        onEnd,
      })
      calls.replay()
      guarded(() => config.loaded(analytics))
      // A queued call or `loaded` may have shut it down.
      client?.start()
    }
    if (!token || isPersonalKey || !config.enabled) {
      isOff = true
      calls.clear()
      // Not a warning, because sites turn analytics off this way.
      log.info('nothing is captured: no project token, or enabled: false')
    } else if (hasPage()) begin()
    else fallback = withoutPage?.(analytics, begin, onEnd)
    return analytics
  }

  /** Keeps a call until there is a client. */
  const wait = (path: string, args: readonly unknown[]): unknown => {
    // `shutdown` before `init` has nothing to end.
    if (isOff || (path === 'shutdown' && !token)) return undefined
    if (calls.hasRoom()) return calls.add(path, args, { at: new Date(), url: hasPage() ? location.href : '' })
    if (path === 'capture') ledger.dropped({ event: String(args[0]), reason: 'not_initialized' })
    return undefined
  }
  /** Calls a method, or queues the call until there is a client. Never throws. */
  const run = (path: string, args: readonly unknown[]): unknown => {
    if (client) guarded(client.beforeCall)
    return guarded(() => (client?.call ?? fallback ?? wait)(path, args)) ?? results[path]
  }
  const createMethods = () => {
    const members: Members = {}
    for (const path of Object.keys(results)) {
      const [method, inner] = path.split('.') as [string, string?]
      const call = (...args: unknown[]) => run(path, args)
      if (inner) members[method] = { ...(members[method] as Members), [inner]: call }
      else members[method] = call
    }
    return members
  }

  const analytics: Analytics = {
    ...(createMethods() as unknown as Omit<Api, keyof Planless> &
      NotYet &
      Pick<Analytics, keyof Planless | 'featureFlags' | 'sessionRecording'>),
    config,
    version: VERSION,
    get __loaded() {
      return !!token
    },
    get flagsEndpointWasHit() {
      return !!client?.hasFlags()
    },
    get decideEndpointWasHit() {
      return analytics.flagsEndpointWasHit
    },
    logger: LOGGER,
    get surveys() {
      return client?.api.surveys
    },
    init: (...args) => guarded(() => init(...args)) ?? analytics,
    on: ledger.on,
    drops: ledger.drops,
    explain: (which) => guarded(() => ledger.explain(which)) ?? [],
    push: (call) =>
      guarded(() => {
        const { time, url } = Object(call) as { time?: unknown; url?: unknown }
        const run = () => runCall(analytics, call, own)
        return typeof time === 'number' && typeof url === 'string'
          ? calls.runAt({ at: new Date(time), url }, run)
          : run()
      }),
    toString: () => (name ? `analytics.${name}` : 'analytics'),
  }
  // The methods as created here, because another library's snippet may replace them with ones that push to this object.
  const own: Members = { ...analytics }
  Object.defineProperty(analytics.featureFlags, 'hasLoadedFlags', { get: () => analytics.flagsEndpointWasHit })
  const recording = () => (client?.api.sessionRecording ?? {}) as Partial<SiteRecording>
  Object.defineProperties(analytics.sessionRecording, {
    status: { get: () => recording().status ?? 'disabled' },
    _forceAllowLocalhostNetworkCapture: {
      get: () => !!recording()._forceAllowLocalhostNetworkCapture,
      set(_forceAllowLocalhostNetworkCapture: boolean) {
        Object.assign(recording(), { _forceAllowLocalhostNetworkCapture })
      },
    },
  })
  return analytics
}

/** Runs one queued call, `[method, ...arguments]` or a function, and returns its result. `members`: the methods. */
const runCall = (analytics: Analytics, call: unknown, members: Members): unknown =>
  guarded((): unknown => {
    if (isFunction(call)) return call.call(analytics)
    if (!Array.isArray(call) || !call.length) return undefined
    const [method, ...args] = call as [unknown, ...unknown[]]
    // A chained call: each runs on the result of the previous one.
    if (Array.isArray(method)) {
      let at: unknown = members
      for (const [name, ...rest] of call as [string, ...unknown[]][])
        at = (at as Record<string, Method>)[name]!(...rest)
      return at
    }
    const member = memberAt(members, String(method))
    if (isFunction(member)) return member(...args)
    console.warn('[trailmark]', whyAbsent(String(method)))
    return undefined
  })
