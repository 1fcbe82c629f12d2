import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { uuidv7 } from '../../src/lib/uuid.ts'
import { openMetadata } from '../../src/storage/metadata/metadata.ts'
import { api, capture, countOf, event, isReady, request, rowsOf } from '../support/api.ts'
import { trailmarkIn } from '../support/cli.ts'
import { type ClickhouseServer, startClickhouse } from '../support/clickhouse.ts'
import { until } from '../support/engine.ts'
import { type PostgresServer, startPostgres } from '../support/postgres.ts'
import { type RunningService, runUntilEnd, startService, temporaryFolder } from '../support/startService.ts'

const folder = temporaryFolder()
let clickhouse: ClickhouseServer
let postgres: PostgresServer
let env: Record<string, string>
let one: RunningService
let other: RunningService

const startReplica = (name: string) => startService({ data: join(folder, name), env })

beforeAll(async () => {
  ;[clickhouse, postgres] = await Promise.all([startClickhouse(join(folder, 'clickhouse')), startPostgres()])
  env = { CLICKHOUSE_URL: clickhouse.url, DATABASE_URL: await postgres.create('trailmark') }
  // Concurrently, on a database without a project: both wait at the lock before either continues.
  const metadata = await openMetadata(env.DATABASE_URL!)
  let starting: Promise<RunningService[]>
  await metadata.withLock('start', async () => {
    starting = Promise.all([startReplica('one'), startReplica('other')])
    // This process, which holds the lock, and the replicas that try to take it.
    const lockers = async () =>
      (
        await postgres.ask(
          env.DATABASE_URL!,
          "SELECT 1 FROM pg_stat_activity WHERE query LIKE 'SELECT pg_try_advisory%' AND state LIKE 'idle in%'",
        )
      ).length
    await Promise.race([
      until(async () => (await lockers()) === 3),
      starting.then(() => Promise.reject(new Error('A replica started without waiting for the lock.'))),
    ])
    if ((await metadata.projects.all()).length) throw new Error('A replica created a project without holding the lock.')
  })
  await metadata.close()
  const started = (await starting!) as [RunningService, RunningService]
  for (const replica of started) expect(replica.output()).toContain('Waiting for another replica that is starting …')
  // One of them created the first key and has its file.
  ;[one, other] = started[0].key ? started : [started[1], started[0]]
  Object.assign(other, { key: one.key })
})
afterAll(async () => {
  await Promise.all([one.stop(), other.stop()])
  await Promise.all([clickhouse.stop(), postgres.stop()])
  rmSync(folder, { recursive: true })
})

const sql = (query: string) => ({ kind: 'HogQLQuery', query })

test('replicas that start concurrently agree on one project and one first key', async () => {
  expect(other.token).toBe(one.token)
  expect((await api(other, 'GET', '')).body).toMatchObject({ id: 1, name: 'Default project' })
  const keys = (
    await request(`${other.url}/api/personal_api_keys/`, { headers: { authorization: `Bearer ${one.key}` } })
  ).body.results
  expect(keys.map(({ label }: { label: string }) => label)).toEqual(['first key'])
  await until(() => other.output().includes('Personal API key: created by another process'))
  expect(await postgres.ask(env.DATABASE_URL!, 'SELECT count(*)::int FROM projects')).toEqual([{ count: 1 }])
})

test('a definition created on one replica is served by the other immediately', async () => {
  await api(one, 'POST', '/insight_variables/', { name: 'Least', type: 'Number' })
  expect(
    (
      await api(one, 'POST', '/endpoints/', {
        name: 'shared',
        query: sql('SELECT toInt(number) FROM (SELECT 1 AS number) WHERE number >= {variables.least}'),
      })
    ).status,
  ).toBe(201)
  expect((await api(other, 'POST', '/endpoints/shared/run', { variables: { least: 1 } })).body).toMatchObject({
    results: [[1]],
    endpoint_version: 1,
  })
  await api(other, 'PATCH', '/endpoints/shared/', { query: sql('SELECT 2') })
  expect((await api(one, 'POST', '/endpoints/shared/run')).body).toMatchObject({ results: [[2]], endpoint_version: 2 })
  await api(one, 'DELETE', '/endpoints/shared/')
  expect((await api(other, 'POST', '/endpoints/shared/run')).status).toBe(404)
})

