import { createServer, request, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import { gunzipSync } from 'node:zlib'

/** A response of the proxy itself. `ifGzip`: only to compressed bodies. */
interface OwnResponse {
  status: number
  body: string
  ifGzip?: boolean
}

type Mode = 'up' | 'silent' | 'refusing' | 'html' | 'redirecting' | number | OwnResponse

/** A request with events that the proxy received. */
export interface Delivery {
  text: string
  uuids: string[]
  bytes: number
  isCompressed: boolean
  /** Whether it was forwarded to the service. */
  isPassedOn: boolean
}

export interface Proxy {
  url: string
  /**
   * Changes the behavior: `up` forwards requests, a number responds with this status, an object is the response, `silent`
   * accepts requests and never responds, `refusing` rejects connections, `html` responds with a page like captive portals,
   * `redirecting` redirects to such a page.
   */
  be(mode: Mode, headers?: Record<string, string>): Promise<void>
  /** Responds with 500 to each request that contains this text; undefined: to none. */
  poison(text: string | undefined): void
  /** Returns the number of requests with events so far. */
  requests(): number
  /** Returns the number of requests with events that have no response yet. */
  pending(): number
  deliveries(): readonly Delivery[]
  /** Returns all requests as text, decompressed: URLs, headers, bodies. */
  seen(): string
  /** Clears `seen`. */
  forget(): void
  stop(): Promise<void>
}

const isGzip = (bytes: Buffer) => bytes[0] === 0x1f && bytes[1] === 0x8b
const asText = (bytes: Buffer) => (isGzip(bytes) ? gunzipSync(bytes) : bytes).toString()

const uuidsIn = (text: string) => [...text.matchAll(/"uuid":"([^"]+)"/g)].map(([, uuid]) => uuid!)

const SIGN_IN = '/sign-in'

/** Starts a proxy between browser and service that simulates failures of networks and servers. */
export const startProxy = async (target: string): Promise<Proxy> => {
  let mode: Mode = 'up'
  let extra: Record<string, string> = {}
  let poison: string | undefined
  let requests = 0
  let pending = 0
  const deliveries: Delivery[] = []
  const seen: string[] = []
  let server: Server
  let port = 0
  const sockets = new Set<Socket>()

  const pass = (incoming: IncomingMessage, outgoing: ServerResponse) => {
    const own = typeof mode === 'object' ? mode : undefined
    let isPassedOn = mode === 'up'
    const isPreflight = incoming.method === 'OPTIONS'
    const isDelivery = !isPreflight && /\/e\/(\?|$)/.test(incoming.url ?? '')
    if (isDelivery) {
      requests += 1
      pending += 1
      outgoing.once('close', () => (pending -= 1))
    }
    const chunks: Buffer[] = []
    incoming.on('data', (chunk: Buffer) => chunks.push(chunk))
    incoming.on('end', () => {
      const body = Buffer.concat(chunks)
      const text = asText(body)
      if (own) isPassedOn = !!own.ifGzip && !isGzip(body)
      seen.push(`${incoming.url} ${JSON.stringify(incoming.headers)} ${text}`)
      if (isDelivery)
        deliveries.push({ text, uuids: uuidsIn(text), bytes: body.length, isCompressed: isGzip(body), isPassedOn })
    })
    if (mode === 'silent') return incoming.resume()
    const answer = (status: number, headers: Record<string, string>, body: string) => {
      incoming.resume()
      return outgoing.writeHead(status, { 'Access-Control-Allow-Origin': '*', ...headers }).end(body)
    }
    if (mode === 'html' || incoming.url === SIGN_IN)
      return answer(200, { 'Content-Type': 'text/html' }, '<!doctype html><title>Sign in to use this network</title>')
    if (mode === 'redirecting') return answer(302, { Location: SIGN_IN }, '')
    if (typeof mode === 'number')
      return answer(mode, { 'Access-Control-Expose-Headers': 'Retry-After', ...extra }, '{}')
    if (poison || (own && !isPreflight)) {
      return incoming.on('end', () => {
        const body = Buffer.concat(chunks)
        if (poison && asText(body).includes(poison)) return answer(500, {}, '{}')
        if (own && !isPassedOn) return answer(own.status, {}, own.body)
        passOn(incoming, outgoing).end(body)
      })
    }
    return incoming.pipe(passOn(incoming, outgoing))
  }
  const passOn = (incoming: IncomingMessage, outgoing: ServerResponse) => {
    const onward = request(
      `${target}${incoming.url}`,
      { method: incoming.method, headers: incoming.headers },
      (answer) => {
        outgoing.writeHead(answer.statusCode!, answer.headers)
        answer.pipe(outgoing)
      },
    )
    onward.on('error', () => outgoing.destroy())
    return onward
  }
  const listen = () =>
    new Promise<void>((done) => {
      server = createServer(pass)
      server.on('connection', (socket) => {
        sockets.add(socket)
        socket.on('close', () => sockets.delete(socket))
      })
      server.listen(port, '127.0.0.1', () => {
        port = (server.address() as AddressInfo).port
        done()
      })
    })
  const close = () =>
    new Promise<void>((done) => {
      server.close(() => done())
      sockets.forEach((socket) => socket.destroy())
    })

  await listen()
  return {
    url: `http://127.0.0.1:${port}`,
    be: async (next, headers = {}) => {
      if (next === 'refusing' && mode !== 'refusing') await close()
      if (next !== 'refusing' && mode === 'refusing') await listen()
      // Requests without a response fail, as if the server was restarted.
      if (mode === 'silent') sockets.forEach((socket) => socket.destroy())
      mode = next
      extra = headers
    },
    poison: (text) => {
      poison = text
    },
    requests: () => requests,
    pending: () => pending,
    deliveries: () => deliveries,
    seen: () => seen.join('\n'),
    forget: () => void seen.splice(0),
    stop: async () => {
      if (mode !== 'refusing') await close()
    },
  }
}
