import { outcomeOf, rejectedBy, TOO_LARGE } from '../../delivery/retry'
import type { Answer, Send } from './request'
import { startIdleTimer, within } from './time'
import type { DropReason, ServerOptions } from './types'

/** An event in the queue. */
export interface Waiting {
  uuid: string
  json: string
  bytes: number
  /** Number of the call that captured it. */
  order: number
  isStored?: boolean
}

interface DeliveryInputs {
  token: string
  options: ServerOptions
  send: Send
  drop(reason: DropReason, count: number): undefined
}

const MAX_BATCH = 500
const MAX_BATCH_BYTES = 1_000_000
const FIRST_WAIT_MS = 500
const MAX_WAIT_MS = 60_000
const MAX_RETRY_AFTER_MS = 30 * 60_000
// In a Worker, the rest of the request's events come along.
const WORKER_WAIT_MS = 50
// A process whose service is down ends after this time.
const EXIT_MS = 5_000
// The service asks for fewer requests, and smaller batches would be more.
const OVERLOADED = [408, 425, 429, 503, 507]

interface ExitEvents {
  once?(event: 'beforeExit', listener: () => void): void
  off?(event: 'beforeExit', listener: () => void): void
}

/**
 * Creates the queue of events. Sends one batch at a time, and removes events only when the service has stored or refused
 * them. What fails is sent again with the same uuids.
 */
export const createDelivery = ({ token, options, send, drop }: DeliveryInputs) => {
  const { flushAt = 20, flushInterval = 5_000, requestTimeout = 10_000, waitUntil } = options
  const { maxQueueEvents = 10_000, maxQueueBytes = 16_000_000 } = options
  const encoder = new TextEncoder()
  const { process } = globalThis as { process?: ExitEvents }
  let queue: Waiting[] = []
  let bytes = 0
  let captured = 0
  let limit = MAX_BATCH
  let tries = 0
  let isCompressed = true
  /** Times before which the service asked for no request, and before which none is sent in the background. */
  let [notBefore, retryAt] = [0, 0]
  let sending: Promise<void> | undefined
  let controller: AbortController | undefined
  let stopTimer: (() => void) | undefined
  let isWorkerWaiting = false

  const remove = (batch: readonly Waiting[]) => {
    const removed = new Set(batch)
    queue = queue.filter((each) => !removed.has(each))
    bytes -= batch.reduce((sum, each) => sum + each.bytes, 0)
    if (!queue.length) process?.off?.('beforeExit', onExit)
  }
  const nextBatch = () => {
    let sum = 0
    return queue.slice(0, limit).filter((each, index) => (sum += each.bytes) <= MAX_BATCH_BYTES || !index)
  }

  const retryLater = (batch: readonly Waiting[], { status, retryAfterMs = 0 }: Answer, isForeign: boolean) => {
    const now = Date.now()
    tries += 1
    if (isForeign) isCompressed = !isCompressed
    notBefore = now + Math.min(retryAfterMs, MAX_RETRY_AFTER_MS)
    const waitMs = Math.min(MAX_WAIT_MS, FIRST_WAIT_MS * 2 ** Math.min(tries - 1, 10)) * (0.75 + Math.random() / 2)
    const isTooLarge = status === TOO_LARGE
    retryAt = Math.max(notBefore, isTooLarge && batch.length > 1 ? now : now + waitMs)
    // One event that something rejects must not delay the others.
    if (!isTooLarge && (tries < 2 || !status || OVERLOADED.includes(status))) return
    limit = Math.ceil(batch.length / 2)
    if (batch.length === 1) queue.push(queue.shift()!)
  }

  const finish = (batch: readonly Waiting[], answer: Answer) => {
    const outcome = outcomeOf(answer)
    const mayBeSplit = answer.status === TOO_LARGE && batch.length > 1
    if (outcome === 'again' || outcome === 'foreign' || mayBeSplit)
      return retryLater(batch, answer, outcome === 'foreign')
    const isRefused = rejectedBy(answer)
    for (const each of batch) each.isStored = outcome === 'stored' && !isRefused(each.uuid)
    drop('refused_by_service', batch.filter(({ isStored }) => !isStored).length)
    remove(batch)
    tries = retryAt = notBefore = 0
    limit = Math.min(MAX_BATCH, limit * 2)
  }

  const sendBatch = async () => {
    const batch = nextBatch()
    controller = new AbortController()
    const events = batch.map(({ json }) => json).join()
    const body = `{"api_key":${JSON.stringify(token)},"batch":[${events}],"sent_at":"${new Date().toISOString()}"}`
    finish(batch, await send('/batch/', { body, timeoutMs: requestTimeout, isCompressed, controller }))
  }
  const attempt = (): Promise<void> => (sending ??= sendBatch().finally(() => (sending = undefined)))

  /** Sends in the background, without keeping the process alive. */
  const pump = () => {
    stopTimer?.()
    stopTimer = undefined
    if (!queue.length || waitUntil) return
    const ms = retryAt - Date.now()
    if (ms > 0) stopTimer = startIdleTimer(pump, ms)
    else void attempt().then(pump)
  }
  const schedule = () => {
    if (waitUntil) {
      if (isWorkerWaiting) return
      isWorkerWaiting = true
      const sent = within(WORKER_WAIT_MS).then(() => {
        isWorkerWaiting = false
        return flush()
      })
      return waitUntil(sent)
    }
    if (queue.length === 1) process?.once?.('beforeExit', onExit)
    if (queue.length >= flushAt && !sending) pump()
    else stopTimer ??= startIdleTimer(pump, flushInterval)
  }

  /** Sends until there is nothing to wait for. Cuts a wait between retries short, but not one that the service asked for. */
  const sendUntil = async (isDone: () => boolean, ms: number): Promise<boolean> => {
    const until = Date.now() + ms
    let earliest = notBefore
    for (let now = Date.now(); !isDone() && Math.max(now, earliest) < until; now = Date.now()) {
      if (earliest > now) await within(earliest - now)
      await within(until - Date.now(), attempt())
      earliest = retryAt
    }
    return isDone()
  }
  const flush = (ms = 10_000): Promise<boolean> => {
    const last = captured
    return sendUntil(() => !queue.some(({ order }) => order <= last), ms)
  }
  const onExit = () => void flush(EXIT_MS)

  const add = (uuid: string, json: string): Waiting | undefined => {
    const size = encoder.encode(json).length
    if (queue.length >= maxQueueEvents || bytes + size > maxQueueBytes) return drop('queue_full', 1)
    const waiting: Waiting = { uuid, json, bytes: size, order: ++captured }
    queue.push(waiting)
    bytes += size
    schedule()
    return waiting
  }

  return {
    add,
    flush,
    waiting: () => queue.length,
    /** Sends one event now. Resolves with whether the service has stored it. */
    deliver: async (one: Waiting | undefined): Promise<boolean> => {
      if (one) await sendUntil(() => !queue.includes(one), 10_000)
      return !!one?.isStored
    },
    /** Sends all events, and returns those that could not be sent in time. They leave the queue if `take` is set. */
    end: async (ms: number, take: boolean): Promise<string[]> => {
      if (await flush(ms)) return []
      controller?.abort()
      stopTimer?.()
      const unsent = queue
      if (take) remove(unsent)
      return unsent.map(({ json }) => json)
    },
  }
}
