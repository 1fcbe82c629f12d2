import { onNavigate } from '../browser/navigation'
import { onPageRestored } from '../browser/pageExit'
import { whenVisible } from '../browser/visibility'
import type { Host } from '../host'
import { later } from '../lib/guard'
import type { Properties, Stop } from '../types'

export interface PageviewHost extends Host {
  /** Whether the page that is shown has had its `$pageview`. */
  hasViewed(): boolean
}

/**
 * One `$pageview` for each page a person sees: when it is first visible (not while it is prerendered), when it comes
 * back out of the back/forward cache, and with `capture_pageview: 'history_change'` when its path changes.
 */
export const startPageviews = ({ config, capture, hasViewed }: PageviewHost): Stop => {
  let path = location.pathname
  let waiting: ReturnType<typeof setTimeout> | undefined
  // A task later: `init` has returned, and after a navigation the framework has had its turn to set the title.
  const soon = (properties?: Properties) => {
    clearTimeout(waiting)
    waiting = later(() => {
      path = location.pathname
      capture('$pageview', properties)
    }, 1)
  }
  const stops = [
    whenVisible(() => {
      // Started once more, after an opt-in or a change of options: the page was counted before.
      if (!hasViewed()) soon()
    }),
    onNavigate((type) => {
      if (config.capture_pageview !== 'history_change' || location.pathname === path) return
      path = location.pathname
      soon({ navigation_type: type })
    }),
    onPageRestored(() => soon()),
  ]
  return () => {
    clearTimeout(waiting)
    stops.forEach((stop) => stop())
  }
}
