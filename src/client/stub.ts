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

/** Orders calls as the protocol does: aliases, other calls, captures. So events have the properties that other calls set. */
export const replayOrder = (calls: readonly unknown[]): unknown[] => [...calls].sort((a, b) => rank(a) - rank(b))

/** Runs the calls of a queue, and later calls of code that kept a reference to the stub. */
const replay = (queue: Stub, analytics: Analytics): void => {
  const run = (call: unknown) => {
    const result = analytics.push(call as unknown[])
    // The function that the stub returned, for example by `onFeatureFlags`, ends the subscription.
    if (Array.isArray(call)) Object.assign(call, { stop: result })
  }
  const calls: unknown[] = [
    ...(Array.isArray(queue.people) ? queue.people : []).map(([name, ...args]) => [`people.${String(name)}`, ...args]),
    ...replayOrder([...queue]),
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
const adopt = (stub: Stub, analytics: Analytics): void => {
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

/**
 * Puts the SDK at the global names that have a stub, or else at `chosen`. One stub under two names, and stubs with the
 * same token, share an instance, because two instances would capture everything twice. Names that other libraries use
 * are left alone.
 */
export const replaceStub = (page: Record<string, unknown>, chosen: string, create: () => Analytics): void => {
  const names = [chosen, 'analytics', 'posthog', FALLBACK]
  const stubs = names.map((name) => [name, own(page, name)] as const).filter(([, held]) => isStub(held))
  const made = new Map<unknown, Analytics>()
  let latest: Analytics | undefined
  for (const [name, held] of stubs) {
    const stub = held as Stub
    const isKnown = made.has(stub)
    // A stub without `_i` already forwards to its instance.
    const token = (stub._i as unknown[][] | undefined)?.[0]?.[0]
    latest = made.get(stub) ?? made.get(token) ?? create()
    made.set(stub, latest).set(token, latest)
    // Before the calls run, because they may use the global.
    page[name] = Object.assign(latest, { __SV: 1 })
    if (!isKnown) adopt(stub, latest)
  }

  if (!latest) {
    const held = own(page, chosen)
    // The script was loaded twice.
    if ((held as Partial<Stub> | undefined)?.__SV) return
    latest = Object.assign(create(), { __SV: 1 })
    page[chosen] = held || latest
  }
  if (!own(page, FALLBACK)) page[FALLBACK] = latest
  // A page with the protocol's own snippet does not use the other names.
  if (own(page, 'posthog') === latest) return
  const isTaken = () => own(page, chosen) !== latest
  const warn = () => console.warn('[trailmark]', `window.${chosen} belongs to another library. Use window.${FALLBACK}`)
  if (isTaken()) warn()
  else addEventListener('load', () => isTaken() && warn())
}
