import { guarded } from '../lib/guard'
import type { Stop } from '../types'

type Callable = (this: unknown, ...args: never[]) => unknown

/**
 * Calls `after` with the arguments whenever `target[method]` has run, without changing its arguments or result.
 * Stopping restores the original. If other code has wrapped the method since, the wrapper stays and does nothing.
 */
export const patch = <T extends object, K extends keyof T>(
  target: T,
  method: K,
  after: (...args: unknown[]) => void,
): Stop => {
  const original = target[method] as Callable
  let active = true
  const wrapped = function (this: unknown, ...args: never[]) {
    const result = original.apply(this, args)
    if (active) guarded(() => after(...args))
    return result
  } as T[K]
  target[method] = wrapped
  return () => {
    active = false
    if (target[method] === wrapped) target[method] = original as T[K]
  }
}
