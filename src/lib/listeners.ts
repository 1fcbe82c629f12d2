import type { Stop } from '../types'
import { guarded } from './guard'

/** A list of listeners. One that throws disturbs neither the SDK nor the others. */
export const createListeners = <A extends unknown[]>() => {
  let all: readonly ((...args: A) => void)[] = []
  return {
    add: (listener: (...args: A) => void): Stop => {
      all = [...all, listener]
      return () => {
        all = all.filter((each) => each !== listener)
      }
    },
    none: (): boolean => !all.length,
    tell: (...args: A): void => all.forEach((listener) => guarded(() => listener(...args))),
  }
}
