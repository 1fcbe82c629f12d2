import fc from 'fast-check'
import { visitMembers } from '../../src/ingest/visitValues.ts'
import { uuidv7 } from '../../src/lib/uuid.ts'
import { createClickhouse } from '../../src/storage/clickhouse.ts'
import { OWN_ARRIVAL, REPEATED_ARRIVAL, VISIT_COLUMNS } from '../../src/storage/schema/visitColumns.ts'
import { SMALL_READ, type Storage } from '../../src/storage/storage.ts'
import { randomRuns } from '../sql/support/randomRuns.ts'
import { startTestEngine, type TestEngine } from '../sql/support/engine.ts'
import { startIngest } from './support/startIngest.ts'
import { TABLES } from '../support/schema.ts'

let engine: TestEngine
let storage: Storage
beforeAll(async () => {
  engine = await startTestEngine()
  const place = { url: engine.url }
  storage = createClickhouse(() => place, { tables: TABLES })
})
afterAll(async () => {
  await storage.close()
  await engine.stop()
})

/** JSON text of properties. Text, because JavaScript cannot hold two equal keys, -0 or large integers. */
type Text = string

const NAMES = [
  ...[OWN_ARRIVAL, REPEATED_ARRIVAL].flatMap((names) => Object.values(names).flat()),
  '$session_entry_url',
  '$session_entry_pathname',
  '$pathname',
  '$prev_pageview_pathname',
  '$prev_pageview_duration',
  '$prev_pageview_max_content_percentage',
]

const NUMBERS = [
  ...['0', '-0', '1e3', '0.1', '1e21', '1E-7', '1e-6', '5e-324', '1.7976931348623157e308', '1e400', '-1.5', '12.345'],
  ...['9007199254740993', '9223372036854775807', '9223372036854775808', '18446744073709551616', '-9223372036854775809'],
  ...['0.30000000000000004', '123456789012345.67', '4503599627370496.5', '1.0', '100'],
]
const TEXTS = [
  ...[
    '',
    ' ',
    '/',
    '/a',
    '$direct',
    'a/b',
    '"',
    '\\',
    "'",
    '[1]',
    '["a"]',
    '{}',
    '{"a":1}',
    'null',
    'true',
    '0',
    'ä',
    '日本',
    '😀',
  ],
  ...[
    '  7',
    '7 ',
    '1e5',
    '1E5',
    'inf',
    '-inf',
    'Infinity',
    'nan',
    'NaN',
    '0x10',
    '1_0',
    '+5',
    '.5',
    '5.',
    '1,5',
    '-',
    '1e400',
    '\t7',
  ],
  ...[
    '\ud800',
    'a\udc00b',
    '\ud83d',
    '\u0000',
    '\u0001',
    '\u001f',
    '\n',
    '\r\n',
    '\b\f',
    '\u007f',
    '\u0085',
    '\u2028',
    '\u2029',
    '\ufeff',
    '\ufffd',
  ],
  ...[
    '2024-01-01',
    '2024-01-01T00:00:00Z',
    '00000000-0000-7000-8000-000000000001',
    '127.0.0.1',
    '</script>',
    '&<>',
    '%2E',
    'a.b',
  ],
  ...['x'.repeat(1_000), 'x'.repeat(1_001), '/'.repeat(999), '😀'.repeat(500), '\ud800'.repeat(1_000)],
]

const number: fc.Arbitrary<Text> = fc.oneof(
  fc.constantFrom(...NUMBERS),
  fc.double({ noNaN: true, noDefaultInfinity: true }).map((value) => JSON.stringify(value)),
  fc
    .tuple(fc.integer({ min: -10_000_000, max: 10_000_000 }), fc.integer({ min: 0, max: 9 }))
    .map(([value, digits]) => `${value / 10 ** digits}`),
  fc.bigInt({ min: -(2n ** 66n), max: 2n ** 66n }).map(String),
)
const text: fc.Arbitrary<Text> = fc
  .oneof(
    fc.constantFrom(...TEXTS),
    fc.string({ unit: 'binary', maxLength: 12 }),
    fc.array(fc.integer({ min: 0, max: 0xffff }), { maxLength: 6 }).map((units) => String.fromCharCode(...units)),
    number,
  )
  .map((value) => JSON.stringify(value))
const scalar = fc.oneof(text, number, fc.constantFrom('null', 'true', 'false'))
const key = fc.oneof(fc.constantFrom('a', 'a.b', '', '%2E', ...NAMES), fc.string({ maxLength: 3 }))
const objectOf = (members: readonly (readonly [string, Text])[]) =>
  `{${members.map(([name, value]) => `${JSON.stringify(name)}:${value}`).join(',')}}`
const nested: fc.Arbitrary<Text> = fc.letrec<{ value: Text }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 3, depthSize: 'small' },
    scalar,
    fc.array(tie('value'), { maxLength: 3 }).map((values) => `[${values.join(',')}]`),
    fc.array(fc.tuple(key, tie('value')), { maxLength: 3 }).map(objectOf),
  ),
})).value
const value = fc.oneof(
  { weight: 6, arbitrary: text },
  { weight: 2, arbitrary: scalar },
  { weight: 1, arbitrary: nested },
)

