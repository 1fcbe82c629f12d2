import type { Period } from '../src/lib/period.ts'
import { PERIODS } from '../src/lib/period.ts'
import { columnParameter, columnsOf, exportedValue } from '../src/pages/events/columns.ts'
import { boundsOf } from '../src/pages/events/dates.ts'
import { eventsSql } from '../src/pages/events/eventsSql.ts'

const named = (name: string): Period => PERIODS.find((each) => each.name === name)!
const CUSTOM: Period = {
  name: 'custom',
  label: '',
  shortcut: 'c',
  dateFrom: '2026-02-01',
  dateTo: '2026-02-28',
  interval: 'day',
}

test('the end of an event list is the day after the last day of its period', () => {
  expect(boundsOf(named('7d'))).toEqual({ after: '-6d' })
  expect(boundsOf(named('yesterday'))).toEqual({ after: '-1dStart', before: 'dStart' })
  expect(boundsOf(named('last-month'))).toEqual({ after: '-1mStart', before: 'mStart' })
  expect(boundsOf(CUSTOM)).toEqual({ after: '2026-02-01', before: '2026-03-01' })
})

test('reads and writes columns of the URL, and leaves out invalid ones', () => {
  const search = new URLSearchParams()
  for (const column of ['timestamp', 'properties.a,b', '__proto__', 'properties.', 'timestamp'])
    search.append('column', column)
  expect(columnsOf(search)).toEqual([{ field: 'timestamp' }, { property: 'a,b' }])
  expect(columnParameter(columnsOf(search))).toEqual(['timestamp', 'properties.a,b'])
  expect(columnParameter(columnsOf(new URLSearchParams()))).toBeUndefined()
})

test('exported events have masked sensitive values, and no values from prototypes', () => {
  const event = {
    uuid: 'u',
    event: 'login',
    distinct_id: 'd',
    person_id: 'p',
    timestamp: 't',
    created_at: 'c',
    is_truncated: false,
    properties: { password: 'a', plan: 'pro' },
  }
  const cells = [{ field: 'person' } as const, ...['password', 'plan', 'constructor'].map((property) => ({ property }))]
  expect(cells.map((column) => exportedValue(column, event))).toEqual(['p', '••••••', 'pro', undefined])
})

test('writes the events table as SQL, with values quoted', () => {
  expect(
    eventsSql({
      columns: [{ field: 'event' }, { field: 'person' }, { property: "it's" }],
      names: ["a'b"],
      filters: [
        { operator: 'is', type: 'event', key: 'plan', values: ['x', 'y'] },
        { operator: 'has', type: 'person', key: 'email', values: ['50%\\'] },
        { operator: 'gt', type: 'session', key: '$session_duration', values: ['10; DROP'] },
      ],
      period: CUSTOM,
      timeZone: 'Europe/Berlin',
    }),
  ).toBe(`SELECT event, person_id, properties['it\\'s']
FROM events
WHERE timestamp >= parseDateTimeBestEffort('2026-02-01 00:00:00', 'Europe/Berlin')
  AND timestamp < parseDateTimeBestEffort('2026-03-01 00:00:00', 'Europe/Berlin')
  AND event = 'a\\'b'
  AND properties['plan'] IN ('x', 'y')
  AND person.properties['email'] ILIKE '%50\\\\%\\\\\\\\%'
  AND toFloat(session.\`$session_duration\`) > 0
ORDER BY timestamp DESC
LIMIT 100`)
  expect(
    eventsSql({ columns: [{ field: 'event' }], names: [], filters: [], period: named('yesterday'), timeZone: 'UTC' }),
  ).toContain("timestamp < toStartOfDay(toTimeZone(now(), 'UTC'))")
})
