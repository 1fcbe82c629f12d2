import type { Stop } from '../../types'

type Callable = (this: unknown, ...args: unknown[]) => unknown

/**
 * Runs `run` and ignores its errors. They come from the page's own code, such as a getter, and must not be thrown a
 * second time.
 */
export const quietly = (run: () => void): void => {
  try {
    run()
  } catch {
    // Nothing is recorded.
  }
}

/** A call of a patched method: its object, arguments and result. */
export interface Call {
  self: unknown
  args: unknown[]
  result: unknown
}

/**
 * Calls `after` whenever `target[method]` has run, without changing its arguments or result. Stopping restores the
 * original.
 */
export type Wrap = (target: object, method: string, after: (call: Call) => void) => Stop

/** If other code has wrapped the method since, stopping leaves a wrapper that does nothing. */
export const wrap: Wrap = (target, method, after) => {
  const owner = target as Record<string, unknown>
  const original = owner[method] as Callable
  const isOwn = Object.prototype.hasOwnProperty.call(target, method)
  let isActive = true
  const wrapped = function (this: unknown, ...args: unknown[]) {
    const result = original.apply(this, args)
    if (isActive) quietly(() => after({ self: this, args, result }))
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
