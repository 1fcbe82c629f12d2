import { guarded, later } from '../lib/guard'
import type { CapturedEvent, Config, DropReason, RequestError, Stop } from '../types'
import { type Body, bodyText } from './encode'
import { apiHost } from './hosts'
import { createLastBatches } from './lastBatches'
import type { Entry } from '../lib/entry'
import type { Outbox } from './outbox'
import { createSendLoop, nextBatch } from './sendLoop'
import { beacon, request } from './transport'
import { createWaiting, entryOf, flushDelay, MAX_EVENTS } from './waiting'

// A last beacon of up to this many characters is sent uncompressed, in one flight of ten segments. https://www.rfc-editor.org/rfc/rfc6928
const PREPARED_CHARACTERS = 14_000
// Shortest time between two compressions of the next batch, which repeat its events.
const PREPARE_EVERY_MS = 1000

export interface QueueInputs {
  config: Config
  token: string
  /** Path for events. */
  path: () => string
  /** Encodes the text of a request. */
  encode(text: string): Promise<Body>
  /** Encodes a request instead, from its events. */
  encodeBatch?(batch: readonly Entry[]): Promise<Body>
  /** Stores waiting events beyond the page, and elects the tab that sends. */
  outbox: Outbox
  onDelivered(uuids: string[]): void
  onDropped(event: Pick<Entry, 'event' | 'uuid'>, reason: DropReason): void
  onRequestError(error: RequestError): void
  /** Makes one event of two that follow each other, if they are mergeable. */
  merge?(first: CapturedEvent, second: CapturedEvent): CapturedEvent | undefined
  /** Minimum size of a last batch that is compressed ahead of time, in characters. */
  prepareAfter?: number
  send?: typeof request
  sendBeacon?: typeof beacon
}

/** The queue of events that wait to be sent. */
export interface Queue {
  add(event: CapturedEvent, options: { now: boolean }): void
  addEntry(entry: Entry, now: boolean): void
  /** Sends waiting events now. */
  flush(): void
  /** Sends, with the next batch, events that closed tabs and earlier pages have left. */
  adoptOrphans(): void
  /** Called when the page is left: passes waiting events to the browser. */
  onPageLeave(): void
  /** Drops waiting events, or those that `which` selects, for `reason`. */
  clear(reason: DropReason, which?: (event: Pick<Entry, 'event'>) => boolean): void
  /** Retries now, for example when the browser is online again. */
  retryNow(): void
  waiting(): number
  stop: Stop
}

/**
 * The queue sends events in batches, in order, one request at a time, also during an outage. An event is removed when
 * the service has stored or rejected it.
 *
 * A batch that fails while the service may store others is halved, and events that have not failed are sent first. An
 * event that fails alone has its own retry time, so that it does not delay others.
 */
export const createQueue = (inputs: QueueInputs): Queue => {
  const { config, token, path, encode, outbox, onDelivered, onDropped, onRequestError, merge } = inputs
  const { send = request, sendBeacon = beacon, prepareAfter = PREPARED_CHARACTERS } = inputs
  const encodeBatch = inputs.encodeBatch ?? ((batch: readonly Entry[]) => encode(textOf(batch)))
  let flushTimer: ReturnType<typeof setTimeout> | undefined
  /** Entries without JSON text yet, and the characters captured since a batch was prepared. */
  const added: Entry[] = []
  let processTimer: ReturnType<typeof setTimeout> | undefined
  let unprepared = 0
  let preparingTimer: ReturnType<typeof setTimeout> | undefined
  // Whether the page was left. Events that its listeners capture after that are sent immediately.
  let hasLeft = false
  /** Functions that take back what was given up when the page was left. */
  const givenUp: (() => unknown)[] = []
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
    encodeBatch,
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
    flushTimer ??= later(flush, flushDelay(config))
  }
  /** Passes entries to the browser. An entry that the browser cannot store is given up. */
  const passOn = (entries: readonly Entry[]) => {
    const lost = lastBatches.send(entries).filter(({ isKept }) => !isKept)
    const takeBack = lost.length ? outbox.giveUp(lost) : undefined
    if (takeBack) givenUp.push(() => takeBack() || waiting.release(lost))
  }
  const retry = () => {
    hasLeft = false
    givenUp.splice(0).forEach((takeBack) => takeBack())
    loop.expectOrphans()
    loop.endWait()
    flush()
  }
  /** Compresses the next batch ahead of time, if enough of its events are new. */
  const prepare = () => {
    preparingTimer = undefined
    if (unprepared <= prepareAfter || hasLeft) return undefined
    unprepared = 0
    preparingTimer = later(prepare, PREPARE_EVERY_MS)
    return lastBatches.prepare(nextBatch(waiting.all()))
  }
  /** Processes added entries, which needs their JSON text. */
  const processAdded = () => {
    for (const { text } of added.splice(0)) unprepared += text.length
    waiting.trim()
    if (!preparingTimer) void guarded(prepare)
  }

  /** In a later task, so that `capture` does not wait for it. */
  const processLater = () => {
    processTimer ??= later(() => {
      processTimer = undefined
      processAdded()
      // Written already when the page was left.
      if (!hasLeft) outbox.write()
    })
  }

  const addEntry: Queue['addEntry'] = (entry, now) => {
    waiting.add(entry)
    added.push(entry)
    outbox.keep(entry)
    processLater()
    // A page that captures in one long task has no task in between, so the bound is checked here too.
    if (added.length >= MAX_EVENTS) processAdded()
    if (hasLeft) {
      processAdded()
      outbox.onPageHide()
      return passOn([entry])
    }
    if (now || !config.request_batching) flush()
    else flushLater()
  }

  /** The latest event, while it can be merged with the next one. */
  let latest: { event: CapturedEvent; entry: Entry } | undefined

  return {
    add: (event, { now }) => {
      const all = waiting.all()
      const last = latest?.entry
      const isLast = last && last === all[all.length - 1] && !last.records && !hasLeft && !loop.isSending(last)
      const merged = isLast ? merge?.(latest!.event, event) : undefined
      const entry = entryOf(merged ?? event)
      if (merged) entry.merged = [...(last!.merged ?? []), last!]
      latest = { event: merged ?? event, entry }
      addEntry(entry, now)
      if (merged) waiting.remove([last!])
    },
    addEntry,
    flush,
    adoptOrphans: () => {
      loop.expectOrphans()
      flushLater()
    },
    onPageLeave: () => {
      hasLeft = true
      processAdded()
      outbox.onPageHide()
      const carried = loop.abandon()
      passOn(waiting.all().filter((each) => !carried.includes(each)))
      // A restored page finds these in the outbox, unless another tab has sent them. It sends the others again.
      waiting.release(waiting.all().filter(({ isKept }) => isKept))
    },
    clear: (reason, which) => {
      // Also cancels a batch that is being compressed, and discards events adopted from other tabs.
      if (!which) loop.cancelUnsent()
      waiting.drop(which ? waiting.all().filter(which) : waiting.all(), reason)
    },
    retryNow: () => {
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
