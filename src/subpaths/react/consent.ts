import type { Analytics } from 'trailmark'

const METHODS = ['opt_in_capturing', 'opt_out_capturing', 'clear_opt_in_out_capturing'] as const

const listenersOf = new WeakMap<Analytics, Set<() => void>>()

/** Calls the listeners after each call of a method that changes consent. The SDK has no notice of it. */
const watch = (client: Analytics): Set<() => void> => {
  const listeners = new Set<() => void>()
  for (const name of METHODS) {
    const method = client[name] as (...args: unknown[]) => unknown
    Object.assign(client, {
      [name]: (...args: unknown[]) => {
        const result = method(...args)
        listeners.forEach((listener) => listener())
        return result
      },
    })
  }
  listenersOf.set(client, listeners)
  return listeners
}

/** Calls the listener when the visitor may have decided, in this tab or in another one. */
export const onConsent = (client: Analytics, listener: () => void): (() => void) => {
  const listeners = listenersOf.get(client) ?? watch(client)
  listeners.add(listener)
  window.addEventListener('storage', listener)
  return () => {
    listeners.delete(listener)
    window.removeEventListener('storage', listener)
  }
}
