import type { KeyValueStorage } from '../browser/storage'
import { oncePerTask } from '../lib/oncePerTask'

/** The visitor's consent: their decision, or what the configuration assumes without one. */
export interface Consent {
  explicit(): 'granted' | 'denied' | 'pending'
  isOptedOut(): boolean
  /** Sets the decision for this page; undefined: none. `keep` stores it. */
  decide(granted: boolean | undefined): void
  /** Reads the stored decision again, which is read once a task otherwise. Called before each call of the page and each event. */
  renew(): void
  /** Stores the decision if it is not stored, because it is new, the storage was full, or the page has cleared it. */
  keep(): void
}

// Stored when a decision is withdrawn, so that other tabs can distinguish that from storage cleared by the page.
const UNDECIDED = 'pending'

/**
 * Creates the consent, stored under `name` as 1 or 0 (docs/reference/protocol.md#9.4) in the first of `places` that accepts
 * it, and in memory while the page lives. Reads the first place with a decision: another SDK of the protocol may have
 * stored it in a cookie.
 */
export const createConsent = (
  name: string,
  places: readonly KeyValueStorage[],
  byDefault: () => boolean,
  isRefused: () => boolean,
): Consent => {
  let known: string | undefined
  let isKept = true

  const read = oncePerTask(() => places.reduce<string | null>((found, place) => found ?? place.getItem(name), null))
  const explicit = () => {
    if (isRefused()) return 'denied'
    if (isKept) known = read() ?? known
    const word = known?.toLowerCase() ?? ''
    return ['1', 'true', 'yes'].includes(word) ? 'granted' : ['0', 'false', 'no'].includes(word) ? 'denied' : UNDECIDED
  }
  return {
    explicit,
    isOptedOut: () => {
      const decision = explicit()
      return decision === 'denied' || (decision === UNDECIDED && byDefault())
    },
    decide: (granted) => {
      known = granted === undefined ? UNDECIDED : granted ? '1' : '0'
      isKept = false
    },
    renew: read.renew,
    keep: () => {
      read.renew()
      if (known === undefined || (isKept && read() !== null)) return
      isKept = false
      for (const place of places) {
        // Only one place may have a decision. An older one elsewhere would contradict it.
        if (isKept || !place.setItem(name, known)) place.removeItem(name)
        else isKept = true
      }
      read.renew()
    },
  }
}
