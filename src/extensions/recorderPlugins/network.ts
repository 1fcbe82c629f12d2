import { attempt, within } from '../../lib/guard'
import { permittedUrl } from '../../lib/campaign'
import { redactUrls } from '../../lib/redact'
import { withoutSensitive } from '../../lib/sensitive'
import { hostOf } from '../../lib/url'
import type { RecorderPluginParts } from '../../host'
import type { RecordedRequest, Stop } from '../../types'
import type { ExtensionHost } from '../contract'
import { sanitizeUrl } from '../recorder/sanitize/urls'
import type { Emit } from './shape'
import { safeBody, safeHeaders } from './secrets'
import { wrap } from './wrap'

type NetworkHost = ExtensionHost & RecorderPluginParts

const PLUGIN = 'rrweb/network@1'
const MAX_BODY = 1_000_000
const BODY_MS = 500
const TEXT_TYPE = /^(text\/|application\/(.*\+)?(json|xml|x-www-form-urlencoded|graphql))/i
// Analytics of others, whose requests say nothing about the page.
const TELEMETRY =
  /(^|\.)(google-analytics|googletagmanager|doubleclick|sentry|datadoghq(-browser-agent)?|nr-data|newrelic|segment|amplitude|mixpanel|hotjar|fullstory|clarity|rudderstack|logrocket|posthog)\.\w+(:\d+)?$/i
const TIMES = [
  'startTime',
  'duration',
  'transferSize',
  'encodedBodySize',
  'decodedBodySize',
  'domainLookupStart',
  'domainLookupEnd',
  'connectStart',
  'connectEnd',
  'requestStart',
  'responseStart',
  'responseEnd',
  'domInteractive',
  'domContentLoadedEventEnd',
  'domComplete',
  'loadEventEnd',
] as const

const hasSensitiveNumbers = (text: string) => withoutSensitive(text) !== text.split(/\s+/).join(' ').trim()

/** Returns a body that is text; undefined for others, such as files and streams. */
const textOf = (body: unknown): string | undefined => {
  if (typeof body === 'string') return body
  return body instanceof URLSearchParams ? String(body) : undefined
}

const shownBody = (body: string | undefined): string | undefined =>
  body === undefined ? undefined : body.length > MAX_BODY ? '[too large]' : safeBody(body, hasSensitiveNumbers)

const responseText = async (response: Response): Promise<string | undefined> => {
  const size = Number(response.headers.get('content-length') ?? 0)
  if (!TEXT_TYPE.test(response.headers.get('content-type') ?? '') || size > MAX_BODY) return undefined
  // A stream that does not end must not be kept in memory.
  const copy = response.clone()
  const reader = copy.body?.getReader()
  if (!reader) return undefined
  const decoder = new TextDecoder()
  let text = ''
  const read = async (): Promise<string | undefined> => {
    const { done, value } = await reader.read()
    if (done) return text
    text += decoder.decode(value, { stream: true })
    return text.length > MAX_BODY ? undefined : read()
  }
  const result = await within(BODY_MS, read(), undefined)
  if (result === undefined) void reader.cancel().catch(() => {})
  return result
}

