import { onNavigate } from '../browser/navigation'
import { onPageRestored } from '../browser/pageExit'
import { whenVisible } from '../browser/visibility'
import type { Host } from '../host'
import { later } from '../lib/guard'
import type { Properties, Stop } from '../types'

export interface PageviewHost extends Host {
  /** Fires when the page is left or another person comes: the last chance to capture. */
  onLeave(run: () => void): Stop
  /** Whether the current page has had its `$pageview`. */
  hasViewed(): boolean
}

/**
 * Captures a `$pageview` when a page is first visible (not while it is prerendered), when it is restored from the
 * back/forward cache, and with `capture_pageview: 'history_change'` when its path changes.
 */
export const startPageviews = ({ config, capture, hasViewed, onLeave }: PageviewHost): Stop => {
  let path = location.pathname
  let waiting: ReturnType<typeof setTimeout> | undefined
  let captureNow: Stop | undefined
  // A task later, when `init` has returned, or after a navigation the framework has set the title.
  const soon = (properties?: Properties) => {
    clearTimeout(waiting)
    captureNow = () => {
      captureNow = undefined
      clearTimeout(waiting)
      path = location.pathname
      capture('$pageview', properties)
    }
    waiting = later(captureNow, 1)
  }
  const stops = [
    whenVisible(() => {
      // After an opt-in or a change of options, the page may already have had its `$pageview`.
      if (!hasViewed()) soon()
    }),
    onNavigate((type) => {
      const isOtherPath = location.pathname !== path
      path = location.pathname
      if (isOtherPath && config.capture_pageview === 'history_change') soon({ navigation_type: type })
    }),
    onPageRestored(() => soon()),
    onLeave(() => captureNow?.()),
  ]
  return () => {
    clearTimeout(waiting)
    stops.forEach((stop) => stop())
  }
}
