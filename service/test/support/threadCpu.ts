import { readFileSync } from 'node:fs'

/**
 * Returns the CPU time of this thread, in ms. Unlike wall time, it excludes other processes; unlike the CPU time of the
 * process, it excludes the threads of the garbage collector and the compiler. Systems other than Linux report only the latter.
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
