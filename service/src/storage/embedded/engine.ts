import { type ChildProcess, spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { chmodSync, closeSync, mkdirSync, openSync, readFileSync, statSync, truncateSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { totalmem } from 'node:os'
import { join } from 'node:path'
import type { Log } from '../../lib/log.ts'
import { pause } from '../../lib/wait.ts'
import type { Connection } from '../clickhouse.ts'
import { engineConfig } from './config.ts'

export interface EngineOptions {
  /** Folder for the engine's data. */
  readonly dataDir: string
  /** Path of the engine's library. */
  readonly library: string
  /** Path of the compiled `child.js`. */
  readonly child: string
  readonly memoryBytes: number | undefined
  /** Disk space that inserts leave free, in bytes. */
  readonly diskReserveBytes: number
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

const START_TIMEOUT_MS = 60_000
const POLL_MS = 20
const STOP_TIMEOUT_MS = 5_000
// A busy engine responds late to a ping. Only one that hangs misses this many in a row.
const MAX_MISSED = 6
const HUNG_MS = 60_000
const BACKOFF_MS = [0, 200, 500, 1_000, 2_000, 5_000]
// After running this long, a start counts as successful, and the backoff starts over.
const HEALTHY_MS = 30_000
const LOG_LIMIT_BYTES = 10_000_000
const MAX_MEMORY_BYTES = 4_000_000_000

/** Returns the memory limit of an engine. `configured`: from the configuration, if set. */
export const engineMemoryBytes = (configured: number | undefined): number =>
  Math.floor(configured ?? Math.min(MAX_MEMORY_BYTES, totalmem() / 2))

// The statement that keeps the process running after the port is open. It sleeps for about three years.
const RUN_FOREVER =
  'SYSTEM START LISTEN HTTP; SELECT sleepEachRow(1) FROM numbers(100000000) ' +
  'SETTINGS max_block_size = 1, function_sleep_max_microseconds_per_block = 0, max_execution_time = 0 FORMAT Null'

const freePort = (): Promise<number> =>
  new Promise((resolve, reject) => {
    const probe = createServer()
    probe.once('error', reject)
    probe.listen(0, '127.0.0.1', () => {
      const { port } = probe.address() as { port: number }
      probe.close(() => resolve(port))
    })
  })

const secret = () => randomBytes(24).toString('hex')

const sizeOf = (file: string) => {
  try {
    return statSync(file).size
  } catch {
    return 0 // does not exist yet
  }
}

/** Starts the embedded engine as a child process and restarts it until `stop`. Rejects if the first start fails. */
export const startEngine = async ({
  dataDir,
  library,
  child,
  memoryBytes,
  diskReserveBytes,
  hungMs = HUNG_MS,
  onRestart = () => {},
  log,
}: EngineOptions): Promise<Engine> => {
  const store = join(dataDir, 'store')
  const file = join(dataDir, 'config.xml')
  const logFile = join(dataDir, 'engine.log')
  mkdirSync(store, { recursive: true, mode: 0o700 })

  let running: ChildProcess | undefined
  let place: Connection | undefined
  let stopping = false

  const responds = async (url: string, ms = 1_000) => {
    try {
      return (await fetch(`${url}/ping`, { signal: AbortSignal.timeout(ms) })).ok
    } catch {
      return false // not listening yet, or hung
    }
  }

  const ended = (process: ChildProcess) => process.exitCode !== null || process.signalCode !== null

  /** Kills an engine that no longer responds. `keepRunning` restarts it. */
  const endWhenHung = (engine: ChildProcess, url: string) => {
    const turnMs = hungMs / MAX_MISSED
    let missed = 0
    const check = async () => {
      missed = (await responds(url, turnMs)) ? 0 : missed + 1
      if (ended(engine) || stopping) return
      if (missed < MAX_MISSED) return void turn.refresh()
      log(`The engine has not responded for ${Math.round(hungMs / 1_000)} s. Killing it.`, { level: 'error' })
      engine.kill('SIGKILL')
    }
    const turn = setTimeout(() => void check(), turnMs).unref()
  }

  const launch = async (): Promise<ChildProcess> => {
    const port = await freePort()
    const [key, writerPassword, readerPassword] = [secret(), secret(), secret()]
    writeFileSync(
      file,
      engineConfig({
        file,
        port,
        key,
        writerPassword,
        readerPassword,
        memoryBytes: engineMemoryBytes(memoryBytes),
        diskReserveBytes,
      }),
      { mode: 0o600 },
    )
    chmodSync(file, 0o600) // an existing file keeps its mode
    if (sizeOf(logFile) > LOG_LIMIT_BYTES) truncateSync(logFile)
    const before = sizeOf(logFile)
    const output = openSync(logFile, 'a', 0o600)
    const started = spawn(
      process.execPath,
      [
        child,
        library,
        `--config-file=${file}`,
        `--path=${store}`,
        `--http_port=${port}`,
        '--listen_host=127.0.0.1',
        '--log-level=fatal',
        '--multiquery',
        '--query',
        RUN_FOREVER,
      ],
      // A separate process group: Ctrl-C in a terminal only signals the service, which stops the engine itself.
      // Without HOME, the engine exits when its startup statement fails. Otherwise it would wait for input on its
      // terminal.
      { stdio: ['pipe', 'ignore', output], detached: true, env: { PATH: process.env.PATH, TZ: 'UTC' } },
    )
    closeSync(output)
    started.stdin!.on('error', () => {}) // the engine exited, which is handled elsewhere
    running = started

    const url = `http://127.0.0.1:${port}`
    const deadline = Date.now() + START_TIMEOUT_MS
    while (!(await responds(url))) {
      if (ended(started) || stopping || Date.now() > deadline) {
        started.kill('SIGKILL')
        const output = readFileSync(logFile).subarray(before).toString().trim().split('\n').slice(-5).join('\n')
        throw new Error(`The engine did not start. Its output:\n${output || '(empty)'}`)
      }
      await pause(POLL_MS)
    }
    place = {
      url,
      writer: { username: 'writer', password: writerPassword },
      reader: { username: 'reader', password: readerPassword },
      headers: { 'x-engine-key': key },
    }
    endWhenHung(started, url)
    return started
  }

  const keepRunning = async (first: ChildProcess, since: number) => {
    let current = first
    let failures = 0
    let startedAt = since
    for (;;) {
      if (!ended(current)) await new Promise((resolve) => current.once('exit', resolve))
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
      if (last && !ended(last)) {
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
