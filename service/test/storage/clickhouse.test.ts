import { once } from 'node:events'
import { createServer as createHttpServer } from 'node:http'
import { createServer, type Server, type Socket } from 'node:net'
import { createClickhouse } from '../../src/storage/clickhouse.ts'
import { type Storage, SMALL_READ, NO_CALLER } from '../../src/storage/storage.ts'

const LIMITS = { projectId: 1, maxSeconds: 60, maxMemoryBytes: 100_000_000, maxRows: 10, maxBytes: 10_000_000 }

test('a stream that is closed before it is read closes its connection', async () => {
  let closed: Promise<unknown> | undefined
  const server = createHttpServer((_, response) => {
    closed = once(response, 'close')
    response.writeHead(200, { 'X-ClickHouse-Summary': '{"result_rows":"1"}' }).write('"n"\n1\n')
  })
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  const { port } = server.address() as { port: number }
  const storage = createClickhouse(() => ({ url: `http://127.0.0.1:${port}` }))
  const stream = await storage.stream({ text: 'SELECT 1' }, LIMITS, 'csv', NO_CALLER)
  stream.destroy()
  // A body that nobody reads ends after 70 s.
  const later = new Promise((resolve) => setTimeout(resolve, 20_000, 'open').unref())
  expect(await Promise.race([closed!.then(() => 'closed'), later])).toBe('closed')
  await storage.close()
  server.close()
})

test.each(['csv', 'ndjson'] as const)(
  '%s streams together get one time slice per turn of the event loop',
  async (format) => {
    const part = Buffer.alloc(16_000, '1\n')
    const server = createHttpServer((_, response) => response.end(Buffer.concat(Array<Buffer>(40).fill(part))))
    await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
    const { port } = server.address() as { port: number }
    const storage = createClickhouse(() => ({ url: `http://127.0.0.1:${port}` }))
    let workMs = 0
    let most = 0
    const read = async () => {
      const stream = await storage.stream({ text: 'SELECT 1' }, LIMITS, format, NO_CALLER)
      stream.on('data', () => {
        // Stands for work of the caller, such as writing to a connection.
        for (const endsAt = performance.now() + 5; performance.now() < endsAt;);
        most = Math.max(most, (workMs += 5))
      })
      await once(stream, 'end')
    }
    let isOver = false
    const countTurns = () => {
      workMs = 0
      if (!isOver) setImmediate(countTurns)
    }
    countTurns()
    await Promise.all([read(), read(), read()])
    isOver = true
    // A slice of 8 ms, whose last step overruns it, and a first chunk of each stream.
    expect(most).toBeLessThanOrEqual(25)
    await storage.close()
    server.close()
  },
)

describe('a ClickHouse server that closes idle connections on reuse', () => {
  const RESPONSE = JSON.stringify({ meta: [{ name: 'n', type: 'UInt8' }], data: [[1]] })

  let server: Server
  let storage: Storage
  let requests = 0
  const sockets: Socket[] = []
  beforeEach(async () => {
    requests = 0
    server = createServer((socket) => {
      sockets.push(socket)
      socket.on('error', () => {})
      let isUsed = false
      socket.on('data', (chunk) => {
        if (!chunk.toString().startsWith('POST')) return
        requests += 1
        if (isUsed) return socket.resetAndDestroy()
        isUsed = true
        socket.write(
          `HTTP/1.1 200 OK\r\nKeep-Alive: timeout=30\r\nContent-Length: ${RESPONSE.length}\r\n\r\n${RESPONSE}`,
        )
      })
    })
    await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
    const { port } = server.address() as { port: number }
    storage = createClickhouse(() => ({ url: `http://127.0.0.1:${port}` }))
  })
  afterEach(async () => {
    await storage.close()
    server.close()
    for (const socket of sockets.splice(0)) socket.destroy()
  })

  test('makes the client retry a run', async () => {
    for (let round = 0; round < 3; round++)
      expect((await storage.run({ text: 'SELECT 1' }, LIMITS, NO_CALLER)).rows).toEqual([[1]])
  })

  test('makes the client retry a read of rows', async () => {
    for (let round = 0; round < 3; round++)
      expect(await storage.rows({ text: 'SELECT 1' }, SMALL_READ)).toEqual([JSON.parse(RESPONSE)])
  })

  test('does not make the client retry a statement that changes data', async () => {
    const outcomes: string[] = []
    for (let round = 0; round < 10; round++)
      outcomes.push(
        await storage.work({ text: 'OPTIMIZE TABLE x' }, LIMITS).then(
          () => 'done',
          () => 'failed',
        ),
      )
    expect(outcomes).toContain('failed')
    expect(requests).toBe(10)
  })
})

test('a read without a bound on bytes, or without a signal, does not compile', () => {
  const reads = (storage: Storage) => [
    // @ts-expect-error: no bounds
    storage.rows({ text: 'SELECT 1' }),
    // @ts-expect-error: no signal
    storage.rows({ text: 'SELECT 1' }, { maxBytes: 1 }),
    // @ts-expect-error: no bound
    storage.rows({ text: 'SELECT 1' }, { signal: NO_CALLER }),
    // @ts-expect-error: no bound
    storage.run({ text: 'SELECT 1' }, { projectId: 1, maxSeconds: 1, maxMemoryBytes: 1, maxRows: 1 }, NO_CALLER),
    // @ts-expect-error: no signal
    storage.run({ text: 'SELECT 1' }, LIMITS),
    // @ts-expect-error: no signal
    storage.stream({ text: 'SELECT 1' }, LIMITS, 'csv'),
    // @ts-expect-error: no signal
    storage.progress({ projectId: 1, idPrefix: 'a' }),
  ]
  expect(reads).toBeInstanceOf(Function)
})
