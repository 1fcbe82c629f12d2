/** @jest-environment jsdom */
import { delayOf, formatDelay } from '../src/lib/delay.ts'
import { toCsv } from '../src/lib/csv.ts'
import { eventName } from '../src/lib/eventNames.ts'
import { filtersOf, formatFilter, parseFilter } from '../src/lib/filters.ts'
import * as formats from '../src/lib/format.ts'
import { joinList, splitList } from '../src/lib/listText.ts'
import { pathPart } from '../src/lib/pathPart.ts'
import { periodOf } from '../src/lib/period.ts'
import { personName } from '../src/lib/personName.ts'
import { propertyName } from '../src/lib/propertyNames.ts'
import { cutText, linkOf, toText } from '../src/lib/propertyText.ts'
import { maskJsonText, maskProperty, maskSensitive } from '../src/lib/sensitive.ts'
import { toTileData } from '../src/insights/kinds.ts'
import { type Shared, toRequest } from '../src/pages/dashboards/tileRequest.ts'
import { funnelQuery } from '../src/insights/funnel/funnelQuery.ts'
import { retentionQuery } from '../src/insights/retention/retentionQuery.ts'
import { trendsQuery } from '../src/insights/trends/trendsQuery.ts'
import { itemsOf, toEntry } from '../src/pages/people/timelineItems.ts'
import { entriesOf } from '../src/pages/recordings/logEntries.ts'

const STRINGS = [
  '',
  ' ',
  '\u00A0\t\n',
  '\0',
  '\u200F\u202E',
  '\uD800',
  'a\uDC00b',
  'x'.repeat(2_000_000),
  ' '.repeat(2_000_000),
  ...Object.getOwnPropertyNames(Object.prototype),
  '1969-12-31T23:59:59Z',
  '-271821-04-20T00:00:00Z',
  '2101-01-01',
  '+275760-09-13T00:00:00.001Z',
  '2026-13-99',
  'https://%',
  'javascript:alert(1)',
]
const NUMBERS = [0, -1, 2 ** 53 + 2, Number.MAX_VALUE, -8.64e15 - 1, 8.64e15 + 1, Number.NaN, Infinity, -Infinity]
const OTHERS = [
  null,
  undefined,
  true,
  [],
  [[' ']],
  {},
  { constructor: null, toString: 1 },
  JSON.parse('{"__proto__":1}'),
]
const VALUES: readonly unknown[] = [...STRINGS, ...NUMBERS, ...OTHERS]

/** Calls a function of the console with values that its types do not allow, as stored data can be. */
const callWith = (run: (...values: never[]) => unknown, ...values: readonly unknown[]) => run(...(values as never[]))

const ID = '0195f000-0000-7000-8000-000000000001'
const person = (name: unknown, id = name) => ({ id: ID, properties: { name, email: name }, distinct_ids: [id] })

test.each([
  ['formatWhole', formats.formatWhole],
  ['formatNumber', formats.formatNumber],
  ['formatCompact', formats.formatCompact],
  ['formatCount', (value: number) => formats.formatCount(value, 'time')],
  ['formatShare', formats.formatShare],
  ['formatChange', formats.formatChange],
  ['formatDuration', formats.formatDuration],
  ['formatDelay', formatDelay],
  ['delayOf', (value: unknown) => formatDelay(delayOf({ timestamp: toText(value), created_at: toText(value) }))],
  ['formatDateTime', (value: string) => formats.formatDateTime(value, 'Europe/Oslo')],
  ['formatDate', (value: string) => formats.formatDate(value, 'Europe/Oslo')],
  ['formatTime', (value: string) => formats.formatTime(value, 'Europe/Oslo')],
  ['formatDateRange', (value: string) => formats.formatDateRange(value, '2026-01-01', 'Europe/Oslo')],
  ['formatDateRange backwards', (value: string) => formats.formatDateRange('2026-01-01', value, 'Europe/Oslo')],
  ['formatAgo', (value: string) => formats.formatAgo(value)],
  ['toText', (value: unknown) => toText(value)],
  ['maskProperty', (value: unknown) => toText(maskProperty('note', value))],
  ['toCsv', (value: unknown) => toCsv(['a'], [[value]])],
  ['personName', (value: unknown) => callWith(personName, person(value, ' '))],
])('%s returns text for every stored value', (_, format) => {
  for (const value of VALUES) expect(typeof callWith(format, value)).toBe('string')
})

test.each([
  ['bucketName', formats.bucketName],
  ['regionName', formats.regionName],
  ['languageName', formats.languageName],
  ['eventName', eventName],
  ['propertyName', propertyName],
  ['cutText', cutText],
  ['maskJsonText', maskJsonText],
  ['pathPart', pathPart],
  ['personName of an id', (value: string) => callWith(personName, person(undefined, value))],
])('%s returns text for every stored string', (_, format) => {
  for (const value of STRINGS) expect(typeof format(value)).toBe('string')
})

