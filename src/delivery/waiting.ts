import { copyOf } from '../lib/copy'
import { steadyTime } from '../lib/elapsed'
import type { CapturedEvent, Config, DropReason } from '../types'
import { eventText } from './encode'
import type { Entry } from '../lib/entry'
import type { Outbox } from './outbox'

/** Maximum number of events in a batch. */
export const MAX_EVENTS = 250
// About 60 kB gzipped. A larger batch gains nothing and costs more to repeat.
const MAX_CHARACTERS = 400_000

/** Returns how long an event waits for more events, ms. */
export const flushDelay = ({ request_queue_config }: Config): number =>
  Math.min(5000, Math.max(250, request_queue_config.flush_interval_ms ?? 3000))

/** Returns an entry whose JSON text is created when it is first read. It does not show later changes of the event. */
export const entryOf = (event: CapturedEvent): Entry => {
  const { uuid, event: name, timestamp } = event
  let copy: CapturedEvent | undefined = {
    ...copyOf({ ...event, timestamp: undefined }),
    timestamp: new Date(timestamp),
  }
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

/** Returns the first entries that fit into one request. */
export const firstBatch = (entries: readonly Entry[], maxEvents: number): Entry[] => {
  let length = 0
  const end = entries.findIndex(({ text }, index) => {
    length += text.length
    return index > 0 && (index >= maxEvents || length > MAX_CHARACTERS)
  })
  return entries.slice(0, end < 0 ? undefined : end)
}

interface WaitingInputs {
  config: Pick<Config, 'outbox_max_age_ms' | 'outbox_max_bytes'>
  outbox: Pick<Outbox, 'forget'>
  onDropped(event: Pick<Entry, 'event' | 'uuid'>, reason: DropReason): void
}

/** Creates the list of events that wait in this tab's memory, oldest first, within the configured bounds. */
export const createWaiting = ({ config, outbox, onDropped }: WaitingInputs) => {
  let entries: Entry[] = []

  /** Removes entries from memory; the outbox keeps them. */
  const release = (batch: readonly Entry[]) => {
    const gone = new Set(batch)
    entries = entries.filter((each) => !gone.has(each))
  }
  /** Removes entries from memory and from the outbox. */
  const remove = (batch: readonly Entry[]) => {
    release(batch)
    outbox.forget(batch)
  }
  /** Removes entries and counts them as dropped. An entry in a request is counted when the request has ended. */
  const drop = (batch: readonly Entry[], reason: DropReason) => {
    remove(batch)
    for (const each of batch)
      if (each.isSent) each.dropped = reason
      else [each.merged ?? [], each].flat().forEach((lost) => onDropped(lost, reason))
  }
  return {
    all: (): readonly Entry[] => entries,
    add: (entry: Entry) => void entries.push(entry),
    addOldest: (found: readonly Entry[]) => void entries.unshift(...found),
    release,
    remove,
    drop,
    /** Ends a request. Counts the events of its batch that were dropped in the meantime, unless they have arrived. */
    end: (batch: readonly Entry[], hasArrived: (entry: Entry) => boolean = () => false): void => {
      for (const each of batch) {
        each.isSent = false
        if (!each.dropped || hasArrived(each)) continue
        drop([each], each.dropped)
        each.dropped = undefined
      }
    },
    /** Drops events that are too old, then the oldest until the others fit into the bound. */
    trim: () => {
      const oldest = steadyTime() - config.outbox_max_age_ms
      let room = config.outbox_max_bytes
      for (const each of [...entries].reverse()) {
        const { length } = each.text
        if (each.at < oldest) drop([each], 'expired')
        else if (length > room) drop([each], 'queue_full')
        else room -= length
      }
    },
  }
}

export type Waiting = ReturnType<typeof createWaiting>
