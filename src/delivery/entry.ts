/** An event in the queue: its JSON text, and what the queue needs without parsing it. */
export interface Entry {
  event: string
  uuid: string
  /** When it was captured, ms. */
  at: number
  text: string
  /** Key of its record in the browser, once the record is being written. */
  key?: Key
  /** Whether the database has confirmed the record. */
  isKept?: boolean
  /** Name of the closed tab whose journal has it, until this tab has stored it. */
  journal?: string
  /** Size of the largest batch it is sent in, after larger ones have failed. */
  maxBatch?: number
  /** Number of failed requests it was in. */
  fails?: number
  /** Time before which it is not sent again, ms of `performance.now`. Set when it failed alone. */
  heldUntil?: number
}

/** Key of a record. It has everything that decides what to do with the record, so that a large outbox need not be read. Sorts oldest first. */
export type Key = [at: number, uuid: string, tab: string, size: number, event: string]

export const keyOf = ({ at, uuid, text, event }: Entry, tab: string): Key => [at, uuid, tab, text.length, event]
