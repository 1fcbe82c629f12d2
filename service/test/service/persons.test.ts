import { join } from 'node:path'
import { openMetadata } from '../../src/storage/metadata/metadata.ts'
import { api, capture, countOf, event, request, rowsOf } from '../support/api.ts'
import { type EngineAccess, engineOf, until } from '../support/engine.ts'
import { type RunningService, startService } from '../support/startService.ts'

let service: RunningService
let other: Pick<RunningService, 'url' | 'token' | 'key' | 'projectId'>
let engine: EngineAccess

beforeAll(async () => {
  service = await startService({ env: { TRAILMARK_MATERIALIZE_LAG_SECONDS: '0' } })
  const metadata = await openMetadata(join(service.data, 'definitions.db'))
  const project = await metadata.projects.create({ name: 'Another', token: 'another-token' })
  await metadata.keys.put({
    projectId: project.id,
    label: 'another',
    secret: 'the-key-of-another',
    scopes: ['person:read', 'person:write', 'endpoint:read', 'endpoint:write'],
  })
  await metadata.close()
  other = { url: service.url, token: project.token, key: 'the-key-of-another', projectId: project.id }
  engine = engineOf(service.data)
})
afterAll(() => service.stop())

type Target = typeof other
const by = (
  distinct_id: string,
  name: string,
  properties: Record<string, unknown> = {},
  more: Record<string, unknown> = {},
) => event(name, more, { distinct_id, ...properties })
const personOf = async (distinctId: string, target: Target = service) =>
  (await api(target, 'GET', `/persons/?distinct_id=${encodeURIComponent(distinctId)}`)).body.results[0]
const erase = (id: string, query = '', target: Target = service) => api(target, 'DELETE', `/persons/${id}/${query}`)

/** Captures a person with three distinct IDs, with a property and five events. */
const arrive = (name: string, target: Target = service) =>
  capture(
    target,
    by(`${name}-phone`, '$pageview', { secret: name }),
    by(
      name,
      '$identify',
      { $anon_distinct_id: `${name}-phone`, secret: name },
      { $set: { email: `${name}@example.com`, deep: { a: [1] } } },
    ),
    by(name, '$create_alias', { alias: `${name}-work`, secret: name }),
    by(`${name}-work`, 'bought', { secret: name }),
    by(name, 'bought', { secret: name }),
  )

/** Number of rows of a table, in any project, that contain `text`. */
const traces = async (table: string, text: string) =>
  Number(
    (
      await engine.ask(
        'writer',
        `SELECT count() FROM db.${table} AS t WHERE position(toString(tuple(t.*)), '${text}') > 0`,
      )
    )[0]![0],
  )
const TABLES = ['events', 'refused_events', 'person_properties', 'person_merges', 'person_distinct_ids']

test('a person can be looked up by each distinct ID with properties', async () => {
  await arrive('ada')
  const ada = await personOf('ada')
  expect(ada).toEqual({
    id: expect.stringMatching(/^[0-9a-f-]{36}$/),
    distinct_ids: ['ada', 'ada-phone', 'ada-work'],
    properties: { email: 'ada@example.com', deep: { a: [1] } },
    is_identified: true,
    is_truncated: false,
    created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d+Z$/),
  })
  expect(await personOf('ada-phone')).toEqual(ada)
  expect((await api(service, 'GET', `/persons/${ada.id}`)).body).toEqual(ada)
  expect((await api(service, 'GET', `/persons/${ada.id.toUpperCase()}`)).body).toEqual(ada)
  expect(
    await rowsOf(service, "SELECT DISTINCT toString(person.id) FROM events WHERE distinct_id LIKE 'ada%'"),
  ).toEqual([[ada.id]])
  expect(Math.abs(Date.parse(ada.created_at) - Date.now())).toBeLessThan(600_000)
})

test('listing persons pages through them without duplicates', async () => {
  await capture(service, ...Array.from({ length: 7 }, (_, n) => by(`visitor-${n}`, 'x')))
  const found: string[] = []
  for (let next: string | null = `/api/projects/${service.projectId}/persons/?limit=3`; next;) {
    const { status, body } = await request(`${service.url}${next}`, {
      headers: { authorization: `Bearer ${service.key}` },
    })
    expect([status, body.results.length <= 3]).toEqual([200, true])
    found.push(...body.results.map(({ distinct_ids: [id] }: { distinct_ids: string[] }) => id))
    next = body.next
  }
  expect(found.sort()).toEqual(['ada', ...Array.from({ length: 7 }, (_, n) => `visitor-${n}`)])
})

