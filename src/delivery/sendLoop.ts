import { elapsed } from '../lib/elapsed'
import { guarded, later } from '../lib/guard'
import { reportCaught } from '../lib/log'
import type { Config, RequestError } from '../types'
import type { Body } from './encode'
import type { Entry } from '../lib/entry'
import type { Outbox } from './outbox'
import { outcomeOf, rejectedBy, RETRYABLE_STATUS, retryDelay, TOO_LARGE } from './retry'
import { type RequestResult, outlivesPage, type request } from './transport'
import { firstBatch, MAX_EVENTS, type Waiting } from './waiting'

/** A request that is being prepared or sent. */
interface Sending {
  batch: Entry[]
  /** Whether the browser finishes it after the page has ended. Unset until it is sent. */
  outlives?: boolean
}

interface SendLoopInputs {
  config: Config
  waiting: Waiting
  outbox: Outbox
  url(tries: number): string
  textOf(batch: readonly Entry[]): string
  encodeBatch(batch: readonly Entry[]): Promise<Body>
  send: typeof request
  /** Whether nothing may be sent, because the page was left or the queue was stopped. */
  isPaused(): boolean
  /** Called when the wait before the next retry is over. */
  onRetry(): void
  onDelivered(uuids: string[]): void
  onRequestError(error: RequestError): void
}

const maxBatchOf = ({ maxBatch = MAX_EVENTS }: Entry) => maxBatch

/** Returns the batch to send next, from the events that failed least often. */
export const nextBatch = (entries: readonly Entry[]): Entry[] => {
  const due = entries.filter(({ heldUntil = 0 }) => heldUntil <= elapsed())
  const largest = due.reduce((max, each) => Math.max(max, maxBatchOf(each)), 0)
  return firstBatch(
    due.filter((each) => maxBatchOf(each) === largest),
    largest,
  )
}

