import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const RECORDER = new URL('recordTurns.mjs', import.meta.url).href

/** Measures the CPU time of the longest turns of a service's event loop. Linux only. */
export const createTurns = () => {
  const folder = mkdtempSync(join(tmpdir(), 'trailmark-turns-'))
  const file = join(folder, 'turns')
  writeFileSync(file, '')
  let read = 0
  return {
    /** Environment to start the service with. */
    env: { TURNS_FILE: file },
    nodeOptions: `--import=${RECORDER}`,
    /** Returns the maximum CPU time of a turn since the last call, in ms. 0: none took 15 ms. */
    longestMs() {
      const lines = readFileSync(file, 'utf8').split('\n').slice(0, -1)
      const fresh = lines.slice(read).map(Number)
      read = lines.length
      return Math.max(0, ...fresh)
    },
    remove: () => rmSync(folder, { recursive: true, force: true }),
  }
}