test('a person whose name, email and ids have nothing to see is named by the id of the person', () => {
  for (const blank of ['', ' ', '\u00A0\t\n', '\0', '\u200F\u202E', '\uD800'])
    expect(callWith(personName, person(blank))).toBe(ID)
  expect(callWith(personName, person(' ', 'ada'))).toBe('ada')
  expect(callWith(personName, person({ toString: 1 }, 'ada'))).toBe('ada')
  expect(callWith(personName, { ...person(undefined), distinct_ids: [] })).toBe(ID)
})

test('dates that are none are a dash, and those before 1970 and after 2100 are shown', () => {
  expect(formats.formatDate('2026-13-99', 'UTC')).toBe('–')
  expect(formats.formatAgo(8.64e15 + 1)).toBe('–')
  expect(formats.formatDate('1969-12-31T12:00:00Z', 'UTC')).toContain('1969')
  expect(formats.formatDate('2101-01-01T12:00:00Z', 'UTC')).toContain('2101')
  expect(formats.formatDuration(Number.NaN)).toBe('–')
})

test('only pages of the web are links, whatever the text', () => {
  for (const value of STRINGS) expect(linkOf(value)).toBeUndefined()
})

test('filters, lists and queries in the URL survive every string', () => {
  for (const value of STRINGS) {
    expect(splitList(joinList([value, 'b']))).toEqual([value, 'b'])
    const search = new URLSearchParams(
      ['f', 'period', 'from', 'to', 's', 'by', 'step', 'window', 'order', 'display', 'compare', 'interval', 'unit'].map(
        (name) => [name, value],
      ),
    )
    expect(filtersOf(search)).toEqual([])
    expect(periodOf(search).name).toMatch(/^(7d|custom)$/)
    search.append('step', 'b')
    expect(trendsQuery(search).kind).toBe('TrendsQuery')
    expect(funnelQuery(search)?.kind).toBe('FunnelsQuery')
    expect(retentionQuery(search).kind).toBe('RetentionQuery')
    if (value)
      expect(parseFilter(formatFilter({ operator: 'is', type: 'person', key: value, values: [value] }))).toEqual({
        operator: 'is',
        type: 'person',
        key: value,
        values: [value],
      })
  }
})

test('sensitive values are masked inside any structure, and names of Object.prototype stay data', () => {
  const nested = JSON.parse('{"__proto__":{"password":"a"},"list":[{"token":1}]}') as unknown
  expect(JSON.stringify(maskSensitive(nested))).toBe('{"__proto__":{"password":"••••••"},"list":[{"token":"••••••"}]}')
})

test('a timeline has a line for every event, whatever its properties are', () => {
  const entries = VALUES.map((value, index) =>
    callWith(toEntry, {
      uuid: `${index}`,
      event: typeof value === 'string' ? value : '',
      timestamp: typeof value === 'string' ? value : '',
      properties: { $pathname: value },
      $session_id: typeof value === 'string' ? value : null,
      starts_session: true,
    }),
  ) as ReturnType<typeof toEntry>[]
  expect(itemsOf(entries).filter(({ kind }) => kind === 'event')).toHaveLength(VALUES.length)
})

test('the log beside a recording has an entry for every console call and request, whatever they are', () => {
  for (const value of VALUES) {
    for (const plugin of ['rrweb/console@1', 'rrweb/network@1', value]) {
      for (const payload of [value, { payload: value, requests: value }, { payload: [value], requests: [value] }]) {
        const event = { type: 6, timestamp: 1, data: { plugin, payload } }
        const entries = callWith(entriesOf, 'w', [{ seq: 0, event }]) as ReturnType<typeof entriesOf>
        for (const { text, detail } of entries) expect([typeof text, typeof detail]).toEqual(['string', 'string'])
      }
    }
    const request = { name: value, url: value, responseStatus: value, method: value, duration: value, timestamp: value }
    const event = { type: 6, timestamp: 1, data: { plugin: 'rrweb/network@1', payload: { requests: [request] } } }
    expect(callWith(entriesOf, 'w', [{ seq: 0, event }])).toHaveLength(1)
  }
})

test('the result of SQL is a table of plain cells, whatever the cells are', () => {
  for (const value of VALUES) {
    const { table } = toTileData('HogQLQuery', { results: [[value, value]], columns: ['a', 'constructor'] })
    for (const cell of table.rows.flat()) expect(cell === null || typeof cell !== 'object').toBe(true)
  }
})

test('variables of SQL named as members of Object.prototype take only values that were set', () => {
  const shared: Shared = { filters: [], variables: {} }
  const tile = { query: { kind: 'HogQLQuery', query: 'SELECT {variables.constructor}' }, variables: {} }
  expect(callWith(toRequest, tile, shared, undefined)).toMatchObject({ variables: {} })
  expect(JSON.stringify(callWith(toRequest, tile, shared, undefined))).not.toContain('constructor":')
})
