import { FEATURES } from '../../src/client/features/features'
import { createAnalytics } from '../../src/client/instances'
import { missingParts } from '../../src/client/missingParts'
import type { Analytics, Options } from '../../src/client/publicApi'
import * as clicks from '../../src/extensions/clicks/clicks'
import type { LoadExtension } from '../../src/extensions/contract'
import type { CapturedEvent } from '../../src/types'

export type SentEvent = Omit<CapturedEvent, 'timestamp'> & { timestamp: string }

export interface Started {
  analytics: Analytics
  /** Every event that the service has received, in order. */
  sent: SentEvent[]
  /** Every request with events. */
  requests: { url: string; init: RequestInit }[]
  /** Every other request: for flags, for the configuration, for early access features. `body`: what a POST asked. */
  asked: { url: string; body?: Record<string, unknown> }[]
  /** What the service answers to those from now on. */
  say(status: number, body?: unknown): void
  /** What the service answers from now on. */
  answer(status: number, body?: unknown, headers?: Record<string, string>): void
  /** Lets everything that is due happen. */
  settle(ms?: number): Promise<void>
}

/** What a service answers that has no flags. */
export const NO_FLAGS = {
  flags: {},
  errorsWhileComputingFlags: false,
  supportedCompression: ['gzip-js'],
  autocapture_opt_out: false,
}

/** What a page's first click fetches is here at once; compression is not, so that requests can be read. */
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

/** A real client on the fake page, with a fake clock and a fetch that records. */
export const startAnalytics = (
  config: Options = {},
  token = 'token',
  before?: (analytics: Analytics) => void,
  load = loadExtension,
  features = FEATURES,
): Started => {
  jest.useFakeTimers({ now: jest.isMockFunction(setTimeout) ? Date.now() : new Date('2026-11-21T10:00:00Z') })
  const sent: SentEvent[] = []
  const requests: Started['requests'] = []
  const asked: Started['asked'] = []
  let said: [status: number, body: unknown] = [200, NO_FLAGS]
  let status = 200
  let reply: unknown = { status: 1 }
  let headers: Record<string, string> = {}
  globalThis.fetch = jest.fn(async (url: string, init: RequestInit) => {
    const body = init.body as string | undefined
    if (!body?.includes('batch')) {
      asked.push({ url, ...(body ? { body: JSON.parse(body) as Record<string, unknown> } : {}) })
      const [status, answer] = said
      if (status === 0) throw new TypeError('Failed to fetch')
      return { status, text: async () => JSON.stringify(answer), headers: { get: () => null } }
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

  const analytics = createAnalytics(features, () => load, undefined, missingParts(features))
  running.push(analytics)
  before?.(analytics)
  analytics.init(token, { ...OPTIONS, ...config })
  return {
    analytics,
    sent,
    requests,
    asked,
    say: (status, body = {}) => {
      said = [status, body]
    },
    answer: (nextStatus, body = {}, nextHeaders = {}) => {
      status = nextStatus
      reply = body
      headers = nextHeaders
    },
    settle: (ms = 5000) => jest.advanceTimersByTimeAsync(ms),
  }
}

/** The console's lines of one kind, none of them printed. */
export const listenToConsole = (kind: 'error' | 'warn') => {
  const lines: string[] = []
  jest.spyOn(console, kind).mockImplementation((...words: unknown[]) => void lines.push(words.map(String).join(' ')))
  return lines
}
