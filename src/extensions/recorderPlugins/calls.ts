import type { RecordedRequest, Stop } from '../../types'
import { type Bodies, isText } from './bodies'
import { safeHeaders } from './secrets'
import { quietly, wrap } from './wrap'

interface CallInputs {
  /** Which parts of requests are recorded. */
  wanted: { headers: boolean; body: boolean }
  bodies: Bodies
  /** Whether requests of this URL are left out. */
  isOwn(url: string): boolean
  report(requests: RecordedRequest[]): void
}

/** Returns the time of a request that begins now, and a function that returns its duration, ms. */
const startTime = () => {
  const startTime = performance.now()
  return {
    began: { startTime, timestamp: Date.now() },
    duration: () => Math.round(performance.now() - startTime),
  }
}

/** Captures calls of `fetch`. Bodies are read from copies. */
export const captureFetch = ({ wanted, bodies, isOwn, report }: CallInputs): Stop =>
  wrap(self, 'fetch', ({ args: [input, init = {}], result }) => {
    const request = input instanceof Request ? input : undefined
    const { method, headers = request?.headers, body } = init as RequestInit
    const name = new URL(request?.url ?? String(input), location.href).href
    if (isOwn(name)) return
    const { began, duration } = startTime()
    const sent = {
      ...began,
      name,
      initiatorType: 'fetch',
      method: (method ?? request?.method ?? 'GET').toUpperCase(),
      requestHeaders: wanted.headers && headers ? safeHeaders(new Headers(headers)) : undefined,
      requestBody: wanted.body ? bodies.ofRequest(body) : undefined,
    }
    const onResponse = async (response: Response) =>
      report([
        {
          ...sent,
          status: response.status,
          duration: duration(),
          responseHeaders: wanted.headers ? safeHeaders(response.headers) : undefined,
          responseBody: wanted.body ? await bodies.ofResponse(response) : undefined,
        },
      ])
    ;(result as Promise<Response>)
      .then(onResponse, () => report([{ ...sent, status: 0, duration: duration() }]))
      .catch(() => {})
  })

const responseHeaders = (xhr: XMLHttpRequest) =>
  xhr
    .getAllResponseHeaders()
    .trim()
    .split(/\r?\n/)
    .flatMap((line): [string, string][] => {
      const [, name, value] = /^([^:]+):\s*(.*)$/.exec(line) ?? []
      return name ? [[name, value!]] : []
    })

/** Captures calls of `XMLHttpRequest`. */
export const captureXhr = ({ wanted, bodies, isOwn, report }: CallInputs): Stop => {
  const calls = new WeakMap<object, { method: string; url: string; headers: [string, string][] }>()
  const { prototype } = XMLHttpRequest
  const stops = [
    wrap(prototype, 'open', ({ self: xhr, args: [method, url] }) => {
      const { href } = new URL(String(url), location.href)
      calls.set(xhr as object, { method: String(method).toUpperCase(), url: href, headers: [] })
    }),
    wrap(prototype, 'setRequestHeader', ({ self: xhr, args: [name, value] }) => {
      calls.get(xhr as object)?.headers.push([String(name), String(value)])
    }),
    wrap(prototype, 'send', ({ self, args: [body] }) => {
      const xhr = self as XMLHttpRequest
      const call = calls.get(xhr)
      if (!call || isOwn(call.url)) return
      const { began, duration } = startTime()
      const onEnd = () => {
        const hasText = /^(text)?$/.test(xhr.responseType) && isText(xhr.getResponseHeader('content-type'))
        report([
          {
            ...began,
            name: call.url,
            initiatorType: 'xmlhttprequest',
            method: call.method,
            status: xhr.status,
            duration: duration(),
            requestHeaders: wanted.headers ? safeHeaders(call.headers) : undefined,
            requestBody: wanted.body ? bodies.ofRequest(body) : undefined,
            responseHeaders: wanted.headers ? safeHeaders(responseHeaders(xhr)) : undefined,
            responseBody: wanted.body && hasText ? bodies.ofText(xhr.responseText) : undefined,
          },
        ])
      }
      xhr.addEventListener('loadend', () => quietly(onEnd), { once: true })
    }),
  ]
  return () => stops.forEach((stop) => stop())
}