test('deleting a person with events deletes all rows of that person and no other rows', async () => {
  await Promise.all([arrive('bob'), arrive('zoe'), arrive('bob', other)])
  // Rejected, and stored for debugging.
  await capture(service, { event: '', properties: { distinct_id: 'bob', secret: 'bob' } })
  const bob = await personOf('bob-phone')
  const before = Object.fromEntries(
    await Promise.all(TABLES.map(async (table) => [table, [await traces(table, 'bob'), await traces(table, 'zoe')]])),
  )
  expect(before).toMatchObject({ events: [10, 5], refused_events: [1, 0] })

  expect((await erase(bob.id, '?delete_events=true')).status).toBe(204)
  expect((await api(service, 'GET', `/persons/${bob.id}`)).status).toBe(404)
  for (const id of bob.distinct_ids) expect(await personOf(id)).toBeUndefined()
  expect((await erase(bob.id, '?delete_events=true')).status).toBe(404)
  for (const table of TABLES) {
    // Bob in the other project is a different person.
    const [ofBob, ofZoe] = before[table] as [number, number]
    expect([table, await traces(table, 'bob'), await traces(table, 'zoe')]).toEqual([
      table,
      table === 'refused_events' ? 0 : ofBob / 2,
      ofZoe,
    ])
  }
  expect(await personOf('bob-work', other)).toMatchObject({ properties: { email: 'bob@example.com' } })
  expect(await personOf('zoe-work')).toMatchObject({
    distinct_ids: ['zoe', 'zoe-phone', 'zoe-work'],
    properties: { email: 'zoe@example.com' },
  })
})

test('deleting a person without events detaches the events, and the visitor starts over as a new person', async () => {
  await arrive('carl')
  const carl = await personOf('carl')
  expect((await erase(carl.id)).status).toBe(204)
  expect(
    await rowsOf(
      service,
      "SELECT uniq(person_id), count(), countIf(person.properties.email IS NOT NULL) FROM events WHERE properties.secret = 'carl'",
    ),
  ).toEqual([[3, 5, 0]])
  await capture(service, by('carl', 'again', {}, { $set: { email: 'new@example.com' } }))
  expect(await personOf('carl')).toMatchObject({
    distinct_ids: ['carl'],
    properties: { email: 'new@example.com' },
    is_identified: false,
  })
  expect(await personOf('carl-work')).toBeUndefined()
})

test('a deleted visitor who returns without identifying becomes a new person', async () => {
  for (let visits = 0; visits < 2; visits += 1) await capture(service, by('vic', 'visit'))
  const before = Date.now()
  expect((await erase((await personOf('vic')).id, '?delete_events=true')).status).toBe(204)
  await capture(service, by('vic', 'visit'))
  const vic = await personOf('vic')
  expect(vic).toMatchObject({ distinct_ids: ['vic'], properties: {} })
  expect(Date.parse(vic.created_at)).toBeGreaterThanOrEqual(before)
  expect(
    await rowsOf(
      service,
      "SELECT count() FROM persons WHERE id = (SELECT any(person_id) FROM events WHERE distinct_id = 'vic')",
    ),
  ).toEqual([[1]])
})

test('persons who shared a browser with a deleted person keep their identity and can still be merged', async () => {
  await capture(
    service,
    by(
      'fay',
      '$identify',
      { $anon_distinct_id: 'shared' },
      { timestamp: '2026-01-01T10:00:00Z', $set: { plan: 'gold' } },
    ),
    by(
      'gus',
      '$identify',
      { $anon_distinct_id: 'shared' },
      { timestamp: '2026-01-01T11:00:00Z', $set: { plan: 'free' } },
    ),
    by('gus', '$identify', { $anon_distinct_id: 'gus-phone' }),
  )
  const [fay, gus] = [await personOf('fay'), await personOf('gus')]
  expect([fay.distinct_ids, gus.distinct_ids]).toEqual([
    ['fay', 'shared'],
    ['gus', 'gus-phone'],
  ])
  expect((await erase(fay.id, '?delete_events=true')).status).toBe(204)
  expect(await personOf('gus')).toEqual(gus)
  expect(await personOf('shared')).toBeUndefined()
  for (const table of TABLES.filter((each) => each.startsWith('person_'))) expect(await traces(table, 'fay')).toBe(0)
  await capture(service, by('gus', '$identify', { $anon_distinct_id: 'gus-tablet' }))
  expect(await personOf('gus-tablet')).toMatchObject({
    id: gus.id,
    distinct_ids: ['gus', 'gus-phone', 'gus-tablet'],
    properties: { plan: 'free' },
  })
})

