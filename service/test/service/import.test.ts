import { spawn } from 'node:child_process'
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { zipSync } from 'fflate'
import { pause } from '../../src/lib/wait.ts'
import { api, capture, event, request, rowsOf } from '../support/api.ts'
import { trailmark, trailmarkJson } from '../support/cli.ts'
import { until } from '../support/engine.ts'
import { MAIN, type RunningService, startService, temporaryFolder } from '../support/startService.ts'

const KILLS = Number(process.env.TEST_RUNS ?? 3)
const root = temporaryFolder()
let service: RunningService

/** Creates a project. Returns it as a target of requests. */
const project = async (name: string) => {
  const { id, token } = (await trailmarkJson(service.data, 'project', 'create', name)) as {
    id: number
    token: string
    api_token: string
  }
  const key = (await trailmarkJson(
    service.data,
    'key',
    'create',
    name,
    '--scopes',
    'all',
    '--project',
    String(id),
  )) as { value: string }
  return { url: service.url, projectId: id, token, key: key.value }
}
type Target = Awaited<ReturnType<typeof project>>
const file = (name: string, content: string | Uint8Array) => {
  const path = join(root, name)
  writeFileSync(path, content)
  return path
}
const lines = (rows: readonly unknown[]) => rows.map((row) => `${JSON.stringify(row)}\n`).join('')
const importInto = (target: Target, path: string, ...options: string[]) =>
  trailmarkJson(service.data, 'import', path, '--project', String(target.projectId), '--rate', '100000', ...options)
const eventsOf = (target: Target, columns = 'event, distinct_id, toString(timestamp)') =>
  rowsOf(target, `SELECT ${columns} FROM events ORDER BY timestamp, event, distinct_id LIMIT 50000`)
const exported = async (target: Target, what = 'events') =>
  (
    await request(`${service.url}/api/projects/${target.projectId}/export/${what}`, {
      headers: { authorization: `Bearer ${target.key}` },
    })
  ).body as string

beforeAll(async () => {
  service = await startService()
})
afterAll(async () => {
  await service.stop()
  rmSync(root, { recursive: true, force: true })
})

test('the import of an export has the same events and people, in every format, and a second one stores nothing', async () => {
  await capture(
    service,
    ...['=1+1', "'=quoted", 'a,"b"\nc', 'Größe 𝕏'].map((distinct_id, at) =>
      event(
        'seen',
        { timestamp: new Date(Date.UTC(2026, 0, 1 + at)).toISOString() },
        { distinct_id, deep: { 'a.b': [1, null] }, $elements_chain: '-a:text="x"' },
      ),
    ),
    event(
      '$identify',
      { timestamp: '2026-02-01T00:00:00.123Z' },
      { distinct_id: 'ann', $anon_distinct_id: 'anon', $set: { email: 'ann@example.com' } },
    ),
  )
  const columns = 'toString(uuid), event, distinct_id, toString(timestamp), elements_chain, toString(properties.deep)'
  const own = { ...service }
  const before = await rowsOf(own, `SELECT ${columns} FROM events ORDER BY timestamp`)
  const people = async (target: Target) =>
    (await exported(target, 'persons'))
      .split('\n')
      .filter(Boolean)
      .map((line) => (JSON.parse(line) as { properties: string }).properties)
      .sort()
  for (const format of ['jsonl', 'csv', 'parquet']) {
    const folder = join(root, format)
    await trailmarkJson(service.data, 'export', folder, '--format', format, '--project', '1')
    const target = await project(`copy in ${format}`)
    const sheet = await importInto(target, folder, '--source', 'trailmark')
    expect([format, sheet]).toMatchObject([format, { read: 5, stored: 5, repeated: 0, refused: {} }])
    expect(await rowsOf(target, `SELECT ${columns} FROM events ORDER BY timestamp`)).toEqual(before)
    expect(await people(target)).toEqual(await people(own as Target))
    if (format === 'parquet')
      expect(await importInto(target, folder, '--source', 'trailmark')).toMatchObject({ stored: 0, repeated: 5 })
  }
}, 240_000)

