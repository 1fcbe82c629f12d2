import { guarded, later } from '../lib/guard'
import { reportCaught } from '../lib/log'
import type { Config, RequestError } from '../types'
import type { Body } from './encode'
import type { Entry } from './entry'
import type { Outbox } from './outbox'
import { outcomeOf, refusedBy, RETRYABLE_STATUS, retryDelay } from './retry'
import { type Answer, outlivesPage, type request } from './transport'
import { MAX_EVENTS, type Waiting } from './waiting'

/** A request that is made ready or under way. */
interface Sending {
  batch: Entry[]
  /** Whether it goes on when the page is gone. Absent until it leaves. */
  outlives?: boolean
}

interface SendLoopInputs {
  config: Config
  waiting: Waiting
  outbox: Outbox
  url(tries: number): string
  textOf(batch: readonly Entry[]): string
  encode(text: string): Promise<Body>
  send: typeof request
  /** Whether nothing is to be sent: the page has gone, or the queue was stopped. */
  isPaused(): boolean
  /** The wait before the next try is over. */
  onRetry(): void
  onDelivered(uuids: string[]): void
  onRequestError(error: RequestError): void
}

/** Sends what waits, one request at a time, and decides when a batch that failed is sent again. */
export const createSendLoop = (inputs: SendLoopInputs) => {
  const { config, waiting, outbox, url, textOf, encode, send, isPaused, onRetry, onDelivered, onRequestError } = inputs
  let retryTimer: ReturnType<typeof setTimeout> | undefined
  let sending: Sending | undefined
  let tries = 0
  let mayBeOrphans = false

  /** Adds what other tabs and earlier pages have left, as far as there is room for it in a batch. */
  const gather = async (current: Sending) => {
    const leads = await outbox.acquireLeadership()
    while (sending === current && mayBeOrphans && waiting.all().length < MAX_EVENTS) {
      mayBeOrphans = false
      const found = leads ? await outbox.claimOrphans() : []
      // The page was left meanwhile: the next page claims them.
      if (sending !== current) return
      mayBeOrphans ||= found.length > 0
      waiting.addOldest(found)
      waiting.trim()
    }
  }
  /** Sends the next batch. Undefined: there is none, or it went another way meanwhile. */
  const sendNext = async (current: Sending): Promise<Answer | undefined> => {
    await gather(current)
    if (sending !== current) return undefined
    waiting.trim()
    current.batch = waiting.nextBatch()
    if (!current.batch.length) return undefined
    const body = await encode(textOf(current.batch))
    // The page went while compressing: the events have left by beacon. Or they were cleared.
    if (sending !== current) return undefined
    current.outlives = outlivesPage(body)
    return send(url(tries), body, config)
  }
  const halve = (batch: readonly Entry[]) => batch.forEach((each) => (each.maxBatch = Math.ceil(batch.length / 2)))

  /** Decides when a batch that failed is sent again, and with how many others. */
  const retryLater = (batch: readonly Entry[], { status, retryAfterMs }: Answer) => {
    for (const each of batch) each.fails = (each.fails ?? 0) + 1
    const [first] = batch
    // A service that asks for fewer requests gets no smaller ones.
    const isSuspect = first && first.fails! > 1 && !RETRYABLE_STATUS.includes(status)
    const wasAlone = first?.heldUntil !== undefined
    if (isSuspect) {
      halve(batch)
      if (batch.length === 1) {
        const ms = retryDelay(first.fails!, retryAfterMs)
        first.heldUntil = performance.now() + ms
        // Timers may be a little early.
        later(pump, ms + 1)
      }
    }
    if (wasAlone) return
    tries += 1
    retryTimer = later(onRetry, retryDelay(tries, retryAfterMs))
  }
  const settle = (batch: readonly Entry[], answer: Answer) => {
    const outcome = outcomeOf(answer)
    if (answer.status >= 400) onRequestError({ statusCode: answer.status, text: answer.text, json: answer.json })
    if (outcome === 'again') return retryLater(batch, answer)
    tries = 0
    if (outcome === 'too_large' && batch.length > 1) return halve(batch)
    const isRefused = refusedBy(answer)
    const isWaiting = (each: Entry) => waiting.all().includes(each)
    waiting.drop(
      batch.filter((each) => isWaiting(each) && (outcome !== 'stored' || isRefused(each.uuid))),
      'refused_by_service',
    )
    const delivered = batch.filter(isWaiting).map(({ uuid }) => uuid)
    waiting.remove(batch)
    if (delivered.length) onDelivered(delivered)
  }
  const pump = async (): Promise<void> => {
    if (sending || retryTimer || isPaused()) return
    if (!waiting.all().length && !mayBeOrphans) return outbox.releaseLeadership()
    const current: Sending = { batch: [] }
    sending = current
    let answer: Answer | undefined
    try {
      answer = await sendNext(current)
    } catch (error) {
      // The loop goes on, and a batch that causes the error is halved like one that the service cannot store.
      reportCaught(error)
      answer = { status: 0, text: String(error) }
    }
    if (sending === current) sending = undefined
    // What waits is held, or was cleared: the next event starts the loop again.
    if (!answer) return waiting.all().length && !sending ? outbox.releaseLeadership() : pump()
    guarded(() => settle(current.batch, answer))
    // Not awaited: what a page sends without a pause would hold all it has sent.
    void guarded(pump)
  }
  return {
    url: () => url(tries),
    /** Sends what waits until nothing does, or a request fails. */
    pump: (): void => void guarded(pump),
    /** Looks for what other tabs and earlier pages have left, with the next batch. */
    expectOrphans: () => {
      mayBeOrphans = true
    },
    /** Ends the wait before the next try. */
    endWait: () => {
      clearTimeout(retryTimer)
      retryTimer = undefined
    },
    /** Gives up a request that is not under way yet: its events were cleared. */
    cancelUnsent: () => {
      if (sending?.outlives === undefined) sending = undefined
    },
    /** Gives up a request that ends with the page. Returns the events of one that goes on, which carries them. */
    abandon: (): readonly Entry[] => {
      if (sending?.outlives) return sending.batch
      sending = undefined
      return []
    },
  }
}
