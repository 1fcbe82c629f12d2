import { readTitle } from '../../browser/page'
import type { ScrollDepth } from '../../browser/scroll'
import { redactUrls } from '../../lib/redact'
import type { CapturedEvent, Properties } from '../../types'
import { type Stage, withProperties } from '../stage'

interface Pageview {
  id: string
  path: string
  at: number
  /** Whether its duration and scroll depth were reported: the page was left and restored from the back/forward cache. */
  isReported?: boolean
}

const MAX_TITLE = 1000

/** Returns the page's title without secrets. */
const pageTitle = (): string | undefined => {
  const title = readTitle()
  return title && redactUrls(title.slice(0, MAX_TITLE))
}

// Each depth, and the measure that its percentage refers to.
const DEPTHS = [
  ['last_scroll', 'scrollable'],
  ['max_scroll', 'scrollable'],
  ['last_content', 'height'],
  ['max_content', 'height'],
] as const

/** Returns scroll depths as properties (docs/reference/protocol.md#5.8). */
const scrolled = (depth: ScrollDepth | undefined): Properties => {
  const result: Properties = {}
  for (const [name, whole] of depth ? DEPTHS : []) {
    result[`$prev_pageview_${name}`] = depth![name]
    result[`$prev_pageview_${name}_percentage`] =
      depth![whole] <= 1 ? 1 : Math.min(1, Math.max(0, depth![name] / depth![whole]))
  }
  return result
}

/**
 * Adds the id of the pageview that an event belongs to; to `$pageview` and `$pageleave` also path, duration and scroll
 * depth of the previous one. `scroll` returns undefined where scrolling is not followed. `hasViewed`: whether the latest
 * pageview was of the current path.
 */
export const addPageview = (
  scroll: () => { take(): ScrollDepth | undefined } | undefined = () => undefined,
): { stage: Stage; forget(): void; current(): string | undefined; hasViewed(): boolean } => {
  let last: Pageview | undefined
  /** The pageview before it, to which events that are captured later may belong. */
  let earlier: Pageview | undefined
  let viewed: string | undefined

  const ofPrevious = (event: CapturedEvent, previous: Pageview | undefined): Properties =>
    previous
      ? {
          $prev_pageview_id: previous.id,
          $prev_pageview_pathname: previous.path,
          ...(previous.isReported
            ? {}
            : {
                $prev_pageview_duration: (event.timestamp.getTime() - previous.at) / 1000,
                ...scrolled(scroll()?.take()),
              }),
        }
      : {}

  return {
    stage: (event, _, then) => {
      const previous = then && last && event.timestamp.getTime() < last.at ? earlier : last
      if (event.event === '$pageview') {
        viewed = location.pathname
        earlier = last
        last = { id: event.uuid, path: redactUrls(viewed), at: event.timestamp.getTime() }
        return withProperties(event, {
          ...ofPrevious(event, previous),
          $pageview_id: event.uuid,
          title: event.properties.title ?? pageTitle(),
        })
      }
      if (!previous) return event
      const isLeave = event.event === '$pageleave'
      if (isLeave) last = { ...previous, isReported: true }
      return withProperties(event, { ...(isLeave ? ofPrevious(event, previous) : {}), $pageview_id: previous.id })
    },
    forget: () => {
      // The scroll depth until now belongs to that pageview.
      if (last) scroll()?.take()
      last = earlier = undefined
    },
    current: () => last?.id,
    hasViewed: () => viewed === location.pathname,
  }
}
