import { type Static, Type } from '@sinclair/typebox'

const COUNTS = { count: Type.Integer(), people: Type.Integer() }

/** A map: cells of 16 px with their number of points and people. */
export const HEATMAP = Type.Object({
  type: Type.String(),
  cell: Type.Integer({ description: 'Side of a cell, CSS px' }),
  width: Type.Integer({ description: 'Width of the map, CSS px' }),
  page_height: Type.Integer({ description: 'Height of the tallest page, CSS px. 0: not known' }),
  points: Type.Integer(),
  has_more: Type.Boolean({ description: 'Whether cells with few points are left out' }),
  cells: Type.Array(
    Type.Object({
      x: Type.Integer({ description: 'Column, from 0' }),
      y: Type.Integer({ description: 'Row, from 0' }),
      fixed: Type.Boolean({ description: 'Whether the position is in the window, for elements that do not scroll' }),
      ...COUNTS,
    }),
  ),
})
export type HeatmapMap = Static<typeof HEATMAP>

export const HEATMAP_ELEMENTS = Type.Object({
  results: Type.Array(
    Type.Object({
      selector: Type.String(),
      ...COUNTS,
      x: Type.Number({ description: 'Mean position within the element, 0 to 1' }),
      y: Type.Number(),
    }),
  ),
})
export type HeatmapElements = Static<typeof HEATMAP_ELEMENTS>

export const HEATMAP_SCROLL = Type.Object({
  views: Type.Integer(),
  fold: Type.Number({ description: 'Share of the page that the median view shows without scrolling, 0 to 1' }),
  page_height: Type.Integer(),
  depths: Type.Array(
    Type.Object({
      percent: Type.Integer({ description: 'Share of the page' }),
      views: Type.Integer({ description: 'Views that saw at least this share' }),
    }),
  ),
})
export type HeatmapScroll = Static<typeof HEATMAP_SCROLL>

export const HEATMAP_PAGES = Type.Object({
  results: Type.Array(Type.Object({ url: Type.String(), clicks: Type.Integer(), people: Type.Integer() })),
})
export type HeatmapPages = Static<typeof HEATMAP_PAGES>
