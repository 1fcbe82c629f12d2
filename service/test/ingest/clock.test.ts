import { eventTime } from '../../src/ingest/clock.ts'

const NOW = Date.UTC(2026, 10, 21, 12, 0, 0)
const at = (ms: number) => new Date(ms).toISOString()
const HOUR = 3_600_000

test.each([
  ['no timestamp', {}, NOW],
  ['an offset alone', { offset: 5_000 }, NOW - 5_000],
  ['a negative offset', { offset: -5 }, NOW],
  ['a timestamp alone', { timestamp: at(NOW - 60_000) }, NOW - 60_000],
  ['an accurate clock', { timestamp: at(NOW - 7_000), sentAt: at(NOW) }, NOW - 7_000],
  ['an accurate clock and a slow network', { timestamp: at(NOW - 7_000), sentAt: at(NOW - 3_000) }, NOW - 7_000],
  ['a clock a minute slow', { timestamp: at(NOW - 67_000), sentAt: at(NOW - 60_000) }, NOW - 7_000],
  ['a clock an hour fast', { timestamp: at(NOW + HOUR - 7_000), sentAt: at(NOW + HOUR) }, NOW - 7_000],
  ['a clock a day slow', { timestamp: at(NOW - 24 * HOUR - 7_000), sentAt: at(NOW - 24 * HOUR) }, NOW - 7_000],
  ['a timestamp and an offset', { timestamp: at(NOW - 1), offset: 9_000 }, NOW - 1],
  ['an unreadable sent_at', { timestamp: at(NOW - 7_000), sentAt: 'now' }, NOW - 7_000],
  ['a timestamp without a zone', { timestamp: '2026-11-21T11:00:00' }, NOW - HOUR],
  ['a timestamp with a space', { timestamp: '2026-11-21 11:00:00.250' }, NOW - HOUR + 250],
  ['a timestamp in another zone', { timestamp: '2026-11-21T13:00:00+02:00' }, NOW - HOUR],
  ['a date alone', { timestamp: '2026-11-21' }, NOW - 12 * HOUR],
  ['a number', { timestamp: NOW - 5 }, NOW - 5],
  ['a timestamp two days ahead', { timestamp: at(NOW + 48 * HOUR) }, NOW],
  ['a timestamp an hour ahead', { timestamp: at(NOW + HOUR) }, NOW + HOUR],
])('computes the event time from %s', (_, times, expected) => {
  expect(eventTime(times, NOW)).toBe(expected)
})

test.each([['yesterday'], [''], ['2026-13-01T00:00:00Z'], [true], [{}], ['1969-01-01T00:00:00Z']])(
  'rejects the unreadable timestamp %p',
  (timestamp) => {
    expect(eventTime({ timestamp }, NOW)).toBeUndefined()
  },
)
