import { rmSync } from 'node:fs'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { join } from 'node:path'
import { uuidv7 } from '../../src/lib/uuid.ts'
import { capture, countOf, event, request, rowsOf } from '../support/api.ts'
import { childrenOf, until } from '../support/engine.ts'
import { startHonestClients } from '../support/honestClients.ts'
import { createMetricsKey, readMetrics } from '../support/metrics.ts'
import { type RunningService, runUntilEnd, startService, temporaryFolder } from '../support/startService.ts'

// These tests wait 15 to 30 s for timeouts of the service, so they run at the same time, each with a service of its own.

const MB = 1024 * 1024

/** Calls `run` with a service that no other test uses. */
const withService = async (
  env: Readonly<Record<string, string>>,
  run: (service: RunningService) => Promise<void>,
): Promise<void> => {
  const service = await startService({ env })
  try {
    await run(service)
  } finally {
    await service.stop()
  }
}

/**
 * Calls `run` while the engine of a service hangs. A stopped process keeps its connections open but never responds: the
 * worst kind of outage.
 */
const whileEngineHangs = async <Result>(service: RunningService, run: () => Promise<Result>): Promise<Result> => {
  const engine = childrenOf(service.process.pid!)[0]!
  process.kill(engine, 'SIGSTOP')
  try {
    return await run()
  } finally {
    process.kill(engine, 'SIGCONT')
  }
}

test.concurrent('ingest responds with 503 and Retry-After while the engine hangs, and accepts the event on retry', () =>
  withService({}, async (service) => {
    const uuid = uuidv7()
    await whileEngineHangs(service, async () => {
      const reply = await capture(service, event('held up', { uuid }))
      expect(reply).toMatchObject({ status: 503, body: { code: 'engine_unavailable' } })
      expect(Number(reply.headers.get('retry-after'))).toBeGreaterThan(0)
      expect((await request(`${service.url}/_readiness`)).status).toBe(503)
      expect((await request(`${service.url}/_health`)).status).toBe(200)
    })
    await until(async () => (await capture(service, event('held up', { uuid }))).status === 200)
    expect(await countOf(service, 'held up')).toBe(1)
  }))

test.concurrent('deliveries over the memory limit get 429 with Retry-After while the engine hangs and are stored once on retry', () =>
  withService({ TRAILMARK_INGEST_MEMORY_MB: '1' }, async (service) => {
    const text = 'x'.repeat(400_000)
    const events = Array.from({ length: 10 }, () => event('too much', { uuid: uuidv7() }, { text }))
    const key = await createMetricsKey(service)
    const first = await whileEngineHangs(service, async () => {
      const waiting = capture(service, events[0]!)
      // The others arrive while the first waits for the engine and holds the memory.
      await until(async () => (await readMetrics(service, key)).trailmark_writer_waiting_events === 1)
      return Promise.all([waiting, ...events.slice(1).map((each) => capture(service, each))])
    })
    const refused = first.filter(({ status }) => status === 429)
    expect(refused.length).toBeGreaterThan(3)
    for (const { headers, body } of refused) {
      expect(body).toMatchObject({ type: 'throttled_error', code: 'ingest_overloaded' })
      expect(Number(headers.get('retry-after'))).toBeGreaterThan(0)
    }
    expect(first[0].status).toBe(503)
    expect([...new Set(first.map(({ status }) => status))].sort()).toEqual([429, 503])
    for (const each of events) await until(async () => (await capture(service, each)).status === 200)
    expect(await countOf(service, 'too much')).toBe(10)
    expect((await rowsOf(service, "SELECT uniq(uuid) FROM events WHERE event = 'too much'"))[0]).toEqual([10])
  }))

/** Sends the headers of a request, and `end` after them. */
const open = async (
  service: RunningService,
  path: string,
  headers: string,
  end = '\r\n\r\n',
): Promise<{ socket: Socket; answer: Promise<string> }> => {
  const { port, hostname } = new URL(service.url)
  const socket = connect(Number(port), hostname)
  let text = ''
  socket.on('data', (chunk: Buffer) => (text += chunk.toString()))
  socket.on('error', () => {})
  const answer = new Promise<string>((resolve) => socket.once('close', () => resolve(text)))
  await new Promise((resolve) => socket.once('connect', resolve))
  socket.write(`POST ${path} HTTP/1.1\r\nHost: x\r\n${headers}${end}`)
  return { socket, answer }
}

