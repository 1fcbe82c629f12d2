import type { ChildProcess } from 'node:child_process'
import { totalmem } from 'node:os'
import type { Log } from '../../lib/log.ts'
import { pause } from '../../lib/wait.ts'
import type { Connection } from '../clickhouseClients.ts'
import { hasEnded, launchEngine, type LaunchOptions, responds } from './launch.ts'

export interface EngineOptions extends Pick<
  LaunchOptions,
  'dataDir' | 'library' | 'child' | 'isSmall' | 'diskReserveBytes' | 'tables'
> {
  /** Absent: half of the machine's memory, at most 4 GB. */
  readonly memoryBytes: number | undefined
  /** Time without a response after which the engine is restarted, in ms. */
  readonly hungMs?: number
  /** Called when the engine ended and is being restarted. */
  readonly onRestart?: () => void
  readonly log: Log
}

export interface Engine {
  /** Returns how to connect to the engine. `undefined`: it is down. */
  connection(): Connection | undefined
  pid(): number | undefined
  stop(): Promise<void>
}

const STOP_TIMEOUT_MS = 5_000
// A busy engine responds late to a ping. Only one that hangs misses this many in a row.
const MAX_MISSED = 6
const HUNG_MS = 60_000
const BACKOFF_MS = [0, 200, 500, 1_000, 2_000, 5_000]
// After running this long, a start counts as successful, and the backoff starts over.
const HEALTHY_MS = 30_000
const MAX_MEMORY_BYTES = 4_000_000_000

/** Returns the memory limit of an engine. `configured`: from the configuration, if set. */
export const engineMemoryBytes = (configured: number | undefined): number =>
  Math.floor(configured ?? Math.min(MAX_MEMORY_BYTES, totalmem() / 2))

/** Starts the embedded engine as a child process and restarts it until `stop`. Rejects if the first start fails. */
export const startEngine = async ({
  dataDir,
  library,
  child,
  memoryBytes,
  isSmall,
  diskReserveBytes,
  tables,
  hungMs = HUNG_MS,
  onRestart = () => {},
  log,
}: EngineOptions): Promise<Engine> => {
  let running: ChildProcess | undefined
  let place: Connection | undefined
  let stopping = false

  /** Kills an engine that no longer responds. `keepRunning` restarts it. */
  const endWhenHung = (engine: ChildProcess, url: string) => {
    const turnMs = hungMs / MAX_MISSED
    let missed = 0
    const check = async () => {
      missed = (await responds(url, turnMs)) ? 0 : missed + 1
      if (hasEnded(engine) || stopping) return
      if (missed < MAX_MISSED) return void turn.refresh()
      log(`The engine has not responded for ${Math.round(hungMs / 1_000)} s. Killing it.`, { level: 'error' })
      engine.kill('SIGKILL')
    }
    const turn = setTimeout(() => void check(), turnMs).unref()
  }

  const launch = async (): Promise<ChildProcess> => {
    const launched = await launchEngine({
      dataDir,
      library,
      child,
      memoryBytes: engineMemoryBytes(memoryBytes),
      isSmall,
      diskReserveBytes,
      tables,
      isStopping: () => stopping,
      onSpawn: (process) => (running = process),
    })
    place = launched.connection
    endWhenHung(launched.process, launched.connection.url)
    return launched.process
  }

  const keepRunning = async (first: ChildProcess, since: number) => {
    let current = first
    let failures = 0
    let startedAt = since
    for (;;) {
      if (!hasEnded(current)) await new Promise((resolve) => current.once('exit', resolve))
      place = undefined
      if (stopping) return
      if (Date.now() - startedAt > HEALTHY_MS) failures = 0
      log(`The engine ended (${current.signalCode ?? `exit code ${current.exitCode}`}). Restarting it.`, {
        level: 'warn',
      })
      onRestart()
      for (;;) {
        await pause(BACKOFF_MS[Math.min(failures, BACKOFF_MS.length - 1)]!)
        failures += 1
        if (stopping) return
        try {
          startedAt = Date.now()
          current = await launch()
          log(`The engine restarted in ${Date.now() - startedAt} ms.`)
          break
        } catch (error) {
          if (stopping) return
          log((error as Error).message, { level: 'error' })
        }
      }
    }
  }

  const first = await launch().catch(async (reason) => {
    // The engine of a service that was just killed may still have its files open.
    log((reason as Error).message)
    await pause(500)
    return launch()
  })
  const watching = keepRunning(first, Date.now())

  return {
    connection: () => place,
    pid: () => running?.pid,
    async stop() {
      stopping = true
      const last = running
      if (last && !hasEnded(last)) {
        const gone = new Promise((resolve) => last.once('exit', resolve))
        const forced = setTimeout(() => last.kill('SIGKILL'), STOP_TIMEOUT_MS)
        last.kill('SIGTERM')
        await gone
        clearTimeout(forced)
      }
      await watching
    },
  }
}
