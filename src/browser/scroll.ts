import { unclobbered } from './dom'
import type { Stop } from '../types'
import { listen } from './signal'

/**
 * Scroll depths in px, rounded up (docs/reference/protocol.md#5.8). `content`: scroll offset plus height of the window.
 * `scrollable` and `height`: the largest possible offset and content.
 */
export type ScrollDepth = Record<
  'last_scroll' | 'max_scroll' | 'last_content' | 'max_content' | 'scrollable' | 'height',
  number
>

/**
 * Follows how far the page, or the first element that matches `roots`, is scrolled. `take` returns the depth since the
 * last `take` and resets it.
 */
export const followScroll = (roots: () => readonly string[]): { take(): ScrollDepth; stop: Stop } => {
  let depth: ScrollDepth | undefined
  const measure = () => {
    const source = unclobbered(document)
    const page = source.documentElement
    const root =
      roots()
        .map((selector) => source.querySelector(selector))
        .find(Boolean) ?? page
    const scroll = Math.ceil(root === page ? window.scrollY : root.scrollTop)
    const seen = scroll + root.clientHeight
    const most = (name: keyof ScrollDepth, value: number) => Math.max(0, value, depth?.[name] ?? 0)
    return (depth = {
      last_scroll: scroll,
      max_scroll: most('max_scroll', scroll),
      last_content: seen,
      max_content: most('max_content', seen),
      scrollable: most('scrollable', root.scrollHeight - root.clientHeight),
      height: most('height', root.scrollHeight),
    })
  }
  // Reading layout in a scroll event is cheap, because the browser has just laid out. It changes at most once a frame.
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
