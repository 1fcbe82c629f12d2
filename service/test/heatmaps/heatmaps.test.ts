import fc from 'fast-check'
import { createErase } from '../../src/persons/erase.ts'
import { createQueryRows } from '../../src/persons/queryRows.ts'
import { createPersons } from '../../src/persons/lookup.ts'
import { createHeatmaps, type MapRequest } from '../../src/heatmaps/heatmaps.ts'
import { pageOf, readPoints } from '../../src/heatmaps/points.ts'
import { createHeatmapSink } from '../../src/heatmaps/sink.ts'
import { createKeepPoints } from '../../src/heatmaps/store.ts'
import { createClickhouse } from '../../src/storage/clickhouse.ts'
import { deliver, startIngest } from '../ingest/support/startIngest.ts'
import { startTestEngine, type TestEngine } from '../sql/support/engine.ts'
import { NO_CALLER } from '../../src/storage/storage.ts'
import { EVENT_TABLES, TABLES } from '../support/schema.ts'

let engine: TestEngine
const place = { url: '' }
const storage = createClickhouse(() => place, { tables: TABLES })
// The engine's own clock decides which points have expired.
const NOW = Date.now()
const ago = (hours: number) => new Date(NOW - hours * 3_600_000).toISOString()
const heatmaps = createHeatmaps({
  queryRows: createQueryRows(storage, 10),
  projects: { byId: async () => undefined },
  now: () => NOW,
})

beforeAll(async () => {
  engine = await startTestEngine()
  place.url = engine.url
})
afterAll(async () => {
  await storage.close()
  await engine.stop()
})

const sinkOf = (store: typeof storage) => createHeatmapSink(createKeepPoints(store), () => {})
let uuids = 0
const uuid = () => `01978000-0000-7000-8000-${String(++uuids).padStart(12, '0')}`
const URL_A = 'https://shop.example/a'

interface Sent {
  readonly points: unknown
  readonly url?: string
  readonly person?: string
  readonly id?: string
  readonly properties?: object
}
const toEvent = ({ points, url = URL_A, person = 'ann', id = uuid(), properties = {} }: Sent) => ({
  event: '$$heatmap',
  uuid: id,
  timestamp: ago(40),
  properties: { distinct_id: person, $heatmap_data: { [url]: points }, ...properties },
})
const send = (project: number, ...events: readonly object[]) =>
  deliver(startIngest(storage, undefined, undefined, { sinks: [sinkOf(storage)] }), project, events, NOW)

const MAP: MapRequest = { url: URL_A, type: 'click', width: 1280, aboveFold: false, signal: NO_CALLER }
const SIZES = { vw: 1280, vh: 800, ph: 3000 }
const click = (x: number, y: number, more: object = {}) => ({
  type: 'click',
  x,
  y,
  target_fixed: false,
  ...SIZES,
  ...more,
})

const pointArbitrary = fc.record({
  // Many points share a cell, so that a cell has several people.
  x: fc.oneof(fc.integer({ min: 0, max: 1600 }), fc.constantFrom(5, 6)),
  y: fc.oneof(fc.integer({ min: 0, max: 5000 }), fc.constant(3)),
  vw: fc.constantFrom(320, 1000, 1440),
  fixed: fc.boolean(),
  person: fc.constantFrom('ann', 'bob', 'visitor-1'),
})

let projects = 100
test('counts each point in one cell, by relative x and absolute y, and counts distinct people', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(pointArbitrary, { minLength: 1, maxLength: 80 }),
      fc.constantFrom(320, 1280, 1440),
      async (points, width) => {
        const project = (projects += 1)
        const events = points.map(({ x, y, vw, fixed, person }) =>
          toEvent({ person, points: [click(x, y, { vw, target_fixed: fixed })] }),
        )
        await send(project, ...events)
        // A repeated delivery changes nothing.
        await send(project, ...events)
        await send(project, {
          event: '$identify',
          timestamp: ago(38),
          properties: { distinct_id: 'bob', $anon_distinct_id: 'visitor-1' },
        })
        const wanted = new Map<string, { count: number; people: Set<string> }>()
        for (const { x, y, vw, fixed, person } of points) {
          const column = Math.floor((Math.min(x, vw - 1) * width) / vw / 16)
          const key = `${column} ${Math.floor(y / 16)} ${fixed}`
          const cell = wanted.get(key) ?? { count: 0, people: new Set() }
          cell.count += 1
          cell.people.add(person === 'visitor-1' ? 'bob' : person)
          wanted.set(key, cell)
        }
        const map = await heatmaps.map(project, { ...MAP, width })
        expect(map.points).toBe(points.length)
        expect(
          new Map(map.cells.map((cell) => [`${cell.x} ${cell.y} ${cell.fixed}`, [cell.count, cell.people]])),
        ).toEqual(new Map([...wanted].map(([key, { count, people }]) => [key, [count, people.size]])))
        for (const { x } of map.cells) expect(x * 16).toBeLessThan(width)
      },
    ),
    { numRuns: 15 },
  )
})

