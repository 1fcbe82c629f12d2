import { drawingEvents } from '../src/pages/heatmaps/drawingEvents.ts'

const URL = 'https://shop.test/cart'
const meta = (href: string, width = 1280) => ({ type: 4, timestamp: 1, data: { href, width, height: 800 } })
const full = (text: string, style = '') => ({
  type: 2,
  timestamp: 2,
  data: {
    node: { type: 2, attributes: { style }, childNodes: [{ type: 3, textContent: text }] },
    initialOffset: { left: 0, top: 90 },
  },
})
const incremental = (source: number) => ({ type: 3, timestamp: 3, data: { source } })

const textOf = (events: ReturnType<typeof drawingEvents>) => JSON.stringify(events?.[1]?.data)

test('finds the last snapshot of a page, regardless of query and hash, in a window whose width is within the bounds', () => {
  const events = [meta(`${URL}?a=1#b`), full('first'), meta(URL), full('second'), meta(`${URL}/more`), full('other')]
  expect(textOf(drawingEvents(events, { url: URL }))).toContain('second')
  expect(textOf(drawingEvents(events, { url: 'https://shop.test/*' }))).toContain('other')
  expect(drawingEvents(events, { url: 'https://shop.test/car' })).toBeUndefined()
  const phone = [meta(URL, 390), full('phone'), meta(URL), full('laptop')]
  expect(textOf(drawingEvents(phone, { url: URL, max: 480 }))).toContain('phone')
  expect(drawingEvents(phone, { url: URL, min: 481, max: 768 })).toBeUndefined()
  expect(drawingEvents([meta(URL)], { url: URL })).toBeUndefined()
})

test('keeps the events that change how a page looks until the next snapshot, and drops the input of the visitor', () => {
  const [mutation, move, scroll, sheet] = [0, 1, 3, 15].map(incremental)
  const events = [meta(URL), full('a'), mutation!, move!, scroll!, sheet!, meta('about:blank'), full('b'), mutation!]
  expect(drawingEvents(events, { url: URL })!.slice(2)).toEqual([mutation, sheet])
})

test('replaces heights relative to the window in styles only, and scrolls the page to the top', () => {
  const [, drawn] = drawingEvents([meta(URL), full('100vh', 'height: 50vh; top: 1.5dvh; width: 10vw')], { url: URL })!
  expect(JSON.stringify(drawn!.data)).toContain('height: 400px; top: 12px; width: 10vw')
  expect(JSON.stringify(drawn!.data)).toContain('"100vh"')
  expect(drawn!.data).toMatchObject({ initialOffset: { left: 0, top: 0 } })
})
