import { periodOf } from '../endpoints/insights/period.ts'
import { createZone } from '../endpoints/insights/zone.ts'
import type { QueryRows } from '../persons/queryRows.ts'
import type { Metadata } from '../storage/metadata/metadata.ts'
import { pageOf, type PointType } from './points.ts'
import type { HeatmapElements, HeatmapMap, HeatmapPages, HeatmapScroll } from './views.ts'

/** Side of a cell, CSS px. */
export const CELL_PX = 16
export const DEFAULT_WIDTH = 1_280
/** More columns than any map has. */
const MAX_COLUMNS = 256
const MAX_CELLS = 20_000
const MAX_ELEMENTS = 100
const MAX_PAGES = 200
/** Steps of the depth curve, percent of the page. */
const DEPTH_STEP = 5

/** Filter of a project's points. Absent fields select all. */
export interface HeatmapFilter {
  /** URL of a page. Parameters are ignored. */
  readonly url?: string | undefined
  /** URL in which `*` stands for any text. */
  readonly urlPattern?: string | undefined
  /** Widths of the window, CSS px, both inclusive. */
  readonly viewportMin?: number | undefined
  readonly viewportMax?: number | undefined
  readonly dateFrom?: string | undefined
  readonly dateTo?: string | undefined
  /** Aborted when the client no longer waits. */
  readonly signal: AbortSignal
}

export interface MapRequest extends HeatmapFilter {
  readonly type: PointType
  /** Width of the map, CSS px, at most 4,096. Positions scale with the width of the window. */
  readonly width: number
  /** Whether only points that were visible without scrolling count. */
  readonly aboveFold: boolean
}

/** Reads heatmaps of a project. All functions reject with `ApiError`. */
export interface Heatmaps {
  /** Returns the cells of a map, with the most points first. */
  map(projectId: number, request: MapRequest): Promise<HeatmapMap>
  /** Returns the elements with the most points. */
  elements(projectId: number, request: HeatmapFilter & Pick<MapRequest, 'type'>): Promise<HeatmapElements>
  /** Returns how far down a page was seen. */
  scroll(projectId: number, filter: HeatmapFilter): Promise<HeatmapScroll>
  /** Lists pages with points, most clicked first. */
  pages(projectId: number, request: HeatmapFilter & { readonly search?: string | undefined }): Promise<HeatmapPages>
}

export interface HeatmapsDependencies {
  readonly queryRows: QueryRows
  readonly projects: Pick<Metadata['projects'], 'byId'>
  readonly now?: () => number
}

const escapeLike = (text: string) => text.replace(/[\\%_]/g, '\\$&')
const likeOf = (pattern: string) => pattern.split('*').map(escapeLike).join('%')

/** The person of each row: `person_distinct_ids` has a row for each merged id. */
const WITH_PERSONS = `LEFT JOIN (
    SELECT distinct_id, argMax(person, version) AS person FROM db.person_distinct_ids
    WHERE project_id = {projectId:UInt32} GROUP BY distinct_id
  ) AS ids ON rows.distinct_id = ids.distinct_id`
const PERSON = `cityHash64(if(ids.person = '', rows.distinct_id, ids.person))`

/** Returns the condition of a filter, and its parameters. */
const conditionsOf = (
  projectId: number,
  { url, urlPattern, viewportMin, viewportMax }: HeatmapFilter,
  { from, until }: { from: number; until: number },
): { where: string; params: Record<string, unknown> } => {
  const terms: (readonly [test: string, name: string, value: unknown])[] = [
    ["timestamp >= fromUnixTimestamp64Milli({from:Int64}, 'UTC')", 'from', from],
    ["timestamp < fromUnixTimestamp64Milli({until:Int64}, 'UTC')", 'until', until],
    ...(url === undefined ? [] : [['url = {url:String}', 'url', pageOf(url)] as const]),
    ...(urlPattern === undefined ? [] : [['url LIKE {pattern:String}', 'pattern', likeOf(urlPattern)] as const]),
    ...(viewportMin === undefined ? [] : [['viewport_width >= {min:UInt32}', 'min', viewportMin] as const]),
    ...(viewportMax === undefined ? [] : [['viewport_width <= {max:UInt32}', 'max', viewportMax] as const]),
  ]
  return {
    where: ['project_id = {projectId:UInt32}', ...terms.map(([test]) => test)].join(' AND '),
    params: { projectId, ...Object.fromEntries(terms.map(([, name, value]) => [name, value])) },
  }
}

const toNumbers = (row: readonly unknown[]): number[] => row.map(Number)

