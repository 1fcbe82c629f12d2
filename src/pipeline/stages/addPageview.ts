import type { ScrollDepth } from '../../browser/scroll'
import type { CapturedEvent, Properties } from '../../types'
import { type Stage, withProperties } from '../stage'

interface Pageview {
  id: string
  path: string
  at: number
}

/** How far the visitor had scrolled, in the names of protocol.md §5.8. */
const scrolled = (depth: ScrollDepth | undefined): Properties => {
  if (!depth) return {}
  const share = (value: number, whole: number) => (whole <= 1 ? 1 : Math.min(1, Math.max(0, value / whole)))
  return {
    $prev_pageview_last_scroll: depth.lastScroll,
    $prev_pageview_last_scroll_percentage: share(depth.lastScroll, depth.maxScrollHeight),
    $prev_pageview_max_scroll: depth.maxScroll,
    $prev_pageview_max_scroll_percentage: share(depth.maxScroll, depth.maxScrollHeight),
    $prev_pageview_last_content: depth.lastContent,
    $prev_pageview_last_content_percentage: share(depth.lastContent, depth.maxContentHeight),
    $prev_pageview_max_content: depth.maxContent,
    $prev_pageview_max_content_percentage: share(depth.maxContent, depth.maxContentHeight),
  }
}

/**
 * Which pageview an event belongs to. `$pageview` and `$pageleave` also tell of the one before: where, how long, how
 * far scrolled.
 */
export const addPageview = (scroll: {
  take(): ScrollDepth | undefined
}): { stage: Stage; forget(): void; current(): string | undefined } => {
  let last: Pageview | undefined

  const ofPrevious = (event: CapturedEvent, previous: Pageview | undefined): Properties =>
    previous
      ? {
          $prev_pageview_id: previous.id,
          $prev_pageview_pathname: previous.path,
          $prev_pageview_duration: (event.timestamp.getTime() - previous.at) / 1000,
          ...scrolled(scroll.take()),
        }
      : {}

  return {
    stage: (event) => {
      const previous = last
      if (event.event === '$pageview') {
        last = { id: event.uuid, path: location.pathname, at: event.timestamp.getTime() }
        return withProperties(event, {
          ...ofPrevious(event, previous),
          $pageview_id: event.uuid,
          title: event.properties.title ?? self.document?.title,
        })
      }
      if (!previous) return event
      return withProperties(event, {
        ...(event.event === '$pageleave' ? ofPrevious(event, previous) : {}),
        $pageview_id: previous.id,
      })
    },
    forget: () => {
      last = undefined
    },
    current: () => last?.id,
  }
}
