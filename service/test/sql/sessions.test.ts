import { createClickhouse } from '../../src/storage/clickhouse.ts'
import { deliver, startIngest } from '../ingest/support/startIngest.ts'
import { compile } from './support/compile.ts'
import { startTestEngine, type TestEngine } from './support/engine.ts'
import { TABLES } from '../support/schema.ts'

let engine: TestEngine

type Seen = readonly [name: string, second: number, properties?: Readonly<Record<string, unknown>>]

/** Events of sessions, by session. */
const SESSIONS: Readonly<Record<string, readonly Seen[]>> = {
  'one page': [['$pageview', 0, { $pathname: '/' }]],
  'one screen': [['$screen', 0]],
  'two screens': [
    ['$screen', 0],
    ['$screen', 1],
  ],
  'nothing seen': [['$identify', 0]],
  'a page and a click': [
    ['$pageview', 0],
    ['$autocapture', 1],
  ],
  'almost ten seconds': [
    ['$pageview', 0],
    ['$pageleave', 9],
  ],
  'ten seconds': [
    ['$pageview', 0],
    ['$pageleave', 10],
  ],
  'late click': [
    ['$pageview', 0, { $pathname: '/in' }],
    ['$pageview', 1, { $pathname: '/out' }],
    ['$autocapture', 9, { $pathname: '/in' }],
  ],
  'click before the page': [
    ['$autocapture', 0, { $pathname: '/before' }],
    ['$pageview', 1, { $pathname: '/in', utm_source: 'ads' }],
  ],
  'no page': [
    ['clicked', 0, { $pathname: '/a' }],
    ['clicked', 1, { $pathname: '/b' }],
  ],
  'later campaign': [
    ['$pageview', 0, { $pathname: '/', $referring_domain: 'www.google.com' }],
    ['$pageview', 1, { $pathname: '/', utm_source: 'newsletter', utm_medium: 'email' }],
  ],
  'lost beginning': [
    [
      '$pageview',
      5,
      {
        $pathname: '/third',
        $host: 'shop.example',
        $referring_domain: 'shop.example',
        $session_entry_url: 'https://shop.example/first?utm_source=ads',
        $session_entry_host: 'shop.example',
        $session_entry_pathname: '/first',
        $session_entry_referring_domain: 'www.google.com',
        $session_entry_utm_source: 'ads',
        $session_entry_gclid: 'x',
        utm_medium: 'email',
      },
    ],
  ],
  'repeated by a later event': [
    ['$pageview', 0, { $pathname: '/own', utm_source: 'own' }],
    ['$pageview', 1, { $pathname: '/late', $session_entry_url: 'https://a.b/', $session_entry_pathname: '/' }],
  ],
  'own host': [['$pageview', 0, { $host: 'shop.example', $referring_domain: 'shop.example' }]],
  'own host, repeated': [
    [
      '$pageview',
      0,
      {
        $referring_domain: 'www.google.com',
        $session_entry_url: 'https://shop.example/',
        $session_entry_host: 'shop.example',
        $session_entry_referring_domain: 'shop.example',
      },
    ],
  ],
}

beforeAll(async () => {
  engine = await startTestEngine()
  const storage = createClickhouse(() => ({ url: engine.url }), { tables: TABLES })
  const events = Object.entries(SESSIONS).flatMap(([session, seen]) =>
    seen.map(([event, second, properties]) => ({
      event,
      timestamp: new Date(Date.UTC(2026, 0, 1, 10, 0, second)).toISOString(),
      properties: { distinct_id: 'ann', $session_id: session, ...properties },
    })),
  )
  const withoutSession = { event: '$pageview', timestamp: '2026-01-01T10:00:00Z', properties: { distinct_id: 'ann' } }
  await deliver(startIngest(storage), 1, [...events, withoutSession])
  await storage.close()
})
afterAll(() => engine.stop())

/** Returns values of each session, by its id. */
const read = async (columns: string): Promise<Record<string, unknown>> =>
  Object.fromEntries(
    (await engine.rows(compile(`SELECT session_id, ${columns} FROM sessions`))).map(([id, ...values]) => [
      id,
      values.length > 1 ? values : values[0],
    ]),
  )

test('a session with one page or screen that lasts less than ten seconds is a bounce, one without any is unknown', async () => {
  expect(await read('$is_bounce')).toMatchObject({
    'one page': true,
    'one screen': true,
    'two screens': false,
    'nothing seen': null,
    'a page and a click': false,
    'almost ten seconds': true,
    'ten seconds': false,
    'no page': null,
  })
  expect(
    await engine.rows(compile('SELECT countIf($is_bounce), countIf(NOT $is_bounce), count() FROM sessions')),
  ).toEqual([[6, 7, 15]])
})

test('the entry and the exit are views, or other events in sessions without any', async () => {
  expect(await read('$entry_pathname, $exit_pathname')).toMatchObject({
    'one page': ['/', '/'],
    'late click': ['/in', '/out'],
    'click before the page': ['/in', '/in'],
    'no page': ['/a', '/b'],
    'nothing seen': [null, null],
    'lost beginning': ['/first', '/third'],
  })
})

test('one event determines the whole arrival', async () => {
  expect(await read('$entry_utm_source, $entry_utm_medium, $entry_referring_domain, $channel_type')).toMatchObject({
    'later campaign': [null, null, 'www.google.com', 'Organic Search'],
    'click before the page': ['ads', null, null, 'Unknown'],
    'lost beginning': ['ads', null, 'www.google.com', 'Paid Unknown'],
    'repeated by a later event': [null, null, null, 'Direct'],
    'own host': [null, null, '$direct', 'Direct'],
    'own host, repeated': [null, null, '$direct', 'Direct'],
  })
})

test('the columns of an event’s session are those of the whole session, and NULL where it has no session', async () => {
  expect(
    await engine.rows(
      compile(
        `SELECT DISTINCT session.$is_bounce, session.$entry_pathname, session.$channel_type FROM events
        WHERE $session_id IN ('late click', '') ORDER BY 2`,
      ),
    ),
  ).toEqual([
    [false, '/in', 'Direct'],
    [null, null, null],
  ])
})
