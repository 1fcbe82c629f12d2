import { type ChunkRow, windowsOf } from '../../src/recordings/manifest.ts'

const row = (seq: number, firstAt: number, more: Partial<ChunkRow> = {}): ChunkRow => ({
  windowId: 'a',
  seq,
  firstAt,
  lastAt: firstAt + 5,
  shiftMs: 0,
  isAnchor: seq === 0,
  isActive: true,
  isWhole: true,
  parts: 1,
  bytes: 1,
  policy: '',
  dropped: 0,
  ...more,
})
const iso = (ms: number) => new Date(ms).toISOString()

test('finds gaps up to the next full snapshot', () => {
  const [window] = windowsOf([row(0, 0), row(1, 10), row(4, 40), row(5, 50, { isAnchor: true }), row(8, 80)])
  expect(window!.gaps).toEqual([
    { from_seq: 2, to_seq: 3, started_at: iso(15), ended_at: iso(50) },
    { from_seq: 6, to_seq: 7, started_at: iso(55), ended_at: null },
  ])
})

test('a missing beginning and an incomplete chunk are gaps', () => {
  const [window] = windowsOf([row(1, 10), row(2, 20, { isWhole: false }), row(3, 30, { isAnchor: true })])
  expect(window!.chunks.map(({ seq }) => seq)).toEqual([1, 3])
  expect(window!.gaps).toEqual([
    { from_seq: 0, to_seq: 0, started_at: iso(10), ended_at: iso(30) },
    { from_seq: 2, to_seq: 2, started_at: iso(15), ended_at: iso(30) },
  ])
})

test('a chunk of which nothing was kept is a gap', () => {
  const [window] = windowsOf([row(0, 0), row(1, 10, { bytes: 0, dropped: 2 }), row(2, 20, { isAnchor: true })])
  expect(window!.dropped).toBe(2)
  expect(window!.chunks.map(({ seq }) => seq)).toEqual([0, 2])
  expect(window!.gaps).toEqual([{ from_seq: 1, to_seq: 1, started_at: iso(5), ended_at: iso(20) }])
})

test('chunks without numbers have no gaps', () => {
  const now = 1_790_000_000_000
  expect(windowsOf([row(now, now, { isAnchor: true }), row(now + 60_000, now + 60_000)])[0]!.gaps).toEqual([])
})

test("applies the clock shift of a window's first chunk to all its chunks, and sorts windows by time", () => {
  const windows = windowsOf([
    row(0, 1_000, { shiftMs: 0 }),
    row(1, 91_000, { shiftMs: 80_000 }),
    row(0, 500, { windowId: 'b' }),
  ])
  expect(windows.map(({ id }) => id)).toEqual(['b', 'a'])
  expect(windows[1]!.chunks.map(({ started_at }) => started_at)).toEqual([iso(1_000), iso(11_000)])
})
