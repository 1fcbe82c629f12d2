import type { KeyValueStorage } from '../browser/storage'

/** Whether the visitor may be observed: what they decided, else what the configuration takes no decision for. */
export interface Consent {
  explicit(): 'granted' | 'denied' | 'pending'
  isOptedOut(): boolean
  /** Decides for this page; undefined: the visitor is undecided again. `keep` stores it. */
  decide(granted: boolean | undefined): void
  /** Stores the decision if it is not stored: it was just made, the storage was full, or the page has cleared it. */
  keep(): void
}

// Stored where a decision was taken back, so that other tabs can tell that from a storage that the page has cleared.
const UNDECIDED = 'pending'

/**
 * Consent kept under `name` as 1 or 0 (docs/reference/protocol.md#9.4) in the first of `places` that stores it, and in memory while the
 * page lives. The first place that has a decision is right: another SDK of the protocol may have kept it in a cookie.
 */
export const createConsent = (
  name: string,
  places: readonly KeyValueStorage[],
  byDefault: () => boolean,
  isRefused: () => boolean,
): Consent => {
  let known: string | undefined
  let isKept = true

  const read = () => places.reduce<string | null>((found, place) => found ?? place.getItem(name), null)
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
    keep: () => {
      if (known === undefined || (isKept && read() !== null)) return
      isKept = false
      for (const place of places) {
        // One place has the decision; an older one left in another would contradict it.
        if (isKept || !place.setItem(name, known)) place.removeItem(name)
        else isKept = true
      }
    },
  }
}