/** Captures requests: their timing, and as options allow headers and text bodies, without secrets. */
export const startNetwork = (host: NetworkHost, emit: Emit): Stop => {
  const { config, network, isStrict } = host
  const capturesCalls = network.headers || network.body

  const isOwn = (url: string) => url.startsWith(config.api_host.replace(/\/$/, '')) || TELEMETRY.test(hostOf(url))
  const report = (requests: RecordedRequest[], isInitial = false) => {
    const mask = config.session_recording.maskCapturedNetworkRequestFn
    const recorded = requests.flatMap((each) => {
      if (isOwn(each.name)) return []
      const name = isStrict ? sanitizeUrl(each.name) : redactUrls(permittedUrl(each.name, config))
      // What the function should have removed is not recorded if it throws.
      const changed = mask ? attempt(() => mask({ ...each, name })) : { ...each, name }
      return changed ?? []
    })
    if (recorded.length) emit(PLUGIN, { requests: recorded.map((each) => ({ ...each, isInitial })) })
  }
  const stops: Stop[] = []

  if (network.timing) {
    const toRequest = (entry: PerformanceEntry): RecordedRequest => {
      const all = entry as unknown as Record<string, unknown>
      return {
        ...Object.fromEntries(TIMES.flatMap((name) => (typeof all[name] === 'number' ? [[name, all[name]]] : []))),
        name: entry.name,
        entryType: entry.entryType,
        initiatorType: String(all.initiatorType),
        status: (all.responseStatus as number | undefined) || undefined,
        timestamp: Math.round(performance.timeOrigin + entry.startTime),
      }
    }
    // Calls are reported with more detail below.
    const isCall = ({ initiatorType }: RecordedRequest) => /^(fetch|xmlhttprequest)$/.test(initiatorType!)
    const observe = (entries: PerformanceEntryList, isInitial: boolean) =>
      report(
        entries.map(toRequest).filter((each) => !(capturesCalls && isCall(each))),
        isInitial,
      )
    const observer = new PerformanceObserver((list) => attempt(() => observe(list.getEntries(), false)))
    observe([...performance.getEntriesByType('navigation'), ...performance.getEntriesByType('resource')], true)
    observer.observe({ type: 'resource' })
    stops.push(() => observer.disconnect())
  }

  if (capturesCalls) {
    const start = () => ({ startTime: performance.now(), timestamp: Date.now() })
    const requestHeaders = (headers: HeadersInit | undefined) =>
      network.headers && headers ? safeHeaders(new Headers(headers)) : undefined
    const requestBody = (body: unknown) => (network.body ? shownBody(textOf(body)) : undefined)
    const seconds = (from: number) => Math.round(performance.now() - from)

    stops.push(
      wrap(self, 'fetch', ({ args: [input, init = {}], result }) => {
        const request = input instanceof Request ? input : undefined
        const { method, headers, body } = init as RequestInit
        const url = new URL(request?.url ?? String(input), location.href).href
        if (isOwn(url)) return
        const began = start()
        const sent = {
          ...began,
          name: url,
          initiatorType: 'fetch',
          method: (method ?? request?.method ?? 'GET').toUpperCase(),
          requestHeaders: requestHeaders(headers ?? request?.headers),
          requestBody: requestBody(body),
        }
        const done = async (response: Response) => {
          const responseBody = network.body ? shownBody(await responseText(response)) : undefined
          report([
            {
              ...sent,
              status: response.status,
              duration: seconds(began.startTime),
              responseHeaders: network.headers ? safeHeaders(response.headers) : undefined,
              responseBody,
            },
          ])
        }
        ;(result as Promise<Response>)
          .then(done, () => report([{ ...sent, status: 0, duration: seconds(began.startTime) }]))
          .catch(() => {})
      }),
    )

    interface Call {
      method: string
      url: string
      headers: [string, string][]
    }
    const calls = new WeakMap<XMLHttpRequest, Call>()
    const { prototype } = XMLHttpRequest
    stops.push(
      wrap(prototype, 'open', ({ self: xhr, args: [method, url] }) => {
        const { href } = new URL(String(url), location.href)
        calls.set(xhr as XMLHttpRequest, { method: String(method).toUpperCase(), url: href, headers: [] })
      }),
      wrap(prototype, 'setRequestHeader', ({ self: xhr, args: [name, value] }) => {
        calls.get(xhr as XMLHttpRequest)?.headers.push([String(name), String(value)])
      }),
      wrap(prototype, 'send', ({ self, args: [body] }) => {
        const xhr = self as XMLHttpRequest
        const call = calls.get(xhr)
        if (!call || isOwn(call.url)) return
        const began = start()
        const onEnd = () => {
          const headers = xhr
            .getAllResponseHeaders()
            .trim()
            .split(/\r?\n/)
            .flatMap((line): [string, string][] => {
              const [, name, value] = /^([^:]+):\s*(.*)$/.exec(line) ?? []
              return name ? [[name, value!]] : []
            })
          const type = xhr.getResponseHeader('content-type') ?? ''
          const isText = (xhr.responseType === '' || xhr.responseType === 'text') && TEXT_TYPE.test(type)
          report([
            {
              ...began,
              name: call.url,
              initiatorType: 'xmlhttprequest',
              method: call.method,
              status: xhr.status,
              duration: seconds(began.startTime),
              requestHeaders: network.headers ? safeHeaders(call.headers) : undefined,
              requestBody: requestBody(body),
              responseHeaders: network.headers ? safeHeaders(headers) : undefined,
              responseBody: network.body && isText ? shownBody(xhr.responseText) : undefined,
            },
          ])
        }
        xhr.addEventListener('loadend', () => attempt(onEnd), { once: true })
      }),
    )
  }
  return () => stops.forEach((stop) => stop())
}