// Names that contain or extend those of the columns.
const strange = fc
  .constantFrom(...NAMES)
  .chain((name) =>
    fc.constantFrom(
      `${name}.a`,
      `${name}%2Ea`,
      `${name}.`,
      `.${name}`,
      name.toUpperCase(),
      ` ${name}`,
      `${name}\u0000`,
    ),
  )
const name = fc.oneof(
  { weight: 9, arbitrary: fc.constantFrom(...NAMES) },
  { weight: 1, arbitrary: fc.oneof(strange, key) },
)
const properties = fc.oneof(
  // A few, and most of them.
  fc.array(fc.tuple(name, value), { maxLength: 8 }),
  fc.array(fc.tuple(name, text), { minLength: 20, maxLength: 60 }),
  fc
    .constantFrom(...['shop.example', '', '/a'].map((host) => JSON.stringify(host)))
    .chain((host) =>
      fc.array(
        fc.tuple(
          fc.constantFrom(
            '$referring_domain',
            '$host',
            '$session_entry_referring_domain',
            '$session_entry_host',
            '$session_entry_url',
          ),
          fc.constant(host),
        ),
      ),
    ),
)

/** Whether the column equals its expression, NaN and NULL included. */
const equals = ([name, type, expression]: (typeof VISIT_COLUMNS)[number]) =>
  type === 'Float64'
    ? `reinterpretAsUInt64(${name}) = reinterpretAsUInt64(${expression})`
    : `isNotDistinctFrom(CAST(${name}, 'Nullable(String)'), CAST(CAST(${expression}, '${type}'), 'Nullable(String)'))`

/** Returns the events whose columns differ from their expressions, and deletes all events. */
const differences = async () => {
  const values = (expressions: readonly string[]) => `[${expressions.map((each) => `toString(${each})`).join(', ')}]`
  const [found] = await storage.rows<{
    count: number
    different: [properties: string, stored: string[], defined: string[]][]
  }>(
    {
      text: `SELECT count() AS count, groupArrayIf(5)((toString(properties),
        ${values(VISIT_COLUMNS.map(([column]) => column))},
        ${values(VISIT_COLUMNS.map(([, , expression]) => expression))}), NOT (${VISIT_COLUMNS.map(equals).join(' AND ')})) AS different
      FROM db.events`,
    },
    SMALL_READ,
  )
  // Each property of a part has open files.
  await engine.command('TRUNCATE TABLE db.events')
  return found!
}

test('an event has the values that the expressions of its columns define, for any properties', async () => {
  const ingest = startIngest(storage)
  const store = async (all: readonly Text[]) => {
    const events = all.map((each) => `{"event":"e","distinct_id":"ada","properties":${each}}`)
    const rejected = await ingest({
      body: Buffer.from(`{"api_key":"1","batch":[${events.join(',')}]}`),
      compression: undefined,
      token: undefined,
      receivedAt: Date.UTC(2026, 5, 1),
      address: '127.0.0.1',
    })
    expect(rejected).toEqual([])
  }
  await fc.assert(
    fc.asyncProperty(
      fc.array(properties.map(objectOf), { minLength: 300, maxLength: 400, size: 'max' }),
      async (all) => {
        await store(all)
        expect(await differences()).toEqual({ count: all.length, different: [] })
      },
    ),
    { numRuns: randomRuns(5), endOnFailure: true },
  )
}, 600_000)

const lineOf = (properties: object, members = visitMembers({ ...properties })) =>
  `{"project_id":1,"uuid":"${uuidv7()}","event":"e","distinct_id":"ada","properties":${JSON.stringify(properties)}${members}}`

test('the engine computes what is not sent, row by row, also next to rows that it skips', async () => {
  const rows = [
    lineOf({ $pathname: '/sent', utm_source: 'a' }),
    lineOf({ $pathname: ['left'], utm_source: 7, $prev_pageview_duration: '5' }),
    // An earlier release sent this event.
    lineOf({ $pathname: '/old', $session_entry_url: 'x', $session_entry_utm_source: 'b' }, ''),
    lineOf({ $pathname: '/last', $prev_pageview_duration: 1.5 }),
  ]
  await storage.insert(
    'db.events',
    rows.flatMap((row) => [row, `${row.slice(0, -1)},"timestamp":[]}`]),
    { skipsUnreadable: true },
  )
  expect(await differences()).toEqual({ count: 4, different: [] })
})

test('a usual event has all columns', () => {
  const properties = {
    ...{ $pathname: '/a', $host: 'shop.example', $referring_domain: 'shop.example', gclid: 'x', utm_medium: 'a/b' },
    ...{ $prev_pageview_pathname: '/', $prev_pageview_duration: 1.25 },
  }
  expect(JSON.parse(`{${visitMembers(properties).slice(1)}}`)).toEqual({
    repeats_arrival: false,
    arrival: '["$direct","a\\/b","",1,0]',
    entry_pathname: '/a',
    pathname: '/a',
    prev_pathname: '/',
    prev_seconds: 1.25,
    prev_seen: 'nan',
  })
  const repeated = {
    ...properties,
    $session_entry_url: `https://shop.example/?${'x'.repeat(2_000)}`,
    $session_entry_pathname: '/in',
  }
  expect(JSON.parse(`{${visitMembers(repeated).slice(1)}}`)).toMatchObject({
    repeats_arrival: true,
    arrival: '["","","",0,0]',
    entry_pathname: '/in',
  })
})
