import type { RefObject } from 'preact'
import { useEffect, useMemo, useState } from 'preact/hooks'
import { rangeBetween, topsOf, type VirtualRange } from './virtualRange.ts'

/** Shorter lists are drawn whole, so that the browser's own search finds everything. */
const MAX_WHOLE = 500
/** Rows this far outside the window are drawn too, in px. */
const MARGIN = 600

/** Returns which rows to draw of a list that scrolls with the page. `heights` are those of its rows, in px. */
export const useVirtualRows = (list: RefObject<HTMLElement | null>, heights: readonly number[]): VirtualRange => {
  const tops = useMemo(() => topsOf(heights), [heights])
  const isWhole = heights.length <= MAX_WHOLE
  const [window, setWindow] = useState({ top: 0, bottom: 2_000 })
  useEffect(() => {
    if (isWhole) return
    let frame = 0
    const measure = () => {
      frame = 0
      const { top } = list.current?.getBoundingClientRect() ?? { top: 0 }
      // In steps, so that not every scrolled pixel causes a render.
      const from = Math.floor((-top - MARGIN) / 200) * 200
      const next = { top: from, bottom: from + innerHeight + 2 * MARGIN + 200 }
      setWindow((before) => (before.top === next.top && before.bottom === next.bottom ? before : next))
    }
    const onScroll = () => (frame ||= requestAnimationFrame(measure))
    measure()
    addEventListener('scroll', onScroll, { passive: true })
    addEventListener('resize', onScroll)
    return () => {
      cancelAnimationFrame(frame)
      removeEventListener('scroll', onScroll)
      removeEventListener('resize', onScroll)
    }
  }, [isWhole])
  return isWhole ? { from: 0, to: heights.length, before: 0, after: 0 } : rangeBetween(tops, window.top, window.bottom)
}
