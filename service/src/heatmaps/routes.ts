import { Type } from '@sinclair/typebox'
import { DEFAULT_WIDTH, type HeatmapFilter, type Heatmaps } from './heatmaps.ts'
import { POINT_TYPES } from './points.ts'
import { HEATMAP, HEATMAP_ELEMENTS, HEATMAP_PAGES, HEATMAP_SCROLL } from './views.ts'
import { orElse, type QueryValues } from '../http/query.ts'
import { invalidInput } from '../http/request.ts'
import { type Route, type RouteRequest, routesWith, sharedReadsWith } from '../http/route.ts'
import { toolbarRead } from '../http/toolbar.ts'

/** What the routes use. */
export interface HeatmapParts {
  readonly heatmaps: Heatmaps
}

const route = routesWith<HeatmapParts>()
const sharedRead = sharedReadsWith<HeatmapParts>()

const MAX_PX = 100_000
const MIN_WIDTH = 160
const MAX_WIDTH = 4_096

const DATES = {
  date_from: Type.String({ description: 'In a form of insights. Default: -7d' }),
  date_to: Type.String(),
}

const FILTER = {
  url: Type.String({ maxLength: 2_000, description: 'URL of a page. Parameters are ignored' }),
  url_pattern: Type.String({ maxLength: 2_000, description: 'URL in which * stands for any text' }),
  viewport_min: Type.Integer({ minimum: 0, maximum: MAX_PX, description: 'Smallest width of the window, CSS px' }),
  viewport_max: Type.Integer({ minimum: 0, maximum: MAX_PX, description: 'Largest width of the window, CSS px' }),
  ...DATES,
}

const MAP_TYPES = POINT_TYPES.filter((type) => type !== 'scroll')
const TYPE = orElse(Type.Union(MAP_TYPES.map((type) => Type.Literal(type))), 'click')

type Dates = QueryValues<typeof DATES>
type Filter = QueryValues<typeof FILTER>

const datesOf = ({ values, signal }: RouteRequest<undefined, Dates>) => ({
  dateFrom: values.date_from,
  dateTo: values.date_to,
  signal,
})

const filterOf = (request: RouteRequest<undefined, Filter>): HeatmapFilter => {
  const { url, url_pattern: urlPattern, viewport_min: viewportMin, viewport_max: viewportMax } = request.values
  if ((url === undefined) === (urlPattern === undefined))
    throw invalidInput('url', 'Pass either "url", the URL of a page, or "url_pattern", a URL with * for any text.')
  if (viewportMin !== undefined && viewportMax !== undefined && viewportMin > viewportMax)
    throw invalidInput('viewport_min', '"viewport_min" must not be larger than "viewport_max".')
  return { url, urlPattern, viewportMin, viewportMax, ...datesOf(request) }
}

const HEATMAPS = '/api/projects/:projectId/heatmaps'

const map = sharedRead({
  method: 'GET',
  summary: 'Get the map of a page: cells of 16 px with their number of points and people',
  query: {
    ...FILTER,
    type: TYPE,
    width: orElse(Type.Integer({ minimum: MIN_WIDTH, maximum: MAX_WIDTH }), DEFAULT_WIDTH),
    above_fold: Type.Boolean({ description: 'Only points that were visible without scrolling' }),
  },
  response: HEATMAP,
  handler: async ({ heatmaps }, request) => ({
    body: await heatmaps.map(request.projectId, {
      ...filterOf(request),
      type: request.values.type,
      width: request.values.width,
      aboveFold: request.values.above_fold ?? false,
    }),
  }),
})

const elements = sharedRead({
  method: 'GET',
  summary: 'List the elements of a page with the most points',
  query: { ...FILTER, type: TYPE },
  response: HEATMAP_ELEMENTS,
  handler: async ({ heatmaps }, request) => ({
    body: await heatmaps.elements(request.projectId, { ...filterOf(request), type: request.values.type }),
  }),
})

const scroll = sharedRead({
  method: 'GET',
  summary: 'Get how far down a page was seen',
  query: FILTER,
  response: HEATMAP_SCROLL,
  handler: async ({ heatmaps }, request) => ({
    body: await heatmaps.scroll(request.projectId, filterOf(request)),
  }),
})

/** Heatmaps of pages, for the console and the toolbar. */
export const HEATMAP_ROUTES: readonly Route<HeatmapParts>[] = [
  { ...map, path: HEATMAPS, access: 'query:read' },
  { ...elements, path: `${HEATMAPS}/elements`, access: 'query:read' },
  { ...scroll, path: `${HEATMAPS}/scroll`, access: 'query:read' },
  route({
    method: 'GET',
    path: `${HEATMAPS}/pages`,
    access: 'query:read',
    summary: 'List the pages that have heatmaps, most clicked first',
    query: { search: Type.String({ description: 'A part of the URL, in any case' }), ...DATES },
    response: HEATMAP_PAGES,
    handler: async ({ heatmaps }, request) => ({
      body: await heatmaps.pages(request.projectId, { search: request.values.search, ...datesOf(request) }),
    }),
  }),
  toolbarRead('heatmap', 'query:read', map),
  toolbarRead('heatmap/elements', 'query:read', elements),
  toolbarRead('heatmap/scroll', 'query:read', scroll),
]