test('a flag or remote setting changed on one replica is served by the other', async () => {
  const ask = async () =>
    (
      await request(`${other.url}/flags/?v=2&config=true`, {
        method: 'POST',
        body: JSON.stringify({ token: other.token, distinct_id: 'visitor' }),
      })
    ).body
  expect((await ask()).flags).toEqual({})
  await api(one, 'PATCH', '/remote_config/', { heatmaps: true })
  expect(await ask()).toMatchObject({ heatmaps: true })
  await api(one, 'POST', '/feature_flags/', { key: 'new-checkout' })
  await until(async () => (await ask()).flags['new-checkout']?.enabled === true)
})

test('a key rotated or revoked on one replica is rejected by the other on every route', async () => {
  const asked = async (service: RunningService, key: string) =>
    (await api({ ...service, key }, 'GET', '/endpoints/')).status
  const keys = (service: RunningService, method: string, path: string, body?: unknown) =>
    request(`${service.url}/api/personal_api_keys/${path}`, {
      method,
      headers: { authorization: `Bearer ${one.key}`, 'content-type': 'application/json' },
      ...(body ? { body: JSON.stringify(body) } : {}),
    })
  const { id, value } = (
    await keys(one, 'POST', '', { label: 'backend', scopes: ['endpoint:read'], scoped_teams: [1] })
  ).body
  expect([await asked(one, value), await asked(other, value)]).toEqual([200, 200])
  const { value: rotated } = (await keys(other, 'POST', `${id}/roll/`, {})).body
  expect([await asked(one, value), await asked(one, rotated)]).toEqual([401, 200])
  const byCommand = JSON.parse(
    (await trailmarkIn({ ...env, TRAILMARK_DATA: join(folder, 'nowhere') }, 'key', 'rotate', 'backend', '--json'))
      .stdout,
  ).value
  expect([await asked(one, rotated), await asked(other, rotated), await asked(other, byCommand)]).toEqual([
    401, 401, 200,
  ])
  expect((await keys(one, 'DELETE', id)).status).toBe(204)
  expect([await asked(one, byCommand), await asked(other, byCommand)]).toEqual([401, 401])
})

test('a cached response on one replica never hides an event stored by the other', async () => {
  await api(one, 'POST', '/endpoints/', {
    name: 'seen',
    query: sql("SELECT count() FROM events WHERE event = 'seen'"),
    data_freshness_seconds: 86_400,
  })
  for (let count = 0; count < 5; count += 1) {
    const runs = [await api(one, 'POST', '/endpoints/seen/run'), await api(one, 'POST', '/endpoints/seen/run')]
    expect(runs.map(({ body }) => [body.results, body.is_cached])).toEqual([
      [[[count]], false],
      [[[count]], true],
    ])
    expect((await capture(other, event('seen'))).status).toBe(200)
  }
})

test('an event sent concurrently to both replicas is stored once', async () => {
  for (let round = 0; round < 5; round += 1) {
    const batch = Array.from({ length: 20 }, () => event('twice', { uuid: uuidv7() }))
    await Promise.all([one, other, one, other].map((service) => capture(service, ...batch)))
  }
  expect(await countOf(one, 'twice')).toBe(100)
})

test('a visitor deleted on one replica who returns through the other becomes a new person', async () => {
  const visit = () => event('visit', {}, { distinct_id: 'vic' })
  const persons = async () => (await api(one, 'GET', '/persons/?distinct_id=vic')).body.results as { id: string }[]
  await capture(other, visit())
  const [vic] = await persons()
  expect((await api(one, 'DELETE', `/persons/${vic!.id}/?delete_events=true`)).status).toBe(204)
  expect(await persons()).toEqual([])
  await capture(other, visit())
  expect(await persons()).toHaveLength(1)
  expect(await rowsOf(one, "SELECT count(), count(person.created_at) FROM events WHERE distinct_id = 'vic'")).toEqual([
    [1, 1],
  ])
})

test('replicas agree on the index of each group type', async () => {
  const inGroup = (type: string) => event('grouped', {}, { $groups: { [type]: 'a' } })
  await Promise.all([capture(one, inGroup('company')), capture(other, inGroup('team'))])
  await Promise.all([capture(one, inGroup('team')), capture(other, inGroup('company'))])
  const places = await rowsOf(
    one,
    "SELECT countIf($group_0 = 'a'), countIf($group_1 = 'a') FROM events WHERE event = 'grouped'",
  )
  expect(places).toEqual([[2, 2]])
})

