import type { RecorderParts } from '../../host'
import type { ExtensionHost } from '../contract'
import type { Chunks } from './chunks'
import type { Group } from './decide'
import { isHidden } from './page'
import type { Tab } from './tabState'

const PAST_MINIMUM = '$session_past_minimum_duration'

/** Returns the minimum duration of the groups that record the session: the shortest one, because the session is in all of them. */
const minimumOfGroups = (groups: readonly Group[]): number =>
  Math.min(...groups.flatMap((each) => (each.trigger === 'activated' && each.isSampled ? each.minimumMs : [])))

interface GateInputs {
  host: ExtensionHost & RecorderParts
  chunks: Chunks
  tab: Tab
  /** The project's minimum duration, ms. */
  projectMinimumMs: number
}

/**
 * Decides when the chunks of a recorded session are sent: not before the visitor has done something on the page on
 * which the session began, and not before the minimum duration.
 */
export const createGate = ({ host, chunks, tab, projectMinimumMs }: GateInputs) => {
  const { session, store } = host
  const options = host.config.session_recording
  /** The session in which the visitor has done something. */
  let active: string | undefined
  let wasVisible = !isHidden()

  const isActive = (sessionId: string): boolean =>
    active === sessionId ||
    session.startedAt()! < performance.timeOrigin ||
    tab.read(sessionId, session.windowId()).sequence > 0
  const isLongEnough = (sessionId: string, groups: readonly Group[] | undefined): boolean => {
    const project = groups ? minimumOfGroups(groups) : projectMinimumMs
    const minimum = Math.max(options.minimumDurationMilliseconds ?? 0, project)
    if (!minimum || store.get(PAST_MINIMUM) === sessionId) return true
    const span = chunks.span()
    if (!span) return false
    const from = options.strictMinimumDuration ? span.from : (session.startedAt() ?? span.from)
    if (span.to - from < minimum) return false
    store.set({ [PAST_MINIMUM]: sessionId })
    return true
  }
  return {
    /** Returns what chunks of the session wait for; undefined if they may be sent. `groups`: the trigger groups, if they decide. */
    waitsFor: (groups?: readonly Group[]): 'no_activity' | 'minimum_duration' | undefined => {
      const sessionId = session.current()
      if (!sessionId || !isActive(sessionId)) return 'no_activity'
      return isLongEnough(sessionId, groups) ? undefined : 'minimum_duration'
    },
    /** The visitor did something. Returns whether it is the first time in the session. */
    onInteraction: (): boolean => {
      const sessionId = session.current()
      const isFirst = active !== sessionId
      active = sessionId
      return isFirst
    },
    /** Called when the page is shown, hidden or left. A visitor who has seen it and does not return has visited it. */
    onVisibilityChange: (): void => {
      if (wasVisible) active = session.current()
      wasVisible ||= !isHidden()
    },
  }
}
