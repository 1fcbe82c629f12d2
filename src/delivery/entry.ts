/** An event as it waits: its JSON text, and what must be known of it without reading that. */
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
  /** The journal of another tab that it was found in. */
  journal?: string
  /** Largest batch it is sent in, once larger ones have failed. */
  maxBatch?: number
  /** Number of failed requests it was in. */
  fails?: number
  /** Time before which it is not sent again, ms of `performance.now`: it failed alone. */
  heldUntil?: number
}

/** A record's key tells all that decides on it, so that an outbox of megabytes is judged without being read. Oldest first. */
export type Key = [at: number, uuid: string, tab: string, size: number, event: string]

export const keyOf = ({ at, uuid, text, event }: Entry, tab: string): Key => [at, uuid, tab, text.length, event]
