import { attempt } from '../lib/guard'
import { own } from '../lib/objects'
import type { Analytics } from './publicApi'

/** The array created by a page's snippet: queued calls, and `init` calls in `_i` (docs/reference/protocol.md#2). */
export type Stub = unknown[] & {
  _i: unknown[][]
  /** Calls of `people.set` and `people.set_once`, which some snippets of the protocol queue separately. */
  people?: unknown[][]
  /** The instance that runs the calls, and to which the stub forwards later calls. */
  _live?: Analytics
} & Record<string, unknown>

const isQueue = (value: unknown): value is Stub => Array.isArray(value)
export const isStub = (value: unknown): value is Stub => isQueue(value) && Array.isArray(value._i)

const rank = (call: unknown) => {
  const name: unknown = Array.isArray(call) && call[0]
  return name === 'alias' ? 0 : typeof name === 'string' && name.includes('capture') ? 2 : 1
}

// Calls that change the person or consent.
const BOUNDARY = /^(reset|(clear_)?opt_\w+)$/

/**
 * Orders calls as the protocol does: aliases, other calls, captures. So events have the properties that other calls set.
 * Nothing passes a call that changes the person or consent. `known`: the id of an identified visitor.
 */
export const replayOrder = (calls: readonly unknown[], known?: string): unknown[] => {
  let part = 0
  const ranked = calls.map((call) => {
    const [name, id] = (Array.isArray(call) ? call : []) as unknown[]
    const isBoundary = BOUNDARY.test(String(name))
    if (isBoundary || (name === 'identify' && known && String(id) !== known)) part += 3
    if (name === 'identify') known = String(id)
    if (name === 'reset') known = undefined
    const place = part + rank(call)
    if (isBoundary) part += 3
    return [place, call] as const
  })
  return ranked.sort(([a], [b]) => a - b).map(([, call]) => call)
}

/** Runs the calls of a queue, and later calls of code that kept a reference to the stub. */
const replay = (queue: Stub, analytics: Analytics): void => {
  const run = (call: unknown) => {
    const result = analytics.push(call as unknown[])
    // The function that the stub returned, for example by `onFeatureFlags`, ends the subscription.
    if (Array.isArray(call)) Object.assign(call, { stop: result })
  }
  const calls: unknown[] = [
    ...(Array.isArray(queue.people) ? queue.people : []).map(([name, ...args]) => [`people.${String(name)}`, ...args]),
    ...replayOrder(
      [...queue],
      analytics.get_property('$user_state') === 'identified' ? analytics.get_distinct_id() : undefined,
    ),
  ]
  // Before the calls run, because they may make others.
  queue._live = analytics
  queue.push = (...more: unknown[]) => {
    more.forEach(run)
    return 0
  }
  calls.forEach(run)
}

/** Runs the stub's `init` calls, then each queue once. Without an `init`, calls stay queued. */
const takeOver = (stub: Stub, analytics: Analytics): void => {
  const replayed = new Set<unknown>()
  const inits = stub._i.map((call) => [call, stub[call[2] as string]] as const)
  for (const [call, named] of inits) {
    const instance = analytics.init(...(call as Parameters<Analytics['init']>))
    const queue = isQueue(named) ? named : stub
    if (!replayed.has(queue) && instance.__loaded) replay(queue, instance)
    replayed.add(queue)
  }
  if (!replayed.has(stub)) replay(stub, analytics)
}

// Always set, so that the SDK can be found if its usual name is taken.
const FALLBACK = 'trailmark'
const POSTHOG = 'posthog'
/** Names at which other SDKs of the protocol's family have stubs of the same form. */
const FOREIGN = [POSTHOG, 'mixpanel']

/** Whether the snippet that created this stub has loaded the script at `source`: PostHog's loads `array.js` from its `api_host`. */
const hasLoaded = ({ _i }: Stub, source: string): boolean =>
  /\/array(\.full)?\.js/.test(source) &&
  _i.some(([, options]) =>
    source.startsWith(attempt(() => new URL((options as { api_host: string }).api_host, location.href).href) ?? ' '),
  )

/**
 * Puts the SDK at the global names that have its stub, or else at `chosen`. `source`: the script's URL. One stub under two
 * names, and stubs with the same token, share an instance, because two instances would capture everything twice. Names that
 * other libraries use are left alone: the stub at `posthog` belongs to posthog-js, unless `chosen` is that name, or its
 * snippet has loaded this script. Returns the SDK.
 */
export const replaceStub = (
  page: Record<string, unknown>,
  chosen: string,
  create: () => Analytics,
  source = '',
): Analytics | undefined => {
  const names = [chosen, 'analytics', POSTHOG, FALLBACK]
  const isForeign = (stub: Stub) => FOREIGN.some((name) => name !== chosen && own(page, name) === stub)
  const isOurs = (name: string, stub: Stub) =>
    name === FALLBACK || (name === chosen && !isForeign(stub)) || (name === POSTHOG && hasLoaded(stub, source))
  const ours = names
    .map((name) => [name, own(page, name)] as const)
    .filter(([name, held]) => isStub(held) && isOurs(name, held))
  const made = new Map<unknown, Analytics>()
  let latest: Analytics | undefined
  for (const stub of new Set(ours.map(([, held]) => held as Stub))) {
    // A stub without `_i` already forwards to its instance.
    const token = (stub._i as unknown[][] | undefined)?.[0]?.[0]
    latest = made.get(token) ?? create()
    made.set(token, latest)
    // Before the calls run, because they may use the global.
    for (const name of names) if (own(page, name) === stub) page[name] = Object.assign(latest, { __SV: 1 })
    takeOver(stub, latest)
  }

  if (!latest) {
    const held = own(page, chosen)
    // The script was loaded twice.
    const running = own(page, FALLBACK) as (Analytics & { __SV?: number }) | undefined
    if (held && running?.__SV) return running
    latest = Object.assign(create(), { __SV: 1 })
    page[chosen] = held || latest
  }
  if (!own(page, FALLBACK)) page[FALLBACK] = latest
  // A page with the protocol's own snippet does not use the other names.
  if (own(page, POSTHOG) === latest) {
    console.info('[trailmark]', 'window.posthog is Trailmark, not posthog-js')
    return latest
  }
  const isTaken = () => own(page, chosen) !== latest
  const warn = () => console.warn('[trailmark]', `window.${chosen} belongs to another library. Use window.${FALLBACK}`)
  if (isTaken()) warn()
  else addEventListener('load', () => isTaken() && warn())
  return latest
}
