import { guarded } from '../lib/guard'
import { createListeners } from '../lib/listeners'
import type { Stop } from '../types'

/** An event source of the page. It is connected only while it has listeners. */
export type Signal<T> = (listener: (value: T) => void) => Stop

/** Creates a signal. `connect` runs for the first listener, and what it returns runs after the last has stopped. */
export const createSignal = <T>(connect: (emit: (value: T) => void) => Stop): Signal<T> => {
  const listeners = createListeners<[T]>()
  let disconnect: Stop | undefined
  return (listener) => {
    const remove = listeners.add(listener)
    disconnect ??= connect(listeners.emit)
    return () => {
      remove()
      if (!listeners.none()) return
      disconnect?.()
      disconnect = undefined
    }
  }
}

/** Listens to DOM events until stopped. Errors in the listener do not reach the page. */
export const listen = (
  target: EventTarget | undefined,
  types: readonly string[],
  listener: (event: Event) => void,
  options: AddEventListenerOptions = { capture: true, passive: true },
): Stop => {
  const heard = (event: Event) => guarded(() => listener(event))
  types.forEach((type) => target?.addEventListener(type, heard, options))
  return () => types.forEach((type) => target?.removeEventListener(type, heard, options))
}

/** Creates a signal of DOM events. `target` is called for the first listener, so that importing does not touch the page. */
export const domSignal = <E extends Event>(
  target: () => EventTarget | undefined,
  types: readonly string[],
  options?: AddEventListenerOptions,
): Signal<E> => createSignal((emit) => listen(target(), types, emit as (event: Event) => void, options))
