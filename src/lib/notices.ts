import type { Notices, Stop } from '../types'
import { guarded } from './guard'

type Listener<N extends keyof Notices> = (value: Notices[N]) => void

/** Who wants to hear what. A listener that throws disturbs neither the SDK nor the other listeners. */
export const createNotices = () => {
  let listeners: readonly { name: string; listener: (...args: never[]) => void }[] = []
  return {
    /** `name` of `*` hears everything, as `(name, value)`. */
    on: <N extends keyof Notices>(name: N | '*', listener: Listener<N>): Stop => {
      const entry = { name, listener: listener as (...args: never[]) => void }
      listeners = [...listeners, entry]
      return () => {
        listeners = listeners.filter((each) => each !== entry)
      }
    },
    tell: <N extends keyof Notices>(name: N, value: Notices[N]): void =>
      listeners.forEach((each) => {
        if (each.name === name) guarded(() => (each.listener as unknown as Listener<N>)(value))
        else if (each.name === '*') guarded(() => (each.listener as unknown as (name: N, value: Notices[N]) => void)(name, value))
      }),
  }
}
