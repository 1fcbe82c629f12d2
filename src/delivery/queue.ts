import { guarded, later } from '../lib/guard'
import type { CapturedEvent, Config, DropReason, RequestError, Stop } from '../types'
import { type Body, bodyText, encodeNow, eventText, type GzipNow } from './encode'
import { apiHost } from './hosts'
import type { Entry, Outbox } from './outbox'
import { outcomeOf, refusedBy, retryDelay } from './retry'
import { beacon, outlivesPage, request, sizeOf } from './transport'

const MOST_EVENTS = 250
// About 60 kB gzipped. A larger batch would gain nothing and cost more when it has to be sent again.
const MOST_CHARACTERS = 400_000
// Chromium gives all beacons of a page 64 KiB together. https://w3c.github.io/beacon/#sendbeacon-method
const BEACON_BYTES = 60_000

export interface QueueInputs {
  config: Config
  token: string
  /** Path for events. */
  path: () => string
  /** A request's text as it travels. */
  encode(text: string): Promise<Body>
  /** Compresses at once, where that has been loaded and the service understands it. */
  gzipNow(): GzipNow | undefined
  /** Keeps what waits beyond the page, and says which tab sends. */
  outbox: Outbox
  onDelivered(uuids: string[]): void
  onDropped(event: Pick<Entry, 'event' | 'uuid'>, reason: DropReason): void
  onRequestError(error: RequestError): void
  send?: typeof request
  sendBeacon?: typeof beacon
}

/** A request that is made ready or under way. */
interface Sending {
  batch: Entry[]
  /** Whether it goes on when the page is gone. Absent until it leaves. */
  outlives?: boolean
}

/** Events on their way to the service. */
export interface Queue {
  add(event: CapturedEvent, options: { now: boolean }): void
  /** Sends what waits, without waiting for more. */
  flush(): void
  /** Sends, with the next batch, what other tabs and earlier pages have left. */
  takeOver(): void
  /** The page goes: hands what waits to the browser. */
  leave(): void
  /** Forgets what waits, or what of it `which` names; it counts as dropped for `reason`. */
  clear(reason: DropReason, which?: (event: Pick<Entry, 'event'>) => boolean): void
  /** Something changed for the better, or the page is back: tries again at once. */
  wake(): void
  waiting(): number
  stop: Stop
}

/**
 * The one queue. Events leave in batches, one request at a time, in the order they came; so an outage has one request
 * at a time too, and what could not be sent stays in its place. An event leaves the queue when the service has stored
 * or refused it.
 */
