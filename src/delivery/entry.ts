import { parseJson, toJson } from '../lib/json'
import { uuidv7 } from '../lib/uuid'
import type { DropReason } from '../types'

/** An event in the queue: its JSON text, and what the queue needs without parsing it. */
export interface Entry {
  event: string
  uuid: string
  /** When it was captured, ms. */
  at: number
  text: string
  /** Records of the database that contain it, once they are being written. */
  records?: StoredRecord[] | undefined
  /** Whether a request that carries it is prepared or under way. */
  isSent?: boolean
  /** Why it was dropped while a request carried it. The result decides whether it was. */
  dropped?: DropReason | undefined
  /** Events whose changes are in it. */
  merged?: Pick<Entry, 'event' | 'uuid'>[]
  /** Whether the database has confirmed a record. */
  isKept?: boolean | undefined
  /** Name of the closed tab whose journal has it, until this tab has stored it. */
  journal?: string
  /** Size of the largest batch it is sent in, after larger ones have failed. */
  maxBatch?: number
  /** Number of failed requests it was in. */
  fails?: number
  /** Time before which it is not sent again, ms of `performance.now`. Set when it failed alone. */
  heldUntil?: number
}

/** A record of the database: events that one tab has written together. It is deleted when none of them waits anymore. */
export interface StoredRecord {
  key: Key
  /** Number of its events that wait in this tab. */
  waiting: number
}

type Member = [uuid: string, event: string, size: number]

/**
 * Key of a record. It has everything that decides what to do with the record, so that a large outbox need not be read.
 * Sorts oldest first. `members` is one JSON text, because browsers are slow at converting long keys. Up to 2.0.0, a record
 * had one event and its key no `members`: `id`, `size` and `event` are those of the event.
 */
export type Key = [at: number, id: string, tab: string, size: number, event: string, ...members: string[]]

/** Returns the events of a record, oldest first. */
export const membersOf = ([, id, , size, event, members]: Key): Member[] =>
  (parseJson(members) as Member[] | undefined) ?? [[id, event, size]]

/**
 * Returns the record of some events of a tab, oldest first, and its text, which 2.0.0 sends as one event. Browsers are
 * slower at storing an array of texts.
 */
export const recordOf = (entries: readonly Entry[], tab: string): [record: StoredRecord, text: string] => {
  const text = entries.map((entry) => entry.text).join()
  const members = entries.map((entry): Member => [entry.uuid, entry.event, entry.text.length])
  const { at, event } = entries[0]!
  return [{ key: [at, uuidv7(), tab, text.length, event, toJson(members)], waiting: entries.length }, text]
}

/** Returns the JSON texts of the events of a record. */
export const textsOf = (text: string, key: Key): string[] => {
  let end = -1
  return membersOf(key).map(([, , size]) => text.slice(end + 1, (end += size + 1)))
}
