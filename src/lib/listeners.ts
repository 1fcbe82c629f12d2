import type { Stop } from '../types'
import { guarded } from './guard'

/** Creates a list of listeners. One that throws affects neither the SDK nor the others. */
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
    emit: (...args: A): void => all.forEach((listener) => guarded(() => listener(...args))),
  }
}
