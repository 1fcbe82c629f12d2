import { type ChildProcess, spawn } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { type ClickhouseCluster, startCluster } from './clickhouse.ts'

/** Path of the built service. */
export const MAIN = resolve(__dirname, '../../dist/main.js')
const READY = 'trailmark ready '

const START_TIMEOUT_MS = 180_000

export interface StartOptions {
  /** Data folder. Absent: a temporary one, removed by `stop`. */
  readonly data?: string
  readonly env?: Readonly<Record<string, string>>
  /** Arguments of the command line. */
  readonly args?: readonly string[]
  /** Path of the built service. Default: `MAIN`. */
  readonly main?: string
}

export interface RunningService {
  readonly url: string
  readonly token: string
  /** Personal API key with all scopes. */
  readonly key: string
  readonly projectId: number
  readonly data: string
  readonly process: ChildProcess
  /** Complete output of the process. */
  output(): string
  /** Stops the service like Ctrl-C and resolves with its exit code. Removes a temporary data folder. */
  stop(): Promise<number | null>
  /** Ends the service immediately, like `kill -9`. The data folder stays. */
  kill(): Promise<void>
}

export interface EndedService {
  readonly code: number | null
  readonly stdout: string
  readonly stderr: string
}

interface Watched {
  readonly child: ChildProcess
  readonly ended: Promise<number | null>
  stdout(): string
  stderr(): string
  onStdout(listen: () => void): void
}

// Settings in the machine's environment must not reach a test.
const cleanEnv = () =>
  Object.fromEntries(
    Object.entries(process.env).filter(([name]) => !/^(TRAILMARK_|CLICKHOUSE_|DATABASE_URL$)/.test(name)),
  )

// The longest that the service allows: a run on a machine that stalls must not end as a query that is too slow.
const MAX_RUN_SECONDS = '60'

/** Returns the environment of a service on the data folder `data` and a free port. */
export const serviceEnv = (data: string): Record<string, string | undefined> => ({
  ...cleanEnv(),
  TRAILMARK_PORT: '0',
  TRAILMARK_DATA: data,
  TRAILMARK_RUN_SECONDS: MAX_RUN_SECONDS,
  // Tests of tables must not depend on how fast the machine is.
  TRAILMARK_RUN_SOURCE: 'table',
})

interface Ready {
  readonly url: string
  readonly projectId: number
  readonly token: string
  readonly keyFile: string | null
}

/** Returns what a service printed when it was ready. `undefined`: it is not ready yet. */
export const findReady = (stdout: string): Ready | undefined => {
  const line = stdout
    .split('\n')
    .slice(0, -1)
    .find((each) => each.startsWith(READY))
  return line ? (JSON.parse(line.slice(READY.length)) as Ready) : undefined
}

const watch = (
  env: Readonly<Record<string, string | undefined>>,
  args: readonly string[] = [],
  main = MAIN,
): Watched => {
  if (!existsSync(main)) throw new Error(`${main} is missing: run \`npm run build --workspace service\` first.`)
  const child = spawn(process.execPath, [main, ...args], {
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let stdout = ''
  let stderr = ''
  const listeners: (() => void)[] = []
  child.stdout.on('data', (chunk) => {
    stdout += chunk
    for (const listen of listeners) listen()
  })
  child.stderr.on('data', (chunk) => {
    stderr += chunk
  })
  const ended = new Promise<number | null>((done) => child.once('close', (code) => done(code)))
  return { child, ended, stdout: () => stdout, stderr: () => stderr, onStdout: (listen) => void listeners.push(listen) }
}

/** For tests of features that only the embedded engine has: its accounts and its process. */
export const testEmbedded = process.env.TEST_STORE === 'cluster' ? test.skip : test

// With TEST_STORE=cluster, services without a configured store use a cluster of two shards instead of the embedded engine.
const clusterFor = async (
  folder: string,
  env: Readonly<Record<string, string>>,
): Promise<ClickhouseCluster | undefined> =>
  process.env.TEST_STORE === 'cluster' && !env.CLICKHOUSE_URL ? startCluster(join(folder, 'cluster')) : undefined

// Stores metadata in Postgres if the suite provides one.
const definitionsFor = (env: Readonly<Record<string, string>>): Record<string, string> =>
  process.env.TEST_DATABASE_URL && !env.DATABASE_URL ? { DATABASE_URL: process.env.TEST_DATABASE_URL } : {}

/** Creates a temporary folder. */
export const temporaryFolder = (): string => mkdtempSync(join(tmpdir(), 'trailmark-'))

/** Runs the service until it exits, for starts that fail. `onError` is called when it writes to standard error. */
export const runUntilEnd = async (
  env: Readonly<Record<string, string>>,
  onError: () => void = () => {},
): Promise<EndedService> => {
  const { child, ended, stdout, stderr } = watch({ ...cleanEnv(), ...env })
  child.stderr!.on('data', onError)
  return { code: await ended, stdout: stdout(), stderr: stderr() }
}

/**
 * Starts the built service on a free port and resolves when it is ready. Rejects with its output if it exits first.
 * The caller must stop or kill it.
 */
export const startService = async ({ data, env = {}, args, main }: StartOptions = {}): Promise<RunningService> => {
  const folder = data ?? temporaryFolder()
  const cluster = await clusterFor(folder, env)
  const { child, ended, stdout, stderr, onStdout } = watch(
    { ...serviceEnv(folder), ...cluster?.env, ...definitionsFor(env), ...env },
    args,
    main,
  )

  const { url, projectId, token, keyFile } = await new Promise<Ready>((done, fail) => {
    const giveUp = (why: string) => {
      child.kill('SIGKILL')
      fail(new Error(`The service ${why}.\nstdout:\n${stdout()}\nstderr:\n${stderr()}`))
    }
    const timer = setTimeout(() => giveUp(`was not ready within ${START_TIMEOUT_MS / 1000} s`), START_TIMEOUT_MS)
    onStdout(() => {
      const ready = findReady(stdout())
      if (!ready) return
      clearTimeout(timer)
      done(ready)
    })
    void ended.then((code) => {
      clearTimeout(timer)
      giveUp(`ended with exit code ${code} before it was ready`)
    })
  })

  return {
    url,
    token,
    projectId,
    key: keyFile ? readFileSync(keyFile, 'utf8').trim() : (env.TRAILMARK_PERSONAL_API_KEY ?? ''),
    data: folder,
    process: child,
    output: () => stdout() + stderr(),
    async stop() {
      child.kill('SIGTERM')
      const code = await ended
      await cluster?.stop()
      if (!data) rmSync(folder, { recursive: true, force: true })
      return code
    },
    async kill() {
      child.kill('SIGKILL')
      await ended
      await cluster?.stop()
    },
  }
}
