import type { RecorderPluginParts } from '../../host'
import type { RecordedRequest, Stop } from '../../types'
import type { ExtensionHost } from '../contract'
import { createBodies } from './bodies'
import { captureFetch, captureXhr } from './calls'
import type { Emit } from './shape'
import { captureTiming } from './timing'
import { quietly } from './wrap'

// Other analytics products, whose requests are irrelevant to the page.
const TELEMETRY =
  /^https?:\/\/([^/]+\.)?(google-analytics|googletagmanager|doubleclick|sentry|datadoghq(-browser-agent)?|nr-data|newrelic|segment|amplitude|mixpanel|hotjar|fullstory|clarity|rudderstack|logrocket|posthog)\.\w+(:\d+)?(?=\/|$)/i

/** Captures requests: their timing, and as options allow headers and text bodies, without secrets. */
export const startNetwork = (host: ExtensionHost & RecorderPluginParts, emit: Emit): Stop => {
  const { config } = host
  const network = host.network || { timing: false, headers: false, body: false }
  const isOwn = (url: string) => url.startsWith(config.api_host.replace(/\/$/, '')) || TELEMETRY.test(url)
  /** Returns the request as the site's own function changed it; undefined if the function omits it or throws. */
  const masked = (request: RecordedRequest) => {
    const mask = config.session_recording.maskCapturedNetworkRequestFn
    try {
      return mask ? mask(request) : request
    } catch {
      return undefined
    }
  }
  const hidden = (text: string | null | undefined) => text && host.hideTypedInRequest(text)
  const allHidden = (headers: Record<string, string> | undefined) =>
    headers &&
    Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, host.hideTypedInRequest(value)]))
  /** Returns a request without what a person typed. */
  const safe = (request: RecordedRequest): RecordedRequest => ({
    ...request,
    name: host.pageUrl(request.name),
    requestBody: hidden(request.requestBody),
    responseBody: hidden(request.responseBody),
    requestHeaders: allHidden(request.requestHeaders),
    responseHeaders: allHidden(request.responseHeaders),
  })
  const report = (requests: RecordedRequest[], isInitial = false) => {
    const recorded = requests.flatMap((each) => (isOwn(each.name) ? [] : (masked(safe(each)) ?? [])))
    if (recorded.length) emit('rrweb/network@1', { requests: recorded.map((each) => ({ ...each, isInitial })) })
  }
  const capturesCalls = network.headers || network.body
  const inputs = { wanted: network, bodies: createBodies(host), isOwn, report }
  const stops = [
    network.timing
      ? captureTiming(!capturesCalls, host.personSince(), (...args) => quietly(() => report(...args)))
      : undefined,
    capturesCalls ? captureFetch(inputs) : undefined,
    capturesCalls ? captureXhr(inputs) : undefined,
  ]
  return () => stops.forEach((stop) => stop?.())
}
