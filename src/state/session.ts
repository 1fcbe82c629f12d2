import type { KeyValueStorage } from '../browser/storage'
import { createListeners } from '../lib/listeners'
import { uuidv7 } from '../lib/uuid'
import type { SessionListener, Stop } from '../types'
import type { Store } from './store'

const MAX_SESSION_MS = 24 * 3600 * 1000
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
  last && Math.abs(now - last.lastActiveAt) <= idleMs && Math.abs(now - last.startedAt) <= MAX_SESSION_MS
    ? { ...last, lastActiveAt: now }
    : { id: newId(now), startedAt: now, lastActiveAt: now }

export interface Session {
  /**
   * The ids that an event happening now carries; begins a session where there is none. `isLeaving`: the page goes, which
   * is no reason to begin one.
   */
  touch(isLeaving?: boolean): { sessionId: string; windowId: string }
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
  /** The window id is this document's own, from the start and when it is back out of the cache. */
  claim(): void
}

/**
 * The session in `store`, shared by all tabs, and the window's id in `tab` storage, the tab's own. `keys`: the names of
 * the window's id and of the mark that its document lives.
 */
export const createSession = (
  store: Store,
  tab: () => KeyValueStorage | undefined,
  [idKey, livesKey]: readonly [string, string],
  idleMs: () => number,
  now = () => Date.now(),
): Session => {
  const readId = () => tab()?.getItem(idKey)?.replace(/^"|"$/g, '')
  // A duplicated tab starts with a copy of this storage; while the original lives, the copy takes an id of its own.
  let windowId = (!tab()?.getItem(livesKey) && readId()) || uuidv7()
  const claim = () => {
    tab()?.setItem(idKey, JSON.stringify(windowId))
    tab()?.setItem(livesKey, 'true')
  }
  const renewWindow = () => {
    windowId = uuidv7()
    claim()
  }
  claim()

  const stored = (): SessionState | undefined => {
    const slot = store.get<[number, string, number?]>('$sesid')
    return slot?.[1] ? { id: slot[1], lastActiveAt: slot[0], startedAt: slot[2] ?? slot[0] } : undefined
  }
  /** The session of this tab's latest event. Another tab may have ended it since, or begun the next. */
  let last = stored()
  const known = (): SessionState | undefined => {
    const shared = stored()
    // The time that is stored lags behind.
    return shared && shared.id === last?.id && shared.lastActiveAt < last.lastActiveAt ? last : shared
  }
  const changes = createListeners<Parameters<SessionListener>>()

  return {
    touch: (isLeaving) => {
      store.sync()
      const time = now()
      let before = known()
      let next = sessionAt(time, before, idleMs())
      if (next.id !== before?.id) {
        // Before a session ends here, look whether another tab keeps it alive or has begun the next.
        store.refresh()
        before = known()
        next = sessionAt(time, before, idleMs())
      }
      const begins = next.id !== before?.id
      if (begins && before && isLeaving) return { sessionId: before.id, windowId }
      if (begins && last) renewWindow()
      const previous = last
      last = next
      if (begins || time - stored()!.lastActiveAt >= WRITE_EVERY_MS)
        store.set({ $sesid: [next.lastActiveAt, next.id, next.startedAt] })
      // At once: another tab may capture in the next moment.
      if (begins) store.flush()
      if (next.id !== previous?.id) {
        changes.tell(next.id, windowId, {
          noSessionId: !previous,
          activityTimeout: !!previous && Math.abs(time - previous.lastActiveAt) > idleMs(),
          sessionPastMaximumLength: !!previous && Math.abs(time - previous.startedAt) > MAX_SESSION_MS,
          crossTabAdoption: !!previous && !begins,
        })
      }
      return { sessionId: next.id, windowId }
    },
    current: () => known()?.id,
    windowId: () => windowId,
    startedAt: () => known()?.startedAt,
    onChange: changes.add,
    end: () => {
      last = undefined
      renewWindow()
      store.set({ $sesid: undefined })
    },
    release: () => {
      claim()
      tab()?.removeItem(livesKey)
    },
    claim,
  }
}
