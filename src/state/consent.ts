import type { Storing } from '../browser/storage'

/** Whether the visitor may be observed: what they said, else what the configuration takes silence for. */
export interface Consent {
  explicit(): 'granted' | 'denied' | 'pending'
  isOptedOut(): boolean
  set(granted: boolean): void
  clear(): void
}

/**
 * Consent kept under `name` as 1 or 0 (protocol.md §9.4), in memory where there is no storage. `readElsewhere`: what
 * another SDK of the protocol may have kept in a cookie; a refusal holds wherever it was noted.
 */
export const createConsent = (
  name: string,
  storage: Storing | undefined,
  readElsewhere: (name: string) => string | undefined,
  byDefault: () => boolean,
  isRefused: () => boolean,
): Consent => {
  const elsewhere = readElsewhere(name)
  if (elsewhere && !storage?.getItem(name)) storage?.setItem(name, elsewhere)
  let remembered = storage?.getItem(name) ?? elsewhere

  const explicit = () => {
    if (isRefused()) return 'denied'
    const said = (storage ? storage.getItem(name) : remembered)?.toLowerCase()
    return ['1', 'true', 'yes'].includes(said ?? '')
      ? 'granted'
      : ['0', 'false', 'no'].includes(said ?? '')
        ? 'denied'
        : 'pending'
  }
  return {
    explicit,
    isOptedOut: () => {
      const said = explicit()
      return said === 'denied' || (said === 'pending' && byDefault())
    },
    set: (granted) => {
      remembered = granted ? '1' : '0'
      storage?.setItem(name, remembered)
    },
    clear: () => {
      remembered = undefined
      storage?.removeItem(name)
    },
  }
}
