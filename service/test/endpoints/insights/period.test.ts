import { isoOf, periodOf, previousPeriod } from '../../../src/endpoints/insights/period.ts'
import { createZone } from '../../../src/endpoints/insights/zone.ts'

const BERLIN = createZone('Europe/Berlin')
const now = Date.parse('2026-03-31T09:30:15Z') // 11:30 in Berlin, a Tuesday

const asked = (date_from: string, date_to?: string, interval: 'hour' | 'day' | 'week' | 'month' = 'day', more = {}) => {
  const { from, until } = periodOf({ date_from, date_to, ...more }, { interval, zone: BERLIN, now })
  return [new Date(from).toISOString(), new Date(until).toISOString()]
}

test.each<[string, string | undefined, string, string]>([
  ['2026-03-29', '2026-03-29', '2026-03-28T23:00:00.000Z', '2026-03-29T22:00:00.000Z'],
  ['-7d', undefined, '2026-03-23T23:00:00.000Z', '2026-03-31T22:00:00.000Z'],
  ['7d', undefined, '2026-03-23T23:00:00.000Z', '2026-03-31T22:00:00.000Z'],
  ['-1m', '-1d', '2026-02-27T23:00:00.000Z', '2026-03-30T22:00:00.000Z'],
  ['mStart', undefined, '2026-02-28T23:00:00.000Z', '2026-03-31T22:00:00.000Z'],
  ['-1mStart', '-1mEnd', '2026-01-31T23:00:00.000Z', '2026-02-28T23:00:00.000Z'],
  ['yStart', 'dStart', '2025-12-31T23:00:00.000Z', '2026-03-30T22:00:00.001Z'],
  ['wStart', undefined, '2026-03-28T23:00:00.000Z', '2026-03-31T22:00:00.000Z'],
  ['-1q', undefined, '2025-12-30T23:00:00.000Z', '2026-03-31T22:00:00.000Z'],
  ['2026-03-01T10:00:00Z', '2026-03-02T10:00:00+02:00', '2026-02-28T23:00:00.000Z', '2026-03-02T08:00:00.001Z'],
])('resolves the insight range from %s to %s', (from, to, ...expected) => {
  expect(asked(from, to)).toEqual(expected)
})

test('hourly ranges end now, weekly ranges begin on the first day of the week, and explicit dates are exact', () => {
  expect(asked('-24h', undefined, 'hour')).toEqual(['2026-03-30T09:00:00.000Z', '2026-03-31T09:30:15.001Z'])
  expect(asked('2026-03-18', '2026-03-18', 'week')).toEqual(['2026-03-14T23:00:00.000Z', '2026-03-18T23:00:00.000Z'])
  expect(asked('2026-03-18', '2026-03-18', 'week', { explicitDate: true })).toEqual([
    '2026-03-17T23:00:00.000Z',
    '2026-03-18T23:00:00.000Z',
  ])
})

test('the previous period has as many days as the current one across clock changes', () => {
  const { from, until } = previousPeriod(
    periodOf({ date_from: '2026-03-29', date_to: '2026-03-30' }, { interval: 'day', zone: BERLIN, now }),
    undefined,
    BERLIN,
  )
  expect([new Date(from).toISOString(), new Date(until).toISOString()]).toEqual([
    '2026-03-26T23:00:00.000Z',
    '2026-03-28T23:00:00.000Z',
  ])
})

test('a day whose midnight is skipped begins at 1:00', () => {
  const cairo = createZone('Africa/Cairo')
  const { from } = periodOf({ date_from: '2026-04-24', date_to: '2026-04-24' }, { interval: 'day', zone: cairo, now })
  expect(new Date(from).toISOString()).toBe('2026-04-23T22:00:00.000Z')
})

test.each([
  ['UTC', '2026-07-01T00:00:00Z'],
  ['Europe/London', '2026-07-01T01:00:00+01:00'],
  ['Asia/Kolkata', '2026-07-01T05:30:00+05:30'],
  ['America/St_Johns', '2026-06-30T21:30:00-02:30'],
])('formats midnight in UTC in %s', (zone, wall) => {
  expect(isoOf(Date.parse('2026-07-01T00:00:00Z'), createZone(zone))).toBe(wall)
})
