import type { RecorderParts } from '../../host'
import { attempt } from './page'

/** State of a session's recording in this window, shared by the pages of a tab. */
export interface TabState {
  sessionId: string
  windowId: string
  /** Number of the next chunk. */
  sequence: number
  /** Characters recorded. */
  size: number
}

/**
 * Returns access to this state, in the tab's storage, so that chunks of the next page continue the numbers of this one.
 * A duplicated tab has another window id, and starts from 0. Where nothing may be stored it is the page's own.
 */
export const createTabState = ({ tab, tabKeys }: Pick<RecorderParts, 'tab' | 'tabKeys'>) => {
  const key = `${tabKeys[0]}_recording`
  let known: TabState | undefined
  return {
    read: (sessionId: string, windowId: string): TabState => {
      const stored = attempt(() => JSON.parse(tab()!.getItem(key)!) as TabState | null)
      // The page before may have written last, because it was restored from the back/forward cache.
      if (stored?.sessionId) known = stored
      if (known?.sessionId === sessionId && known.windowId === windowId) return { ...known }
      return { sessionId, windowId, sequence: 0, size: 0 }
    },
    write: (state: TabState): void => {
      known = state
      tab()?.setItem(key, JSON.stringify(state))
    },
  }
}

export type Tab = ReturnType<typeof createTabState>
