import { hasPage } from '../browser/page'
import { resolveConfig } from '../config/settings'
import type { LoadExtension } from '../extensions/extensions'
import { guarded } from '../lib/guard'
import { createLog } from '../lib/log'
import { createNotices } from '../lib/notices'
import type { CapturedEvent, Config, DroppedEvent, DropReason } from '../types'
import { VERSION } from '../version'
import { type Client, createClient } from './createClient'
import { LOGGER, NOT_YET, PRIMARY_NAMES } from './compatibility'
import { createExplanations } from './explanations'
import { type Analytics, type Api, METHODS, type Options, WITHOUT_CLIENT } from './publicApi'

type Members = Record<string, unknown>

/** Answers calls where there is no client. */
export type Instead = (path: string, args: readonly unknown[]) => unknown

/** What `init` does where there is no page. `begin` makes and starts the client, `end` lets `init` be called again. */
export type WithoutPage = (analytics: Analytics, begin: () => void, end: () => void) => Instead

/**
 * An `analytics` object. It touches nothing of the page until `init`; no member throws, whatever it is given.
 * `makeLoad`: how extensions come in this build; `withoutPage`: what it does in workers and on servers, if anything.
 * `others`: named instances made so far, shared by all that grew out of one primary.
 */
export const createAnalytics = (
  makeLoad: (config: Config) => LoadExtension,
  withoutPage?: WithoutPage,
  name?: string,
  others: Record<string, Analytics> = {},
): Analytics => {
  let client: Client | undefined
  let instead: Instead | undefined
  let token: string | undefined
  const config: Config = {} as Config
  const counts: Partial<Record<DropReason, number>> = {}

  const log = createLog(() => !!config.debug)
  const notices = createNotices()
  const explanations = createExplanations()
  const onDrop = (dropped: DroppedEvent, stages: readonly string[] = []) => {
    counts[dropped.reason] = (counts[dropped.reason] ?? 0) + 1
    explanations.dropped(dropped, stages)
    log.info('dropped', dropped.event, dropped.reason)
    notices.tell('eventDropped', dropped)
  }
  const onCaptured = (event: CapturedEvent, stages: readonly string[]) => {
    explanations.captured(event.event, event.uuid, stages)
    log.info('captured', event.event, event)
    notices.tell('eventCaptured', event)
  }
  const onDelivered = (uuids: string[]) => {
    explanations.delivered(uuids)
    notices.tell('eventsDelivered', { uuids })
  }

  const onEnd = () => {
    client = undefined
    token = undefined
  }

  const init = (given: string, options?: Options | null, asName?: string): Analytics => {
    if (asName && asName !== name && !PRIMARY_NAMES.includes(asName)) {
      others[asName] ??= createAnalytics(makeLoad, withoutPage, asName, others)
      Object.assign(analytics, { [asName]: others[asName] })
      return others[asName].init(given, options, asName)
    }
    const trimmed = typeof given === 'string' ? given.trim() : ''
    if (token) {
      log.warn(
        `init was called again${trimmed === token ? '' : ' with another token'}; the first call holds. Use set_config, or init with a name of its own`,
      )
      return analytics
    }
    const said = {}
    Object.assign(config, resolveConfig(options, log, said))
    token = trimmed
    if (given && typeof given !== 'string')
      log.error(`init takes the project token, a text, not ${typeof given}; nothing is captured`)
    const begin = () => {
      instead = undefined
      client = createClient({
        load: makeLoad(config),
        token: trimmed,
        config,
        said,
        log,
        notices,
        onCaptured,
        onDrop,
        onDelivered,
        onEnd,
      })
      guarded(() => config.loaded(analytics))
      client.start()
    }
    // On purpose not a warning: this is how a site switches analytics off.
    if (!token || !config.enabled) log.info('nothing is captured: no project token, or enabled: false')
    else if (hasPage()) begin()
    else instead = withoutPage?.(analytics, begin, onEnd)
    return analytics
  }

  const withoutClient = (method: string, args: readonly unknown[]) => {
    if (method === 'capture' && token === undefined) {
      onDrop({ event: String(args[0]), reason: 'not_initialized' })
      log.warn(`capture('${String(args[0])}') came before init; it is lost`)
    }
    return WITHOUT_CLIENT[method]
  }
  const notYet = (method: string, callback: unknown) => {
    log.warn(`${method} is not in this version; the call does nothing`)
    if (typeof callback === 'function') callback([], { isLoaded: false, error: 'not in this version' })
    return WITHOUT_CLIENT[method]
  }
  /** The members of these names: the client's, guarded, where there is one. A name with a dot is a member's member. */
  const methods = (names: string) => {
    const members: Members = {}
    for (const path of names.split(' ')) {
      const [method, inner] = path.split('.') as [string, string?]
      const call = (...args: unknown[]) => {
        if (!client) return instead ? guarded(() => instead!(path, args)) : withoutClient(path, args)
        const member = (client.api as unknown as Members)[method]
        const run = (inner ? (member as Members | undefined)?.[inner] : member) as
          undefined | ((...args: unknown[]) => unknown)
        return guarded(() => (run ? run(...args) : notYet(path, args[0]))) ?? WITHOUT_CLIENT[path]
      }
      if (inner) members[method] = { ...(members[method] as Members), [inner]: call }
      else members[method] = call
    }
    return members
  }

  const analytics: Analytics = {
    ...(methods(`${METHODS} ${NOT_YET}`) as unknown as Api & Pick<Analytics, 'featureFlags'>),
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
    init: (...args) => guarded(() => init(...args)) ?? analytics,
    on: notices.on,
    drops: () => ({ ...counts }),
    explain: (which) => guarded(() => explanations.explain(which)) ?? [],
    push: (call) => runCall(analytics, call),
    toString: () => (name ? `analytics.${name}` : 'analytics'),
  }
  Object.defineProperty(analytics.featureFlags, 'hasLoadedFlags', { get: () => analytics.flagsEndpointWasHit })
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
      for (const [name, ...rest] of call as [string, ...unknown[]][])
        at = (at as Record<string, (...args: unknown[]) => unknown>)[name]!(...rest)
      return
    }
    const member = (target as unknown as Record<string, unknown>)[String(method)]
    if (typeof member === 'function') member.apply(target, args)
    else console.warn('[trailmark]', `there is no method ${String(method)} in this version; the call is ignored`)
  })
}
