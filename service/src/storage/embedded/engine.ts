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
  /** Folder that the engine owns. */
  readonly dataDir: string
  /** Path of the engine's library. */
  readonly library: string
  /** Path of the compiled `child.js`. */
  readonly child: string
  readonly memoryBytes: number | undefined
  /** Space on the disk that inserts leave free. */
  readonly diskReserveBytes: number
  /** How long the engine may answer nothing before it counts as hung and is started again, ms. */
  readonly hungMs?: number
  /** Hears that the engine ended and is started again. */
  readonly onRestart?: () => void
  readonly log: Log
}

export interface Engine {
  /** Where the engine is; `undefined` while it is down. */
  connection(): Connection | undefined
  pid(): number | undefined
  stop(): Promise<void>
}

const START_TIMEOUT_MS = 60_000
const POLL_MS = 20
const STOP_TIMEOUT_MS = 5_000
// A busy engine answers a ping late; only one that hangs misses this many in a row.
const MOST_MISSED = 6
const HUNG_MS = 60_000
const BACKOFF_MS = [0, 200, 500, 1_000, 2_000, 5_000]
// An engine that ran this long had started well: its next death is a new story.
const HEALTHY_MS = 30_000
const LOG_LIMIT_BYTES = 10_000_000
const MOST_MEMORY_BYTES = 4_000_000_000

/** The memory that an engine takes when it is given `given`. */
export const engineMemoryBytes = (given: number | undefined): number =>
  Math.floor(given ?? Math.min(MOST_MEMORY_BYTES, totalmem() / 2))

// The statement that keeps the process going after the port is open: about three years of sleep.
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
    return 0 // not there yet
  }
}

/** Starts the embedded engine as a child process and keeps it running until `stop`. Rejects if it cannot be started once. */
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

  const answers = async (url: string, ms = 1_000) => {
    try {
      return (await fetch(`${url}/ping`, { signal: AbortSignal.timeout(ms) })).ok
    } catch {
      return false // not listening yet, or hung
    }
  }

  const ended = (process: ChildProcess) => process.exitCode !== null || process.signalCode !== null

  /** Kills an engine that no longer answers. `keepRunning` starts it again. */
  const endWhenHung = (engine: ChildProcess, url: string) => {
    const turnMs = hungMs / MOST_MISSED
    let missed = 0
    const check = async () => {
      missed = (await answers(url, turnMs)) ? 0 : missed + 1
      if (ended(engine) || stopping) return
      if (missed < MOST_MISSED) return void turn.refresh()
      log(`The engine has not answered for ${Math.round(hungMs / 1_000)} s; ending it.`, { level: 'error' })
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
    chmodSync(file, 0o600) // an older file keeps its mode
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
      // A group of its own: Ctrl-C in a terminal reaches the service, which stops the engine when it has no more use for it.
      // Without a HOME for its history it ends when a statement of the start fails; it would wait for more at its terminal.
      { stdio: ['pipe', 'ignore', output], detached: true, env: { PATH: process.env.PATH, TZ: 'UTC' } },
    )
    closeSync(output)
    started.stdin!.on('error', () => {}) // the engine died; its exit is what counts
    running = started

    const url = `http://127.0.0.1:${port}`
    const deadline = Date.now() + START_TIMEOUT_MS
    while (!(await answers(url))) {
      if (ended(started) || stopping || Date.now() > deadline) {
        started.kill('SIGKILL')
        const said = readFileSync(logFile).subarray(before).toString().trim().split('\n').slice(-5).join('\n')
        throw new Error(`The engine did not start. It said:\n${said || '(nothing)'}`)
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
      log(`The engine ended (${current.signalCode ?? `exit code ${current.exitCode}`}); starting it again.`, {
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
          log(`The engine is back after ${Date.now() - startedAt} ms.`)
          break
        } catch (error) {
          if (stopping) return
          log((error as Error).message, { level: 'error' })
        }
      }
    }
  }

  const first = await launch().catch(async (reason) => {
    // The engine of a service that was killed a moment ago may still hold its files.
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