export const createHeatmaps = ({ queryRows, projects, now = Date.now }: HeatmapsDependencies): Heatmaps => {
  const read = async (
    projectId: number,
    filter: HeatmapFilter,
    textOf: (where: string) => string,
    more: Record<string, unknown> = {},
  ) => {
    const zone = createZone((await projects.byId(projectId))?.timezone ?? 'UTC')
    const { dateFrom, dateTo, signal } = filter
    const range = { ...(dateFrom ? { date_from: dateFrom } : {}), ...(dateTo ? { date_to: dateTo } : {}) }
    const { where, params } = conditionsOf(projectId, filter, periodOf(range, { interval: 'day', zone, now: now() }))
    return queryRows(projectId, { text: textOf(where), params: { ...params, ...more } }, signal)
  }

  return {
    async map(projectId, request) {
      const { type, width, aboveFold } = request
      // A cell is one number, and its people are counted from a list: with sets and several keys, it takes twice the time.
      // The total of all cells is in each row, because the engine computes it in the same pass.
      const rows = await read(
        projectId,
        request,
        (where) => `SELECT cell, count() AS points, arrayUniq(groupArray(person)),
            sum(points) OVER (), count() OVER (), max(max(page_height)) OVER ()
          FROM (
            SELECT ${PERSON} AS person, page_height,
              (intDiv(toUInt64(greatest(py, 0)), ${CELL_PX}) * 2 + is_fixed) * ${MAX_COLUMNS}
                + intDiv(least(toUInt64(greatest(px, 0)), viewport_width - 1) * {width:UInt32}, viewport_width * ${CELL_PX}) AS cell
            FROM (SELECT distinct_id, page_height, viewport_width, viewport_height, x, y, fixed FROM db.heatmaps FINAL
              WHERE ${where} AND type = {type:String} AND viewport_width > 0) AS rows
            ${WITH_PERSONS}
            ARRAY JOIN x AS px, y AS py, fixed AS is_fixed
            ${aboveFold ? 'WHERE py <= viewport_height' : ''}
          )
          GROUP BY cell ORDER BY points DESC, cell LIMIT ${MAX_CELLS}`,
        { type, width },
      )
      const [points = 0, cells = 0, pageHeight = 0] = toNumbers(rows[0]?.slice(3) ?? [])
      return {
        type,
        cell: CELL_PX,
        width,
        page_height: pageHeight,
        points,
        has_more: cells > rows.length,
        cells: rows.map((row) => {
          const [cell, count, people] = toNumbers(row) as [number, number, number]
          const line = Math.floor(cell / MAX_COLUMNS)
          return { x: cell % MAX_COLUMNS, y: line >> 1, fixed: line % 2 === 1, count, people }
        }),
      }
    },
    async elements(projectId, request) {
      const rows = await read(
        projectId,
        request,
        (where) => `SELECT selector, count() AS points, arrayUniq(groupArray(person)),
            round(avg(at_x), 3), round(avg(at_y), 3)
          FROM (
            SELECT ${PERSON} AS person, selector, at_x, at_y
            FROM (SELECT distinct_id, element, element_x, element_y FROM db.heatmaps FINAL
              WHERE ${where} AND type = {type:String}) AS rows
            ${WITH_PERSONS}
            ARRAY JOIN element AS selector, element_x AS at_x, element_y AS at_y
            WHERE selector != ''
          )
          GROUP BY selector ORDER BY points DESC, selector LIMIT ${MAX_ELEMENTS}`,
        { type: request.type },
      )
      return {
        results: rows.map(([selector, ...numbers]) => {
          const [count, people, x, y] = toNumbers(numbers)
          return { selector: String(selector), count: count!, people: people!, x: x!, y: y! }
        }),
      }
    },
    async scroll(projectId, filter) {
      // A page view has several rows. Its lowest position and its last page height count.
      const rows = await read(
        projectId,
        filter,
        (where) => `SELECT
            intDiv(toUInt64(least(lowest / height, 1) * 100), ${DEPTH_STEP}) AS step, count(),
            quantileExact(0.5)(least(viewport / height, 1)), max(height)
          FROM (
            SELECT max(arrayMax(y)) AS lowest, argMax(page_height, timestamp) AS height,
              argMax(viewport_height, timestamp) AS viewport
            FROM db.heatmaps FINAL WHERE ${where} AND type = 'scroll' AND page_height > 0 AND view != ''
            GROUP BY view
          ) GROUP BY step WITH ROLLUP ORDER BY grouping(step), step`,
      )
      // The last row is about all views.
      const [, views = 0, fold = 0, pageHeight = 0] = toNumbers(rows.at(-1) ?? [])
      const steps = new Map(rows.slice(0, -1).map((row) => [Number(row[0]), Number(row[1])]))
      return { views, fold, page_height: pageHeight, depths: depthsOf(steps, views) }
    },
    async pages(projectId, request) {
      const { search } = request
      const rows = await read(
        projectId,
        request,
        (where) => `SELECT url, sumIf(length(x), type = 'click') AS clicks, uniqExact(${PERSON}) AS people
          FROM (SELECT url, type, x, distinct_id FROM db.heatmaps FINAL
            WHERE ${where} ${search ? 'AND url ILIKE {search:String}' : ''}) AS rows
          ${WITH_PERSONS}
          GROUP BY url ORDER BY clicks DESC, people DESC, url LIMIT ${MAX_PAGES}`,
        search ? { search: `%${escapeLike(search)}%` } : {},
      )
      return {
        results: rows.map(([url, clicks, people]) => ({
          url: String(url),
          clicks: Number(clicks),
          people: Number(people),
        })),
      }
    },
  }
}

/** Returns how many views reached each share of the page. `steps`: views by the last step they reached. */
const depthsOf = (steps: ReadonlyMap<number, number>, views: number) => {
  const depths: { percent: number; views: number }[] = []
  let left = views
  for (let percent = 0; percent <= 100; percent += DEPTH_STEP) {
    depths.push({ percent, views: left })
    left -= steps.get(percent / DEPTH_STEP) ?? 0
  }
  return depths
}
