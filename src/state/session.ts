import type { SessionIds } from '../lib/moment'
import type { KeyValueStorage } from '../browser/storage'
import { createListeners } from '../lib/listeners'
import { uuidv7 } from '../lib/uuid'
import type { SessionListener, Stop } from '../types'
import type { Store } from './store'

const MAX_SESSION_MS = 24 * 3600 * 1000
// Each write triggers storage events in all other tabs, so the stored time of the last activity may lag this far behind.
const WRITE_EVERY_MS = 5000

export interface SessionState {
  id: string
  startedAt: number
  lastActiveAt: number
}

/**
 * Returns the session of an event at `now`: `last`, unless it expired after `idleMs` without an event or 24 h after its
 * first. Times are ms since the epoch by the visitor's clock, which may have been set back.
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
   * Returns the ids for an event now, and starts a session if there is none. `isLeaving`: the page is being left, so
   * no session is started. `then`: the ids of an event that happened earlier. It extends its session if that is still
   * the current one, and starts none.
   */
  touch(isLeaving?: boolean, then?: SessionIds): SessionIds
  /** Returns the ids for an event now if it belongs to the current session. Does not extend the session. */
  peek(): SessionIds | undefined
  /** Returns the current session's id without extending the session; undefined before the first event. */
  current(): string | undefined
  windowId(): string
  /** When the session began, ms; undefined before the first event. */
  startedAt(): number | undefined
  /** Whether the session of this tab's previous page was ended by another tab before this page began. */
  wasEnded: boolean
  /** Calls the listener for each session that starts, before its first event is processed. */
  onChange(listener: SessionListener): Stop
  /** Ends the session: the next event begins another. */
  end(): void
  /** Called when the page is left: the next page of this tab may use its window id. */
  release(): void
  /** Stores the tab's ids, marked as used by a living document. Called at the start and when the page is restored. */
  claim(): void
}

/**
 * Creates the session, which all tabs share in `store`, with the window's id, which is in `tab`, the tab's own storage. The
 * keys there: the window's id, the mark that a living document uses it, and the id of the session that the tab is in.
 */
export const createSession = (
  store: Store,
  tab: () => KeyValueStorage | undefined,
  [idKey, livesKey, sessionKey]: readonly [string, string, string],
  idleMs: () => number,
  now = () => Date.now(),
): Session => {
  const stored = (): SessionState | undefined => {
    const slot = store.get<[number, string, number?]>('$sesid')
    return slot?.[1] ? { id: slot[1], lastActiveAt: slot[0], startedAt: slot[2] ?? slot[0] } : undefined
  }
  /** The session of this tab's latest event. Another tab may have ended it since, or begun the next. */
  let last = stored()
  const previousId = tab()?.getItem(sessionKey)
  const wasEnded = !!previousId && previousId !== last?.id

  const readId = () => tab()?.getItem(idKey)?.replace(/^"|"$/g, '')
  // A duplicated tab starts with a copy of this storage. While the original lives, the copy gets a new id.
  let windowId = (!tab()?.getItem(livesKey) && readId()) || uuidv7()
  const claim = () => {
    tab()?.setItem(idKey, JSON.stringify(windowId))
    tab()?.setItem(livesKey, 'true')
    tab()?.setItem(sessionKey, last?.id ?? '')
  }
  claim()

  const known = (): SessionState | undefined => {
    const shared = stored()
    // The time that is stored lags behind.
    return shared && shared.id === last?.id && shared.lastActiveAt < last.lastActiveAt ? last : shared
  }
  const changes = createListeners<Parameters<SessionListener>>()

  return {
    touch: (isLeaving, then) => {
      // Another tab may keep the session alive, or have begun the next.
      store.sync()
      const time = now()
      const before = known()
      const next = sessionAt(time, before, idleMs())
      const begins = next.id !== before?.id
      if (then && (begins || then.sessionId !== next.id)) return then
      if (begins && before && isLeaving) return { sessionId: before.id, windowId }
      const previous = last
      last = next
      if (begins && previous) windowId = uuidv7()
      if (begins || time - stored()!.lastActiveAt >= WRITE_EVERY_MS)
        store.set({ $sesid: [next.lastActiveAt, next.id, next.startedAt] })
      // Immediately, because another tab may capture next.
      if (begins) store.flush()
      if (next.id !== previous?.id) {
        claim()
        changes.emit(next.id, windowId, {
          noSessionId: !previous,
          activityTimeout: !!previous && Math.abs(time - previous.lastActiveAt) > idleMs(),
          sessionPastMaximumLength: !!previous && Math.abs(time - previous.startedAt) > MAX_SESSION_MS,
          crossTabAdoption: !!previous && !begins,
        })
      }
      return then ?? { sessionId: next.id, windowId }
    },
    peek: () => {
      const before = known()
      return before && sessionAt(now(), before, idleMs()).id === before.id
        ? { sessionId: before.id, windowId }
        : undefined
    },
    current: () => known()?.id,
    windowId: () => windowId,
    startedAt: () => known()?.startedAt,
    wasEnded,
    onChange: changes.add,
    end: () => {
      last = undefined
      windowId = uuidv7()
      claim()
      store.set({ $sesid: undefined })
    },
    release: () => {
      claim()
      tab()?.removeItem(livesKey)
    },
    claim,
  }
}
