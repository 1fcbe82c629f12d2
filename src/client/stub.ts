import { own } from '../lib/objects'
import type { Analytics } from './publicApi'

/** The array that a page's snippet leaves: queued calls, and the `init` calls in `_i` (docs/reference/protocol.md#2). */
export type Stub = unknown[] & {
  _i: unknown[][]
  /** Calls of `people.set` and `people.set_once`, in snippets of the protocol that queue them apart. */
  people?: unknown[][]
  /** The instance that runs the calls; the snippet's stub then passes everything on to it. */
  _live?: Analytics
} & Record<string, unknown>

const isQueue = (value: unknown): value is Stub => Array.isArray(value)
export const isStub = (value: unknown): value is Stub => isQueue(value) && Array.isArray(value._i)

const rank = (call: unknown) => {
  const name: unknown = Array.isArray(call) && call[0]
  return name === 'alias' ? 0 : typeof name === 'string' && name.includes('capture') ? 2 : 1
}

/** The protocol's order: aliases, then everything that sets something, then captures, so that these carry it. */
export const replayOrder = (calls: readonly unknown[]): unknown[] => [...calls].sort((a, b) => rank(a) - rank(b))

/** Runs the calls of a queue, and those that code with a reference to the stub makes later. */
const replay = (queue: Stub, analytics: Analytics): void => {
  const run = (call: unknown) => {
    const result = analytics.push(call as unknown[])
    // What the stub returned for `onFeatureFlags` and the like ends what the call began.
    if (Array.isArray(call)) Object.assign(call, { stop: result })
  }
  const calls: unknown[] = [
    ...(Array.isArray(queue.people) ? queue.people : []).map(([name, ...args]) => [`people.${String(name)}`, ...args]),
    ...replayOrder([...queue]),
  ]
  // Before the calls run: they may make others.
  queue._live = analytics
  queue.push = (...more: unknown[]) => {
    more.forEach(run)
    return 0
  }
  calls.forEach(run)
}

/** Runs the stub's `init` calls, and each queue once. Without an `init`, the calls wait for it. */
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

// The SDK is always here too, so that it can be found where its usual name is taken.
const FALLBACK = 'trailmark'

/**
 * Puts the SDK at the global names where a snippet left a stub, or else at `chosen`. One stub under two names, and stubs
 * of one token, share an instance: two would capture everything twice. What another library holds stays as it is.
 */
export const takeOver = (page: Record<string, unknown>, chosen: string, create: () => Analytics): void => {
  const names = [chosen, 'analytics', 'posthog', FALLBACK]
  const stubs = names.map((name) => [name, own(page, name)] as const).filter(([, held]) => isStub(held))
  const made = new Map<unknown, Analytics>()
  let latest: Analytics | undefined
  for (const [name, held] of stubs) {
    const stub = held as Stub
    const isKnown = made.has(stub)
    // The snippet's stub has no `_i` any more once it has its instance: it passes everything on.
    const token = (stub._i as unknown[][] | undefined)?.[0]?.[0]
    latest = made.get(stub) ?? made.get(token) ?? create()
    made.set(stub, latest).set(token, latest)
    // Before the calls run: they may look for it there.
    page[name] = Object.assign(latest, { __SV: 1 })
    if (!isKnown) adopt(stub, latest)
  }

  if (!latest) {
    const held = own(page, chosen)
    // This script runs a second time.
    if ((held as Partial<Stub> | undefined)?.__SV) return
    latest = Object.assign(create(), { __SV: 1 })
    page[chosen] = held || latest
  }
  if (!own(page, FALLBACK)) page[FALLBACK] = latest
  // A page of the protocol's own snippet does not use the other names.
  if (own(page, 'posthog') === latest) return
  const isTaken = () => own(page, chosen) !== latest
  const warn = () => console.warn('[trailmark]', `window.${chosen} belongs to another library. Use window.${FALLBACK}`)
  if (isTaken()) warn()
  else addEventListener('load', () => isTaken() && warn())
}
