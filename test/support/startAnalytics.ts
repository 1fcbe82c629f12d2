import { FEATURES } from '../../src/client/features/features'
import { createAnalytics } from '../../src/client/instances'
import { METHODS } from '../../src/client/features/methods'
import { runFeatures } from '../../src/client/runFeatures'
import { STAND_INS } from '../../src/client/standIns'
import { missingParts } from '../../src/client/missingParts'
import type { Analytics, Options } from '../../src/client/publicApi'
import * as clicks from '../../src/extensions/clicks/clicks'
import type { LoadExtension } from '../../src/extensions/contract'
import type { CapturedEvent } from '../../src/types'

export type SentEvent = Omit<CapturedEvent, 'timestamp'> & { timestamp: string }

export interface Started {
  analytics: Analytics
  /** Every event the service received, in order. */
  sent: SentEvent[]
  /** Every request with events. */
  requests: { url: string; init: RequestInit }[]
  /** Every other request: for flags, configuration and early access features. `body`: the body of a POST request. */
  apiRequests: { url: string; body?: Record<string, unknown> }[]
  /** Sets the response to those requests. */
  setApiResponse(status: number, body?: unknown): void
  /** Sets the response to requests with events. */
  setEventsResponse(status: number, body?: unknown, headers?: Record<string, string>): void
  /** Advances the clock and runs all pending tasks. */
  settle(ms?: number): Promise<void>
}

/** A flags response without flags. */
export const NO_FLAGS = {
  flags: {},
  errorsWhileComputingFlags: false,
  supportedCompression: ['gzip-js'],
  autocapture_opt_out: false,
}

/** Resolves the extension of a page's first click immediately. Compression is unavailable so that requests stay readable. */
const loadExtension: LoadExtension = async (name) => {
  if (name === 'clicks') return clicks
  throw new Error(`${name} is not here`)
}

const OPTIONS: Options = {
  api_host: 'https://events.example.com',
  opt_out_useragent_filter: true,
  capture_pageview: false,
  capture_pageleave: false,
  autocapture: false,
  rageclick: false,
  capture_dead_clicks: false,
}

const running: Analytics[] = []
afterEach(() => running.splice(0).forEach((analytics) => void analytics.shutdown()))

/** Starts a real client on the fake page with a fake clock and a recording fetch. */
export const startAnalytics = (
  config: Options = {},
  token = 'token',
  before?: (analytics: Analytics) => void,
  load = loadExtension,
  features = FEATURES,
): Started => {
  // The fake clock of an earlier page goes on.
  jest.useFakeTimers({ now: 'clock' in setTimeout ? Date.now() : new Date('2026-11-21T10:00:00Z') })
  const sent: SentEvent[] = []
  const requests: Started['requests'] = []
  const apiRequests: Started['apiRequests'] = []
  let apiResponse: [status: number, body: unknown] = [200, NO_FLAGS]
  let status = 200
  let reply: unknown = { status: 1 }
  let headers: Record<string, string> = {}
  globalThis.fetch = jest.fn(async (url: string, init: RequestInit) => {
    const body = init.body as string | undefined
    if (!body?.includes('batch')) {
      apiRequests.push({ url, ...(body ? { body: JSON.parse(body) as Record<string, unknown> } : {}) })
      const [status, response] = apiResponse
      if (status === 0) throw new TypeError('Failed to fetch')
      return { status, text: async () => JSON.stringify(response), headers: { get: () => null } }
    }
    requests.push({ url, init })
    if (status === 0) throw new TypeError('Failed to fetch')
    if (status === 200) sent.push(...JSON.parse(body).batch)
    return {
      status,
      text: async () => JSON.stringify(reply),
      headers: { get: (name: string) => headers[name] ?? null },
    }
  }) as unknown as typeof fetch

  const analytics = createAnalytics({
    // Parts bring what runs them (entries/parts).
    features: features.map((each) => ({ ...each, runFeatures })),
    methods: METHODS,
    standIns: STAND_INS,
    makeLoad: () => load,
    missing: missingParts(features),
  })
  running.push(analytics)
  before?.(analytics)
  analytics.init(token, { ...OPTIONS, ...config })
  return {
    analytics,
    sent,
    requests,
    apiRequests,
    setApiResponse: (status, body = {}) => {
      apiResponse = [status, body]
    },
    setEventsResponse: (nextStatus, body = {}, nextHeaders = {}) => {
      status = nextStatus
      reply = body
      headers = nextHeaders
    },
    settle: (ms = 5000) => jest.advanceTimersByTimeAsync(ms),
  }
}

/** Records console messages of one kind without printing them. */
export const listenToConsole = (kind: 'error' | 'warn' | 'info') => {
  const lines: string[] = []
  jest.spyOn(console, kind).mockImplementation((...words: unknown[]) => void lines.push(words.map(String).join(' ')))
  return lines
}
