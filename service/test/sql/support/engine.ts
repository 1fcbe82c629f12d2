import { spawn } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import type { Socket } from 'node:net'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { createClient } from '@clickhouse/client'
import type { Compiled } from '../../../src/sql/compile.ts'
import { RESULT_SETTINGS } from '../../../src/storage/clickhouseSettings.ts'
import { quoteUnsafeIntegers } from '../../../src/storage/unsafeIntegers.ts'
import type { Result } from '../../../src/storage/storage.ts'
import { SCHEMA } from '../../../src/modules.ts'
import { freePort } from '../../support/freePort.ts'

export interface TestEngine {
  readonly url: string
  /** Returns the rows of a compiled query. Only the query's own SQL separates projects here. */
  rows(compiled: Pick<Compiled, 'text' | 'params'>): Promise<unknown[][]>
  /** Returns the rows and columns of a compiled query, as the service's storage does. */
  result(compiled: Pick<Compiled, 'text' | 'params'>): Promise<Result>
  /** Returns one column of strings, for example of EXPLAIN. */
  lines(compiled: Pick<Compiled, 'text' | 'params'>): Promise<string[]>
  columns(compiled: Pick<Compiled, 'text' | 'params'>): Promise<string[]>
  command(statement: string, params?: Readonly<Record<string, unknown>>): Promise<void>
  insert(rows: readonly object[]): Promise<void>
  /** Closes the connection. The server stays for the next file of tests. */
  stop(): Promise<void>
}

// Only stops an engine that hangs. Generous, because a busy machine is slow.
const START_TIMEOUT_MS = 600_000

// A process of the test runner runs many files, each with its own modules, so the server's URL is kept in a file.
const FOLDER = join(tmpdir(), `trailmark-test-engine-${process.pid}`)
const URL_FILE = join(FOLDER, 'url')

// The engine occupies the main thread. A second thread waits until the test's process is gone, and with it the pipe.
const WATCH = `
  require('fs').readSync(0, Buffer.alloc(1))
  require('fs').rmSync(require('worker_threads').workerData, { recursive: true, force: true })
  process.kill(process.pid, 'SIGKILL')
`
const CHILD = `
  const [folder, library, ...rest] = process.argv.slice(1)
  // Before the worker starts: ffi-rs asks for a report of the process, which waits for all threads, and the worker reads.
  const { open, load, DataType } = require(process.env.FFI)
  new (require('worker_threads').Worker)(process.env.WATCH, { eval: true, workerData: folder })
  const args = ['clickhouse-local', ...rest]
  open({ library: 'engine', path: library })
  load({ library: 'engine', funcName: 'chdb_query_cmdline', retType: DataType.I32, paramsType: [DataType.I32, DataType.StringArray], paramsValue: [args.length, args] })
`

const RUN_FOREVER =
  'SYSTEM START LISTEN HTTP; SELECT sleepEachRow(1) FROM numbers(100000000) ' +
  'SETTINGS max_block_size = 1, function_sleep_max_microseconds_per_block = 0, max_execution_time = 0 FORMAT Null'

/** Starts a ClickHouse server that ends with this process. Resolves with its URL when it answers. */
const startServer = async (): Promise<string> => {
  const modules = createRequire(join(process.cwd(), 'service/package.json'))
  const library = join(dirname(modules.resolve('@chdb/lib-linux-x64-gnu/package.json')), 'libchdb.so')
  rmSync(FOLDER, { recursive: true, force: true })
  mkdirSync(FOLDER)
  const port = await freePort()
  const config = join(FOLDER, 'config.xml')
  // How often it measures its memory, as in the service (`storage/embedded/config.ts`).
  const memory = '<memory_worker_period_ms>1000</memory_worker_period_ms>'
  writeFileSync(config, `<clickhouse><listen_host>127.0.0.1</listen_host>${memory}</clickhouse>`)
  const child = spawn(
    process.execPath,
    [
      '-e',
      CHILD,
      '--',
      FOLDER,
      library,
      `--config-file=${config}`,
      `--path=${join(FOLDER, 'store')}`,
      '--listen_host=127.0.0.1',
      `--http_port=${port}`,
      '--multiquery',
      '--query',
      RUN_FOREVER,
    ],
    {
      stdio: ['pipe', 'ignore', 'ignore'],
      env: { PATH: process.env.PATH, TZ: 'UTC', FFI: modules.resolve('ffi-rs'), WATCH },
    },
  )
  child.unref()
  ;(child.stdin as Socket).unref()
  const url = `http://127.0.0.1:${port}`
  for (
    const deadline = Date.now() + START_TIMEOUT_MS;
    !(await isUp(url));
    await new Promise((resolve) => setTimeout(resolve, 20))
  ) {
    if (child.exitCode !== null || child.signalCode !== null || Date.now() > deadline)
      throw new Error(`The test engine did not start: exit code ${child.exitCode}, signal ${child.signalCode}`)
  }
  return url
}

const isUp = (url: string) =>
  fetch(`${url}/ping`).then(
    ({ ok }) => ok,
    () => false,
  )

/** Returns the URL of this process's server. A second file of tests uses the server of the first. */
const findServer = async (): Promise<string> => {
  const known = existsSync(URL_FILE) ? readFileSync(URL_FILE, 'utf8') : undefined
  if (known && (await isUp(known))) return known
  const url = await startServer()
  writeFileSync(URL_FILE, url)
  return url
}

/** Opens a ClickHouse server with the service's tables, empty. */
export const startTestEngine = async (): Promise<TestEngine> => {
  const url = await findServer()
  const client = createClient({
    url,
    use_multipart_params_auto: true,
    log: { level: 127 },
    clickhouse_settings: RESULT_SETTINGS,
  })
  const command = async (query: string, params: Readonly<Record<string, unknown>> = {}) => {
    await client.command({ query, query_params: { ...params } })
  }
  await command('DROP DATABASE IF EXISTS db SYNC')
  await command('CREATE DATABASE db')
  for (const statement of SCHEMA.migrations.flatMap(({ statements }) => statements)) await command(statement)

  const answer = async ({ text, params }: Pick<Compiled, 'text' | 'params'>) => {
    const result = await client.query({ query: text, query_params: { ...params }, format: 'JSONCompact' })
    // As the service does, so that no digit of a large integer is lost.
    return JSON.parse(quoteUnsafeIntegers(await result.text())) as {
      data: unknown[][]
      meta: { name: string; type: string }[]
    }
  }

  return {
    url,
    command,
    result: async (compiled) => {
      const { meta, data } = await answer(compiled)
      return { columns: meta, rows: data, textLength: JSON.stringify(data).length }
    },
    rows: async (compiled) => (await answer(compiled)).data,
    columns: async (compiled) => (await answer(compiled)).meta.map(({ name }) => name),
    lines: async (compiled) => (await answer(compiled)).data.map(([line]) => String(line)),
    insert: (values) =>
      client
        .insert({
          table: 'db.events',
          values,
          format: 'JSONEachRow',
          clickhouse_settings: { input_format_try_infer_dates: 0, input_format_try_infer_datetimes: 0 } as never,
        })
        .then(() => undefined),
    stop: () => client.close(),
  }
}
