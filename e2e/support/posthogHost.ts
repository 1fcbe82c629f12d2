import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { gunzipSync } from 'node:zlib'
import { POSTHOG_RECORDING } from '../../test/support/posthogRecording'

/** An event that the host has received. */
interface ReceivedEvent {
  event: string
  properties: Record<string, any>
}

export interface PosthogHost {
  url: string
  /** All events received, and the chunks of recordings. */
  events(): ReceivedEvent[]
  /** Paths of all requests. */
  paths(): string[]
  stop(): Promise<void>
}

/** The remote configuration of a project with everything on, as PostHog sends it (docs/reference/protocol.md#4.7). */
const CONFIG = {
  token: 'phc_test',
  supportedCompression: ['gzip', 'gzip-js'],
  hasFeatureFlags: true,
  captureDeadClicks: false,
  capturePerformance: { network_timing: true, web_vitals: true, web_vitals_allowed_metrics: null },
  autocapture_opt_out: false,
  autocaptureExceptions: true,
  analytics: { endpoint: '/i/v0/e/' },
  elementsChainAsString: true,
  errorTracking: { autocaptureExceptions: true, suppressionRules: [] },
  sessionRecording: POSTHOG_RECORDING,
  heatmaps: true,
  surveys: true,
  conversations: false,
  productTours: false,
  logs: { captureConsoleLogs: false },
  defaultIdentifiedOnly: true,
  siteApps: [],
  isAuthenticated: false,
  toolbarParams: {},
}

const FLAGS = {
  flags: {
    beta: {
      key: 'beta',
      enabled: true,
      variant: 'blue',
      reason: { code: 'condition_match', condition_index: 0, description: 'Matched condition set 1' },
      metadata: { id: 1, version: 3, description: null, payload: '{"a":1}' },
    },
    plain: { key: 'plain', enabled: true, variant: null, reason: null, metadata: null },
    off: { key: 'off', enabled: false, variant: null },
  },
  errorsWhileComputingFlags: false,
  quotaLimited: null,
  requestId: 'b8a5c2a6-0000-4000-8000-000000000000',
  evaluatedAt: 1795228930851,
}

const SURVEY = {
  id: '019a0000-0000-0000-0000-000000000000',
  name: 'Rating',
  description: '',
  type: 'popover',
  linked_flag_key: null,
  targeting_flag_key: null,
  internal_targeting_flag_key: null,
  feature_flag_keys: [{ key: 'linked_flag_key', value: null }],
  questions: [{ id: 'q', type: 'rating', question: 'How likely?', scale: 10, description: null, branching: null }],
  conditions: null,
  appearance: null,
  start_date: '2026-01-01T00:00:00Z',
  end_date: null,
  current_iteration: null,
  current_iteration_start_date: null,
  schedule: 'once',
  enable_partial_responses: null,
  translations: null,
}

/**
 * Starts a server that answers as PostHog does. `isOlder`: the remote configuration comes with the response of `/flags`,
 * as that of PostHog before 2026; otherwise at a URL of its own.
 */
export const startPosthogHost = async (isOlder: boolean): Promise<PosthogHost> => {
  const events: ReceivedEvent[] = []
  const paths: string[] = []
  const answerTo = (path: string): object | undefined => {
    if (path.startsWith('/flags/')) return isOlder ? { ...CONFIG, ...FLAGS } : FLAGS
    if (/^\/array\/\w+\/config$/.test(path)) return CONFIG
    if (path.startsWith('/api/surveys/')) return { surveys: [SURVEY], survey_config: null }
    if (/^\/(s|i\/v0\/e)\//.test(path)) return { status: 'Ok' }
    return undefined
  }
  const server = createServer((request, response) => {
    const parts: Buffer[] = []
    request.on('data', (part: Buffer) => void parts.push(part))
    request.on('end', () => {
      const path = request.url!
      if (request.method !== 'OPTIONS') paths.push(path)
      const answer = answerTo(path)
      if (request.method === 'POST' && /^\/(s|i)\//.test(path)) {
        const body = Buffer.concat(parts)
        const sent = JSON.parse(String(body[0] === 0x1f ? gunzipSync(body) : body)) as { batch?: ReceivedEvent[] }
        events.push(...((sent.batch ?? [sent].flat()) as ReceivedEvent[]))
      }
      response.writeHead(request.method === 'OPTIONS' || answer ? 200 : 404, {
        'access-control-allow-origin': request.headers.origin ?? '*',
        'access-control-allow-credentials': 'true',
        'access-control-allow-headers': request.headers['access-control-request-headers'] ?? '*',
        'content-type': 'application/json',
      })
      response.end(JSON.stringify(answer ?? {}))
    })
  })
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  return {
    url: `http://localhost:${(server.address() as AddressInfo).port}`,
    events: () => events,
    paths: () => paths,
    stop: () =>
      new Promise((done) => {
        server.close(() => done())
        server.closeAllConnections()
      }),
  }
}
