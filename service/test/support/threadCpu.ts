import { readFileSync } from 'node:fs'

/**
 * Returns the CPU time of this thread, in ms. Unlike wall time, it excludes other processes; unlike the CPU time of the
 * process, it excludes the threads of the garbage collector and the compiler. Systems other than Linux report only the latter.
 */
export const threadCpuMs = (): number =>
  process.platform === 'linux'
    ? Number(readFileSync('/proc/thread-self/schedstat', 'utf8').split(' ')[0]) / 1e6
    : process.cpuUsage().user / 1e3