test('maps are filtered by URL, pattern, window, type, fold and period, and other projects see nothing', async () => {
  const [project, other] = [2, 3]
  await send(
    project,
    toEvent({ points: [click(10, 100), click(10, 900), { ...click(10, 100), type: 'rageclick' }] }),
    toEvent({ url: `${URL_A}?token=s3cret#top`, points: [click(30, 100, { vw: 400 })] }),
    toEvent({ url: 'https://shop.example/b/1', points: [click(50, 100), { ...click(50, 100), type: 'mousemove' }] }),
    toEvent({ url: 'https://shop.example/b/2#/route?x=1', points: [click(70, 100)] }),
    { ...toEvent({ points: [click(90, 100)] }), timestamp: ago(30 * 24) },
  )
  const points = async (request: Partial<MapRequest>) => (await heatmaps.map(project, { ...MAP, ...request })).points
  expect(await points({})).toBe(3)
  expect(await points({ url: `${URL_A}?other=1` })).toBe(3)
  expect(await points({ type: 'rageclick' })).toBe(1)
  expect(await points({ aboveFold: true })).toBe(2)
  expect(await points({ viewportMin: 1000 })).toBe(2)
  expect(await points({ viewportMax: 480 })).toBe(1)
  expect(await points({ dateFrom: '-60d', signal: NO_CALLER })).toBe(4)
  expect(await points({ dateTo: '-5d' })).toBe(0)
  expect(await points({ url: undefined, urlPattern: 'https://shop.example/b/*' })).toBe(2)
  // The pattern's other signs are literal.
  expect(await points({ url: undefined, urlPattern: 'https://shop.example/_*' })).toBe(0)
  expect((await heatmaps.map(other, MAP)).cells).toEqual([])
  const { results } = await heatmaps.pages(project, { dateFrom: '-60d', signal: NO_CALLER })
  expect(results.map(({ url, clicks }) => [url, clicks])).toEqual([
    [URL_A, 4],
    ['https://shop.example/b/1', 1],
    ['https://shop.example/b/2#/route', 1],
  ])
  expect((await heatmaps.pages(project, { search: '/B/', signal: NO_CALLER })).results).toHaveLength(2)
})

test('elements are returned with their points, people and mean position', async () => {
  const at = (el: string, ex: number, ey: number) => click(1, 1, { el, ex, ey })
  await send(
    4,
    toEvent({ points: [at('button#buy', 0.2, 0.5), at('button#buy', 0.4, 0.5), at('a.more', 1, 0)] }),
    toEvent({ person: 'bob', points: [at('button#buy', 0.6, 0.5), click(1, 1)] }),
  )
  expect((await heatmaps.elements(4, { url: URL_A, type: 'click', signal: NO_CALLER })).results).toEqual([
    { selector: 'button#buy', count: 3, people: 2, x: 0.4, y: 0.5 },
    { selector: 'a.more', count: 1, people: 1, x: 1, y: 0 },
  ])
})

test('the depth of a view is its lowest position over its last height', async () => {
  const scroll = (view: string, y: number, ph = 2000) => ({ type: 'scroll', x: 0, y, view, vw: 1280, vh: 500, ph })
  await send(
    5,
    // One view in two events: the page grew, and the visitor reached its end.
    toEvent({ points: [scroll('v1', 500, 1000)] }),
    { ...toEvent({ points: [scroll('v1', 2000)] }), timestamp: ago(39) },
    toEvent({ points: [scroll('v2', 1000)] }),
    toEvent({ points: [scroll('v3', 500)] }),
    toEvent({ points: [scroll('v4', 500)] }),
  )
  const { views, fold, page_height, depths } = await heatmaps.scroll(5, { url: URL_A, signal: NO_CALLER })
  const seen = (percent: number) => depths.find((each) => each.percent === percent)!.views
  expect([views, page_height, fold]).toEqual([4, 2000, 0.25])
  expect([0, 25, 30, 50, 55, 100].map(seen)).toEqual([4, 4, 2, 2, 1, 1])
  expect((await heatmaps.scroll(6, { url: URL_A, signal: NO_CALLER })).depths.every((each) => each.views === 0)).toBe(
    true,
  )
})

test('an event without valid points is rejected as invalid_heatmap, and the rest of its delivery is stored', async () => {
  const rejected = await send(
    7,
    toEvent({ points: [click(1, 1)] }),
    toEvent({ points: [{ x: 'left', y: 0, type: 'click' }] }),
    { ...toEvent({ points: [] }), properties: { distinct_id: 'ann', $heatmap_data: 'none' } },
    { event: 'bought', uuid: uuid(), timestamp: ago(40), properties: { distinct_id: 'ann' } },
  )
  expect(rejected.map(({ index, code }) => [index, code])).toEqual([
    [1, 'invalid_heatmap'],
    [2, 'invalid_heatmap'],
  ])
  expect((await heatmaps.map(7, MAP)).points).toBe(1)
  const events = await engine.rows({
    text: 'SELECT event FROM db.events WHERE project_id = {projectId:UInt32}',
    params: { projectId: 7 },
  })
  // Points are not stored as events, so event queries do not read them.
  expect(events).toEqual([['bought']])
})

