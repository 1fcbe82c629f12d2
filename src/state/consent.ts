import type { KeyValueStorage } from '../browser/storage'
import { memo } from '../lib/memo'
import { oncePerTask } from '../lib/oncePerTask'
import type { CookieStorage } from './backends/cookie'

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

// How decisions are written, the one that counts most first. A refusal is never overruled by another stored decision.
const WORDS = [/^(0|false|no)$/i, /^pending$/i, /^(1|true|yes)$/i]
const MEANINGS = ['denied', UNDECIDED, 'granted'] as const

/** Returns which of several stored decisions counts: a refusal, or else a withdrawn decision, or else a grant. */
export const strongest = (texts: readonly string[]): string =>
  WORDS.flatMap((word) => texts.filter((text) => word.test(text))).concat(texts)[0]!

/** A storage that may have several values of one name. */
export type Place = KeyValueStorage & Partial<Pick<CookieStorage, 'getItems'>>

const meaningOf = memo((text: string) => MEANINGS[WORDS.findIndex((word) => word.test(text))] ?? UNDECIDED)

/**
 * Creates the consent, stored under `name` as 1 or 0 (docs/reference/protocol.md#9.4) in the first of `places` that accepts
 * it, and in memory while the page lives. Reads all of them, because another SDK of the protocol, or another configuration,
 * may have stored a decision in another place.
 */
export const createConsent = (
  name: string,
  places: readonly Place[],
  byDefault: () => boolean,
  isRefused: () => boolean,
): Consent => {
  let known: string | undefined
  let isKept = true
  /** Stored values after the page has stored its own decision, which may not have replaced everything. */
  let stored: string | undefined
  /** Stored value when `known` was last read. */
  let seen: string | undefined

  const read = oncePerTask(() => places.flatMap((place) => place.getItems?.(name) ?? place.getItem(name) ?? []))
  const explicit = () => {
    if (isRefused()) return 'denied'
    const texts = read()
    const text = String(texts)
    if (isKept && text !== stored && text !== seen) {
      known = strongest(texts) ?? known
      stored = undefined
      seen = text
    }
    return meaningOf(known ?? '')
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
      if (known === undefined || (isKept && read().length)) return
      isKept = false
      for (const place of places) {
        // Only one place, and one cookie, may have a decision, because an older one elsewhere would contradict it. A
        // single decision is replaced without a gap: in a gap, another tab would store its own again.
        if (isKept || (place.getItems?.(name).length ?? 0) > 1) place.removeItem(name)
        if (isKept) continue
        isKept = place.setItem(name, known)
        if (!isKept) place.removeItem(name)
      }
      read.renew()
      stored = String(read())
    },
  }
}
