type Timers = Pick<typeof globalThis, 'setTimeout' | 'clearTimeout'>

/** Returns a module of Node without importing it, so that bundles for browsers do not refer to it. */
export const moduleOfNode = <Module>(name: string): Module | undefined =>
  (globalThis as { process?: { getBuiltinModule?(name: string): Module | undefined } }).process?.getBuiltinModule?.(
    name,
  )

// Fake timers of tests replace the global functions, so these are kept from before. In Node, they are not global.
const { setTimeout: start, clearTimeout: stop } = moduleOfNode<Timers>('node:timers') ?? globalThis

/** Calls `run` after `ms`, whatever fake timers do. Returns a function that cancels it. */
export const after = (ms: number, run: () => void): (() => void) => {
  const timer = start(run, ms)
  return () => stop(timer)
}

/** Resolves after `ms`, whatever fake timers do. */
export const pause = (ms: number): Promise<void> => new Promise((done) => void after(ms, done))