test('the sheet explains each difference between the rows and the stored events', async () => {
  const target = await project('sheet')
  const row = (uuid: number, timestamp: string, name = 'seen') => ({
    uuid: `019b7600-0000-7000-8000-${String(uuid).padStart(12, '0')}`,
    event: name,
    distinct_id: 'a',
    timestamp,
  })
  const rows = [
    row(1, '2026-01-01T12:00:00Z'),
    row(1, '2026-01-01T12:00:00Z'),
    // The next day in UTC.
    row(2, '2026-01-01T22:00:00-05:00'),
    row(3, '2026-01-02T10:00:00+02:00'),
    { ...row(4, '2026-01-02T10:00:00Z'), distinct_id: 'x'.repeat(10_000) },
    { timestamp: '2026-01-02' },
  ]
  const path = file('sheet.jsonl', lines(rows))
  const sheet = await importInto(target, path, '--source', 'posthog')
  const none = { moved: 0, refused: 0, repeated: 0, unexplained: 0 }
  const expected = {
    read: 6,
    stored: 3,
    repeated: 1,
    refused: { no_event: 1, distinct_id_too_long: 1 },
    days: [
      { ...none, day: '2026-01-01', event: 'seen', read: 3, moved: -1, repeated: 1, stored: 1 },
      { ...none, day: '2026-01-02', event: 'seen', read: 2, moved: 1, refused: 1, stored: 2 },
    ],
    others: null,
  }
  expect(sheet).toMatchObject(expected)
  expect((await api(target, 'GET', `/imports/${sheet.id}/sheet`)).body).toEqual(expected)
  expect((await api(service, 'GET', `/imports/${sheet.id}/sheet`)).status).toBe(404)
  expect(
    await trailmarkJson(service.data, 'import', 'sheet', sheet.id, '--project', String(target.projectId)),
  ).toMatchObject(expected)

  // Its size is bounded.
  const many = Array.from({ length: 1_500 }, (_, n) => row(100 + n, '2026-01-03T00:00:00Z', `${n} ${'x'.repeat(190)}`))
  const bounded = await importInto(target, file('names.jsonl', lines(many)), '--source', 'posthog')
  expect([bounded.days.length, bounded.others]).toEqual([1_000, { ...none, read: 500, stored: 500 }])
}, 240_000)

test('an import that is killed at any moment continues, and loses and doubles nothing', async () => {
  const target = await project('killed')
  // A killed run delivers at most 2,000 rows.
  const total = 2_000 * (KILLS + 1)
  // Equal rows are events of their own.
  const path = file(
    'many.jsonl',
    lines(Array.from({ length: total }, (_, n) => ({ name: 'n', user: `u${n % 7}`, at: 1_767_225_600 + (n >> 2) }))),
  )
  const map = file('map.json', JSON.stringify({ event: 'name', distinct_id: 'user', timestamp: 'at', unit: 's' }))
  const words = ['import', path, '--map', map, '--project', String(target.projectId)]
  const env = { ...process.env, TRAILMARK_DATA: service.data }
  const begin = async (more: readonly string[], killAfterMs: number) => {
    const child = spawn(process.execPath, [MAIN, ...words, ...more], { env, stdio: ['ignore', 'ignore', 'pipe'] })
    let output = ''
    child.stderr.on('data', (chunk) => (output += chunk))
    await until(() => (killAfterMs ? /Import/ : /rows read/).test(output))
    await pause(killAfterMs)
    child.kill('SIGKILL')
    await new Promise((done) => child.once('close', done))
    return /Import (\S+)/.exec(output)![1]!
  }
  const id = await begin(['--rate', '1000'], 0)
  for (let kills = 1; kills < KILLS; kills += 1)
    await begin(['--rate', '1000', '--resume', id], 1 + Math.random() * 1_500)
  const [listed] = await trailmarkJson(service.data, 'import', 'list', '--project', String(target.projectId))
  expect([listed.id, listed.state]).toEqual([id, 'running'])
  expect((await api(target, 'GET', '/imports')).body.results).toMatchObject([{ id, state: 'running', refused: {} }])
  expect((await api(service, 'POST', `/imports/${id}/undo`)).status).toBe(404)
  const sheet = await trailmarkJson(service.data, ...words, '--rate', '100000', '--resume', id)
  expect(sheet).toMatchObject({ id, read: total, stored: total, refused: {} })
  expect(
    (sheet.days as { read: number; stored: number; repeated: number; unexplained: number }[]).reduce(
      (sums, { read, stored, repeated, unexplained }) => [
        sums[0]! + read,
        sums[1]! + stored,
        sums[2]! + repeated + unexplained,
      ],
      [0, 0, 0],
    ),
  ).toEqual([total, total, 0])
  expect((await rowsOf(target, 'SELECT count(), uniq(uuid) FROM events'))[0]).toEqual([total, total])
  expect(await trailmarkJson(service.data, ...words, '--rate', '100000')).toMatchObject({ stored: 0, repeated: total })

  // Undo deletes them, and the same files can be imported again.
  expect((await api(target, 'POST', `/imports/${id}/undo`)).body.deletion).toEqual(expect.any(String))
  await until(async () => Number((await rowsOf(target, 'SELECT count() FROM events'))[0]![0]) === 0)
  expect(await trailmarkJson(service.data, ...words, '--rate', '100000')).toMatchObject({ stored: total, repeated: 0 })
}, 240_000)

