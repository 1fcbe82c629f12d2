import { guarded, later } from '../lib/guard'
import type { CapturedEvent, Config, DropReason, RequestError, Stop } from '../types'
import { type Body, bodyText } from './encode'
import { apiHost } from './hosts'
import { createLastBatches } from './lastBatches'
import type { Entry } from './entry'
import type { Outbox } from './outbox'
import { createSendLoop } from './sendLoop'
import { beacon, request } from './transport'
import { createWaiting, entryOf, MAX_EVENTS } from './waiting'

// Less than this leaves uncompressed by the last beacon in one flight of ten segments. https://www.rfc-editor.org/rfc/rfc6928
const PREPARED_CHARACTERS = 14_000

export interface QueueInputs {
  config: Config
  token: string
  /** Path for events. */
  path: () => string
  /** A request's text as it travels. */
  encode(text: string): Promise<Body>
  /** Keeps what waits beyond the page, and says which tab sends. */
  outbox: Outbox
  onDelivered(uuids: string[]): void
  onDropped(event: Pick<Entry, 'event' | 'uuid'>, reason: DropReason): void
  onRequestError(error: RequestError): void
  send?: typeof request
  sendBeacon?: typeof beacon
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
 *
 * A batch that keeps failing while the service may well store others is halved, and what has not failed is sent first.
 * An event that fails alone waits on a clock of its own, so that it holds nothing up.
 */
export const createQueue = (inputs: QueueInputs): Queue => {
  const { config, token, path, encode, outbox, onDelivered, onDropped, onRequestError } = inputs
  const { send = request, sendBeacon = beacon } = inputs
  let flushTimer: ReturnType<typeof setTimeout> | undefined
  /** Entries whose texts are not written yet, and the characters captured since a batch was prepared. */
  const added: Entry[] = []
  let settlingTimer: ReturnType<typeof setTimeout> | undefined
  let unprepared = 0
  // What is captured after the page has gone (a listener of the page's own) goes the same way.
  let hasLeft = false
  let stopped = false

  const textOf = (batch: readonly Entry[]) =>
    bodyText(
      token,
      batch.map((each) => each.text),
    )
  const waiting = createWaiting({ config, outbox, onDropped })
  const loop = createSendLoop({
    config,
    waiting,
    outbox,
    url: (tries) => apiHost(config) + path() + (tries ? `?retry_count=${tries}` : ''),
    textOf,
    encode,
    send,
    isPaused: () => stopped || hasLeft,
    onRetry: () => retry(),
    onDelivered,
    onRequestError,
  })
  const lastBatches = createLastBatches({ config, url: loop.url, textOf, encode, send, sendBeacon })

  const flush = () => {
    clearTimeout(flushTimer)
    flushTimer = undefined
    loop.pump()
  }
  const flushLater = () => {
    flushTimer ??= later(flush, Math.min(5000, Math.max(250, config.request_queue_config.flush_interval_ms ?? 3000)))
  }
  const retry = () => {
    hasLeft = false
    loop.expectOrphans()
    loop.endWait()
    flush()
  }
  /** Does for added entries what needs their texts. */
  const settleAdded = () => {
    for (const { text } of added.splice(0)) unprepared += text.length
    waiting.trim()
    if (unprepared <= PREPARED_CHARACTERS || hasLeft) return
    unprepared = 0
    void guarded(() => lastBatches.prepare(waiting.nextBatch()))
  }

  /** In a later task, so that `capture` does not wait for it. */
  const settleLater = () => {
    settlingTimer ??= later(() => {
      settlingTimer = undefined
      settleAdded()
      // Written already when the page was left.
      if (!hasLeft) outbox.write()
    })
  }

  return {
    add: (event, { now }) => {
      const entry = entryOf(event)
      waiting.add(entry)
      added.push(entry)
      outbox.keep(entry)
      settleLater()
      // A page that captures without a pause gets no task in between, and the bound holds all the same.
      if (added.length >= MAX_EVENTS) settleAdded()
      if (hasLeft) {
        settleAdded()
        lastBatches.send([entry])
        return outbox.onPageHide()
      }
      if (now || !config.request_batching) flush()
      else flushLater()
    },
    flush,
    takeOver: () => {
      loop.expectOrphans()
      flushLater()
    },
    leave: () => {
      hasLeft = true
      settleAdded()
      outbox.onPageHide()
      const carried = loop.abandon()
      lastBatches.send(waiting.all().filter((each) => !carried.includes(each)))
      // If the page comes back, it finds these in the outbox, unless they were sent meanwhile; the others it sends again.
      waiting.release(waiting.all().filter(({ isKept }) => isKept))
    },
    clear: (reason, which) => {
      waiting.drop(which ? waiting.all().filter(which) : waiting.all(), reason)
      // Nor is sent what is being made ready, or was found meanwhile of other tabs.
      if (!which) loop.cancelUnsent()
    },
    wake: () => {
      for (const each of waiting.all()) if (each.heldUntil) each.heldUntil = 0
      retry()
    },
    waiting: () => waiting.all().length,
    stop: () => {
      stopped = true
      clearTimeout(flushTimer)
      loop.endWait()
    },
  }
}
