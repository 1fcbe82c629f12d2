import { hasPage } from '../browser/page'
import { resolveConfig } from '../config/settings'
import type { LoadExtension } from '../extensions/extensions'
import { guarded } from '../lib/guard'
import { createLog } from '../lib/log'
import { objectOf } from '../lib/objects'
import { createNotices } from '../lib/notices'
import type { Config, DroppedEvent, DropReason } from '../types'
import { VERSION } from '../version'
import { type Client, createClient } from './createClient'
import { type Analytics, type Api, METHODS, type Options, WITHOUT_CLIENT } from './publicApi'

// The name under which the primary instance initialises itself: this SDK's and the protocol's own.
const PRIMARY = ['analytics', 'posthog']

/**
 * An `analytics` object. It touches nothing of the page until `init`; no member throws, whatever it is given.
 * `makeLoad`: how extensions come in this build. `others`: named instances made so far, shared by all that grew out of one primary.
 */
export const createAnalytics = (makeLoad: (config: Config) => LoadExtension, name?: string, others: Record<string, Analytics> = {}): Analytics => {
  let client: Client | undefined
  let token: string | undefined
  const config: Config = {} as Config
  const counts: Partial<Record<DropReason, number>> = {}

  const log = createLog(() => !!config.debug)
  const notices = createNotices()
  const onDrop = (dropped: DroppedEvent) => {
    counts[dropped.reason] = (counts[dropped.reason] ?? 0) + 1
    log.info('dropped', dropped.event, dropped.reason)
    notices.tell('eventDropped', dropped)
  }

  const onEnd = () => {
    client = undefined
    token = undefined
  }

  const init = (given: string, options?: Options | null, asName?: string): Analytics => {
    if (asName && asName !== name && !PRIMARY.includes(asName)) {
      others[asName] ??= createAnalytics(makeLoad, asName, others)
      Object.assign(analytics, { [asName]: others[asName] })
      return others[asName].init(given, options, asName)
    }
    const trimmed = typeof given === 'string' ? given.trim() : ''
    if (token !== undefined) {
      log.warn(`init was called again${trimmed === token ? '' : ' with another token'}; the first call holds. Use set_config, or init with a name of its own`)
      return analytics
    }
    if (!trimmed) {
      log.warn('init takes the project token and got none: nothing is captured')
      return analytics
    }
    Object.assign(config, resolveConfig(options, log))
    token = trimmed
    if (!hasPage() || !config.enabled) return analytics

    client = createClient({ load: makeLoad(config), token, config, log, notices, onDrop, onEnd })
    guarded(() => config.loaded(analytics))
    client.start()
    return analytics
  }

  const withoutClient = (method: string, args: readonly unknown[]) => {
    if (method === 'capture' && token === undefined) {
      onDrop({ event: String(args[0]), reason: 'not_initialized' })
      log.warn(`capture('${String(args[0])}') came before init; it is lost`)
    }
    return WITHOUT_CLIENT[method]
  }
  /** Members of these names: the client's, guarded, where there is one. */
  const methods = (names: string) =>
    objectOf(names.split(' '), (method) => (...args: never[]) => {
      if (!client) return withoutClient(method, args)
      return guarded(() => (client!.api[method as keyof Api] as (...args: never[]) => unknown)(...args)) ?? WITHOUT_CLIENT[method]
    })

  const analytics: Analytics = {
    ...(methods(METHODS) as unknown as Api),
    config,
    version: VERSION,
    get __loaded() {
      return token !== undefined
    },
    init: (...args) => guarded(() => init(...args)) ?? analytics,
    on: notices.on,
    drops: () => ({ ...counts }),
    push: (call) => runCall(analytics, call),
    toString: () => (name ? `analytics.${name}` : 'analytics'),
  }
  return analytics
}

/** Runs one call of a stub's queue: `[method, ...arguments]`, or a function. */
export const runCall = (target: Analytics, call: unknown): void => {
  guarded(() => {
    if (typeof call === 'function') call.call(target)
    if (!Array.isArray(call)) return
    const [method, ...args] = call as [unknown, ...unknown[]]
    // A chained call: each is made on what the one before answered.
    if (Array.isArray(method)) {
      let at: unknown = target
      for (const [name, ...rest] of call as [string, ...unknown[]][]) at = (at as Record<string, (...args: unknown[]) => unknown>)[name]!(...rest)
      return
    }
    const member = (target as unknown as Record<string, unknown>)[String(method)]
    if (typeof member === 'function') member.apply(target, args)
    else console.warn('[trailmark]', `there is no method ${String(method)} in this version; the call is ignored`)
  })
}