test('reads a heatmap of a million points', async () => {
  // 200,000 events with five points each, in all cells of a page.
  await storage.command(`INSERT INTO db.heatmaps (project_id, url, type, timestamp, uuid, part, distinct_id, viewport_width, viewport_height, page_height, x, y, fixed, element, element_x, element_y)
    SELECT 11, '${URL_A}', 'click', now64(3) - toIntervalSecond(number), generateUUIDv7(), 0, concat('person-', toString(cityHash64(number) % 50000)), 1280, 800, 4000,
      arrayMap(i -> toInt32(cityHash64(number, i) % 1280), range(5)), arrayMap(i -> toInt32(cityHash64(number, i, 1) % 4000), range(5)), arrayMap(i -> 0, range(5)),
      arrayMap(i -> concat('button.b', toString(cityHash64(number, i) % 300)), range(5)), arrayMap(i -> 0.5, range(5)), arrayMap(i -> 0.5, range(5)) FROM numbers(200000)`)
  const { points, cells } = await heatmaps.map(11, MAP)
  expect([points, cells.length]).toEqual([1_000_000, 20_000])
})

test('a point older than 90 days expires', async () => {
  await send(9, { ...toEvent({ points: [click(1, 1)] }), timestamp: ago(91 * 24) })
  // Expired rows are removed when the engine merges their part, which may be later.
  await storage.command('OPTIMIZE TABLE db.heatmaps FINAL')
  expect((await heatmaps.map(9, { ...MAP, dateFrom: '-200d' })).points).toBe(0)
})

test('points of other SDKs are read with the window of their event', () => {
  const [row, ...more] = readPoints({
    $viewport_width: 1024,
    $viewport_height: 700,
    $heatmap_data: {
      'https://a.example/?q=1': [{ x: 1.4, y: 2, target_fixed: true, type: 'deadclick' }, { x: NaN }, 5],
    },
  })!
  expect(more).toEqual([])
  expect(row).toMatchObject({
    url: 'https://a.example/',
    type: 'deadclick',
    viewport_width: 1024,
    viewport_height: 700,
    page_height: 0,
    x: [1],
    y: [2],
    fixed: [1],
    element: [''],
  })
  expect(pageOf('https://a.example/x?y#z')).toBe('https://a.example/x')
})

test('erasing a person removes the points of all of their ids', async () => {
  const project = 8
  await send(
    project,
    toEvent({ points: [click(1, 1)], person: 'visitor-1' }),
    toEvent({ points: [click(1, 1)], person: 'bob' }),
    toEvent({ points: [click(1, 1)], person: 'ann' }),
    {
      event: '$identify',
      timestamp: ago(38),
      properties: { distinct_id: 'bob', $anon_distinct_id: 'visitor-1' },
    },
  )
  const persons = createPersons(storage)
  const erase = createErase({
    storage,
    log: () => {},
    persons,
    forget: async () => {},
    tables: EVENT_TABLES,
    erasers: [],
  })
  const [bob] = await persons.list(project, { limit: 10, offset: 0, distinctId: 'bob' }, NO_CALLER)
  await erase({ projectId: project, id: bob!.id, withEvents: true })
  expect((await heatmaps.map(project, MAP)).points).toBe(1)
})

test('limits what an event can take in memory beyond its own size', () => {
  const points = Array.from({ length: 3_000 }, (_, index) => ({ x: 1, y: 1, type: 'click', vw: index + 1 }))
  const size = (url: string) => JSON.stringify(readPoints({ $heatmap_data: { [url]: points } })).length
  expect(readPoints({ $heatmap_data: { [URL_A]: points } })).toHaveLength(200)
  expect(size(`${URL_A}/${'a'.repeat(2_000)}`)).toBeLessThan(JSON.stringify(points).length)
})

test('stores the points of a large delivery in parts', async () => {
  const events = Array.from({ length: 30 }, (_, index) =>
    toEvent({
      url: `${URL_A}/parts`,
      points: Array.from({ length: 200 }, (_, at) => click(index, at, { vw: 400 + at, el: 'a'.repeat(500) })),
    }),
  )
  let inserts = 0
  const counting = {
    ...storage,
    insert: (...args: Parameters<typeof storage.insert>) => {
      if (args[0] === 'db.heatmaps') inserts += 1
      return storage.insert(...args)
    },
  }
  expect(
    await deliver(startIngest(counting, undefined, undefined, { sinks: [sinkOf(counting)] }), 77, events, NOW),
  ).toEqual([])
  expect(inserts).toBeGreaterThan(1)
  const map = await heatmaps.map(77, { ...MAP, url: `${URL_A}/parts` })
  expect(map).toMatchObject({ points: 6_000 })
})