test('events of other products get the names, ids and properties that SDKs send', async () => {
  const target = await project('others')
  const at = Date.UTC(2026, 2, 1) / 1_000
  const mixpanel = file(
    'mixpanel.jsonl.gz',
    gzipSync(
      lines([
        {
          event: '$mp_web_page_view',
          properties: {
            time: at,
            distinct_id: 'm',
            $insert_id: 'i',
            current_url: 'https://example.com/p?x=1',
            mp_country_code: 'NO',
            $city: 'Oslo',
          },
        },
        {
          event: '$mp_web_page_view',
          properties: { time: at, distinct_id: 'm', $insert_id: 'i', current_url: 'https://example.com/p?x=1' },
        },
        { event: 'bought', properties: { time: at, distinct_id: 'm', price: 3 } },
      ]),
    ),
  )
  expect(await importInto(target, mixpanel, '--source', 'mixpanel')).toMatchObject({ read: 3, stored: 2, repeated: 1 })

  const amplitude = file(
    'amplitude.zip',
    zipSync({
      '1/a.json.gz': gzipSync(
        lines([
          {
            event_type: '[Amplitude] Page Viewed',
            user_id: null,
            device_id: 'd',
            event_time: '2026-03-02 00:00:00.500000',
            session_id: -1,
            uuid: 'u1',
            event_properties: { '[Amplitude] Page URL': 'https://example.com/a' },
          },
          { event_type: 'session_start', device_id: 'd', event_time: '2026-03-02 00:00:00', uuid: 'u2' },
          {
            event_type: '$identify',
            user_id: 'ann',
            event_time: '2026-03-02 00:00:01',
            uuid: 'u3',
            user_properties: { plan: 'pro' },
          },
        ]),
      ),
    }),
  )
  expect(await importInto(target, amplitude, '--source', 'amplitude')).toMatchObject({
    read: 3,
    stored: 2,
    refused: { left_out: 1 },
  })

  const ga4 = file(
    'ga4.jsonl',
    lines([
      {
        event_name: 'page_view',
        event_timestamp: '1772496000000000',
        user_pseudo_id: 'p',
        event_params: [
          { key: 'page_location', value: { string_value: 'https://example.com/g' } },
          { key: 'ga_session_id', value: { int_value: '77' } },
        ],
        device: { category: 'mobile', operating_system: 'iOS' },
        geo: { country: 'Norway' },
      },
    ]),
  )
  expect(await importInto(target, ga4, '--source', 'ga4')).toMatchObject({ stored: 1 })
  expect(
    await eventsOf(
      target,
      'event, distinct_id, properties.$pathname, properties.$geoip_city_name, properties.$device_type',
    ),
  ).toEqual([
    ['$pageview', 'm', '/p', 'Oslo', null],
    ['bought', 'm', null, null, null],
    ['$pageview', 'amplitude:d', '/a', null, null],
    ['$set', 'ann', null, null, null],
    ['$pageview', 'ga4:p', '/g', null, 'mobile'],
  ])
  expect(await rowsOf(target, "SELECT properties.plan FROM persons WHERE properties.plan = 'pro'")).toEqual([['pro']])
  const [[uuid]] = (await rowsOf(target, "SELECT toString(uuid) FROM events WHERE event = 'bought'")) as [[string]]
  expect([uuid.slice(0, 8) + uuid.slice(9, 13), uuid[14]]).toEqual([(at * 1_000).toString(16).padStart(12, '0'), '7'])
}, 240_000)

