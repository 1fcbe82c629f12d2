import { readFileSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { temporaryFolder } from './startService.ts'

const RECORDER = resolve(__dirname, '../../../bench/attack/recordTurns.mjs')

/** Measures the CPU time of a service's longest turns of the event loop, which hardly depends on the load of the machine. */
export const createTurns = () => {
  const file = join(temporaryFolder(), 'turns')
  writeFileSync(file, '')
  let read = 0
  return {
    /** Environment to start the service with. */
    env: { TURNS_FILE: file, NODE_OPTIONS: `--import=${pathToFileURL(RECORDER).href}` },
    /** Returns the CPU time of the longest turn since the last call, in ms. 0: none took 15 ms. */
    longestMs(): number {
      const lines = readFileSync(file, 'utf8').split('\n').slice(0, -1)
      const fresh = lines.slice(read).map(Number)
      read = lines.length
      return Math.max(0, ...fresh)
    },
  }
}
