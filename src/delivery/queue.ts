import { guarded, later } from '../lib/guard'
import { isPlainObject } from '../lib/json'
import { reportCaught } from '../lib/log'
import { objectOf } from '../lib/objects'
import type { CapturedEvent, Config, DropReason, RequestError, Stop } from '../types'
import { type Body, bodyText, eventText } from './encode'
import { apiHost } from './hosts'
import type { Entry, Outbox } from './outbox'
import { outcomeOf, refusedBy, retryDelay } from './retry'
import { type Answer, beacon, outlivesPage, request } from './transport'

const MOST_EVENTS = 250
// About 60 kB gzipped. A larger batch would gain nothing and cost more when it has to be sent again.
const MOST_CHARACTERS = 400_000
// Less than this leaves uncompressed by the last beacon in one flight of ten segments. https://www.rfc-editor.org/rfc/rfc6928
const PREPARED_CHARACTERS = 14_000
// The service takes an older `sent_at` for a wrong clock.
const STALE_MS = 5000

/** Returns the time, ms since the epoch, by a clock that nobody sets while the page lives. */
const steadyTime = () => performance.timeOrigin + performance.now()

const mostOf = ({ most = MOST_EVENTS }: Entry) => most

/** A copy of data: objects, arrays and primitives. */
const copyOf = <T>(value: T): T =>
  Array.isArray(value)
    ? (value.map(copyOf) as T)
    : isPlainObject(value)
      ? (objectOf(Object.keys(value), (name) => copyOf(value[name])) as T)
      : value

/** An entry whose text is written when it is first read. Later changes of the event do not show in it. */
const entryOf = (event: CapturedEvent): Entry => {
  const { uuid, event: name, timestamp, ...data } = event
  let copy: CapturedEvent | undefined = { uuid, event: name, timestamp: new Date(timestamp), ...copyOf(data) }
  let text = ''
  return {
    event: name,
    uuid,
    at: steadyTime(),
    get text() {
      if (copy) text = eventText(copy)
      copy = undefined
      return text
    },
  }
}

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
 *
 * A batch that keeps failing while the service may well store others is halved, and what has not failed is sent first.
 * An event that fails alone waits on a clock of its own, so that it holds nothing up.
 */
