import type { ResponseOf } from '../../api/inProject.ts'

export type HeatmapMap = ResponseOf<'/api/projects/{projectId}/heatmaps', 'get'>
export type HeatmapCell = HeatmapMap['cells'][number]
export type HeatmapScroll = ResponseOf<'/api/projects/{projectId}/heatmaps/scroll', 'get'>

export const TYPES = [
  { value: 'click', label: 'Clicks' },
  { value: 'rageclick', label: 'Rage clicks' },
  { value: 'deadclick', label: 'Dead clicks' },
  { value: 'mousemove', label: 'Resting pointer' },
] as const
export type HeatmapType = (typeof TYPES)[number]['value']

export interface Viewport {
  readonly value: string
  readonly label: string
  /** Widths of the window, CSS px. */
  readonly min?: number
  readonly max?: number
  /** Width that the map is drawn for. */
  readonly width: number
}

/** Ranges of window widths: layouts usually differ between them. */
export const VIEWPORTS: readonly Viewport[] = [
  { value: 'all', label: 'All widths', width: 1280 },
  { value: 'phone', label: 'Up to 480 px', max: 480, width: 390 },
  { value: 'large-phone', label: '481 to 768 px', min: 481, max: 768, width: 768 },
  { value: 'tablet', label: '769 to 1,024 px', min: 769, max: 1024, width: 1024 },
  { value: 'laptop', label: '1,025 to 1,440 px', min: 1025, max: 1440, width: 1440 },
  { value: 'wide', label: 'From 1,441 px', min: 1441, width: 1920 },
]

const MIN_HEIGHT = 600
/** Maximum height of the canvas. Taller pages are cut off. */
export const MAX_HEIGHT = 12_000

/** Height of the drawn page, CSS px: that of the page, or what the points need. */
export const heightOf = ({ cells, cell, page_height }: HeatmapMap): number => {
  const lowest = cells.reduce((most, { y, fixed }) => (fixed ? most : Math.max(most, (y + 1) * cell)), 0)
  return Math.min(MAX_HEIGHT, Math.max(MIN_HEIGHT, page_height || lowest))
}

/**
 * Returns the weight of a number of points, 0 to 1, on a logarithmic scale: a busy button does not hide the rest of the page.
 */
export const weightOf = (count: number, most: number): number => (most > 0 ? Math.log1p(count) / Math.log1p(most) : 0)

const STOPS: readonly (readonly [at: number, red: number, green: number, blue: number])[] = [
  [0, 30, 80, 220],
  [0.35, 0, 190, 200],
  [0.6, 80, 200, 60],
  [0.8, 250, 200, 30],
  [1, 225, 40, 30],
]

/** Returns the colors of 256 weights, each as three bytes: red, green, blue. */
export const colorTable = (): Uint8ClampedArray => {
  const table = new Uint8ClampedArray(256 * 3)
  for (let index = 0; index < 256; index += 1) {
    const at = index / 255
    const next = Math.max(
      1,
      STOPS.findIndex(([stop]) => stop >= at),
    )
    const [from, to] = [STOPS[next - 1]!, STOPS[next]!]
    const share = (at - from[0]) / (to[0] - from[0])
    for (const channel of [1, 2, 3] as const)
      table[index * 3 + channel - 1] = from[channel] + (to[channel] - from[channel]) * share
  }
  return table
}
