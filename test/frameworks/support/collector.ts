import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { type AddressInfo } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import { gunzipSync } from 'node:zlib'

export interface CollectedEvent {
  uuid: string
  event: string
  properties: Record<string, unknown> & { $current_url: string; $pathname: string; title?: string; $route?: string }
}

export type Flags = Record<string, boolean | string>

export interface Collector {
  url: string
  /** Returns the events so far, each once. */
  events(name?: string): CollectedEvent[]
  /** Resolves with the events of this name once there are `count`. */
  waitFor(name: string, count?: number): Promise<CollectedEvent[]>
  /** The number of requests for flags by browsers. */
  flagRequests(): number
  /** Sets the flags of the next answers: to servers, and to browsers. */
  setFlags(server: Flags, browser?: Flags): void
  reset(): void
  close(): void
}

const readBody = async (request: IncomingMessage): Promise<unknown> => {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  const body = Buffer.concat(chunks)
  if (!body.length) return {}
  return JSON.parse((body[0] === 0x1f ? gunzipSync(body) : body).toString())
}

const answer = (flags: Flags) => ({
  flags: Object.fromEntries(
    Object.entries(flags).map(([key, value]) => [
      key,
      {
        key,
        enabled: !!value,
        variant: typeof value === 'string' ? value : null,
        metadata: { id: 1, version: 1, payload: '{"steps":2}' },
      },
    ]),
  ),
  errorsWhileComputingFlags: false,
  requestId: 'a',
})

/** The flag that examples read. The SDK warns about flags that do not exist. */
const OFF: Flags = { 'new-checkout': false }

/** Starts a service in memory that receives events and answers requests for flags. `port`: 0 for any. */
export const startCollector = async (port = 0): Promise<Collector> => {
  const collected = new Map<string, CollectedEvent>()
  const flags: { server: Flags; browser: Flags } = { server: OFF, browser: OFF }
  let flagRequests = 0
  const handle = async (request: IncomingMessage, response: ServerResponse) => {
    response.setHeader('access-control-allow-origin', request.headers.origin ?? '*')
    response.setHeader('access-control-allow-headers', '*')
    response.setHeader('content-type', 'application/json')
    const body = (await readBody(request)) as { batch?: CollectedEvent[] }
    for (const each of body.batch ?? []) collected.set(each.uuid, each)
    const isForFlags = request.method === 'POST' && request.url!.startsWith('/flags/')
    // Only browsers send an origin.
    const isBrowser = !!request.headers.origin
    if (isForFlags && isBrowser) flagRequests += 1
    response.end(JSON.stringify(isForFlags ? answer(isBrowser ? flags.browser : flags.server) : { status: 1 }))
  }
  const server = createServer((request, response) => void handle(request, response))
  await new Promise<void>((done) => server.listen(port, '127.0.0.1', done))
  const events = (name?: string) => [...collected.values()].filter(({ event }) => !name || event === name)
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    events,
    waitFor: async (name, count = 1) => {
      while (events(name).length < count) await delay(20)
      return events(name)
    },
    flagRequests: () => flagRequests,
    setFlags: (server, browser = server) => Object.assign(flags, { server, browser }),
    reset: () => {
      collected.clear()
      flagRequests = 0
      Object.assign(flags, { server: OFF, browser: OFF })
    },
    close: () => {
      server.close()
      server.closeAllConnections()
    },
  }
}
