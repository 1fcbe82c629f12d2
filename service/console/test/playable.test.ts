import { loadChunks } from '../src/pages/recordings/loadChunks.ts'
import { anchorAt, inRanges, playableEvents, playableOf } from '../src/pages/recordings/playable.ts'
import { segmentAt, timelineOf } from '../src/pages/recordings/timeline.ts'
import { createIdleSpans } from '../src/player/idle.ts'

const iso = (ms: number) => new Date(ms).toISOString()
const chunk = (seq: number, at: number, is_anchor = false, bytes = 1, is_active = false) => ({
  seq,
  started_at: iso(at),
  ended_at: iso(at + 5),
  bytes,
  is_anchor,
  is_active,
})
const windowOf = (chunks: ReturnType<typeof chunk>[], gaps: { from_seq: number; to_seq: number }[] = []) => ({
  id: 'w',
  started_at: iso(0),
  ended_at: iso(100),
  policy: '',
  dropped: 0,
  chunks,
  gaps: gaps.map((gap) => ({ ...gap, started_at: iso(0), ended_at: null })),
})

test('a recorded window is played from its first full snapshot on, and after a gap from the next full snapshot on', () => {
  const { chunks, gaps } = playableOf(
    windowOf(
      [chunk(0, 0), chunk(1, 10, true), chunk(2, 20), chunk(4, 40), chunk(5, 50, true), chunk(6, 60)],
      [{ from_seq: 3, to_seq: 3 }],
    ),
  )
  expect(chunks.map(({ seq, followsGap }) => [seq, followsGap])).toEqual([
    [1, true],
    [2, false],
    [5, true],
    [6, false],
  ])
  expect(gaps).toEqual([{ from: 25, to: 50 }])
  expect([0, 15, 49, 50, 99].map((time) => chunks[anchorAt(chunks, time)]!.seq)).toEqual([1, 1, 1, 5, 5])
  const event = (seq: number, type: number) => ({ seq, event: { type, timestamp: 0, data: {} } })
  const events = [
    event(1, 3),
    event(1, 4),
    event(1, 2),
    event(2, 3),
    event(4, 3),
    event(5, 3),
    event(5, 2),
    event(5, 3),
  ]
  expect(playableEvents(events, chunks).map((each) => [each.seq, each.event.type])).toEqual([
    [1, 4],
    [1, 2],
    [2, 3],
    [5, 2],
    [5, 3],
  ])
})

test('a recorded window without a full snapshot cannot be played', () => {
  expect(playableOf(windowOf([chunk(0, 0), chunk(1, 10)]))).toEqual({ chunks: [], gaps: [] })
})

test('chunks are split into ranges of at most 1 MB, with a larger chunk in a range of its own', () => {
  const { chunks } = playableOf(
    windowOf([chunk(0, 0, true, 600_000), chunk(1, 10, false, 500_000), chunk(2, 20, false, 3_000_000), chunk(3, 30)]),
  )
  expect(inRanges(chunks, 1_000_000).map((range) => range.map(({ seq }) => seq))).toEqual([[0], [1], [2], [3]])
})

test('finds idle periods of a recording, with a margin around activity', () => {
  const idle = createIdleSpans()
  const at = (timestamp: number, source: number) => ({ type: 3, timestamp, data: { source } })
  for (const event of [at(0, 1), at(5_000, 2), at(10_000, 0), at(30_000, 0), at(40_000, 5), at(45_000, 3)])
    idle.add(event)
  expect([5_500, 6_000, 20_000, 38_999, 39_000, 42_000].map((time) => idle.at(time))).toEqual([
    undefined,
    { from: 6_000, to: 39_000 },
    { from: 6_000, to: 39_000 },
    { from: 6_000, to: 39_000 },
    undefined,
    undefined,
  ])
})

test('a timeline shows the window in which the visitor is active, and another one only after the shown one has ended', () => {
  const active = (seq: number, at: number, is_anchor = false) => chunk(seq, at, is_anchor, 1, true)
  const timeline = timelineOf([
    { ...windowOf([active(0, 0, true), chunk(1, 5), chunk(2, 10), active(3, 30), chunk(4, 35)]), id: 'a' },
    { ...windowOf([chunk(0, 2, true), active(1, 12), chunk(2, 17), chunk(3, 32)]), id: 'b' },
    { ...windowOf([chunk(0, 60, true), chunk(1, 65)]), id: 'c' },
    { ...windowOf([chunk(0, 61)]), id: 'without a full snapshot' },
  ])!
  expect(timeline.windows.map(({ id }) => id)).toEqual(['a', 'b', 'c'])
  expect(timeline.segments).toEqual([
    { window: 0, from: 0, to: 12 },
    { window: 1, from: 12, to: 30 },
    { window: 0, from: 30, to: 40 },
    { window: 2, from: 60, to: 70 },
  ])
  expect([timeline.from, timeline.to]).toEqual([0, 70])
  expect([-1, 0, 12, 39, 50, 70, 99].map((time) => segmentAt(timeline, time))).toEqual([0, 0, 1, 2, 3, 3, 3])
  expect(timelineOf([windowOf([chunk(0, 0)])])).toBeUndefined()
})

test('chunks up to the wanted moment are loaded in parallel and passed on in order, the others afterwards', async () => {
  const { chunks } = playableOf(
    windowOf(Array.from({ length: 8 }, (_, seq) => chunk(seq, seq * 5, seq === 0, 200_000))),
  )
  const requested: number[] = []
  const order: number[] = []
  // Requests are answered in reverse order.
  const waiting: (() => void)[] = []
  await loadChunks({
    chunks,
    until: 22,
    now: () => 22,
    request: (from) => {
      requested.push(from)
      return new Promise((resolve) => {
        waiting.push(() => resolve([]))
        setTimeout(() => waiting.pop()!())
      })
    },
    onEvents: (_, { seq }) => order.push(seq),
  })
  expect(requested).toEqual([0, 1, 2, 3, 4, 5, 6])
  expect(order).toEqual([0, 1, 2, 3, 4, 5, 7])
})