test('events of Umami and visits of Matomo get ids that the next import derives again', async () => {
  const target = await project('web analytics')
  const head =
    'event_id,session_id,distinct_id,visit_id,created_at,event_type,event_name,hostname,url_path,url_query,page_title,referrer_domain,referrer_path,utm_source,browser,os,device,country,event_data'
  const umami = file(
    'umami.csv',
    [
      head,
      'e1,s1,,v1,2026-04-01 10:00:00.123+00,1,,example.com,/p,x=1,Home,google.com,/search,news,chrome,Mac OS,laptop,NO,',
      'e2,s1,ann,v1,2026-04-01 10:00:01.000+00,2,bought,example.com,/p,,Home,,,,chrome,Mac OS,laptop,NO,"{""price"":3}"',
      'e3,s1,,v1,2026-04-01 10:00:02.000+00,3,,example.com,/p,,,,,,,,,,',
    ].join('\n'),
  )
  expect(await importInto(target, umami, '--source', 'umami')).toMatchObject({
    read: 3,
    stored: 2,
    refused: { left_out: 1 },
  })
  expect(
    await eventsOf(
      target,
      'event, distinct_id, toString(timestamp), properties.$current_url, properties.$referrer, properties.$device_type, properties.price',
    ),
  ).toEqual([
    [
      '$pageview',
      'umami:s1',
      '2026-04-01 10:00:00.123',
      'https://example.com/p?x=1',
      'https://google.com/search',
      'Desktop',
      null,
    ],
    ['bought', 'ann', '2026-04-01 10:00:01.000', 'https://example.com/p', null, 'Desktop', '3'],
  ])
  // The same rows from the API.
  const api = { id: 'e2', sessionId: 's1', createdAt: '2026-04-01T10:00:01.000Z', eventType: 2, eventName: 'bought' }
  expect(await importInto(target, file('umami.jsonl', lines([api])), '--source', 'umami')).toMatchObject({
    repeated: 1,
  })

  const at = Date.UTC(2026, 4, 1) / 1_000
  const visit = (actions: readonly unknown[]) => ({
    idSite: 1,
    idVisit: 9,
    visitorId: '00112233445566ff',
    referrerUrl: 'https://google.com/',
    countryCode: 'no',
    deviceType: 'Desktop',
    serverTimePretty: '01:00:00',
    actionDetails: actions,
  })
  const actions = [
    { type: 'action', url: 'https://example.com/m', pageTitle: 'M', pageId: 1, timestamp: at },
    { type: 'event', eventCategory: 'video', eventAction: 'play', eventValue: 2, pageId: 2, timestamp: at + 1 },
    { type: 'goal', goalName: 'signed up', timestamp: at + 2 },
    { type: 'goal', goalName: 'signed up', timestamp: at + 2 },
  ]
  const matomo = (rows: readonly unknown[]) =>
    importInto(target, file('matomo.jsonl', lines(rows)), '--source', 'matomo')
  expect(await matomo([visit(actions.slice(0, 3)), { idVisit: 10 }, visit(['x'])])).toMatchObject({
    read: 5,
    stored: 3,
    refused: { no_event: 1, not_an_object: 1 },
  })
  // The visit has continued.
  expect(await matomo([visit(actions)])).toMatchObject({ read: 4, stored: 1, repeated: 3 })
  expect(
    (
      await eventsOf(
        target,
        'event, distinct_id, properties.$pathname, properties.$geoip_country_code, properties.event_category',
      )
    ).slice(2),
  ).toEqual([
    ['$pageview', 'matomo:00112233445566ff', '/m', 'NO', null],
    ['play', 'matomo:00112233445566ff', null, 'NO', 'video'],
    ['goal', 'matomo:00112233445566ff', null, 'NO', null],
    ['goal', 'matomo:00112233445566ff', null, 'NO', null],
  ])
}, 240_000)