/** Sends waiting events, one request at a time, and decides when a failed batch is sent again. */
export const createSendLoop = (inputs: SendLoopInputs) => {
  const { config, waiting, outbox, url, textOf, encodeBatch, send, isPaused, onRetry, onDelivered, onRequestError } =
    inputs
  let retryTimer: ReturnType<typeof setTimeout> | undefined
  let sending: Sending | undefined
  let tries = 0
  let mayBeOrphans = false

  /** Adds events that closed tabs and earlier pages have left, as many as fit into a batch. */
  const gather = async (current: Sending) => {
    const leads = await outbox.acquireLeadership()
    while (sending === current && mayBeOrphans && waiting.all().length < MAX_EVENTS) {
      mayBeOrphans = false
      const found = leads ? await outbox.claimOrphans() : []
      // The page was left in the meantime. The next page claims them.
      if (sending !== current) return
      mayBeOrphans ||= found.length > 0
      waiting.addOldest(found)
      waiting.trim()
    }
  }
  /** Sends the next batch. Returns undefined if there is none, or if a beacon has sent it in the meantime. */
  const sendNext = async (current: Sending): Promise<RequestResult | undefined> => {
    // Whatever the page has done to storage or locks, what is in memory is sent.
    await gather(current).catch(reportCaught)
    if (sending !== current) return undefined
    waiting.trim()
    current.batch = nextBatch(waiting.all())
    if (!current.batch.length) return undefined
    for (const each of current.batch) each.isSent = true
    const { batch } = current
    const body = await encodeBatch(batch).catch((error) => {
      reportCaught(error)
      return textOf(batch)
    })
    // The page was left while compressing, so the events were sent by beacon, or they were cleared.
    if (sending !== current) return undefined
    current.outlives = outlivesPage(body)
    return send(url(tries), body, config)
  }
  const cancel = () => {
    waiting.end(sending?.batch ?? [])
    sending = undefined
  }
  const halve = (batch: readonly Entry[]) => batch.forEach((each) => (each.maxBatch = Math.ceil(batch.length / 2)))

  /** Decides when a batch that failed is sent again, and with how many others. */
  const retryLater = (batch: readonly Entry[], { status, retryAfterMs }: RequestResult) => {
    for (const each of batch) each.fails = (each.fails ?? 0) + 1
    if (!isPaused()) outbox.write(true)
    const [first] = batch
    // Smaller batches would mean more requests, but the service needs fewer.
    const isTooLarge = status === TOO_LARGE
    const isSuspect = first && (isTooLarge || first.fails! > 1) && !RETRYABLE_STATUS.includes(status)
    const wasAlone = first?.heldUntil !== undefined
    if (isSuspect) {
      halve(batch)
      if (batch.length === 1) {
        const ms = retryDelay(first.fails!, retryAfterMs)
        first.heldUntil = elapsed() + ms
        // Timers may be a little early.
        later(pump, ms + 1)
      }
    }
    if (wasAlone) return
    tries += 1
    // If one event is too large for a proxy, the others may still fit.
    if (!isTooLarge || tries > 1) retryTimer = later(onRetry, retryDelay(tries, retryAfterMs))
  }
  const finish = (batch: readonly Entry[], result: RequestResult) => {
    const outcome = outcomeOf(result)
    const isRejected = rejectedBy(result)
    const isStored = ({ uuid }: Entry) => outcome === 'stored' && !isRejected(uuid)
    waiting.end(batch, isStored)
    if (result.status >= 400) onRequestError({ statusCode: result.status, text: result.text, json: result.json })
    if (result.status === TOO_LARGE && batch.length > 1) return halve(batch)
    if (outcome === 'again' || outcome === 'foreign') return retryLater(batch, result)
    tries = 0
    const isWaiting = (each: Entry) => waiting.all().includes(each)
    waiting.drop(
      batch.filter((each) => isWaiting(each) && !isStored(each)),
      'refused_by_service',
    )
    const delivered = batch
      .filter((each) => each.dropped || isWaiting(each))
      .flatMap((each) => [each, each.merged ?? []].flat().map(({ uuid }) => uuid))
    waiting.remove(batch)
    if (delivered.length) onDelivered(delivered)
  }
  const pump = async (): Promise<void> => {
    if (sending || retryTimer || isPaused()) return
    if (!waiting.all().length && !mayBeOrphans) return outbox.release()
    const current: Sending = { batch: [] }
    sending = current
    let result: RequestResult | undefined
    try {
      result = await sendNext(current)
    } catch (error) {
      // The loop continues. A batch that causes the error is halved, like one that the service cannot store.
      reportCaught(error)
      result = { status: 0, text: String(error) }
    }
    if (sending === current) sending = undefined
    // All waiting events are held or were cleared. The next event starts the loop again.
    if (!result) return waiting.all().length && !sending ? outbox.release() : pump()
    void guarded(() => {
      // If it throws, as on a page that breaks timers, the next event continues. A loop without a wait would never end.
      finish(current.batch, result)
      // Not awaited, because the promise chain of a page that never stops sending would keep all its events in memory.
      return pump()
    })
  }
  return {
    url: () => url(tries),
    isSending: (entry: Entry) => !!sending?.batch.includes(entry),
    /** Sends until nothing waits or a request fails. */
    pump: (): void => void guarded(pump),
    /** Looks for events of closed tabs and earlier pages with the next batch. */
    expectOrphans: () => {
      mayBeOrphans = true
    },
    /** Ends the wait before the next retry. */
    endWait: () => {
      clearTimeout(retryTimer)
      retryTimer = undefined
    },
    /** Cancels a request that is not sent yet, because its events were cleared. */
    cancelUnsent: () => {
      if (sending?.outlives === undefined) cancel()
    },
    /** Stops tracking the request. Returns its events if it outlives the page, otherwise none, so that a beacon sends them. */
    abandon: (): readonly Entry[] => {
      if (sending?.outlives) return sending.batch
      cancel()
      return []
    },
  }
}
