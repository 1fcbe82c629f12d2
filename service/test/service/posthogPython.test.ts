import { gzipSync } from 'node:zlib'
import { api, request, rowsOf } from '../support/api.ts'
import { type SharedService, sharedService } from '../support/sharedService.ts'

// Requests of posthog-python 7.53, captured with a recording server. Times and IDs are set here.

let service: SharedService
beforeAll(async () => {
  service = await sharedService()
})
afterAll(() => service.stop())

const FROM_PYTHON = { $lib: 'posthog-python', $lib_version: '7.53.0', $geoip_disable: true, $is_server: true }
const ON_LINUX = {
  $python_runtime: 'CPython',
  $python_version: '3.11.7',
  $os: 'Linux',
  $os_version: '12',
  $os_distro: 'Debian GNU/Linux',
}
const HEADERS = { 'user-agent': 'posthog-python/7.53.0', 'content-type': 'application/json' }

// Microseconds and a UTC offset, as Python formats them.
const pythonTime = (ms: number) => new Date(ms).toISOString().replace('Z', '123+00:00')

const send = (batch: object[], { isZipped = false, sentAt = Date.now() } = {}) => {
  const body = JSON.stringify({
    batch,
    historical_migration: false,
    sent_at: pythonTime(sentAt),
    api_key: service.token,
  })
  const init = isZipped
    ? { headers: { ...HEADERS, 'content-encoding': 'gzip' }, body: new Uint8Array(gzipSync(body)) }
    : { headers: HEADERS, body }
  return request(`${service.url}/batch/`, { method: 'POST', ...init })
}

test.each([
  ['gzip', true],
  ['plain', false],
])('a posthog-python batch of every method (%s) is stored correctly', async (name, isZipped) => {
  const [ada, alias, company] = [`ada-${name}`, `visitor-${name}`, `acme-${name}`]
  const happened = Date.parse('2026-10-20T10:00:00Z')
  const now = Date.now()
  const reply = await send(
    [
      {
        properties: { n: 1, at: '2026-11-20T10:00:00', ...ON_LINUX, $groups: { company }, ...FROM_PYTHON },
        timestamp: pythonTime(happened),
        distinct_id: ada,
        event: 'bought',
        uuid: crypto.randomUUID(),
      },
      {
        timestamp: pythonTime(now),
        distinct_id: ada,
        $set: { plan: 'gold' },
        event: '$set',
        properties: FROM_PYTHON,
        uuid: crypto.randomUUID(),
      },
      {
        timestamp: pythonTime(now),
        distinct_id: ada,
        $set_once: { first: 1 },
        event: '$set_once',
        properties: FROM_PYTHON,
        uuid: crypto.randomUUID(),
      },
      {
        properties: { distinct_id: ada, alias, ...FROM_PYTHON },
        timestamp: pythonTime(now),
        event: '$create_alias',
        distinct_id: ada,
        uuid: crypto.randomUUID(),
      },
      {
        event: '$groupidentify',
        properties: { $group_type: 'company', $group_key: company, $group_set: { size: 11 }, ...FROM_PYTHON },
        distinct_id: crypto.randomUUID(),
        timestamp: pythonTime(now),
        uuid: crypto.randomUUID(),
      },
      {
        event: 'as visitor',
        distinct_id: alias,
        properties: FROM_PYTHON,
        timestamp: pythonTime(now),
        uuid: crypto.randomUUID(),
      },
    ],
    { isZipped },
  )
  expect(reply).toMatchObject({ status: 200, body: { status: 1 } })
  expect(
    await rowsOf(
      service,
      `SELECT toString(timestamp), properties.n, $group_0, person.properties.plan, person.properties.first FROM events WHERE event = 'bought' AND distinct_id = '${ada}'`,
    ),
  ).toEqual([[expect.stringMatching(/^2026-10-20.10:00:00/), '1', company, 'gold', '1']])
  expect(
    await rowsOf(
      service,
      `SELECT person.properties.plan FROM events WHERE event = 'as visitor' AND distinct_id = '${alias}'`,
    ),
  ).toEqual([['gold']])
  expect(await rowsOf(service, `SELECT properties.size FROM groups WHERE key = '${company}'`)).toEqual([['11']])
})

test('a posthog-python batch that is retried after a lost response counts once', async () => {
  const batch = [
    {
      event: 'again',
      distinct_id: 'ada',
      properties: FROM_PYTHON,
      timestamp: pythonTime(Date.now()),
      uuid: '5c7f1a8e-0b60-4d0a-9f53-6f4b0f9c1d11',
    },
  ]
  await send(batch)
  await send(batch, { sentAt: Date.now() + 1 })
  expect(await rowsOf(service, "SELECT count() FROM events WHERE event = 'again'")).toEqual([[1]])
})

test('the timestamps of a posthog-python server with a slow clock are corrected', async () => {
  const slow = Date.now() - 3_600_000
  await send(
    [
      {
        event: 'slow clock',
        distinct_id: 'ada',
        properties: FROM_PYTHON,
        timestamp: pythonTime(slow),
        uuid: crypto.randomUUID(),
      },
    ],
    { sentAt: slow },
  )
  expect(
    await rowsOf(
      service,
      "SELECT abs(dateDiff('second', timestamp, now())) < 300 FROM events WHERE event = 'slow clock'",
    ),
  ).toEqual([[1]])
})

test('posthog-python can request flags and flag definitions', async () => {
  await api(service, 'POST', '/feature_flags/', {
    key: 'plain',
    filters: { groups: [{}], payloads: { true: { a: 1 } } },
  })
  const { body } = await request(`${service.url}/flags/?v=2`, {
    method: 'POST',
    headers: HEADERS,
    body: JSON.stringify({
      distinct_id: 'ada',
      groups: {},
      person_properties: { x: 1 },
      group_properties: { company: { $group_key: 'acme' } },
      geoip_disable: true,
      device_id: null,
      flag_keys_to_evaluate: ['plain'],
      sent_at: pythonTime(Date.now()),
      api_key: service.token,
    }),
  })
  expect(body).toMatchObject({
    flags: { plain: { enabled: true, variant: null, metadata: { payload: '{"a":1}' } } },
    errorsWhileComputingFlags: false,
  })

  const get = (path: string, key = service.key) =>
    request(`${service.url}${path}`, {
      headers: { 'user-agent': HEADERS['user-agent'], authorization: `Bearer ${key}` },
    })
  const definitions = await get(`/flags/definitions?token=${service.token}&send_cohorts`)
  expect(definitions).toMatchObject({
    status: 200,
    body: { flags: [{ key: 'plain', active: true }], group_type_mapping: { 0: 'company' }, cohorts: {} },
  })
  // Releases before 7 use this route.
  expect((await get(`/api/feature_flag/local_evaluation/?token=${service.token}&send_cohorts`)).body).toEqual(
    definitions.body,
  )
  expect((await get(`/flags/definitions?token=${service.token}`, 'wrong')).status).toBe(401)
  expect((await get('/flags/definitions?token=of-another')).status).toBe(401)

  const payload = await get(`/api/projects/@current/feature_flags/plain/remote_config?token=${service.token}`)
  expect([payload.status, payload.body]).toEqual([200, { a: 1 }])
  expect((await get(`/api/projects/@current/feature_flags/none/remote_config?token=${service.token}`)).status).toBe(404)
})
