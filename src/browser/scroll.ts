import { unclobbered } from './dom'
import type { Stop } from '../types'
import { listen } from './signal'

/**
 * How far a page was scrolled, px, rounded up, in the words of docs/reference/protocol.md#5.8. `content` is what was seen: scroll offset
 * plus height of the window. `scrollable` and `height` are the largest values that offset and content could have.
 */
export type ScrollDepth = Record<
  'last_scroll' | 'max_scroll' | 'last_content' | 'max_content' | 'scrollable' | 'height',
  number
>

/**
 * Follows how far the page, or the first element that `roots` finds, is scrolled. `take` returns what was seen since the
 * last `take`, and starts over for the next pageview.
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