export const createQueue = (inputs: QueueInputs): Queue => {
  const {
    config,
    token,
    path,
    encode,
    outbox,
    onDelivered,
    onDropped,
    onRequestError,
    send = request,
    sendBeacon = beacon,
  } = inputs
  let waiting: Entry[] = []
  let flushTimer: ReturnType<typeof setTimeout> | undefined
  let retryTimer: ReturnType<typeof setTimeout> | undefined
  let sending: Sending | undefined
  let tries = 0
  let mayBeOrphans = false
  /** A body made ahead of time for the end of the page, and how much has been captured since. */
  let prepared: { batch: Entry[]; body: Body; at: number } | undefined
  let unprepared = 0
  /** Entries whose texts are not written yet. */
  const added: Entry[] = []
  let settlingTimer: ReturnType<typeof setTimeout> | undefined
  // What is captured after the page has gone (a listener of the page's own) goes the same way.
  let hasLeft = false
  let stopped = false

  const url = () => apiHost(config) + path() + (tries ? `?retry_count=${tries}` : '')

  /** Out of this tab's memory. */
  const release = (batch: readonly Entry[]) => {
    const gone = new Set(batch)
    waiting = waiting.filter((each) => !gone.has(each))
  }
  const remove = (batch: readonly Entry[]) => {
    release(batch)
    outbox.forget(batch)
  }
  const drop = (batch: readonly Entry[], reason: DropReason) => {
    remove(batch)
    batch.forEach((each) => onDropped(each, reason))
  }
  /** Drops what is too old, and of the rest what does not fit into the bound beside what is newer. */
  const trim = () => {
    const oldest = steadyTime() - config.outbox_max_age_ms
    let room = config.outbox_max_bytes
    for (const each of [...waiting].reverse()) {
      const { length } = each.text
      if (each.at < oldest) drop([each], 'expired')
      else if (length > room) drop([each], 'queue_full')
      else room -= length
    }
  }
  /** Returns the first of these that fit in one request. */
  const head = (from: readonly Entry[], most: number): Entry[] => {
    let length = 0
    const end = from.findIndex(({ text }, index) => {
      length += text.length
      return index > 0 && (index >= most || length > MOST_CHARACTERS)
    })
    return from.slice(0, end < 0 ? undefined : end)
  }
  /** Returns the batch to send next, of those that failed least. */
  const nextBatch = (): Entry[] => {
    const due = waiting.filter(({ heldUntil = 0 }) => heldUntil <= performance.now())
    const most = due.reduce((largest, each) => Math.max(largest, mostOf(each)), 0)
    return head(
      due.filter((each) => mostOf(each) === most),
      most,
    )
  }
  const textOf = (batch: readonly Entry[]) =>
    bodyText(
      token,
      batch.map((each) => each.text),
    )

  /** Adds what other tabs and earlier pages have left, as far as there is room for it in a batch. */
  const gather = async (current: Sending) => {
    const leads = await outbox.lead()
    while (sending === current && mayBeOrphans && waiting.length < MOST_EVENTS) {
      mayBeOrphans = false
      const found = leads ? await outbox.orphans() : []
      // The page went meanwhile: they are the next one's.
      if (sending !== current) return
      mayBeOrphans ||= found.length > 0
      waiting.unshift(...found)
      trim()
    }
  }
  /** Sends the next batch. Undefined: there is none, or it went another way meanwhile. */
  const sendNext = async (current: Sending): Promise<Answer | undefined> => {
    await gather(current)
    if (sending !== current) return undefined
    trim()
    current.batch = nextBatch()
    if (!current.batch.length) return undefined
    const body = await encode(textOf(current.batch))
    // The page went while compressing: the events have left by beacon. Or they were cleared.
    if (sending !== current) return undefined
    current.outlives = outlivesPage(body)
    return send(url(), body, config)
  }
  const halve = (batch: readonly Entry[]) => batch.forEach((each) => (each.most = Math.ceil(batch.length / 2)))

  /** Decides when a batch that failed is sent again, and with how many others. */
  const retryLater = (batch: readonly Entry[], { status, retryAfterMs }: Answer) => {
    for (const each of batch) each.fails = (each.fails ?? 0) + 1
    const [first] = batch
    // A service that asks for fewer requests gets no smaller ones.
    const isSuspect = first && first.fails! > 1 && ![408, 425, 429].includes(status)
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
    retryTimer = later(retry, retryDelay(tries, retryAfterMs))
  }
  const settle = (batch: readonly Entry[], answer: Answer) => {
    const outcome = outcomeOf(answer)
    if (answer.status >= 400) onRequestError({ statusCode: answer.status, text: answer.text, json: answer.json })
    if (outcome === 'again') return retryLater(batch, answer)
    tries = 0
    if (outcome === 'too_large' && batch.length > 1) return halve(batch)
    const isRefused = refusedBy(answer)
    const isWaiting = (each: Entry) => waiting.includes(each)
    drop(
      batch.filter((each) => isWaiting(each) && (outcome !== 'stored' || isRefused(each.uuid))),
      'refused_by_service',
    )
    const delivered = batch.filter(isWaiting).map(({ uuid }) => uuid)
    remove(batch)
    if (delivered.length) onDelivered(delivered)
  }
  const pump = async (): Promise<void> => {
    if (sending || retryTimer || stopped || hasLeft) return
    if (!waiting.length && !mayBeOrphans) return outbox.cede()
    const current: Sending = { batch: [] }
    sending = current
    let answer: Answer | undefined
    try {
      answer = await sendNext(current)
    } catch (error) {
      // Whatever it was: the loop goes on, and a batch that causes it is halved like one that the service cannot store.
      reportCaught(error)
      answer = { status: 0, text: String(error) }
    }
    if (sending === current) sending = undefined
    // What waits is held, or was cleared: whoever adds to it begins again.
    if (!answer) return waiting.length && !sending ? outbox.cede() : pump()
    guarded(() => settle(current.batch, answer))
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
  const retry = () => {
    hasLeft = false
    mayBeOrphans = true
    clearTimeout(retryTimer)
    retryTimer = undefined
    flush()
  }
  const wake = () => {
    for (const each of waiting) if (each.heldUntil) each.heldUntil = 0
    retry()
  }

  /** Does for added entries what needs their texts: in a later task, so that `capture` does not wait for them. */
  const settleAdded = () => {
    clearTimeout(settlingTimer)
    settlingTimer = undefined
    for (const { text } of added.splice(0)) unprepared += text.length
    trim()
    if (unprepared <= PREPARED_CHARACTERS || hasLeft) return
    unprepared = 0
    guarded(prepare)
  }
  const prepare = async () => {
    const batch = nextBatch()
    const at = steadyTime()
    prepared = { batch, body: await encode(textOf(batch)), at }
  }
  /** Hands the browser one request that it finishes after the page is gone. False: it takes no more. */
  const give = (body: Body): boolean => {
    // Workers have no beacons.
    if (!config.disable_beacon && 'sendBeacon' in navigator) return sendBeacon(url(), body)
    if (outlivesPage(body)) void send(url(), body, config)
    return outlivesPage(body)
  }
  /** Hands the browser as many of these as it takes, in as many requests as that needs. */
  const hand = (rest: Entry[]) => {
    const early = prepared
    if (early && steadyTime() - early.at < STALE_MS && early.batch.every((each) => rest.includes(each)))
      if (give(early.body)) rest = rest.filter((each) => !early.batch.includes(each))
    // The smallest first: one that is too large keeps none from leaving.
    rest = [...rest].sort((a, b) => a.text.length - b.text.length)
    let batch = head(rest, Infinity)
    while (batch.length) {
      if (give(textOf(batch))) {
        rest = rest.slice(batch.length)
        batch = head(rest, Infinity)
      } else batch = batch.slice(0, batch.length >> 1)
    }
  }

  return {
    add: (event, { now }) => {
      const entry = entryOf(event)
      waiting.push(entry)
      added.push(entry)
      // A page that captures without a pause gets no task in between, and the bound holds all the same.
      if (added.length < MOST_EVENTS) settlingTimer ??= later(settleAdded)
      else settleAdded()
      outbox.keep(entry)
      if (hasLeft) {
        settleAdded()
        hand([entry])
        return outbox.leave()
      }
      if (now || !config.request_batching) flush()
      else flushLater()
    },
    flush,
    takeOver,
    leave: () => {
      hasLeft = true
      settleAdded()
      outbox.leave()
      // A request that outlives the page carries its events; any other dies with it.
      const carried = sending?.outlives ? sending.batch : []
      if (!sending?.outlives) sending = undefined
      hand(waiting.filter((each) => !carried.includes(each)))
      // If the page comes back, it finds these in the outbox, unless they were sent meanwhile; the others it sends again.
      release(waiting.filter(({ isKept }) => isKept))
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
