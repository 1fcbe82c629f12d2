import { createQueue, type Waiting } from './queue'
import type { Send } from './request'
import { createSender } from './sender'
import { startIdleTimer, within } from './time'
import type { DropReason, ServerOptions } from './types'

interface DeliveryInputs {
  token: string
  options: ServerOptions
  send: Send
  drop(reason: DropReason, count: number): undefined
}

// In a Worker, the rest of the request's events come along.
const WORKER_WAIT_MS = 50
// A process whose service is down ends after this time.
const EXIT_MS = 5_000
const FLUSH_MS = 10_000

interface ExitEvents {
  once?(event: 'beforeExit', listener: () => void): void
  off?(event: 'beforeExit', listener: () => void): void
}

/** Creates the delivery of events: in the background, on demand, and before the process ends. */
export const createDelivery = ({ token, options, send, drop }: DeliveryInputs) => {
  const { flushAt = 20, flushInterval = 5_000, requestTimeout: timeoutMs = 10_000, waitUntil } = options
  const queue = createQueue(options.maxQueueEvents ?? 10_000, options.maxQueueBytes ?? 16_000_000)
  const onRefused = (count: number) => drop('refused_by_service', count)
  const sender = createSender({ token, queue, send, timeoutMs, onRefused })
  const { process } = globalThis as { process?: ExitEvents }
  let stopTimer: (() => void) | undefined
  let isWorkerWaiting = false

  /** Sends until there is nothing to wait for. Cuts a wait between retries short, but not one that the service asked for. */
  const sendUntil = async (isDone: () => boolean, ms: number): Promise<boolean> => {
    const until = Date.now() + ms
    let earliest = sender.notBefore()
    // A request that is under way may be that of a fault which has ended.
    let isJoining = sender.isSending()
    for (let now = Date.now(); !isDone() && Math.max(now, earliest) < until; now = Date.now()) {
      if (earliest > now) await within(earliest - now)
      await within(until - Date.now(), sender.attempt())
      earliest = isJoining ? sender.notBefore() : sender.retryAt()
      isJoining = false
    }
    if (!queue.all().length) process?.off?.('beforeExit', onExit)
    return isDone()
  }
  const flush = (ms = FLUSH_MS): Promise<boolean> => {
    const last = queue.count()
    return sendUntil(() => !queue.all().some(({ order }) => order <= last), ms)
  }
  const onExit = () => void flush(EXIT_MS)

  /** Sends in the background, without keeping the process alive. */
  const pump = () => {
    stopTimer?.()
    stopTimer = undefined
    if (!queue.all().length) return process?.off?.('beforeExit', onExit)
    const ms = sender.retryAt() - Date.now()
    if (ms > 0) stopTimer = startIdleTimer(pump, ms)
    else void sender.attempt().then(pump)
  }
  const scheduleInWorker = () => {
    if (isWorkerWaiting) return
    isWorkerWaiting = true
    const sent = within(WORKER_WAIT_MS).then(() => {
      isWorkerWaiting = false
      return flush()
    })
    waitUntil!(sent)
  }
  const schedule = () => {
    const { length } = queue.all()
    if (length === 1) process?.once?.('beforeExit', onExit)
    if (length >= flushAt && !sender.isSending()) pump()
    else stopTimer ??= startIdleTimer(pump, flushInterval)
  }

  return {
    add: (uuid: string, json: string): Waiting | undefined => {
      const waiting = queue.add(uuid, json)
      if (!waiting) return drop('queue_full', 1)
      if (waitUntil) scheduleInWorker()
      else schedule()
      return waiting
    },
    flush,
    waiting: (): number => queue.all().length,
    /** Sends one event now. Resolves with whether the service has stored it. */
    deliver: async (one: Waiting | undefined): Promise<boolean> => {
      if (one) await sendUntil(() => !queue.all().includes(one), FLUSH_MS)
      return !!one?.isStored
    },
    /** Sends all events, and returns those that could not be sent in time. They leave the queue if `take` is set. */
    end: async (ms: number, take: boolean): Promise<string[]> => {
      if (await flush(ms)) return []
      sender.abort()
      const unsent = queue.all()
      if (take) queue.remove(unsent)
      return unsent.map(({ json }) => json)
    },
  }
}
