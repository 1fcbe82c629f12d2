import type { Storing } from '../browser/storage'
import { createListeners } from '../lib/listeners'
import { uuidv7 } from '../lib/uuid'
import type { SessionListener, Stop } from '../types'
import type { Store } from './store'

const LONGEST_MS = 24 * 3600 * 1000
// Each write wakes the storage listeners of all other tabs, so the stored time of the last activity may lag this far.
const WRITE_EVERY_MS = 5000

export interface SessionState {
  id: string
  startedAt: number
  lastActiveAt: number
}

/**
 * The session that something at `now` belongs to: `last`, unless it lapsed. Lapsed: `idleMs` without an event, or 24 h
 * since its first. Times are ms since the epoch by the visitor's clock, which may also have been set back.
 */
export const sessionAt = (
  now: number,
  last: SessionState | undefined,
  idleMs: number,
  newId: (now: number) => string = uuidv7,
): SessionState =>
  last && Math.abs(now - last.lastActiveAt) <= idleMs && Math.abs(now - last.startedAt) <= LONGEST_MS
    ? { ...last, lastActiveAt: now }
    : { id: newId(now), startedAt: now, lastActiveAt: now }

export interface Session {
  /** The ids that an event happening now carries; begins a session where there is none. */
  touch(): { sessionId: string; windowId: string }
  /** The id of the session as it stands; undefined before the first event. Extends nothing. */
  current(): string | undefined
  windowId(): string
  /** When the session began, ms; undefined before the first event. */
  startedAt(): number | undefined
  /** Hears of each session that begins, before its first event goes on. */
  onChange(listener: SessionListener): Stop
  /** Ends the session: the next event begins another. */
  end(): void
  /** The document goes: the next page of this tab may take over its window id. */
  release(): void
  /** The document is back: the window id is its own again. */
  claim(): void
}

/** The session in `store`, shared by all tabs, and the window's id in `tab` storage, the tab's own. */
export const createSession = (
  store: Store,
  tab: Storing | undefined,
  prefix: string,
  idleMs: () => number,
  now = () => Date.now(),
): Session => {
  const windowKey = `${prefix}_window_id`
  const livesKey = `${prefix}_primary_window_exists`

  // A duplicated tab starts with a copy of this storage; while the original lives, the copy takes an id of its own.
  const parsed = (text: string | null | undefined) => text?.replace(/^"|"$/g, '')
  let windowId = (!tab?.getItem(livesKey) && parsed(tab?.getItem(windowKey))) || uuidv7()
  const claim = () => {
    tab?.setItem(windowKey, JSON.stringify(windowId))
    tab?.setItem(livesKey, 'true')
  }
  claim()

  const stored = (): SessionState | undefined => {
    const slot = store.get<[number, string, number?]>('$sesid')
    return slot?.[1] ? { id: slot[1], lastActiveAt: slot[0], startedAt: slot[2] ?? slot[0] } : undefined
  }
  let state = stored()
  const changes = createListeners<Parameters<SessionListener>>()

  return {
    touch: () => {
      const time = now()
      const ours = sessionAt(time, state, idleMs())
      let next = ours
      if (ours.id !== state?.id) {
        // Before a session ends here, look whether another tab keeps it alive or has begun the next.
        store.refresh()
        next = sessionAt(time, stored(), idleMs())
      }
      const begins = next.id !== stored()?.id
      const last = state
      if (begins && state) {
        windowId = uuidv7()
        claim()
      }
      state = next
      if (begins || time - (stored()?.lastActiveAt ?? 0) >= WRITE_EVERY_MS)
        store.set({ $sesid: [next.lastActiveAt, next.id, next.startedAt] })
      if (next.id !== last?.id) {
        changes.tell(next.id, windowId, {
          noSessionId: !last,
          activityTimeout: !!last && Math.abs(time - last.lastActiveAt) > idleMs(),
          sessionPastMaximumLength: !!last && Math.abs(time - last.startedAt) > LONGEST_MS,
          crossTabAdoption: !!last && !begins,
        })
      }
      return { sessionId: next.id, windowId }
    },
    current: () => state?.id,
    windowId: () => windowId,
    startedAt: () => state?.startedAt,
    onChange: changes.add,
    end: () => {
      state = undefined
      store.set({ $sesid: undefined })
    },
    release: () => tab?.removeItem(livesKey),
    claim,
  }
}
