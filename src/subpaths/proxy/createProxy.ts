import { readBody } from './body'
import { addressOf, headersToBrowser, headersToService, VIA } from './headers'
import { isCacheable, isOfToolbar, normalizedPrefix, servicePath } from './paths'

export interface ProxyOptions {
  /** URL of the service. */
  host: string
  /** Path of the proxy on the site. `''`: all paths, for a host that has nothing else. Default: `/ingest` */
  prefix?: string
  /**
   * Header in which the platform sends the visitor's IP address, such as `cf-connecting-ip`. Only one that the platform
   * always sets: a visitor can send any other. Without it, `ip` of the call is used.
   */
  ipHeader?: string
  /** Largest body of a request. Default: 20 MiB, the limit of the service */
  maxBytes?: number
  /** Longest wait for the service. Default: 10,000 */
  timeoutMs?: number
  /** Default: the global `fetch` */
  fetch?: typeof fetch
}

/** What the platform knows about a request. */
export interface ProxyInfo {
  /** IP address of the visitor, as the platform tells it. */
  ip?: string
  /** Keeps a worker alive until the service has responded. */
  waitUntil?(promise: Promise<unknown>): void
}

/** Answers a request below the prefix. */
export interface Proxy {
  (request: Request, info?: ProxyInfo): Promise<Response>
  readonly prefix: string
}

type Body = Uint8Array<ArrayBuffer>

const NO_BODY: Body = new Uint8Array(0)
const isRead = (method: string) => method === 'GET' || method === 'HEAD'
const METHODS: readonly string[] = ['GET', 'HEAD', 'POST', 'OPTIONS', 'DELETE']

/** An error that the SDK does not take for one of the service, so that it sends the events again. */
const refuse = (status: number, error: string, detail: string): Response =>
  new Response(JSON.stringify({ error, detail }), {
    status,
    headers: { 'content-type': 'application/json', 'cache-control': 'no-store' },
  })

const serviceUrl = (host: string): URL => {
  let url: URL | undefined
  try {
    url = new URL(host)
  } catch {
    // Reported below.
  }
  if (!url || !/^https?:$/.test(url.protocol) || url.username || url.search || url.hash)
    throw new TypeError(
      `createProxy: host must be the URL of your Trailmark service, such as "https://events.example.com". It is ${JSON.stringify(host)}.`,
    )
  return url
}

/** Creates a handler that passes requests of the SDK on to the service, and nothing else. */
export const createProxy = (options: ProxyOptions): Proxy => {
  const { ipHeader, maxBytes = 20 * 1024 * 1024, timeoutMs = 10_000 } = options
  const service = serviceUrl(options.host).href.replace(/\/$/, '')
  const prefix = normalizedPrefix(options.prefix ?? '/ingest')
  const via = `${prefix}>${service}`
  const told = new Set<string>()

  const fail = (status: number, error: string, detail: string) => {
    if (!told.has(error)) console.error(`[trailmark] Proxy: ${detail}`)
    told.add(error)
    return refuse(status, error, detail)
  }

  const forward = async (request: Request, path: string, { body, info }: { body: Body; info?: ProxyInfo }) => {
    const { method, headers } = request
    const isToolbar = isOfToolbar(path)
    const ip = ipHeader ? addressOf(headers.get(ipHeader)) : addressOf(info?.ip)
    // The signal of the request is not used: a page that is left does not cancel its last events.
    const response = await (options.fetch ?? fetch)(service + path + new URL(request.url).search, {
      method,
      headers: headersToService(headers, { ip, isToolbar, via: [headers.get(VIA), via].filter(Boolean).join(', ') }),
      body: body.byteLength > 0 ? body : undefined,
      redirect: 'manual',
      signal: AbortSignal.timeout(timeoutMs),
    })
    const { status } = response
    const location = status !== 304 && (response.type === 'opaqueredirect' || response.headers.get('location'))
    if (location)
      return fail(
        502,
        'redirected',
        `${service} redirects${typeof location === 'string' ? ` to ${location}` : ''}. Use the final URL as host.`,
      )
    const isCached = isRead(method) && status < 400 && isCacheable(path)
    const bytes = await response.arrayBuffer()
    return new Response(status === 204 || status === 304 || method === 'HEAD' ? null : bytes, {
      status,
      headers: headersToBrowser(response.headers, { isToolbar, isCached }),
    })
  }

  const answer = async (request: Request, info: ProxyInfo | undefined) => {
    const path = servicePath(new URL(request.url).pathname, prefix)
    if (!path) return refuse(404, 'not_found', `The proxy at ${prefix}/ passes on the paths of the SDK only.`)
    if (!METHODS.includes(request.method)) return refuse(405, 'method', 'The SDK does not use this method.')
    if (request.headers.get(VIA)?.split(', ').includes(via))
      return fail(508, 'loop', `It forwards to itself: host is ${service}. Use the URL of the Trailmark service.`)
    const body = isRead(request.method) ? NO_BODY : await readBody(request, maxBytes).catch(() => null)
    if (body === null) return refuse(400, 'incomplete', 'The body of the request is not complete.')
    if (!body) return refuse(413, 'too_large', `The body has more than ${maxBytes} bytes.`)
    try {
      return await forward(request, path, { body, info })
    } catch (error) {
      const reason =
        (error as Error).name === 'TimeoutError' ? `did not respond in ${timeoutMs} ms` : 'does not respond'
      return fail(502, 'unreachable', `${service} ${reason}.`)
    }
  }

  const proxy = (request: Request, info?: ProxyInfo) => {
    const response = answer(request, info)
    if (typeof info?.waitUntil === 'function') info.waitUntil(response)
    return response
  }
  return Object.assign(proxy, { prefix })
}
