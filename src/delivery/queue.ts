import { guarded, later } from '../lib/guard'
import type { CapturedEvent, Config, DropReason, RequestError, Stop } from '../types'
import { type Body, bodyText, encodeNow, eventText, type GzipNow } from './encode'
import { apiHost } from './hosts'
import { outcomeOf, refusedBy, retryDelay } from './retry'
import { beacon, outlivesPage, request, sizeOf } from './transport'

const MOST_EVENTS = 250
// About 60 kB gzipped. A larger batch would gain nothing and cost more when it has to be sent again.
const MOST_CHARACTERS = 400_000
// What waits in memory while the service is away, characters of JSON; the oldest go first.
const MOST_WAITING = 20_000_000
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
  onDelivered(uuids: string[]): void
  onDropped(event: CapturedEvent, reason: DropReason): void
  onRequestError(error: RequestError): void
  send?: typeof request
  sendBeacon?: typeof beacon
}

/** Events on their way to the service. */
export interface Queue {
  add(event: CapturedEvent, options: { now: boolean }): void
  /** Sends what waits, without waiting for more. */
  flush(): void
  /** The page goes: hands what waits to the browser. */
  leave(): void
  /** Forgets what waits, or what of it `which` names; it counts as dropped for `reason`. */
  clear(reason: DropReason, which?: (event: CapturedEvent) => boolean): void
  /** Something changed for the better: tries again at once. */
  wake(): void
  waiting(): number
  stop: Stop
}

interface Waiting {
  event: CapturedEvent
  text: string
}

/**
 * The one queue. Events leave in batches, one request at a time, in the order they came; so an outage has one request
 * at a time too, and what could not be sent stays in its place. An event leaves the queue when the service has stored
 * or refused it.
 */
export const createQueue = (inputs: QueueInputs): Queue => {
  const { config, token, path, encode, gzipNow, onDelivered, onDropped, onRequestError, send = request, sendBeacon = beacon } = inputs
  let waiting: Waiting[] = []
  let characters = 0
  let flushTimer: ReturnType<typeof setTimeout> | undefined
  let retryTimer: ReturnType<typeof setTimeout> | undefined
  let sending: { batch: Waiting[]; outlives: boolean } | undefined
  let tries = 0
  let mostEvents = MOST_EVENTS
  let stopped = false

  const url = () => apiHost(config) + path() + (tries ? `?retry_count=${tries}` : '')

  const remove = (batch: readonly Waiting[]) => {
    const gone = new Set(batch)
    waiting = waiting.filter((each) => !gone.has(each))
    characters -= batch.reduce((sum, each) => sum + each.text.length, 0)
  }
  const nextBatch = (from: readonly Waiting[]): Waiting[] => {
    let length = 0
    const end = from.findIndex(({ text }, index) => {
      length += text.length
      return index > 0 && (index >= mostEvents || length > MOST_CHARACTERS)
    })
    return from.slice(0, end < 0 ? undefined : end)
  }
  const textOf = (batch: readonly Waiting[]) => bodyText(token, batch.map((each) => each.text))

  const now = (batch: readonly Waiting[]) => encodeNow(textOf(batch), gzipNow())

  const pump = async (): Promise<void> => {
    if (sending || retryTimer || stopped || !waiting.length) return
    const current = { batch: nextBatch(waiting), outlives: false }
    sending = current
    const body = await encode(textOf(current.batch))
    // The page went while compressing: the events have left by beacon.
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
      remove(there)
      const isRefused = refusedBy(answer)
      const refused = there.filter(({ event }) => outcome !== 'stored' || isRefused(event.uuid))
      refused.forEach(({ event }) => onDropped(event, 'refused_by_service'))
      const delivered = there.filter((each) => !refused.includes(each))
      if (delivered.length) onDelivered(delivered.map(({ event }) => event.uuid))
    }
    await pump()
  }
  const flush = () => {
    clearTimeout(flushTimer)
    flushTimer = undefined
    guarded(pump)
  }
  const wake = () => {
    clearTimeout(retryTimer)
    retryTimer = undefined
    flush()
  }

  /** Hands a batch to the browser in as many beacons as it takes; answers which events it took. */
  const hand = (batch: Waiting[]): Waiting[] => {
    if (!batch.length) return []
    const body = now(batch)
    if (sizeOf(body) <= BEACON_BYTES && sendBeacon(url(), body)) return batch
    if (batch.length < 2) return []
    const half = batch.length >> 1
    return [...hand(batch.slice(0, half)), ...hand(batch.slice(half))]
  }

  return {
    add: (event, { now }) => {
      const text = eventText(event)
      waiting.push({ event, text })
      characters += text.length
      while (characters > MOST_WAITING) {
        const oldest = waiting[0]!
        remove([oldest])
        onDropped(oldest.event, 'queue_full')
      }
      if (now || !config.request_batching) flush()
      else flushTimer ??= later(flush, Math.min(5000, Math.max(250, config.request_queue_config.flush_interval_ms ?? 3000)))
    },
    flush,
    leave: () => {
      // A request that outlives the page carries its events; any other dies with it.
      const carried = sending?.outlives ? sending.batch : []
      if (!sending?.outlives) sending = undefined
      const rest = waiting.filter((each) => !carried.includes(each))
      if (config.disable_beacon) {
        if (rest.length) void send(url(), now(rest), config)
        remove(rest)
      } else {
        remove(hand(rest))
      }
    },
    clear: (reason, which = () => true) => {
      const gone = waiting.filter(({ event }) => which(event))
      remove(gone)
      gone.forEach(({ event }) => onDropped(event, reason))
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
