import { outcomeOf, rejectedBy, TOO_LARGE } from '../../delivery/retry'
import type { createQueue, Waiting } from './queue'
import type { Answer, Send } from './request'

interface SenderInputs {
  token: string
  queue: ReturnType<typeof createQueue>
  send: Send
  timeoutMs: number
  /** Called with the number of events that the service has refused. */
  onRefused(count: number): void
}

const MAX_BATCH = 500
const FIRST_WAIT_MS = 500
const MAX_WAIT_MS = 60_000
const MAX_RETRY_AFTER_MS = 30 * 60_000
// The service asks for fewer requests, and smaller batches would be more.
const OVERLOADED = [408, 425, 429, 503, 507]

/**
 * Creates what sends one batch at a time, and removes events only when the service has stored or refused them. What fails is
 * sent again with the same uuids.
 */
export const createSender = ({ token, queue, send, timeoutMs, onRefused }: SenderInputs) => {
  let limit = MAX_BATCH
  let tries = 0
  let isCompressed = true
  let notBefore = 0
  let retryAt = 0
  let sending: Promise<void> | undefined
  let controller: AbortController | undefined

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
    if (batch.length === 1) queue.defer(batch[0]!)
  }

  const finish = (batch: readonly Waiting[], answer: Answer) => {
    const outcome = outcomeOf(answer)
    const mayBeSplit = answer.status === TOO_LARGE && batch.length > 1
    if (outcome === 'again' || outcome === 'foreign' || mayBeSplit)
      return retryLater(batch, answer, outcome === 'foreign')
    const isRefused = rejectedBy(answer)
    for (const each of batch) each.isStored = outcome === 'stored' && !isRefused(each.uuid)
    onRefused(batch.filter(({ isStored }) => !isStored).length)
    queue.remove(batch)
    tries = retryAt = notBefore = 0
    limit = Math.min(MAX_BATCH, limit * 2)
  }

  const sendBatch = async () => {
    const batch = queue.first(limit)
    controller = new AbortController()
    const events = batch.map(({ json }) => json).join()
    const body = `{"api_key":${JSON.stringify(token)},"batch":[${events}],"sent_at":"${new Date().toISOString()}"}`
    finish(batch, await send('/batch/', { body, timeoutMs, isCompressed, controller }))
  }

  return {
    /** Sends the next batch, or waits for the request that is under way. */
    attempt: (): Promise<void> => (sending ??= sendBatch().finally(() => (sending = undefined))),
    isSending: (): boolean => !!sending,
    abort: (): void => controller?.abort(),
    /** Returns the time before which the service asked for no request. */
    notBefore: (): number => notBefore,
    /** Returns the time of the next retry. */
    retryAt: (): number => retryAt,
  }
}
