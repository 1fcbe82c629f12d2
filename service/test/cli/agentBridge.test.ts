import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { PassThrough } from 'node:stream'
import { bridgeAgent } from '../../src/cli/agentBridge.ts'

type Answer = (message: any, response: ServerResponse, request: IncomingMessage) => void

let server: Server
let answer: Answer
const received: { headers: IncomingMessage['headers']; message: any }[] = []

beforeAll(async () => {
  server = createServer((request, response) => {
    let text = ''
    request.on('data', (chunk) => (text += chunk))
    request.on('end', () => {
      const message = JSON.parse(text)
      received.push({ headers: request.headers, message })
      answer(message, response, request)
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
})
afterAll(() => {
  server.closeAllConnections()
  server.close()
})
beforeEach(() => void received.splice(0))

const addressOf = () => `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`

/** Sends lines through a bridge, and returns what it writes until the input ends. */
const pass = async (lines: readonly (object | string)[], address = addressOf()) => {
  const [input, output] = [new PassThrough(), new PassThrough()]
  let written = ''
  output.on('data', (chunk) => (written += chunk))
  for (const line of lines) input.write(`${typeof line === 'string' ? line : JSON.stringify(line)}\n`)
  input.end()
  await bridgeAgent({ address, key: 'tmk_key', input, output })
  return written
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line))
}

const sendJson = (response: ServerResponse, status: number, body: unknown) =>
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))

const RESULT: Answer = ({ id }, response) => sendJson(response, 200, { jsonrpc: '2.0', id, result: {} })

test('passes the key, and headers that equal the message', async () => {
  answer = RESULT
  const _meta = { 'io.modelcontextprotocol/protocolVersion': '2026-07-28' }
  await pass([{ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'flags', _meta } }])
  expect(received[0]!.headers).toMatchObject({
    authorization: 'Bearer tmk_key',
    'mcp-protocol-version': '2026-07-28',
    'mcp-method': 'tools/call',
    'mcp-name': 'flags',
  })
})

test('passes the agreed revision for older clients, and the events of a stream', async () => {
  answer = ({ id, method }, response) => {
    if (id === undefined) return void response.writeHead(202).end()
    const result = method === 'initialize' ? { protocolVersion: '2025-03-26' } : {}
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    response.end(`: waiting\n\nevent: message\ndata: ${JSON.stringify({ jsonrpc: '2.0', id, result })}\n\n`)
  }
  const answers = await pass([
    { jsonrpc: '2.0', id: 1, method: 'initialize', params: {} },
    { jsonrpc: '2.0', method: 'notifications/initialized' },
    { jsonrpc: '2.0', id: 2, method: 'tools/list' },
  ])
  expect(answers.map(({ id }) => id)).toEqual([1, 2])
  expect(received.map(({ headers }) => headers['mcp-protocol-version'])).toEqual([
    undefined,
    '2025-03-26',
    '2025-03-26',
  ])
})

test('errors of the service, and no service, are errors of the protocol', async () => {
  answer = (_, response) => sendJson(response, 401, { detail: 'This key is wrong.' })
  const message = { jsonrpc: '2.0', id: 'a', method: 'tools/list' }
  expect(await pass([message])).toMatchObject([{ id: 'a', error: { message: 'This key is wrong.' } }])
  answer = (_, response) => void response.writeHead(502, { 'content-type': 'text/html' }).end('<html>')
  expect(await pass([message])).toMatchObject([{ id: 'a', error: { message: 'The service answered with 502.' } }])
  expect(await pass([message], 'http://127.0.0.1:1/mcp')).toMatchObject([
    { id: 'a', error: { message: expect.stringContaining('does not answer') } },
  ])
})

test('ignores lines that are no messages', async () => {
  answer = RESULT
  expect(await pass(['', 'no json', '[]', '1', { jsonrpc: '2.0', id: 1, method: 'ping' }])).toMatchObject([{ id: 1 }])
  expect(received).toHaveLength(1)
})

test('a canceled call closes its request, and is not answered', async () => {
  let closed: Promise<unknown> | undefined
  const [input, output] = [new PassThrough(), new PassThrough()]
  let written = ''
  output.on('data', (chunk) => (written += chunk))
  answer = (message, response) => {
    if (message.method !== 'tools/call') return void response.writeHead(202).end()
    closed = new Promise((resolve) => response.once('close', resolve))
    input.end(`${JSON.stringify({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 7 } })}\n`)
  }
  input.write(`${JSON.stringify({ jsonrpc: '2.0', id: 7, method: 'tools/call', params: { name: 'query' } })}\n`)
  await bridgeAgent({ address: addressOf(), key: 'tmk_key', input, output })
  await closed
  expect(written).toBe('')
})
