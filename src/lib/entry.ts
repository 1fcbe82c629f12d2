import type { DropReason, Stop } from '../types'

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

/**
 * Key of a record. It has everything that decides what to do with the record, so that a large outbox need not be read.
 * Sorts oldest first. `members` is one JSON text, because browsers are slow at converting long keys. Up to 2.0.0, a record
 * had one event and its key no `members`: `id`, `size` and `event` are those of the event.
 */
export type Key = [at: number, id: string, tab: string, size: number, event: string, ...members: string[]]

/** What the database of a tab needs of the outbox. */
export interface DatabaseInputs {
  name: string
  tab: string
  /** Aborted when the tab's session ends. */
  signal: AbortSignal
  /** Resolves when the tab has the lock of its name. */
  alive: Promise<void>
  /** Ends the session, because the database is gone. */
  end: Stop
  /** Called when another tab has opened the database. */
  onOpened: Stop
}

/** What adopting the events of closed tabs needs of the outbox. */
export interface Claim {
  /** Returns the names of living tabs. */
  living(): Promise<string[]>
  maxBytes: number
  /** Ids of adopted events and records. */
  taken: Set<string>
  /** The entries of this tab that wait. Adopted ones are added. */
  entries: Set<Entry>
  /** Adopts the entries that are new to this tab, and returns them. */
  adopt(found: readonly Entry[]): Entry[]
  /** Whether the page was left in the meantime. */
  isOver(): boolean
  onDropped(event: Pick<Entry, 'event' | 'uuid'>, reason: DropReason): void
  /** Called when there may be more. */
  onOrphaned(): void
}

/** The open database of a tab. */
export interface TabDatabase {
  isOpen(): boolean
  /** Writes entries, several in a record. They have their records at once; it resolves when these are stored. */
  put(entries: readonly Entry[]): Promise<unknown>
  /** Removes records. One that is not removed, because of an error or the page's end, is sent again and counted once. */
  remove(keys: readonly Key[]): void
  /** Adopts some events of closed tabs. Undefined if a journal had all of those it found, so there may be more. */
  claim(claim: Claim): Promise<Entry[] | undefined>
}

/** Opens the database of a tab. Those who run something in it handle the error. */
export type OpenDatabase = (inputs: DatabaseInputs) => TabDatabase
