import type { Notices, Stop } from '../types'
import { createListeners } from './listeners'

/** Listeners for the SDK's own events. */
export const createNotices = () => {
  const listeners = createListeners<[name: keyof Notices, value: Notices[keyof Notices]]>()
  return {
    /** Listens to one event, or with `*` to all, as `(name, value)`. */
    on: <N extends keyof Notices>(name: N | '*', listener: (value: Notices[N]) => void): Stop =>
      listeners.add((told, value) => {
        if (told === name) listener(value as Notices[N])
        if (name === '*') (listener as unknown as (name: keyof Notices, value: unknown) => void)(told, value)
      }),
    tell: <N extends keyof Notices>(name: N, value: Notices[N]): void => listeners.tell(name, value),
  }
}
