import type { RecorderParts } from '../../host'
import { isPlainObject, parseJson, toJson } from '../../lib/json'

/** What the pages of a tab know of a session's recording in this window. */
export interface TabState {
  sessionId: string
  windowId: string
  /** Number of the next chunk. */
  sequence: number
  /** Characters recorded. */
  size: number
  /** The override of `startSessionRecording`. */
  override?: unknown
}

/**
 * Returns access to this state, in the tab's storage, so that chunks of the next page continue the numbers of this one. A duplicated tab has another window
 * id, and starts from 0. Where nothing may be stored it is the page's own.
 */
export const createTabState = ({ tab, tabKey }: Pick<RecorderParts, 'tab' | 'tabKey'>) => {
  let known: TabState | undefined
  return {
    read: (sessionId: string, windowId: string): TabState => {
      const stored = parseJson(tab()?.getItem(tabKey))
      // The page before may have written last, because it was restored from the back/forward cache.
      if (isPlainObject(stored)) known = stored as unknown as TabState
      if (known?.sessionId === sessionId && known.windowId === windowId) return { ...known }
      const override = known?.sessionId === sessionId ? known.override : undefined
      return { sessionId, windowId, sequence: 0, size: 0, override }
    },
    write: (state: TabState): void => {
      known = state
      tab()?.setItem(tabKey, toJson(state))
    },
  }
}

export type Tab = ReturnType<typeof createTabState>
