import { wellFormed } from '../lib/storableJson.ts'

/** Types of points, as SDKs send them (docs/reference/protocol.md#12.7). */
export const POINT_TYPES = ['click', 'rageclick', 'deadclick', 'mousemove', 'scroll'] as const
export type PointType = (typeof POINT_TYPES)[number]

/** The points of one event that are on one page, of one type and with one size of the window. */
export interface HeatmapRow {
  /** URL of the page without parameters. */
  readonly url: string
  readonly type: PointType
  /** Sizes in CSS px. 0: not known. */
  readonly viewport_width: number
  readonly viewport_height: number
  readonly page_height: number
  /** ID of the page view. Only set on `scroll` points. */
  readonly view: string
  /** Positions in CSS px: on the page or, if fixed, in the window. */
  readonly x: number[]
  readonly y: number[]
  readonly fixed: number[]
  /** Selectors of the elements. Empty: not known. */
  readonly element: string[]
  /** Positions within the elements, from 0 to 1. */
  readonly element_x: number[]
  readonly element_y: number[]
}

type Fields = Readonly<Record<string, unknown>>

/** Maximum points of one event. Later ones are ignored. */
export const MAX_POINTS = 10_000
/** Maximum rows of one event, and characters of their URLs. Points of further rows are ignored. */
export const MAX_ROWS = 200
const MAX_URLS = 20_000
const MAX_URL = 2_000
const MAX_SELECTOR = 500
const MAX_VIEW = 100
// Longer than any page. A larger number is a mistake.
const MAX_PX = 10_000_000

const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const pxOf = (value: unknown): number | undefined =>
  typeof value === 'number' && Math.abs(value) <= MAX_PX ? Math.round(value) : undefined

const sizeOf = (...values: readonly unknown[]): number =>
  Math.max(0, values.map(pxOf).find((value) => value !== undefined && value > 0) ?? 0)

const shareOf = (value: unknown): number => (typeof value === 'number' && value >= 0 && value <= 1 ? value : 0)

const textOf = (value: unknown, maxLength: number): string =>
  typeof value === 'string' ? wellFormed(value.slice(0, maxLength)) : ''

/** Returns the page of a URL: without its parameters, and without its hash unless that is the route of an app. */
export const pageOf = (url: string): string => {
  const [before = '', hash = ''] = url.split(/#(.*)/s)
  const route = /^!?\//.test(hash) ? `#${hash.replace(/\?.*/s, '')}` : ''
  return wellFormed((before.replace(/\?.*/s, '') + route).slice(0, MAX_URL))
}

/**
 * Returns the points in the properties of a `$$heatmap` event. Invalid points are ignored. `undefined`: the event has no object
 * of points, or all of them are invalid.
 */
export const readPoints = (properties: Fields): readonly HeatmapRow[] | undefined => {
  const data = properties.$heatmap_data
  if (!isFields(data)) return undefined
  const rows = new Map<string, HeatmapRow>()
  let seen = 0
  let urlCharacters = 0
  for (const [sentUrl, points] of Object.entries(data)) {
    const url = pageOf(sentUrl)
    for (const point of Array.isArray(points) ? points : []) {
      seen += 1
      if (seen > MAX_POINTS) break
      if (!isFields(point)) continue
      const [x, y, type] = [pxOf(point.x), pxOf(point.y), POINT_TYPES.find((each) => each === point.type)]
      if (!url || x === undefined || y === undefined || !type) continue
      const viewport_width = sizeOf(point.vw, properties.$viewport_width)
      const viewport_height = sizeOf(point.vh, properties.$viewport_height)
      const page_height = sizeOf(point.ph)
      const view = type === 'scroll' ? textOf(point.view, MAX_VIEW) : ''
      const key = JSON.stringify([url, type, viewport_width, viewport_height, page_height, view])
      if (!rows.has(key)) {
        if (rows.size >= MAX_ROWS || urlCharacters + url.length > MAX_URLS) continue
        urlCharacters += url.length
      }
      const row: HeatmapRow = rows.get(key) ?? {
        url,
        type,
        viewport_width,
        viewport_height,
        page_height,
        view,
        x: [],
        y: [],
        fixed: [],
        element: [],
        element_x: [],
        element_y: [],
      }
      rows.set(key, row)
      row.x.push(x)
      row.y.push(y)
      row.fixed.push(point.target_fixed === true ? 1 : 0)
      row.element.push(textOf(point.el, MAX_SELECTOR))
      row.element_x.push(shareOf(point.ex))
      row.element_y.push(shareOf(point.ey))
    }
  }
  return seen && !rows.size ? undefined : [...rows.values()]
}
