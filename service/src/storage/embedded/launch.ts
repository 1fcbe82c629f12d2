import { type ChildProcess, spawn } from 'node:child_process'
import { randomBytes, randomInt } from 'node:crypto'
import { chmodSync, closeSync, mkdirSync, openSync, readFileSync, statSync, truncateSync, writeFileSync } from 'node:fs'
import { get } from 'node:http'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { pause } from '../../lib/wait.ts'
import type { Connection } from '../clickhouseClients.ts'
import { engineConfig } from './config.ts'

export interface LaunchOptions {
  /** Folder for the engine's data. */
  readonly dataDir: string
  /** Path of the engine's library. */
  readonly library: string
  /** Path of the compiled `child.js`. */
  readonly child: string
  readonly memoryBytes: number
  /** Whether to use fewer threads and smaller merges, for a machine of 1 GB. */
  readonly isSmall: boolean
  /** Disk space that inserts leave free, in bytes. */
  readonly diskReserveBytes: number
  /** Names of the tables whose rows belong to projects. */
  readonly tables: readonly string[]
  /** Whether to give up waiting for the engine. */
  readonly isStopping: () => boolean
  /** Called with the process before the engine responds. */
  readonly onSpawn: (process: ChildProcess) => void
}

const START_TIMEOUT_MS = 60_000
const POLL_MS = 20
const LOG_LIMIT_BYTES = 10_000_000

// The statement that keeps the process running after the port is open. It sleeps for about three years.
const RUN_FOREVER =
  'SYSTEM START LISTEN HTTP; SELECT sleepEachRow(1) FROM numbers(100000000) ' +
  'SETTINGS max_block_size = 1, function_sleep_max_microseconds_per_block = 0, max_execution_time = 0 FORMAT Null'

// Below the ports that systems give to outgoing connections, one of which could take a free port before the engine does.
const PORTS = { from: 20_000, until: 32_000 }
const PORT_ATTEMPTS = 100

const isFree = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const probe = createServer()
    probe.once('error', () => resolve(false))
    probe.listen(port, '127.0.0.1', () => probe.close(() => resolve(true)))
  })

const freePort = async (): Promise<number> => {
  for (let attempt = 0; attempt < PORT_ATTEMPTS; attempt += 1) {
    const port = randomInt(PORTS.from, PORTS.until)
    if (await isFree(port)) return port
  }
  throw new Error(`The embedded engine found no free port from ${PORTS.from} to ${PORTS.until - 1}.`)
}

// Options of the engine's allocator. It has few arenas, and returns unused memory after half a second. By default it keeps the
// memory of each merge for 5 s, in an arena for each core.
const ALLOCATOR = 'dirty_decay_ms:500,muzzy_decay_ms:0,narenas:2'

const secret = () => randomBytes(24).toString('hex')

const sizeOf = (file: string) => {
  try {
    return statSync(file).size
  } catch {
    return 0 // does not exist yet
  }
}

/** Whether an engine at `url` responds within `ms`. */
export const responds = (url: string, ms = 1_000): Promise<boolean> =>
  new Promise((resolve) => {
    // `fetch` takes several times the CPU time of a request, and the start polls.
    get(`${url}/ping`, { agent: false, signal: AbortSignal.timeout(ms) }, (response) => {
      response.resume()
      resolve(response.statusCode === 200)
    }).on('error', () => resolve(false)) // not listening yet, or hung
  })

/** Whether a process has ended. */
export const hasEnded = (process: ChildProcess): boolean => process.exitCode !== null || process.signalCode !== null

/** Launches an engine and waits until it responds. Rejects with its output if it does not start. */
export const launchEngine = async ({
  dataDir,
  library,
  child,
  memoryBytes,
  isSmall,
  diskReserveBytes,
  tables,
  isStopping,
  onSpawn,
}: LaunchOptions): Promise<{ readonly process: ChildProcess; readonly connection: Connection }> => {
  const store = join(dataDir, 'store')
  const file = join(dataDir, 'config.xml')
  const logFile = join(dataDir, 'engine.log')
  mkdirSync(store, { recursive: true, mode: 0o700 })
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
      memoryBytes,
      isSmall,
      diskReserveBytes,
      tables,
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
    // The engine exits if it may not read its working directory, which is the service's if that was started by another user.
    {
      cwd: dataDir,
      stdio: ['pipe', 'ignore', output],
      detached: true,
      env: { PATH: process.env.PATH, TZ: 'UTC', JE_MALLOC_CONF: ALLOCATOR },
    },
  )
  closeSync(output)
  started.stdin!.on('error', () => {}) // the engine exited, which is handled elsewhere
  onSpawn(started)

  const url = `http://127.0.0.1:${port}`
  const deadline = Date.now() + START_TIMEOUT_MS
  while (!(await responds(url))) {
    if (hasEnded(started) || isStopping() || Date.now() > deadline) {
      started.kill('SIGKILL')
      const lines = readFileSync(logFile).subarray(before).toString().trim().split('\n').slice(-5).join('\n')
      throw new Error(`The engine did not start. Its output:\n${lines || '(empty)'}`)
    }
    await pause(POLL_MS)
  }
  const connection = {
    url,
    writer: { username: 'writer', password: writerPassword },
    reader: { username: 'reader', password: readerPassword },
    headers: { 'x-engine-key': key },
  }
  return { process: started, connection }
}