test('replicas lose no events and keep running while Postgres is unavailable', async () => {
  const before = await countOf(one, 'during')
  await postgres.kill()
  const answers = await Promise.all([
    capture(one, event('during')),
    api(other, 'GET', '/endpoints/'),
    request(`${one.url}/_readiness`),
    request(`${one.url}/_health`),
  ])
  expect(answers.map(({ status }) => status)).toEqual([503, 503, 503, 200])
  expect(answers[0].headers.get('retry-after')).toBe('5')
  expect(answers[1].body).toMatchObject({
    code: 'definitions_unavailable',
    detail: expect.stringContaining('does not respond'),
  })
  await postgres.start()
  await until(async () => (await isReady(one)) && (await isReady(other)))
  expect((await capture(one, event('during'))).status).toBe(200)
  expect(await countOf(other, 'during')).toBe(before + 1)
  expect(one.output() + other.output()).not.toContain('p@ss word')
})

test('a killed replica can restart while clients use the other', async () => {
  await capture(one, event('killed'))
  await one.kill()
  expect((await capture(other, event('killed'))).status).toBe(200)
  expect(await countOf(other, 'killed')).toBe(2)
  const key = readFileSync(join(one.data, 'personal_api_key'), 'utf8').trim()
  one = await startReplica(one.data.split('/').at(-1)!)
  expect(one.key).toBe(key)
  expect(await countOf(one, 'killed')).toBe(2)
})

test('a replica with a key from the environment needs no data folder', async () => {
  const file = join(folder, 'a file')
  writeFileSync(file, '')
  const third = await startService({
    data: join(file, 'nowhere'),
    env: { ...env, TRAILMARK_PERSONAL_API_KEY: 'my-own-personal-key' },
  })
  try {
    await capture(third, event('stateless'))
    expect([await countOf(third, 'stateless'), await countOf({ ...other, key: third.key }, 'stateless')]).toEqual([
      1, 1,
    ])
  } finally {
    await third.stop()
  }
})

test('a replica with a local engine needs its data folder, and a backup can be restored into either store', async () => {
  const [data, copy] = [join(folder, 'single'), join(folder, 'backup')]
  const place = { DATABASE_URL: await postgres.create('single') }
  const restored = { DATABASE_URL: await postgres.create('restored') }
  const single = await startService({ data, env: place })
  let key: string
  try {
    await capture(single, event('kept'), event('kept'))
    await api(single, 'POST', '/feature_flags/', { key: 'new-checkout' })
    key = single.key
    expect((await runUntilEnd({ ...place, TRAILMARK_DATA: data, TRAILMARK_PORT: '0' })).stderr).toContain(
      'is open in another Trailmark process',
    )
    // An engine of its own, or a server of events that the first process does not use.
    for (const more of [{}, { CLICKHOUSE_URL: env.CLICKHOUSE_URL! }] as Record<string, string>[]) {
      const second = { ...place, ...more, TRAILMARK_DATA: join(folder, 'another'), TRAILMARK_PORT: '0' }
      expect(await runUntilEnd(second)).toMatchObject({
        code: 1,
        stderr: expect.stringMatching(
          /^trailmark: another Trailmark process uses the database at DATABASE_URL, and one of/,
        ),
      })
    }
    expect(await trailmarkIn({ ...place, TRAILMARK_DATA: data }, 'backup', copy)).toMatchObject({ code: 0, stderr: '' })
  } finally {
    await single.stop()
  }
  const restore = async (name: string, more: Record<string, string>) =>
    trailmarkIn({ TRAILMARK_DATA: join(folder, name), ...more }, 'restore', copy)
  expect((await restore('taken', place)).stderr).toBe(
    'trailmark: the database at DATABASE_URL already has definitions: use an empty one.\n',
  )
  expect((await restore('in SQLite', {})).stdout).toContain('2 events')
  expect((await restore('in Postgres', restored)).stdout).toContain('2 events')
  expect(existsSync(join(folder, 'in Postgres', 'definitions.db'))).toBe(false)
  for (const definitions of [join(folder, 'in SQLite', 'definitions.db'), restored.DATABASE_URL]) {
    const metadata = await openMetadata(definitions)
    expect(await metadata.projects.byToken(single.token)).toMatchObject({ id: 1 })
    expect(await metadata.keys.bySecret(key)).toMatchObject({ label: 'first key' })
    expect(await metadata.flags.list(1)).toMatchObject([{ key: 'new-checkout' }])
    await metadata.close()
  }
  expect(
    (
      await trailmarkIn(
        { TRAILMARK_DATA: data, DATABASE_URL: await postgres.create('nothing') },
        'backup',
        join(folder, 'empty'),
      )
    ).stderr,
  ).toBe("trailmark: there is nothing to back up in the database at DATABASE_URL: set it to the service's database.\n")
})
