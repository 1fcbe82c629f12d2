import { guarded } from '../lib/guard'
import type { Stop } from '../types'

type Callable = (this: unknown, ...args: never[]) => unknown

/**
 * Calls `after` whenever `target[method]` has run. Arguments and answer pass untouched. Stopping puts the original
 * back; if somebody wrapped the method after us, our wrapper stays in their chain and does nothing.
 */
export const patch = <T extends object, K extends keyof T>(target: T, method: K, after: () => void): Stop => {
  const original = target[method] as Callable
  let active = true
  const wrapped = function (this: unknown, ...args: never[]) {
    const answer = original.apply(this, args)
    if (active) guarded(after)
    return answer
  } as T[K]
  target[method] = wrapped
  return () => {
    active = false
    if (target[method] === wrapped) target[method] = original as T[K]
  }
}
