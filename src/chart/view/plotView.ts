import type { Figure, Spot } from '../draw/shapes'
import { element, svgOf, toSvg } from './dom'
import { swatch } from './legend'

/** Rows of a tooltip beyond these would cover the page. */
const MAX_ROWS = 12

const tipOf = ({ title, rows }: Spot) => [
  element('strong', {}, title),
  element(
    'ul',
    {},
    ...rows
      .slice(0, MAX_ROWS)
      .map(({ name, value, color }) =>
        element('li', {}, swatch(color), element('span', { class: 'name' }, name), element('b', {}, value)),
      ),
    rows.length > MAX_ROWS ? element('li', {}, `+ ${rows.length - MAX_ROWS}`) : undefined,
  ),
]

const textOf = ({ title, rows }: Spot) =>
  `${title}: ${rows.map(({ name, value }) => (name ? `${name} ${value}` : value)).join(', ')}`

/** How far each key moves among this many spots. */
const KEYS: Readonly<Record<string, (index: number, last: number) => number>> = {
  ArrowRight: (index) => index + 1,
  ArrowLeft: (index) => index - 1,
  Home: () => 0,
  End: (_, last) => last,
}

/** The drawing, with the value that the reader points at or has moved to. */
export interface PlotView {
  readonly root: HTMLElement
  draw(figure: Figure, size: { width: number; height: number }, label: string): void
  clear(): void
}

/** Creates the view of a figure. */
export const createPlotView = (): PlotView => {
  let figure: Figure | undefined
  let index = -1
  let width = 0
  const tip = element('div', { class: 'tip', part: 'tooltip', hidden: true })
  const spoken = element('div', { class: 'hidden', role: 'status' })
  const root = element('div', {
    class: 'plot',
    part: 'plot',
    pointermove: (event: PointerEvent) => point(event),
    pointerdown: (event: PointerEvent) => point(event),
    pointerleave: () => leave(),
    keydown: (event: KeyboardEvent) => move(event),
    blur: () => leave(),
  })
  let marks: SVGElement[] = []

  const leave = () => {
    index = -1
    tip.hidden = true
    for (const mark of marks) mark.remove()
    marks = []
  }
  const show = (next: number, isSpoken: boolean) => {
    if (!figure || next === index) return
    leave()
    index = next
    const spot = figure.spot(index)
    marks = toSvg(spot.shapes)
    root.querySelector('svg')!.append(...marks)
    tip.replaceChildren(...tipOf(spot))
    tip.hidden = false
    // Puts the tip on the side with more room. Content policies do not affect styles that code sets.
    const isRight = spot.x > width / 2
    tip.style.transform = `translate(${Math.round(spot.x + (isRight ? -12 : 12))}px, 4px)${isRight ? ' translateX(-100%)' : ''}`
    if (isSpoken) spoken.textContent = textOf(spot)
  }
  const point = ({ clientX, clientY }: PointerEvent) => {
    if (!figure?.count) return
    const { left, top } = root.getBoundingClientRect()
    show(figure.nearest(clientX - left, clientY - top), false)
  }
  const move = (event: KeyboardEvent) => {
    const step = Object.hasOwn(KEYS, event.key) ? KEYS[event.key] : undefined
    if (event.key === 'Escape') leave()
    if (!step || !figure?.count) return
    event.preventDefault()
    const last = figure.count - 1
    show(index < 0 && event.key !== 'End' ? 0 : Math.min(Math.max(step(index, last), 0), last), true)
  }

  return {
    root,
    draw(next, size, label) {
      const kept = Math.min(index, next.count - 1)
      leave()
      figure = next
      width = size.width
      const svg = svgOf(size.width, size.height)
      svg.append(...toSvg(next.shapes))
      root.replaceChildren(svg, tip, spoken)
      // Numbers without spots are text, not something to move in.
      root.setAttribute('role', next.count ? 'group' : 'img')
      root.setAttribute('aria-label', label)
      root.toggleAttribute('tabindex', next.count > 0)
      if (next.count) root.setAttribute('tabindex', '0')
      if (kept >= 0) show(kept, false)
    },
    clear() {
      leave()
      figure = undefined
      root.replaceChildren()
      root.removeAttribute('tabindex')
    },
  }
}
