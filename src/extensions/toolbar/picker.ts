import type { Stop } from '../../types'
import type { Tools } from './tools'

/** Draws a box around an element on the page. */
export const createFrame = (overlay: HTMLElement) => {
  const frame = document.createElement('div')
  frame.className = 'frame'
  overlay.append(frame)
  return {
    show: (element: Element | undefined) => {
      frame.hidden = !element?.isConnected
      if (!element) return
      const { left, top, width, height } = element.getBoundingClientRect()
      for (const [name, px] of Object.entries({ left, top, width, height })) frame.style.setProperty(name, `${px}px`)
    },
    remove: () => frame.remove(),
  }
}

/** Where each arrow key leads in the page's tree. */
const NEIGHBORS: Partial<Record<string, (element: Element) => Element | null | undefined>> = {
  ArrowUp: (element) => element.parentElement ?? (element.getRootNode() as Partial<ShadowRoot>).host,
  ArrowDown: (element) => element.shadowRoot?.firstElementChild ?? element.firstElementChild,
  ArrowLeft: (element) => element.previousElementSibling,
  ArrowRight: (element) => element.nextElementSibling,
}

/**
 * Lets a person pick an element of the page by pointer, or with arrow keys through the page's tree and Enter. The page
 * receives none of these events. `onEnd` receives the element; undefined after Escape. Returns a function that cancels.
 */
export const startPicker = ({ host, layer }: Tools, overlay: HTMLElement, onEnd: (picked?: Element) => void): Stop => {
  const frame = createFrame(overlay)
  let current: Element | undefined
  const point = (element: Element | null | undefined) => {
    if (!element || element === layer.root.host) return
    current = element
    frame.show(element)
  }
  const targetOf = (event: Event): Element | undefined => {
    const [target] = event.composedPath()
    return target instanceof Element ? target : undefined
  }
  const swallow = (event: Event) => {
    event.preventDefault()
    event.stopImmediatePropagation()
  }
  const end = (picked?: Element) => {
    stop()
    onEnd(picked)
  }
  const onPointer = (event: Event) => {
    if (!event.isTrusted || layer.contains(event)) return
    if (event.type === 'pointermove') return point(targetOf(event))
    swallow(event)
    if (event.type !== 'pointerdown') return
    // The rest of the click happens on the overlay, where neither the page nor autocapture sees it.
    overlay.setPointerCapture((event as PointerEvent).pointerId)
    end(targetOf(event))
  }
  const onKey = (event: Event) => {
    const { key, isTrusted } = event as KeyboardEvent
    if (!isTrusted) return
    const neighbor = NEIGHBORS[key]
    if (key === 'Escape' || (key === 'Enter' && current)) {
      swallow(event)
      end(key === 'Enter' ? current : undefined)
    } else if (neighbor) {
      swallow(event)
      point(current ? neighbor(current) : document.body)
    }
  }
  const stops = [
    host.listen(window, ['pointermove', 'pointerdown', 'mousedown', 'touchstart'], onPointer, {
      capture: true,
      passive: false,
    }),
    host.listen(window, ['keydown'], onKey, { capture: true }),
    host.listen(window, ['scroll', 'resize'], () => frame.show(current)),
  ]
  const stop = () => {
    stops.forEach((each) => each())
    frame.remove()
  }
  return stop
}
