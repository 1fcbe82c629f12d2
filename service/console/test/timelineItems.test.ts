import { type Entry, itemsOf } from '../src/pages/people/timelineItems.ts'

const entry = (second: number, session: string | null, startsSession = false): Entry => ({
  uuid: `uuid ${second}`,
  event: 'a',
  timestamp: `2026-11-22T10:00:${String(second).padStart(2, '0')}Z`,
  place: '/',
  session,
  startsSession,
})

test('puts a header above the events of each session that shows whether all of them are loaded', () => {
  const items = itemsOf([entry(9, 'b'), entry(8, 'b', true), entry(5, null), entry(4, 'a')])
  const heads = items.flatMap((item) =>
    item.kind === 'session' ? [[item.session, item.count, item.isWhole, item.from, item.until]] : [],
  )
  expect(heads).toEqual([
    ['b', 2, true, '2026-11-22T10:00:08Z', '2026-11-22T10:00:09Z'],
    [null, 1, false, '2026-11-22T10:00:05Z', '2026-11-22T10:00:05Z'],
    ['a', 1, false, '2026-11-22T10:00:04Z', '2026-11-22T10:00:04Z'],
  ])
  expect(items.map(({ kind }) => kind)).toEqual(['session', 'event', 'event', 'session', 'event', 'session', 'event'])
  expect(new Set(items.map(({ key }) => key)).size).toBe(items.length)
})
