import { guarded } from '../lib/guard'
import { createListeners } from '../lib/listeners'
import type { Stop } from '../types'

/** Something of the page that can be listened to. The page is touched only while somebody listens. */
export type Signal<T> = (listener: (value: T) => void) => Stop

/** A signal over page machinery: `connect` begins to listen at the first listener, its answer ends it at the last. */
export const createSignal = <T>(connect: (emit: (value: T) => void) => Stop): Signal<T> => {
  const listeners = createListeners<[T]>()
  let disconnect: Stop | undefined
  return (listener) => {
    const remove = listeners.add(listener)
    disconnect ??= connect(listeners.tell)
    return () => {
      remove()
      if (!listeners.none()) return
      disconnect?.()
      disconnect = undefined
    }
  }
}

/** Listens to DOM events until stopped; what the listener throws does not reach the page. */
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

/** A signal of DOM events. `target` is asked for when the first listener comes: importing touches no page. No target, no events. */
export const domSignal = <E extends Event>(
  target: () => EventTarget | undefined,
  types: readonly string[],
  options?: AddEventListenerOptions,
): Signal<E> => createSignal((emit) => listen(target(), types, emit as (event: Event) => void, options))
