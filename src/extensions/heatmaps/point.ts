import { selectorOf } from '../selector'
import { type ScrollRoot, styleOf } from './scrollRoot'

export type PointType = 'click' | 'rageclick' | 'deadclick' | 'mousemove' | 'scroll'

/** A point of a heatmap (docs/reference/protocol.md#12.7). Lengths are in CSS px. */
export interface Point {
  type: PointType
  /** Position on the page; in the window if `target_fixed`. Of a `scroll`: the lowest position that was visible. */
  x: number
  y: number
  /** Whether the element does not move with the page: it or an ancestor is fixed or sticky. */
  target_fixed: boolean
  /** Width of the window without a scroll bar, height of the window, and height of the page. */
  vw: number
  vh: number
  ph: number
  /** Selector of the element. */
  el?: string
  /** Position within the element, each from 0 to 1. */
  ex?: number
  ey?: number
  /** ID of the page view, only on `scroll` points. The last depth of each page view counts. */
  view?: string
}

const CONTROL = 'a, button, input, select, textarea, label, summary, [role="button"]'
// Nothing of these elements is captured: the protocol's class, and the toolbar.
const EXCLUDED = '.ph-no-capture, .toolbar-global-fade-container'
const MAX_DEPTH = 1000

/** Returns an element and its ancestors, innermost first, across shadow roots. */
export const ancestorsOf = (element: Element): Element[] => {
  const path: Element[] = []
  for (let at: Element | null | undefined = element; at && path.length < MAX_DEPTH;) {
    path.push(at)
    at = at.parentElement ?? (at.getRootNode() as Partial<ShadowRoot>).host
  }
  return path
}

const share = (part: number, whole: number) =>
  whole > 0 ? Math.round(Math.min(1, Math.max(0, part / whole)) * 1000) / 1000 : 0

/** Where a pointer is: in the window, in CSS px. */
export interface Place {
  target: Element
  clientX: number
  clientY: number
}

/** Returns where an event happened. A keyboard click is placed at the center of its element. `undefined`: it has no element. */
export const placeOf = (event: MouseEvent): Place | undefined => {
  const [target] = event.composedPath()
  if (!(target instanceof Element)) return undefined
  const { clientX, clientY } = event
  if (event.type !== 'click' || event.detail || clientX || clientY) return { target, clientX, clientY }
  const { left, top, width, height } = target.getBoundingClientRect()
  return { target, clientX: left + width / 2, clientY: top + height / 2 }
}

/**
 * Returns the heatmap point of a position. `undefined`: the element must not be captured. `rootOf` finds the scroll
 * root of a path. `isTyped`: as in `selectorOf`.
 */
export const pointOf = (
  type: PointType,
  { target, clientX, clientY }: Place,
  rootOf: (path: readonly Element[]) => ScrollRoot,
  isTyped: ((text: string) => boolean) | undefined,
): Point | undefined => {
  const path = ancestorsOf(target)
  if (path.some((element) => element.matches(EXCLUDED))) return undefined
  const root = rootOf(path)
  const inside = root.element ? path.slice(0, path.indexOf(root.element)) : path
  const isFixed = inside.some((element) => /^(fixed|sticky)$/.test(styleOf(element)?.position ?? ''))
  const control = path.find((element) => element.matches(CONTROL)) ?? target
  const box = control.getBoundingClientRect()
  return {
    type,
    x: Math.round(clientX + (isFixed ? 0 : root.left)),
    y: Math.round(clientY + (isFixed ? 0 : root.top)),
    target_fixed: isFixed,
    ...sizesOf(root),
    el: selectorOf(control, isTyped),
    ex: share(clientX - box.left, box.width),
    ey: share(clientY - box.top, box.height),
  }
}

/** Returns the sizes of the window and of the page that `root` scrolls. */
export const sizesOf = ({ height }: ScrollRoot): Pick<Point, 'vw' | 'vh' | 'ph'> => ({
  vw: document.documentElement.clientWidth || innerWidth,
  vh: innerHeight,
  ph: Math.round(height),
})
