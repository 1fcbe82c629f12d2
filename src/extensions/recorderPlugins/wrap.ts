import { guarded } from '../../lib/guard'
import type { Stop } from '../../types'

type Callable = (this: unknown, ...args: unknown[]) => unknown

/**
 * Calls `after` whenever `target[method]` has run, with its object, arguments and result, and changes none of them. Stopping restores the
 * original. If other code has wrapped the method since, the wrapper stays and does nothing.
 */
export const wrap = (
  target: object,
  method: string,
  after: (call: { self: unknown; args: unknown[]; result: unknown }) => void,
): Stop => {
  const owner = target as Record<string, unknown>
  const original = owner[method] as Callable
  const isOwn = Object.prototype.hasOwnProperty.call(target, method)
  let isActive = true
  const wrapped = function (this: unknown, ...args: unknown[]) {
    const result = original.apply(this, args)
    if (isActive) guarded(() => after({ self: this, args, result }))
    return result
  }
  owner[method] = wrapped
  return () => {
    isActive = false
    if (owner[method] !== wrapped) return
    if (isOwn) owner[method] = original
    else delete owner[method]
  }
}
