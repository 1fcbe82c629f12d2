import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { gunzipSync } from 'node:zlib'

/** Answers a request with events. Returns whether they are stored. */
type Behavior = (events: readonly Captured[], response: ServerResponse) => boolean | void

export interface Captured {
  uuid: string
  event: string
  distinct_id: string
  timestamp: string
  properties: Record<string, unknown>
}

export interface Collector {
  url: string
  /** Every stored copy of an event, by uuid. */
  stored: Map<string, Captured[]>
  /** Number of events in each request. */
  requests: number[]
  headers: IncomingMessage['headers'][]
  be(behavior: Behavior): void
  stop(): Promise<void>
}

export const up: Behavior = (_events, response) => {
  response.writeHead(200, { 'Content-Type': 'application/json' }).end('{"status":1}')
  return true
}

/** Returns a behavior that stores nothing. */
export const answer =
  (status: number, body = '', headers: Record<string, string> = {}): Behavior =>
  (_events, response) =>
    void response.writeHead(status, headers).end(body)

const readBody = async (request: IncomingMessage): Promise<string> => {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  const bytes = Buffer.concat(chunks)
  return (bytes[0] === 0x1f ? gunzipSync(bytes) : bytes).toString()
}

/** Starts a server that counts the copies of each event, and fails as told. */
export const startCollector = async (): Promise<Collector> => {
  let behavior = up
  const stored: Collector['stored'] = new Map()
  const requests: number[] = []
  const headers: IncomingMessage['headers'][] = []
  const server = createServer((request, response) => {
    void readBody(request).then((text) => {
      const events = (JSON.parse(text) as { batch: Captured[] }).batch
      requests.push(events.length)
      headers.push(request.headers)
      if (behavior(events, response))
        for (const event of events) stored.set(event.uuid, [...(stored.get(event.uuid) ?? []), event])
    })
  })
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    stored,
    requests,
    headers,
    be: (next) => (behavior = next),
    stop: () =>
      new Promise((done) => {
        server.close(() => done())
        server.closeAllConnections()
      }),
  }
}