test('what cannot be imported is named with its row and reason, and the rest is stored', async () => {
  const target = await project('faults')
  const path = file(
    'faults.jsonl',
    [
      '{"event":"ok","distinct_id":"a","timestamp":"2026-01-01"}',
      '{"event":"ok",',
      '[1]',
      '{"distinct_id":"a","timestamp":"2026-01-01"}',
      '{"event":"1970","distinct_id":"a","timestamp":"1970-01-01"}',
      '{"event":"2100","distinct_id":"a","timestamp":"2100-01-01"}',
      '{"event":"zone","distinct_id":"a","timestamp":"2026-01-01 10:00:00 Mars"}',
      `{"event":"long","distinct_id":"${'x'.repeat(10_000)}","timestamp":"2026-01-01"}`,
      `{"event":"${'x'.repeat(4_100_000)}"}`,
      '{"event":"last","distinct_id":"a","timestamp":"2026-01-01","properties":"[1]"}',
    ].join('\n'),
  )
  const refused = join(root, 'refused.jsonl')
  const sheet = await importInto(target, path, '--source', 'posthog', '--refused', refused)
  expect(sheet).toMatchObject({
    read: 10,
    stored: 1,
    refused: {
      invalid_json: 1,
      not_an_object: 1,
      no_event: 1,
      impossible_time: 2,
      no_time: 1,
      distinct_id_too_long: 1,
      row_too_long: 1,
      invalid_properties: 1,
    },
    days: [
      { day: '2026-01-01', event: 'long', read: 1, refused: 1, stored: 0, unexplained: 0 },
      { day: '2026-01-01', event: 'ok', read: 1, refused: 0, stored: 1, unexplained: 0 },
    ],
  })
  expect(
    readFileSync(refused, 'utf8')
      .split('\n')
      .filter(Boolean)
      .map((line) => (JSON.parse(line) as { line: number }).line)
      .sort((a, b) => a - b),
  ).toEqual([2, 3, 4, 5, 6, 7, 8, 9, 10])

  const packed = gzipSync(
    lines(
      Array.from({ length: 3_000 }, (_, n) => ({
        event: 'cut',
        distinct_id: `p${n}`,
        timestamp: '2026-01-02',
        properties: { noise: Math.random() },
      })),
    ),
  )
  const cut = file('cut.jsonl.gz', packed.subarray(0, packed.length / 2))
  const stopped = await trailmark(
    service.data,
    'import',
    cut,
    '--source',
    'posthog',
    '--project',
    String(target.projectId),
  )
  expect([stopped.code, stopped.stderr]).toEqual([
    1,
    expect.stringMatching(
      /the import stopped: .*cut\.jsonl\.gz, after row 1\d{3}: the file is cut off\. What was delivered is stored\. Continue with --resume /,
    ),
  ])
  for (const [name, content, message] of [
    ['broken.zip', 'PK', 'it is not a whole zip archive'],
    ['broken.parquet', 'PAR1', 'the engine cannot read the Parquet file'],
    ['broken.csv', 'event,distinct_id,timestamp\n"a,b,c', 'the file ends inside of a quoted cell'],
  ] as const)
    expect(
      (
        await trailmark(
          service.data,
          'import',
          file(name, content),
          '--source',
          'posthog',
          '--project',
          String(target.projectId),
        )
      ).stderr,
    ).toContain(message)
  mkdirSync(join(root, 'empty'))
  expect(
    (await trailmark(service.data, 'import', join(root, 'empty'), '--source', 'posthog', '--project', '1')).stderr,
  ).toContain('has no files')
  expect((await trailmark(service.data, 'import', path, '--source', 'x', '--project', '1')).stderr).toContain(
    '--source expects one of trailmark, posthog',
  )
  expect((await api(service, 'GET', '/deletions')).status).toBe(200)
}, 240_000)
