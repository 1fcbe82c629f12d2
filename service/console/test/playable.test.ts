import { anchorAt, inRanges, playableEvents, playableOf } from '../src/pages/recordings/playable.ts'
import { createIdleSpans } from '../src/player/idle.ts'

const iso = (ms: number) => new Date(ms).toISOString()
const chunk = (seq: number, at: number, is_anchor = false, bytes = 1) => ({
  seq,
  started_at: iso(at),
  ended_at: iso(at + 5),
  bytes,
  is_anchor,
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

test('a window is played from a full snapshot on, and after a gap from the next one', () => {
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

test('a window without a full snapshot cannot be played', () => {
  expect(playableOf(windowOf([chunk(0, 0), chunk(1, 10)]))).toEqual({ chunks: [], gaps: [] })
})

test('chunks are loaded in ranges of bounded bytes', () => {
  const { chunks } = playableOf(
    windowOf([chunk(0, 0, true, 600_000), chunk(1, 10, false, 500_000), chunk(2, 20, false, 3_000_000), chunk(3, 30)]),
  )
  expect(inRanges(chunks).map((range) => range.map(({ seq }) => seq))).toEqual([[0], [1], [2], [3]])
})

test('finds the times in which a visitor did nothing', () => {
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
