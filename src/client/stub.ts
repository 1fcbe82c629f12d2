import type { Analytics } from './publicApi'
import { runCall } from './instances'

/** The array that a page's snippet leaves: queued calls, and the `init` calls in `_i` (protocol.md §2). */
export type Stub = unknown[] & { _i?: unknown[][]; people?: unknown[] } & Record<string, unknown>

export const isStub = (value: unknown): value is Stub => Array.isArray(value) && Array.isArray((value as Stub)._i)

const ofName = (call: unknown, wanted: (name: string) => boolean) =>
  Array.isArray(call) && typeof call[0] === 'string' && wanted(call[0])
const isAlias = (call: unknown) => ofName(call, (name) => name === 'alias')
const isCapture = (call: unknown) => ofName(call, (name) => name.includes('capture'))

/** The protocol's order: aliases, then everything that sets something, then captures, so that these carry it. */
export const replayOrder = (calls: readonly unknown[]): unknown[] => [
  ...calls.filter(isAlias),
  ...calls.filter((call) => !isAlias(call) && !isCapture(call)),
  ...calls.filter(isCapture),
]

/**
 * Takes over `target[name]`: runs the stub's `init` calls and then what was queued, each queue once. Answers false
 * when a living SDK is there already, which then stays.
 */
export const takeOver = (target: Record<string, unknown>, name: string, analytics: Analytics): boolean => {
  const found = target[name]
  if (found && !isStub(found)) return false
  const stub = found as Stub | undefined
  const replayed = new Set<unknown>()
  target[name] = Object.assign(analytics, { __SV: 1 })

  for (const call of stub?._i ?? []) {
    const instance = analytics.init(...(call as Parameters<Analytics['init']>))
    const named = stub![call[2] as string]
    const queue = Array.isArray(named) ? named : stub!
    if (replayed.has(queue) || !instance.__loaded) continue
    replayed.add(queue)
    replayOrder([...queue]).forEach((each) => runCall(instance, each))
    // Code that kept the stub goes on calling it; its methods push, so they reach the instance now.
    queue.push = (...calls: unknown[]) => {
      calls.forEach((each) => runCall(instance, each))
      return 0
    }
  }
  return true
}