export const createQueue = (inputs: QueueInputs): Queue => {
  const {
    config,
    token,
    path,
    encode,
    gzipNow,
    outbox,
    onDelivered,
    onDropped,
    onRequestError,
    send = request,
    sendBeacon = beacon,
  } = inputs
  let waiting: Entry[] = []
  let characters = 0
  let flushTimer: ReturnType<typeof setTimeout> | undefined
  let retryTimer: ReturnType<typeof setTimeout> | undefined
  let sending: Sending | undefined
  let tries = 0
  let mostEvents = MOST_EVENTS
  let mayBeOrphans = false
  // What is captured after the page has gone (a listener of the page's own) goes the same way.
  let hasLeft = false
  let stopped = false

  const url = () => apiHost(config) + path() + (tries ? `?retry_count=${tries}` : '')

  /** Out of this tab's memory. */
  const release = (batch: readonly Entry[]) => {
    const gone = new Set(batch)
    waiting = waiting.filter((each) => !gone.has(each))
    characters = waiting.reduce((sum, { text }) => sum + text.length, 0)
  }
  const remove = (batch: readonly Entry[]) => {
    release(batch)
    outbox.forget(batch)
  }
  const drop = (batch: readonly Entry[], reason: DropReason) => {
    remove(batch)
    batch.forEach((each) => onDropped(each, reason))
  }
  const trim = () => {
    const oldest = Date.now() - config.outbox_max_age_ms
    if (waiting[0] && waiting[0].at < oldest)
      drop(
        waiting.filter(({ at }) => at < oldest),
        'expired',
      )
    while (characters > config.outbox_max_bytes) drop([waiting[0]!], 'queue_full')
  }
  const nextBatch = (from: readonly Entry[], most = mostEvents): Entry[] => {
    let length = 0
    const end = from.findIndex(({ text }, index) => {
      length += text.length
      return index > 0 && (index >= most || length > MOST_CHARACTERS)
    })
    return from.slice(0, end < 0 ? undefined : end)
  }
  const textOf = (batch: readonly Entry[]) =>
    bodyText(
      token,
      batch.map((each) => each.text),
    )

  const now = (batch: readonly Entry[]) => encodeNow(textOf(batch), gzipNow())

  const pump = async (): Promise<void> => {
    if (sending || retryTimer || stopped || hasLeft) return
    if (!waiting.length && !mayBeOrphans) return outbox.cede()
    const current: Sending = { batch: [] }
    sending = current
    const leads = await outbox.lead()
    if (mayBeOrphans && waiting.length < mostEvents) {
      mayBeOrphans = false
      const found = leads ? await outbox.orphans() : []
      // The page went meanwhile: they are the next one's.
      if (sending !== current) return
      mayBeOrphans ||= found.length > 0
      waiting.unshift(...found.filter(({ uuid }) => !waiting.some((each) => each.uuid === uuid)))
      release([])
    }
    if (sending !== current) return
    trim()
    if (!waiting.length) {
      sending = undefined
      return pump()
    }
    current.batch = nextBatch(waiting)
    const body = await encode(textOf(current.batch))
    // The page went while compressing: the events have left by beacon. Or they were cleared.
    if (sending !== current) return
    current.outlives = outlivesPage(body)
    const answer = await send(url(), body, config)
    if (sending === current) sending = undefined

    if (answer.status >= 400) onRequestError({ statusCode: answer.status, text: answer.text, json: answer.json })
    const outcome = outcomeOf(answer)
    if (outcome === 'again') {
      tries += 1
      retryTimer = later(wake, retryDelay(tries, answer.retryAfterMs))
      return
    }
    tries = 0
    if (outcome === 'too_large' && current.batch.length > 1) {
      mostEvents = Math.ceil(current.batch.length / 2)
    } else {
      const there = current.batch.filter((each) => waiting.includes(each))
      remove(current.batch)
      const isRefused = refusedBy(answer)
      const refused = there.filter(({ uuid }) => outcome !== 'stored' || isRefused(uuid))
      refused.forEach((each) => onDropped(each, 'refused_by_service'))
      const delivered = there.filter((each) => !refused.includes(each))
      if (delivered.length) onDelivered(delivered.map(({ uuid }) => uuid))
    }
    // Not awaited: what a page sends without a pause would hold all it has sent.
    guarded(pump)
  }
  const flush = () => {
    clearTimeout(flushTimer)
    flushTimer = undefined
    guarded(pump)
  }
  const flushLater = () => {
    flushTimer ??= later(flush, Math.min(5000, Math.max(250, config.request_queue_config.flush_interval_ms ?? 3000)))
  }
  const takeOver = () => {
    mayBeOrphans = true
    flushLater()
  }
  const wake = () => {
    hasLeft = false
    mayBeOrphans = true
    clearTimeout(retryTimer)
    retryTimer = undefined
    flush()
  }

  /** Hands the browser one beacon with as many of these as it takes, from the first; answers which. */
  const hand = (batch: Entry[]): Entry[] => {
    if (!batch.length) return []
    const body = now(batch)
    const share = BEACON_BYTES / sizeOf(body)
    if (share >= 1 && sendBeacon(url(), body)) return batch
    return hand(batch.slice(0, Math.floor(batch.length * (share < 1 ? share : 0.5))))
  }

  return {
    add: (event, { now }) => {
      const text = eventText(event)
      const entry: Entry = { event: event.event, uuid: event.uuid, at: Date.now(), text }
      waiting.push(entry)
      characters += text.length
      trim()
      if (hasLeft) return release(hand([entry]))
      outbox.keep(entry)
      if (now || !config.request_batching) flush()
      else flushLater()
    },
    flush,
    takeOver,
    leave: () => {
      hasLeft = true
      const kept = waiting.filter(({ key }) => key)
      outbox.leave()
      // A request that outlives the page carries its events; any other dies with it.
      const carried = sending?.outlives ? sending.batch : []
      if (!sending?.outlives) sending = undefined
      const rest = waiting.filter((each) => !carried.includes(each))
      // Workers have no beacons.
      if (!config.disable_beacon && 'sendBeacon' in navigator) release(hand(nextBatch(rest, Infinity)))
      else if (rest.length) {
        void send(url(), now(rest), config)
        release(rest)
      }
      // If the page comes back, it finds in the outbox what nobody has sent for it.
      release(kept)
    },
    clear: (reason, which) => {
      drop(which ? waiting.filter(which) : waiting, reason)
      // Nor is sent what is being made ready, or was found meanwhile of other tabs.
      if (!which && sending?.outlives === undefined) sending = undefined
    },
    wake,
    waiting: () => waiting.length,
    stop: () => {
      stopped = true
      clearTimeout(flushTimer)
      clearTimeout(retryTimer)
    },
  }
}
