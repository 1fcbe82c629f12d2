import type { Proxy } from './createProxy'

/** Members of a Node or Express request that the adapter uses. */
export interface NodeRequest extends AsyncIterable<Uint8Array> {
  method?: string
  url?: string
  headers: Record<string, string | string[] | undefined>
  socket: { remoteAddress?: string }
}

/** Members of a Node or Express response that the adapter uses. */
export interface NodeResponse {
  statusCode: number
  setHeader(name: string, value: string | string[]): unknown
  end(body?: Uint8Array): unknown
}

/** Members that Express and its middleware add to a request. */
interface ExpressRequest extends NodeRequest {
  originalUrl?: string
  ip?: string
  body?: unknown
  readableEnded?: boolean
}

// Express removes the path that a handler is mounted at from `url`.
const pathOf = ({ originalUrl, url = '/' }: ExpressRequest): string => originalUrl ?? url

/** Streams the body. Canceling stops it, but keeps the connection for the response. */
const streamOf = (request: NodeRequest): ReadableStream<Uint8Array> => {
  const chunks = request[Symbol.asyncIterator]()
  return new ReadableStream({
    async pull(controller) {
      const next = await chunks.next()
      if (next.done) controller.close()
      else controller.enqueue(new Uint8Array(next.value))
    },
  })
}

/** Returns what a middleware has parsed before, or else the body as it arrives. `isParsed`: it is not compressed anymore. */
const bodyOf = (request: ExpressRequest): { body: BodyInit; isParsed: boolean } => {
  const { body, readableEnded } = request
  const wasRead = readableEnded && body !== undefined && body !== null
  if (!wasRead) return { body: streamOf(request), isParsed: false }
  if (typeof body === 'string') return { body, isParsed: true }
  return body instanceof Uint8Array
    ? { body: new Uint8Array(body), isParsed: false }
    : { body: JSON.stringify(body), isParsed: true }
}

const toRequest = (request: ExpressRequest): Request => {
  const headers = new Headers()
  for (const [name, value] of Object.entries(request.headers))
    // HTTP/2 has names such as `:path`.
    if (value !== undefined && !name.startsWith(':')) headers.set(name, [value].flat().join(', '))
  const { method = 'GET' } = request
  const { body, isParsed } =
    method === 'GET' || method === 'HEAD' ? { body: undefined, isParsed: false } : bodyOf(request)
  if (isParsed) for (const name of ['content-encoding', 'content-length']) headers.delete(name)
  // A path that begins with `//` must not name another host.
  return new Request(`http://proxy${pathOf(request)}`, { method, headers, body, duplex: 'half' } as RequestInit)
}

const answerTo = async (request: ExpressRequest, proxy: Proxy): Promise<Response> => {
  try {
    return await proxy(toRequest(request), { ip: request.ip ?? request.socket.remoteAddress })
  } catch {
    // Requests of Node may have methods and URLs that `Request` does not take.
    return new Response(null, { status: 400 })
  }
}

/**
 * Returns a handler for `node:http` and Express. Outside of the prefix it calls `next`, or responds with 404 without one.
 * The visitor's address is `request.ip` of Express, or else that of the connection.
 */
export const toNode =
  (proxy: Proxy) =>
  async (request: NodeRequest, response: NodeResponse, next?: () => void): Promise<void> => {
    const incoming: ExpressRequest = request
    if (next && !pathOf(incoming).startsWith(`${proxy.prefix}/`)) return next()
    const answer = await answerTo(incoming, proxy)
    response.statusCode = answer.status
    answer.headers.forEach((value, name) => name !== 'set-cookie' && response.setHeader(name, value))
    const cookies = answer.headers.getSetCookie()
    if (cookies.length > 0) response.setHeader('set-cookie', cookies)
    response.end(new Uint8Array(await answer.arrayBuffer()))
  }

/** Members of an h3 event that the adapter uses, in versions 1 and 2. */
export interface H3Event {
  req?: unknown
  node?: { req: unknown }
  web?: { request?: Request }
}

/** Returns a handler for h3, Nitro and Nuxt: `export default defineEventHandler(toH3(proxy))`. */
export const toH3 =
  (proxy: Proxy) =>
  (event: H3Event): Promise<Response> => {
    const request = event.web?.request ?? event.req
    const node = event.node?.req as ExpressRequest | undefined
    const ip = (request as { ip?: string } | undefined)?.ip ?? node?.socket?.remoteAddress
    if (request instanceof Request) return proxy(request, { ip })
    if (!node) throw new TypeError('toH3: this is not an event of h3. Pass the event of defineEventHandler.')
    return proxy(toRequest(node), { ip })
  }
