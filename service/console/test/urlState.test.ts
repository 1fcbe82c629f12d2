/**
 * @jest-environment jsdom
 * @jest-environment-options {"customExportConditions": ["require"]}
 */
import { filtersOf, formatFilter, parseFilter, toApiFilter } from '../src/lib/filters.ts'
import { PERIODS, periodOf, toDateRange } from '../src/lib/period.ts'
import { linkTo, navigate, path, search, setSearch } from '../src/router.ts'

// The same signals without their connection to Preact, which is ESM only.
jest.mock('@preact/signals', () => jest.requireActual<object>('@preact/signals-core'))

const periodIn = (query: string) => periodOf(new URLSearchParams(query))

test('a period of the URL is one of those to choose from, or dates, by default the last 7 days', () => {
  for (const { name, dateFrom, dateTo } of PERIODS)
    expect(toDateRange(periodIn(`period=${name}`))).toEqual({
      date_from: dateFrom,
      ...(dateTo ? { date_to: dateTo } : {}),
    })
  expect(periodIn('from=2026-01-31&to=2026-02-01')).toMatchObject({
    name: 'custom',
    dateFrom: '2026-01-31',
    dateTo: '2026-02-01',
  })
  for (const query of ['', 'period=other', 'from=2026-01-31', 'from=x&to=2026-02-01'])
    expect(periodIn(query).name).toBe('7d')
})

test('the intervals of a chart grow with the dates of the URL', () => {
  const intervalUntil = (to: string) => periodIn(`from=2026-01-01&to=${to}`).interval
  expect(['2026-01-02', '2026-01-31', '2026-06-30', '2027-06-30'].map(intervalUntil)).toEqual([
    'hour',
    'day',
    'week',
    'month',
  ])
})

test('filters survive the URL, and invalid ones are left out', () => {
  const filter = { operator: 'is', type: 'person', key: 'plan', values: ['a,b', 'c\\d', ''] } as const
  expect(parseFilter(formatFilter(filter))).toEqual(filter)
  expect(toApiFilter(filter)).toEqual({ key: 'plan', type: 'person', operator: 'exact', value: ['a,b', 'c\\d', ''] })
  const sent = new URLSearchParams([
    ['f', 'gt,session.$session_duration,10'],
    ['f', 'unset,plan'],
    ['f', 'is,plan'],
    ['f', 'toString,plan,a'],
    ['f', 'is'],
  ])
  expect(filtersOf(sent).map(toApiFilter)).toEqual([
    { key: '$session_duration', type: 'session', operator: 'gt', value: '10' },
    { key: 'plan', type: 'event', operator: 'is_not_set' },
  ])
})

window.scrollTo = () => {}

test('links and changes of the query keep readable characters and the other parameters', () => {
  expect(
    linkTo('projects/1/events', [
      ['f', 'is,$pathname,/a b'],
      ['f', 'unset,x&y'],
    ]),
  ).toBe('/projects/1/events?f=is,$pathname,/a+b&f=unset,x%26y')
  navigate(linkTo('projects/1/events', { tab: 'all', event: 'a' }))
  const entries = history.length
  setSearch({ event: ['b', 'c'], tab: undefined })
  expect([path.value, search.value.toString()]).toEqual(['projects/1/events', 'event=b&event=c'])
  setSearch({ event: 'd' }, { replace: true })
  expect([search.value.get('event'), history.length]).toEqual(['d', entries + 1])
})

test('the Back button shows the place before', async () => {
  navigate(linkTo('projects/1/people'))
  navigate(linkTo('projects/1/people', { search: 'ann' }))
  const shown = new Promise((done) => addEventListener('popstate', done, { once: true }))
  history.back()
  await shown
  expect([path.value, search.value.toString()]).toEqual(['projects/1/people', ''])
})
