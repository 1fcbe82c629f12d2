import type { Notices, Stop } from '../types'
import { createListeners } from './listeners'

/** The SDK's own events, for who wants to hear them. */
export const createNotices = () => {
  const listeners = createListeners<[name: keyof Notices, value: Notices[keyof Notices]]>()
  return {
    /** `name` of `*` hears everything, as `(name, value)`. */
    on: <N extends keyof Notices>(name: N | '*', listener: (value: Notices[N]) => void): Stop =>
      listeners.add((told, value) => {
        if (told === name) listener(value as Notices[N])
        if (name === '*') (listener as unknown as (name: keyof Notices, value: unknown) => void)(told, value)
      }),
    tell: <N extends keyof Notices>(name: N, value: Notices[N]): void => listeners.tell(name, value),
  }
}