test('a person known only from events can be deleted by the person ID of the events', async () => {
  await capture(service, by('shadow', 'seen', { $process_person_profile: false, secret: 'shadow' }))
  const [[id]] = (await rowsOf(service, "SELECT toString(person_id) FROM events WHERE event = 'seen'")) as [[string]]
  expect((await api(service, 'GET', `/persons/${id}`)).status).toBe(404)
  expect((await erase(id, '?delete_events=true')).status).toBe(204)
  expect(await countOf(service, 'seen')).toBe(0)
})

test('deleting a person removes the person from cached and materialized results', async () => {
  await Promise.all([arrive('hal'), arrive('ivy')])
  const query =
    "SELECT properties.secret AS who, count() AS n FROM events WHERE event = 'bought' AND properties.secret IN ('hal', 'ivy') GROUP BY who ORDER BY who"
  await api(service, 'POST', '/endpoints/', {
    name: 'sales',
    query: { kind: 'HogQLQuery', query },
    is_materialized: true,
  })
  const run = async () => (await api(service, 'POST', '/endpoints/sales/run', {})).body
  const ready = () =>
    until(async () => (await api(service, 'GET', '/endpoints/sales/materialization_status/')).body.ready === true)
  await ready()
  for (let n = 0; n < 2; n += 1)
    expect(await run()).toMatchObject({
      endpoint_materialized: true,
      is_cached: n === 1,
      results: [
        ['hal', 2],
        ['ivy', 2],
      ],
    })
  await erase((await personOf('hal')).id, '?delete_events=true')
  expect((await run()).results).toEqual([['ivy', 2]])
  await ready()
  expect(await run()).toMatchObject({ results: [['ivy', 2]] })
})

test('events that arrive during a person deletion are stored exactly once', async () => {
  await arrive('jim')
  const { id } = await personOf('jim')
  const deliveries = Array.from({ length: 20 }, (_, n) =>
    capture(service, by(`passer-${n}`, 'meanwhile', {}, { $set: { n } })),
  )
  const [gone, ...answers] = await Promise.all([erase(id, '?delete_events=true'), ...deliveries])
  expect([gone.status, ...answers.map(({ status }) => status)]).toEqual([204, ...deliveries.map(() => 200)])
  expect(await countOf(service, 'meanwhile')).toBe(20)
  expect(await personOf('passer-7')).toMatchObject({ properties: { n: 7 } })
})

test('the key of another project can neither read nor delete a person', async () => {
  await arrive('kim')
  const { id } = await personOf('kim')
  expect(await personOf('kim', other)).toBeUndefined()
  expect((await api(other, 'GET', `/persons/${id}`)).status).toBe(404)
  expect((await erase(id, '?delete_events=true', other)).status).toBe(404)
  expect((await erase(id, '?delete_events=true', { ...other, projectId: service.projectId })).status).toBe(404)
  expect(await personOf('kim')).toMatchObject({ id })
})

test.each([
  ['a limit of 0', 'GET', '/persons/?limit=0', 'limit'],
  ['a limit above the maximum', 'GET', '/persons/?limit=1001', 'limit'],
  ['a negative offset', 'GET', '/persons/?offset=-1', 'offset'],
  ['an invalid boolean', 'DELETE', '/persons/00000000-0000-4000-8000-000000000000/?delete_events=yes', 'delete_events'],
])('the persons API rejects %s', async (_, method, path, attr) => {
  expect(await api(service, method, path)).toMatchObject({ status: 400, body: { code: 'invalid_input', attr } })
})

test('the persons API explains where to send a distinct ID used as a person ID', async () => {
  expect(await api(service, 'GET', '/persons/kim')).toMatchObject({
    status: 404,
    body: { detail: expect.stringContaining('?distinct_id=') },
  })
})
