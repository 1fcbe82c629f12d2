import { createServer, type Server, type Socket } from 'node:net'
import { createClickhouse, quoteUnsafeIntegers } from '../../src/storage/clickhouse.ts'
import type { Storage } from '../../src/storage/storage.ts'

test.each([
  ['[1,9007199254740991]', '[1,9007199254740991]'],
  ['[9007199254740993]', '["9007199254740993"]'],
  ['[-18446744073709551615,[12345678901234567890]]', '["-18446744073709551615",["12345678901234567890"]]'],
  ['["12345678901234567890"]', '["12345678901234567890"]'],
  ['["a\\"12345678901234567890"]', '["a\\"12345678901234567890"]'],
  ['[1234567890123456.5,1234567890123456e5]', '[1234567890123456.5,1234567890123456e5]'],
  ['{"12345678901234567890":12345678901234567890}', '{"12345678901234567890":"12345678901234567890"}'],
])('%s becomes %s', (text, expected) => {
  expect(quoteUnsafeIntegers(text)).toBe(expected)
})

test('fractions stay numbers, however many digits they have', () => {
  const text = '[[1.4285714285714286,-0.9999999999999999e-7,0.1111111111111111111,9007199254740993]]'
  expect(JSON.parse(quoteUnsafeIntegers(text))).toEqual([
    [1.4285714285714286, Number('-0.9999999999999999e-7'), Number('0.1111111111111111111'), '9007199254740993'],
  ])
})

describe('a server that closes connections at the moment they are used again', () => {
  const LIMITS = { projectId: 1, maxSeconds: 10, maxMemoryBytes: 100_000_000, maxRows: 10 }
  const ANSWER = JSON.stringify({ meta: [{ name: 'n', type: 'UInt8' }], data: [[1]] })

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
        socket.write(`HTTP/1.1 200 OK\r\nKeep-Alive: timeout=30\r\nContent-Length: ${ANSWER.length}\r\n\r\n${ANSWER}`)
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

  test('is asked again for a run', async () => {
    for (let round = 0; round < 3; round++)
      expect((await storage.run({ text: 'SELECT 1' }, LIMITS)).rows).toEqual([[1]])
  })

  test('is asked again for rows', async () => {
    for (let round = 0; round < 3; round++)
      expect(await storage.rows({ text: 'SELECT 1' })).toEqual([JSON.parse(ANSWER)])
  })

  test('is not asked again for what changes something', async () => {
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
