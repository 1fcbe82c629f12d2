import { type Point, sizesOf } from './point'
import { find, type ScrollRoot, scrollRootOf } from './scrollRoot'

/** Tracks how far down one page view was seen. `id`: of the page view. */
export const createDepth = (id: string, configured: () => readonly string[]) => {
  let root: Element | undefined
  let lowest = 0
  let sizes: ReturnType<typeof sizesOf> | undefined
  let reported = ''

  const measure = (): void => {
    const found: ScrollRoot = scrollRootOf(root?.isConnected ? [root] : configuredRoots(), configured())
    sizes = sizesOf(found)
    lowest = Math.max(lowest, Math.min(found.top + innerHeight, sizes.ph))
  }
  const configuredRoots = () => configured().flatMap((selector) => find(selector) ?? [])

  return {
    measure,
    /** Called when something has scrolled: the page, or an element in it. */
    onScroll: (target: EventTarget | undefined): void => {
      if (target instanceof Element && scrollRootOf([target], configured()).element === target) root = target
      measure()
    },
    /** Returns the depth until now as a point. `undefined`: it has not changed since the last call. */
    take: (): Point | undefined => {
      if (!sizes) return undefined
      const point: Point = { type: 'scroll', x: 0, y: Math.round(lowest), target_fixed: false, ...sizes, view: id }
      const text = JSON.stringify(point)
      if (text === reported) return undefined
      reported = text
      return point
    },
  }
}
