/** A map as the service returns it: cells of `cell` CSS px on a page that is `width` CSS px wide. */
export interface HeatmapMap {
  cell: number
  width: number
  page_height: number
  points: number
  has_more: boolean
  cells: readonly { x: number; y: number; fixed: boolean; count: number; people: number }[]
}

/** How many views reached each share of the page. */
export interface HeatmapScroll {
  views: number
  page_height: number
  depths: readonly { percent: number; views: number }[]
}

/** Points on an element; x and y are their average position in it, 0 to 1. */
export interface HeatmapElement {
  selector: string
  count: number
  people: number
  x: number
  y: number
}

// Canvas px per CSS px: half the size is enough for blurred spots, and takes a quarter of the time.
const SCALE = 0.5
// Radius of the spot of a cell, CSS px.
const RADIUS = 26
const MIN_ALPHA = 0.08

const STOPS: readonly (readonly [at: number, color: readonly [number, number, number]])[] = [
  [0, [30, 80, 220]],
  [0.35, [0, 190, 200]],
  [0.6, [80, 200, 60]],
  [0.8, [250, 200, 30]],
  [1, [225, 40, 30]],
]

/** Returns the color of a weight, 0 to 1, as red, green and blue. */
const colorOf = (weight: number): number[] => {
  const next = Math.max(
    1,
    STOPS.findIndex(([stop]) => stop >= weight),
  )
  const [[from, before], [to, after]] = [STOPS[next - 1]!, STOPS[next]!]
  const share = (weight - from) / (to - from)
  return before.map((each, channel) => Math.round(each + (after[channel]! - each) * share))
}

const COLORS = Array.from({ length: 256 }, (_, index) => colorOf(index / 255))

/** Clears a canvas of the window's size and returns what draws on it. */
const clear = (canvas: HTMLCanvasElement) => {
  canvas.width = Math.ceil(innerWidth * SCALE)
  canvas.height = Math.ceil(innerHeight * SCALE)
  return canvas.getContext('2d', { willReadFrequently: true })!
}

/** Draws a spot that fades to its edge. Each cell is a copy of it. */
const createSpot = (radius: number): HTMLCanvasElement => {
  const spot = document.createElement('canvas')
  spot.width = spot.height = radius * 2
  const context = spot.getContext('2d')!
  const gradient = context.createRadialGradient(radius, radius, 0, radius, radius, radius)
  gradient.addColorStop(0, 'rgba(0, 0, 0, 1)')
  gradient.addColorStop(1, 'rgba(0, 0, 0, 0)')
  context.fillStyle = gradient
  context.fillRect(0, 0, radius * 2, radius * 2)
  return spot
}

/** Draws the cells of a map that are in the window: spots whose opacity adds up to the heat, which colors replace. */
export const drawCells = (canvas: HTMLCanvasElement, map: HeatmapMap | undefined): void => {
  const context = clear(canvas)
  if (!map?.cells.length) return
  const radius = Math.round(RADIUS * SCALE)
  const spot = createSpot(radius)
  const most = map.cells.reduce((max, { count }) => Math.max(max, count), 1)
  const stretch = (document.documentElement.clientWidth || innerWidth) / map.width
  for (const { x, y, fixed, count } of map.cells) {
    const left = (x + 0.5) * map.cell * stretch - (fixed ? 0 : scrollX)
    const top = (y + 0.5) * map.cell - (fixed ? 0 : scrollY)
    if (top < -RADIUS || top > innerHeight + RADIUS) continue
    // Logarithmic: a busy button does not hide the rest of the page.
    context.globalAlpha = Math.max(MIN_ALPHA, Math.log1p(count) / Math.log1p(most))
    context.drawImage(spot, left * SCALE - radius, top * SCALE - radius)
  }
  const image = context.getImageData(0, 0, canvas.width, canvas.height)
  const { data } = image
  for (let at = 0; at < data.length; at += 4) {
    const heat = data[at + 3]!
    if (!heat) continue
    data.set(COLORS[heat]!, at)
    data[at + 3] = Math.min(220, 60 + heat)
  }
  context.putImageData(image, 0, 0)
}

// Shares of the views at which a line is drawn.
const LINES = [0.75, 0.5, 0.25]

/**
 * Draws how far down the page was seen: shades for the share of views, and lines where it falls below a quarter, half
 * and three quarters.
 */
export const drawDepth = (canvas: HTMLCanvasElement, { views, depths }: HeatmapScroll): void => {
  const context = clear(canvas)
  if (!views) return
  const height = document.documentElement.scrollHeight
  const topOf = (percent: number) => ((percent / 100) * height - scrollY) * SCALE
  depths.slice(0, -1).forEach(({ percent, views: seen }, index) => {
    const top = topOf(percent)
    context.fillStyle = `rgba(${COLORS[Math.round((seen / views) * 255)]!.join()}, 0.35)`
    context.fillRect(0, top, canvas.width, topOf(depths[index + 1]!.percent) - top)
  })
  context.font = `${12 * SCALE * 2}px system-ui, sans-serif`
  for (const line of LINES) {
    const reached = depths.filter(({ views: seen }) => seen / views >= line).pop()
    if (!reached) continue
    const top = topOf(reached.percent)
    context.fillStyle = '#101828'
    context.fillRect(0, top - 1, canvas.width, 2)
    context.fillText(`${line * 100}% of views`, 8, top - 4)
  }
}

/** Puts the number of points on each element of the page that is found and visible. */
export const placeCounts = (labels: HTMLElement, elements: readonly HeatmapElement[]): void => {
  labels.textContent = ''
  for (const { selector, count } of elements) {
    const box = elementAt(selector)?.getBoundingClientRect()
    if (!box?.width || !box.height || box.bottom < 0 || box.top > innerHeight) continue
    const label = document.createElement('span')
    label.className = 'count'
    label.textContent = String(count)
    label.style.setProperty('left', `${Math.round(Math.min(box.right, innerWidth - 24))}px`)
    label.style.setProperty('top', `${Math.round(Math.max(0, box.top))}px`)
    labels.append(label)
  }
}

const elementAt = (selector: string): Element | null => {
  try {
    return document.querySelector(selector)
  } catch {
    // The selector of an element in a shadow root is not valid for the document.
    return null
  }
}
