import { Type } from '@sinclair/typebox'
import { DEFAULT_WIDTH, type HeatmapFilter, type Heatmaps } from './heatmaps.ts'
import { POINT_TYPES, type PointType } from './points.ts'
import { HEATMAP, HEATMAP_ELEMENTS, HEATMAP_PAGES, HEATMAP_SCROLL } from './views.ts'
import { booleanParam, integerParam, invalidInput, textParam } from '../http/request.ts'
import { type RouteRequest, routesWith, type SharedRead } from '../http/route.ts'
import { toolbarRead } from '../http/toolbar.ts'

/** What the routes use. */
export interface HeatmapParts {
  readonly heatmaps: Heatmaps
}

const route = routesWith<HeatmapParts>()

const MAX_PX = 100_000
const MIN_WIDTH = 160
const MAX_WIDTH = 4_096

const DATES = {
  date_from: Type.String({ description: 'In a form of insights. Default: -7d' }),
  date_to: Type.String(),
}

const FILTER = {
  url: Type.String({ description: 'URL of a page. Parameters are ignored' }),
  url_pattern: Type.String({ description: 'URL in which * stands for any text' }),
  viewport_min: Type.Integer({ description: 'Smallest width of the window, CSS px' }),
  viewport_max: Type.Integer({ description: 'Largest width of the window, CSS px' }),
  ...DATES,
}

const MAP_TYPES = POINT_TYPES.filter((type) => type !== 'scroll')
const TYPE = Type.Union(
  MAP_TYPES.map((type) => Type.Literal(type)),
  { default: 'click' },
)

const datesOf = (request: RouteRequest) => ({
  dateFrom: textParam(request, 'date_from'),
  dateTo: textParam(request, 'date_to'),
  signal: request.signal,
})

const filterOf = (request: RouteRequest): HeatmapFilter => {
  const [url, urlPattern] = [textParam(request, 'url', 2_000), textParam(request, 'url_pattern', 2_000)]
  if ((url === undefined) === (urlPattern === undefined))
    throw invalidInput('url', 'Pass either "url", the URL of a page, or "url_pattern", a URL with * for any text.')
  const px = (name: string) => integerParam(request, name, { min: 0, max: MAX_PX })
  const [viewportMin, viewportMax] = [px('viewport_min'), px('viewport_max')]
  if (viewportMin !== undefined && viewportMax !== undefined && viewportMin > viewportMax)
    throw invalidInput('viewport_min', '"viewport_min" must not be larger than "viewport_max".')
  return { url, urlPattern, viewportMin, viewportMax, ...datesOf(request) }
}

const typeOf = ({ query: { type = 'click' } }: RouteRequest): PointType => {
  const found = MAP_TYPES.find((each) => each === type)
  if (!found) throw invalidInput('type', `"type" must be one of ${MAP_TYPES.join(', ')}.`)
  return found
}

const HEATMAPS = '/api/projects/:projectId/heatmaps'

const map = {
  method: 'GET',
  summary: 'Get the map of a page: cells of 16 px with their number of points and people',
  query: {
    ...FILTER,
    type: TYPE,
    width: Type.Integer({ minimum: MIN_WIDTH, maximum: MAX_WIDTH, default: DEFAULT_WIDTH }),
    above_fold: Type.Boolean({ description: 'Only points that were visible without scrolling' }),
  },
  response: HEATMAP,
  handler: async ({ heatmaps }, request) => ({
    body: await heatmaps.map(request.projectId, {
      ...filterOf(request),
      type: typeOf(request),
      width: integerParam(request, 'width', { min: MIN_WIDTH, max: MAX_WIDTH }) ?? DEFAULT_WIDTH,
      aboveFold: booleanParam(request, 'above_fold') ?? false,
    }),
  }),
} satisfies SharedRead<HeatmapParts>

const elements = {
  method: 'GET',
  summary: 'List the elements of a page with the most points',
  query: { ...FILTER, type: TYPE },
  response: HEATMAP_ELEMENTS,
  handler: async ({ heatmaps }, request) => ({
    body: await heatmaps.elements(request.projectId, { ...filterOf(request), type: typeOf(request) }),
  }),
} satisfies SharedRead<HeatmapParts>

const scroll = {
  method: 'GET',
  summary: 'Get how far down a page was seen',
  query: FILTER,
  response: HEATMAP_SCROLL,
  handler: async ({ heatmaps }, request) => ({
    body: await heatmaps.scroll(request.projectId, filterOf(request)),
  }),
} satisfies SharedRead<HeatmapParts>

/** Heatmaps of pages, for the console and the toolbar. */
export const HEATMAP_ROUTES = [
  route({ ...map, path: HEATMAPS, access: 'query:read' }),
  route({ ...elements, path: `${HEATMAPS}/elements`, access: 'query:read' }),
  route({ ...scroll, path: `${HEATMAPS}/scroll`, access: 'query:read' }),
  route({
    method: 'GET',
    path: `${HEATMAPS}/pages`,
    access: 'query:read',
    summary: 'List the pages that have heatmaps, most clicked first',
    query: { search: Type.String({ description: 'A part of the URL, in any case' }), ...DATES },
    response: HEATMAP_PAGES,
    handler: async ({ heatmaps }, request) => ({
      body: await heatmaps.pages(request.projectId, { search: textParam(request, 'search'), ...datesOf(request) }),
    }),
  }),
  toolbarRead('heatmap', 'query:read', map),
  toolbarRead('heatmap/elements', 'query:read', elements),
  toolbarRead('heatmap/scroll', 'query:read', scroll),
]