test.concurrent('the service closes requests whose headers or bodies never arrive and still serves other clients', () =>
  withService({}, async (service) => {
    const silent = await Promise.all(
      Array.from({ length: 60 }, (_, n) => open(service, n % 2 ? '/e/' : '/flags/', 'Content-Length: 20000000')),
    )
    const trickles = await Promise.all(
      Array.from({ length: 20 }, () => open(service, '/e/', 'Transfer-Encoding: chunked')),
    )
    const headers = await Promise.all(Array.from({ length: 5 }, () => open(service, '/e/', 'X-Endless: a', '')))
    // Some occupy as much memory as possible before they stall.
    for (const { socket } of silent.slice(0, 30)) socket.write(Buffer.alloc(3 * MB, ' '))
    const trickle = setInterval(() => trickles.forEach(({ socket }) => socket.write('1\r\n \r\n')), 500)
    // Runs for the minutes until the service closes the stalled requests.
    const stop = startHonestClients(service, 1_000)
    const large = Array.from({ length: 500 }, () => event('large', {}, { text: 'x'.repeat(4_000) }))
    expect((await capture(service, ...large)).status).toBe(200)
    const answers = await Promise.all([...silent, ...trickles, ...headers].map(({ answer }) => answer))
    clearInterval(trickle)
    const { answers: honest } = await stop()
    expect(honest.filter((status) => status !== 200)).toEqual([])
    for (const answer of answers) expect(answer).toMatch(/^HTTP\/1\.1 (408|413|429) /)
    expect(await countOf(service, 'large')).toBe(500)
  }))

test.concurrent('an unresponsive ClickHouse server is reported immediately with the reason and aborts the start after 20 s', async () => {
  const folder = temporaryFolder()
  let tries = 0
  const deaf = createServer((socket) => {
    tries += 1
    socket.end('no TLS here')
  })
  await new Promise<void>((done) => deaf.listen(0, '127.0.0.1', done))
  const { port } = deaf.address() as AddressInfo
  const cases = [
    ['http://user:hidden@127.0.0.1:9', 'http://127.0.0.1:9', 'ECONNREFUSED'],
    ['http://nowhere.invalid:8123', 'http://nowhere.invalid:8123', 'nowhere.invalid'],
    [`https://127.0.0.1:${port}`, `https://127.0.0.1:${port}`, 'SSL'],
  ] as const
  let triesWhenReported = Infinity
  const ended = await Promise.all(
    cases.map(async ([url], place) => {
      const startedAt = Date.now()
      const { code, stderr } = await runUntilEnd(
        { TRAILMARK_DATA: join(folder, String(place)), TRAILMARK_PORT: '0', CLICKHOUSE_URL: url },
        () => {
          if (url.includes(String(port))) triesWhenReported = Math.min(triesWhenReported, tries)
        },
      )
      return { code, lines: stderr.trimEnd().split('\n'), tookMs: Date.now() - startedAt }
    }),
  )
  deaf.close()
  rmSync(folder, { recursive: true })
  ended.forEach(({ code, lines: [first, last, ...more], tookMs }, place) => {
    const [, shown, reason] = cases[place]!
    expect([code, more]).toEqual([1, []])
    expect(first).toContain(`The ClickHouse server at CLICKHOUSE_URL (${shown}) does not respond: `)
    expect(first).toContain(reason)
    expect(first).toContain('Retrying for 20 s, then exiting with code 1.')
    expect(first).not.toContain('hidden')
    expect(tookMs).toBeGreaterThan(15_000)
    expect(last).toContain(`trailmark: could not start: The ClickHouse server at CLICKHOUSE_URL (${shown})`)
    expect(last).toContain(reason)
  })
  // The first failure is logged when it happens, and the service tries on.
  expect(triesWhenReported).toBeLessThan(tries)
})
