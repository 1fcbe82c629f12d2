import { mkdtempSync, rmSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { createClickhouse } from '../../src/storage/clickhouse.ts'
import { type ClickhouseHttp, createClickhouseHttp, EngineError } from '../../src/storage/clickhouseHttp.ts'
import { pause } from '../../src/lib/wait.ts'
import { type ClickhouseServer, startClickhouse } from '../support/clickhouse.ts'
import { NO_CALLER, SMALL_READ } from '../../src/storage/storage.ts'
import { TABLES } from '../support/schema.ts'

const folder = mkdtempSync(join(tmpdir(), 'clickhouse-http-'))
let server: ClickhouseServer
let http: ClickhouseHttp

beforeAll(async () => {
  server = await startClickhouse(folder)
  http = createClickhouseHttp({ url: server.url, timeoutMs: 20_000, connections: 4 })
})

afterAll(async () => {
  await http.close()
  await server.stop()
  rmSync(folder, { recursive: true, force: true })
})

const SETTINGS = {
  default_format: 'JSONCompact',
  wait_end_of_query: 1,
  output_format_json_quote_64bit_integers: 0,
  output_format_json_quote_denormals: 1,
}
const ask = async (text: string, params: Readonly<Record<string, unknown>> = {}, more: object = {}) =>
  JSON.parse(await (await http.send({ text, params, settings: SETTINGS, ...more })).body.text()).data

const echo = async (type: string, value: unknown) => (await ask(`SELECT {v:${type}}`, { v: value }))[0][0]

const texts = fc.oneof(fc.string({ unit: 'binary' }), fc.stringMatching(/^[\\'"\t\n\r\0{}[\],%&=+; a-z]{0,40}$/))

describe('ClickHouse parameters', () => {
  test('return any string unchanged, alone and in a list with other values', async () => {
    await fc.assert(
      fc.asyncProperty(texts, fc.array(texts), async (text, list) => {
        expect(await ask('SELECT {text:String}, {list:Array(String)}, {after:Int8}', { text, list, after: 7 })).toEqual(
          [[text, list, 7]],
        )
      }),
      { numRuns: 300 },
    )
  })

  test.each([
    ['Int64', -42, -42],
    ['Float64', 1.5e-7, 1.5e-7],
    ['Float64', Infinity, 'inf'],
    ['Float64', -Infinity, '-inf'],
    ['Bool', true, true],
    ['Bool', false, false],
    ['Array(Bool)', [true, false], [true, false]],
    ['Array(Nullable(String))', ['NULL', null, '\\N'], ['NULL', null, '\\N']],
    ['Nullable(String)', null, null],
    ['Nullable(String)', 'NULL', 'NULL'],
    ['Array(Array(String))', [["it's"], []], [["it's"], []]],
    ['UUID', '0198b1b2-0000-7000-8000-00000000000a', '0198b1b2-0000-7000-8000-00000000000a'],
    ["DateTime64(3, 'UTC')", '2026-03-29 01:59:59.999', '2026-03-29 01:59:59.999'],
  ])('return the value of type %s: %p', async (type, value, expected) => {
    expect(await echo(type, value)).toEqual(expected)
  })

  // Longer than any URL may be.
  test('return a list of 8,000 strings with form delimiters', async () => {
    const list = Array.from({ length: 8_000 }, (_, n) => (n % 2 ? `--\r\n${n}` : `'"\\${n}`))
    expect(await echo('Array(String)', list)).toEqual(list)
  })

  test('are rejected before the request if they have no query type', async () => {
    await expect(ask('SELECT {v:String}', { v: { $set: 1 } })).rejects.toThrow(
      'A value of type object cannot be a parameter',
    )
  })
})

describe('ClickHouse requests', () => {
  test('report the error code of the engine and keep the connection usable', async () => {
    const error = await ask('SELECT nonsense').catch((each: unknown) => each)
    expect(error).toBeInstanceOf(EngineError)
    expect(error).toMatchObject({ code: 'UNKNOWN_IDENTIFIER', message: expect.stringContaining('nonsense') })
    expect(await ask('SELECT 1')).toEqual([[1]])
  })

  test('reject when an error appears among rows', async () => {
    await expect(ask('SELECT throwIf(number = 150000) FROM numbers(200000)')).rejects.toMatchObject({
      code: 'FUNCTION_THROW_IF_VALUE_IS_NON_ZERO',
    })
  })

  test('reject a wrong password with the error of the engine', async () => {
    const wrong = createClickhouseHttp({
      url: server.url,
      account: { username: 'mine', password: 'wrong' },
      timeoutMs: 60_000,
      connections: 1,
    })
    await expect(wrong.send({ text: 'SELECT 1', settings: {} })).rejects.toMatchObject({
      code: 'AUTHENTICATION_FAILED',
    })
    await wrong.close()
  })

  test('are not affected by an aborted response of another request', async () => {
    for (const rows of [1, 3_000_000]) {
      const { body } = await http.send({ text: `SELECT * FROM numbers(${rows})`, settings: { default_format: 'CSV' } })
      await pause(100) // the response has arrived, or as much as is buffered unread
      body.destroy()
      await new Promise((done) => body.once('close', done))
    }
    expect(await ask('SELECT 3')).toEqual([[3]])
  })

  // Resolves the engine's URL on each call, like a client with only a URL.
  test('continue while others start', async () => {
    const storage = createClickhouse(() => ({ url: server.url }), { tables: TABLES })
    const limits = { projectId: 1, maxSeconds: 60, maxMemoryBytes: 100_000_000, maxRows: 10, maxBytes: 10_000_000 }
    const slow = storage.run({ text: 'SELECT sleep(1)' }, limits, NO_CALLER)
    const others = await Promise.all(
      [1, 2, 3].map(async (n) => (await storage.rows<{ n: number }>({ text: `SELECT ${n} AS n` }, SMALL_READ))[0]!.n),
    )
    expect([others, (await slow).rows]).toEqual([[1, 2, 3], [[0]]])
    await storage.close()
  })

  test('reject immediately when aborted, without affecting others', async () => {
    const giveUp = new AbortController()
    const slow = ask('SELECT sleepEachRow(1) FROM numbers(20)', {}, { signal: giveUp.signal })
    setTimeout(() => giveUp.abort(), 100)
    const [lost, other] = await Promise.allSettled([slow, ask('SELECT 2')])
    expect(lost.status).toBe('rejected')
    expect(other).toEqual({ status: 'fulfilled', value: [[2]] })
  })
})

describe('a misbehaving ClickHouse server', () => {
  let bad: Server | undefined
  afterEach(() => bad?.close())

  const startBad = (answer: Parameters<typeof createServer>[1], timeoutMs = 60_000) =>
    new Promise<ClickhouseHttp>((done) => {
      bad = createServer(answer as never).listen(0, '127.0.0.1', () =>
        done(
          createClickhouseHttp({
            url: `http://127.0.0.1:${(bad!.address() as { port: number }).port}`,
            timeoutMs,
            connections: 1,
          }),
        ),
      )
    })

  test('is reported if a proxy responds instead', async () => {
    const away = await startBad((_request, response) => void response.writeHead(502).end('<h1>Bad Gateway</h1>'))
    await expect(away.send({ text: 'SELECT 1', settings: {} })).rejects.toMatchObject({
      code: '',
      message: '<h1>Bad Gateway</h1>',
    })
    await away.close()
  })

  test('is given up after the timeout if it never responds', async () => {
    const silent = await startBad(() => {}, 500)
    await expect(silent.send({ text: 'SELECT 1', settings: {} })).rejects.toMatchObject({
      code: expect.stringContaining('TIMEOUT'),
    })
    expect(await silent.ping(100).catch(() => false)).toBe(false)
    await silent.close()
  })

  test('is reported if the connection is refused', async () => {
    const nobody = createClickhouseHttp({ url: 'http://127.0.0.1:9', timeoutMs: 60_000, connections: 1 })
    await expect(nobody.send({ text: 'SELECT 1', settings: {} })).rejects.toMatchObject({ code: 'ECONNREFUSED' })
    await nobody.close()
  })
})
