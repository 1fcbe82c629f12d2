import type { Notices, Stop } from '../types'
import { createListeners } from './listeners'

/** Listeners for the SDK's own events. */
export const createNotices = () => {
  const listeners = createListeners<[name: keyof Notices, value: Notices[keyof Notices]]>()
  return {
    /** Listens to one event, or with `*` to all, as `(name, value)`. */
    on: <N extends keyof Notices>(name: N | '*', listener: (value: Notices[N]) => void): Stop =>
      listeners.add((emitted, value) => {
        if (emitted === name) listener(value as Notices[N])
        if (name === '*') (listener as unknown as (name: keyof Notices, value: unknown) => void)(emitted, value)
      }),
    emit: <N extends keyof Notices>(name: N, value: Notices[N]): void => listeners.emit(name, value),
  }
}
