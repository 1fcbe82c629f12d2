import type { Entry } from '../lib/entry'
import { reportCaught } from '../lib/log'
import { guarded, later } from '../lib/guard'
import { bodyText } from './encode'
import { apiHost } from './hosts'
import { createGive } from './give'
import type { Queue, QueueInputs } from './queue'
import { outcomeOf, rejectedBy, RETRYABLE_STATUS, retryDelay, TOO_LARGE } from './retry'
import { beacon, outlivesPage, request, type RequestResult } from './transport'
import { createWaiting, entryOf, firstBatch, flushDelay, MAX_EVENTS } from './waiting'

/** A request that is being prepared or sent. */
interface Sending {
  batch: readonly Entry[]
  /** Whether the browser finishes it after the page has ended. Unset until it is sent. */
  outlives?: boolean
}

/**
 * The queue of apps without `trailmark/durable`: events wait in this page's memory. One request at a time, in order. An
 * event is removed when the service has stored or rejected it. A batch that keeps failing is halved; an event that fails
 * alone goes to the end, so that it does not delay the others for long.
 */
export const createMemoryQueue = (inputs: QueueInputs): Queue => {
  const { config, token, path, encode, onDelivered, onDropped, onRequestError } = inputs
  const { send = request, sendBeacon = beacon } = inputs
  const waiting = createWaiting({ config, outbox: { forget: () => {} }, onDropped })
  let sending: Sending | undefined
  let flushTimer: ReturnType<typeof setTimeout> | undefined
  let retryTimer: ReturnType<typeof setTimeout> | undefined
  let tries = 0
  let size = MAX_EVENTS
  /** Whether nothing is sent: the page was left, or the queue was stopped. */
  let isPaused = false
  let isStopped = false

  const url = () => apiHost(config) + path() + (tries ? `?retry_count=${tries}` : '')
  const textOf = (batch: readonly Entry[]) =>
    bodyText(
      token,
      batch.map(({ text }) => text),
    )
  const { encodeBatch = (batch: readonly Entry[]) => encode(textOf(batch)) } = inputs
  const give = createGive(config, url, send, sendBeacon)

  const retryLater = ([first, ...others]: readonly Entry[], { status, retryAfterMs }: RequestResult) => {
    tries += 1
    if (first && (status === TOO_LARGE || (tries > 1 && !RETRYABLE_STATUS.includes(status)))) {
      size = Math.ceil((others.length + 1) / 2)
      if (!others.length && waiting.all().includes(first)) {
        waiting.release([first])
        waiting.add(first)
      }
    }
    retryTimer = later(retry, retryDelay(tries, retryAfterMs))
  }
  const finish = (batch: readonly Entry[], result: RequestResult) => {
    const { status, text, json } = result
    const outcome = outcomeOf(result)
    const isRejected = rejectedBy(result)
    const isStored = ({ uuid }: Entry) => outcome === 'stored' && !isRejected(uuid)
    waiting.end(batch, isStored)
    if (status >= 400) onRequestError({ statusCode: status, text, json })
    if (outcome === 'again' || outcome === 'foreign') return retryLater(batch, result)
    tries = 0
    size = Math.min(MAX_EVENTS, size * 2)
    const stored = batch.filter(isStored)
    waiting.remove(stored)
    waiting.drop(
      batch.filter((each) => waiting.all().includes(each)),
      'refused_by_service',
    )
    if (stored.length) onDelivered(stored.map(({ uuid }) => uuid))
  }
  const pump = async (): Promise<void> => {
    waiting.trim()
    const batch = firstBatch(waiting.all(), size)
    if (sending || retryTimer || isPaused || !batch.length) return
    const current: Sending = { batch }
    sending = current
    for (const each of batch) each.isSent = true
    const body = await encodeBatch(batch).catch((error) => {
      reportCaught(error)
      return textOf(batch)
    })
    // The page was left while compressing, so the events were sent by beacon, or they were cleared.
    if (sending !== current) return
    current.outlives = outlivesPage(body)
    const result = await send(url(), body, config)
    if (sending === current) sending = undefined
    // If it throws, as on a page that breaks timers, the next event continues.
    finish(batch, result)
    flush()
  }
  const flush = () => {
    clearTimeout(flushTimer)
    flushTimer = undefined
    void guarded(pump)
  }
  const retry = () => {
    isPaused = isStopped
    clearTimeout(retryTimer)
    retryTimer = undefined
    flush()
  }
  const cancel = () => {
    waiting.end(sending?.batch ?? [])
    sending = undefined
  }
  const passOn = (entries: readonly Entry[]) => {
    let rest = entries
    let batch = firstBatch(rest, Infinity)
    while (batch.length)
      if (give(textOf(batch))) {
        rest = rest.slice(batch.length)
        batch = firstBatch(rest, Infinity)
      } else batch = batch.slice(0, batch.length >> 1)
  }
  const addEntry: Queue['addEntry'] = (entry, now) => {
    waiting.add(entry)
    if (isPaused) passOn([entry])
    else if (now || !config.request_batching) flush()
    else flushTimer ??= later(flush, flushDelay(config))
  }

  return {
    add: (event, { now }) => addEntry(entryOf(event), now),
    addEntry,
    flush,
    adoptOrphans: () => {},
    onPageLeave: () => {
      isPaused = true
      const carried = sending?.outlives ? sending.batch : []
      if (!carried.length) cancel()
      // A restored page sends them again, because it cannot know whether they have arrived.
      passOn(waiting.all().filter((each) => !carried.includes(each)))
    },
    clear: (reason, which = () => true) => {
      const dropped = waiting.all().filter(which)
      if (sending?.outlives === undefined && dropped.some(({ isSent }) => isSent)) cancel()
      waiting.drop(dropped, reason)
      flush()
    },
    retryNow: retry,
    waiting: () => waiting.all().length,
    stop: () => {
      isPaused = isStopped = true
      clearTimeout(flushTimer)
      clearTimeout(retryTimer)
    },
  }
}
