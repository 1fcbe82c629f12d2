import { readFileSync } from 'node:fs'

/**
 * Returns the CPU time of this thread, in ms: what the event loop was held for, without what other processes took, and the
 * garbage collector and the compiler on their own threads. Only Linux tells it; elsewhere, that of the process.
 */
export const threadCpuMs = (): number =>
  process.platform === 'linux'
    ? Number(readFileSync('/proc/thread-self/schedstat', 'utf8').split(' ')[0]) / 1e6
    : process.cpuUsage().user / 1e3

/** Returns the CPU time of the longest turn of the event loop while `run` runs, in ms. */
export const longestTurn = async (run: () => Promise<unknown>): Promise<number> => {
  let longest = 0
  let isRunning = true
  let before = threadCpuMs()
  const measure = () => {
    const now = threadCpuMs()
    longest = Math.max(longest, now - before)
    before = now
    if (isRunning) setImmediate(measure)
  }
  setImmediate(measure)
  await run()
  isRunning = false
  await new Promise(setImmediate)
  return longest
}
