import type { Arrival } from '../src/api/events.ts'
import { EMPTY_FEED, MAX_ROWS, receive, release } from '../src/pages/live/feed.ts'

const arrival = (index: number): Arrival => ({
  type: 'event',
  uuid: `uuid ${index}`,
  event: 'a',
  distinct_id: 'b',
  person_id: 'c',
  timestamp: '2026-11-22T10:00:00Z',
  created_at: '2026-11-22T10:00:01Z',
  properties: {},
  is_truncated: false,
})
const arrivals = (from: number, count: number) => Array.from({ length: count }, (_, index) => arrival(from + index))
const ids = (list: readonly Arrival[]) => list.map(({ uuid }) => uuid)

test('the live feed shows the newest events first, and ignores those that it shows already', () => {
  const feed = receive(receive(EMPTY_FEED, arrivals(0, 2), false), arrivals(1, 2), false)
  expect(ids(feed.rows)).toEqual(['uuid 2', 'uuid 1', 'uuid 0'])
  expect(feed.total).toBe(3)
})

test('the live feed counts events while rows are held back, and shows them afterwards', () => {
  const held = receive(receive(EMPTY_FEED, arrivals(0, 2), false), arrivals(2, 700), true)
  expect([held.rows.length, held.held.length, held.heldCount]).toEqual([2, MAX_ROWS, 700])
  const released = release(held)
  expect(ids(released.rows.slice(0, 2))).toEqual(['uuid 701', 'uuid 700'])
  expect([released.rows.length, released.held.length, released.heldCount]).toEqual([MAX_ROWS, 0, 0])
})

test('the live feed keeps a bounded number of rows', () => {
  let feed = EMPTY_FEED
  for (let batch = 0; batch < 20; batch++) feed = receive(feed, arrivals(batch * 100, 100), false)
  expect([feed.rows.length, feed.total, feed.rows[0]]).toEqual([MAX_ROWS, 2_000, arrival(1_999)])
})
