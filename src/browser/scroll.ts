import type { Stop } from '../types'
import { listen } from './signal'

/** How far a page was scrolled, px, rounded up. Content is what was seen: scroll offset plus height of the window. */
export interface ScrollDepth {
  lastScroll: number
  maxScroll: number
  maxScrollHeight: number
  lastContent: number
  maxContent: number
  maxContentHeight: number
}

/**
 * Follows how far the page, or the first element that `roots` finds, is scrolled. `take` gives what was seen since the
 * last `take` and begins anew, for the next pageview.
 */
export const followScroll = (roots: () => readonly string[]): { take(): ScrollDepth; stop: Stop } => {
  let depth: ScrollDepth | undefined
  const measure = () => {
    const page = document.documentElement
    const root =
      roots()
        .map((selector) => document.querySelector(selector))
        .find(Boolean) ?? page
    const scroll = Math.ceil(root === page ? window.scrollY : root.scrollTop)
    const seen = scroll + root.clientHeight
    depth = {
      lastScroll: scroll,
      maxScroll: Math.max(scroll, depth?.maxScroll ?? 0),
      maxScrollHeight: Math.max(0, root.scrollHeight - root.clientHeight, depth?.maxScrollHeight ?? 0),
      lastContent: seen,
      maxContent: Math.max(seen, depth?.maxContent ?? 0),
      maxContentHeight: Math.max(0, root.scrollHeight, depth?.maxContentHeight ?? 0),
    }
    return depth
  }
  // Reading layout in a scroll event is free: the browser has just laid out. Once a frame is as often as it changes.
  const stop = listen(window, ['scroll', 'scrollend', 'resize'], measure)
  return {
    take: () => {
      const taken = depth ?? measure()
      depth = undefined
      return taken
    },
    stop,
  }
}
