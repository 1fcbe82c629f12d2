import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { api, capture, event, type Reply } from '../support/api.ts'
import { type ClickhouseNode, startClickhouse } from '../support/clickhouse.ts'
import { until } from '../support/engine.ts'
import { type Gate, startGate } from '../support/gate.ts'
import { materializedTableOf, materializedTables } from '../support/materializedTables.ts'
import { type PostgresServer, startPostgres } from '../support/postgres.ts'
import { type RunningService, startService, temporaryFolder } from '../support/startService.ts'

// Processes look for work every few seconds, and drop an unused table after 90 s.
const SHORT_INTERVALS = pathToFileURL(join(__dirname, '../support/shortIntervals.mjs')).href
const MAX_CLAIM_MS = 15_000

const folder = temporaryFolder()
let clickhouse: ClickhouseNode
let postgres: PostgresServer
let database: string
let gates: [Gate, Gate]
let one: RunningService
let other: RunningService

const KEY = 'my-own-personal-key'
const startReplica = (name: string, gate: Gate) =>
  startService({
    data: join(folder, name),
    env: {
      CLICKHOUSE_URL: gate.url,
      DATABASE_URL: database,
      TRAILMARK_PERSONAL_API_KEY: KEY,
      TRAILMARK_MATERIALIZE_LAG_SECONDS: '0',
      TRAILMARK_SHADOW_PERCENT: '100',
      NODE_OPTIONS: `--import ${SHORT_INTERVALS}`,
    },
  })

beforeAll(async () => {
  ;[clickhouse, postgres] = await Promise.all([
    startClickhouse(join(folder, 'clickhouse')) as Promise<ClickhouseNode>,
    startPostgres(),
  ])
  database = await postgres.create('trailmark')
  gates = [await startGate(clickhouse.url), await startGate(clickhouse.url)]
  one = await startReplica('one', gates[0])
  await api(one, 'POST', '/insight_variables/', { name: 'event_name', type: 'String' })
  await capture(one, ...Array.from({ length: 20 }, (_, n) => bought(n % 2 ? 'pro' : 'free', `p${n % 3}`)))
})
afterAll(async () => {
  await Promise.all([one.stop(), other.stop()])
  await Promise.all([...gates.map((gate) => gate.close()), clickhouse.stop(), postgres.stop()])
  rmSync(folder, { recursive: true })
})
afterEach(() => gates.forEach((gate) => gate.open()))

const bought = (plan: string, person: string) => event('bought', {}, { plan, distinct_id: person })
const QUERY =
  'SELECT properties.plan AS plan, count() AS n, uniq(distinct_id) AS people FROM events WHERE event = {variables.event_name} GROUP BY plan ORDER BY plan'
const sql = (query: string) => ({ kind: 'HogQLQuery', query })
const create = (service: RunningService, name: string, more: object = {}) =>
  api(service, 'POST', '/endpoints/', { name, query: sql(QUERY), is_materialized: true, ...more })
const change = (service: RunningService, name: string, changes: object) =>
  api(service, 'PATCH', `/endpoints/${name}/`, changes)
const run = async (service: RunningService, name: string, body: object = {}): Promise<Reply> =>
  api(service, 'POST', `/endpoints/${name}/run`, { variables: { event_name: 'bought' }, ...body })
const status = async (service: RunningService, name: string) =>
  (await api(service, 'GET', `/endpoints/${name}/materialization_status/`)).body
const ready = (service: RunningService, name: string) => until(async () => (await status(service, name)).ready === true)
const tables = () => materializedTables((sql) => clickhouse.ask(sql))
const tableOf = (name: string) => materializedTableOf(one, database, name)
const claims = async () =>
  (await postgres.ask(database, "SELECT state_json::json->'claim'->>'until' AS until FROM materializations")).flatMap(
    ({ until: each }) => (typeof each === 'string' ? [each] : []),
  )

/** Expires the only claim, which no process renews. */
const expireClaim = async () => {
  const [until] = await claims()
  expect(Date.parse(until!) - Date.now()).toBeLessThanOrEqual(MAX_CLAIM_MS)
  const expired = JSON.stringify(new Date().toISOString())
  await postgres.ask(
    database,
    `UPDATE materializations SET state_json = jsonb_set(state_json::jsonb, '{claim,until}', '${expired}')::text WHERE state_json::json->'claim' IS NOT NULL`,
  )
}

/** Expects the same results from both replicas, from the materialized table and from stored events. */
const expectStored = async (name: string) => {
  const live = (await run(one, name, { refresh: 'direct' })).body
  for (const service of [one, other]) {
    const answer = (await run(service, name)).body
    expect(answer).toMatchObject({ endpoint_materialized: true, results: live.results })
  }
  return live.results
}
/** Expects live results from both replicas on the next runs, including cached ones. */
const expectLive = async (name: string) => {
  const live = (await run(one, name, { refresh: 'force' })).body.results
  for (const service of [one, other]) {
    const answer = (await run(service, name)).body
    expect([answer.endpoint_materialized, answer.results]).toEqual([undefined, live])
  }
  return live
}

/**
 * Waits until a statement of one process is held, and returns that process, its gate and the other process. The process that
 * enables a materialization claims the build, unless the other one looks for work first.
 */
const findBuilder = async () => {
  await until(() => gates[0].held() + gates[1].held() === 1)
  const isOne = gates[0].held() === 1
  return isOne ? { builder: one, gate: gates[0], idle: other } : { builder: other, gate: gates[1], idle: one }
}

const FILL = /INSERT INTO db\.rollup_/
const COUNT = /AS events FROM db\.rollup_\w+ WHERE/

let abandoned: string

test('another process rebuilds a materialized table that a killed process was building', async () => {
  gates[0].hold(FILL)
  gates[1].hold(FILL)
  await create(one, 'inherited')
  await until(() => gates[0].held() === 1)
  // Started later, because it could begin the build first.
  other = await startReplica('other', gates[1])
  ;[abandoned] = (await tables()) as [string]
  await one.kill()
  await expireClaim()
  await until(() => gates[1].held() === 1)
  gates.forEach((gate) => gate.open())
  await ready(other, 'inherited')
  one = await startReplica('one', gates[0])
  await expectStored('inherited')
  expect(await tableOf('inherited')).not.toBe(abandoned)
})

test('both processes serve runs from a table that one enabled, including each new event immediately', async () => {
  expect(await create(one, 'sales')).toMatchObject({ status: 201, body: { is_materialized: true } })
  await ready(other, 'sales')
  await expectStored('sales')
  for (const [service, plan] of [
    [one, 'max'],
    [other, 'mini'],
    [one, 'free'],
  ] as const) {
    expect((await capture(service, bought(plan, `new ${plan}`))).status).toBe(200)
    expect(await expectStored('sales')).toContainEqual([plan, expect.any(Number), expect.any(Number)])
  }
  expect(await status(other, 'sales')).toEqual(await status(one, 'sales'))
})

test('only one process at a time builds a materialized table', async () => {
  gates.forEach((gate) => gate.hold(FILL))
  await create(other, 'slow')
  const { idle } = await findBuilder()
  await change(idle, 'slow', { is_materialized: true })
  // Long enough for both to check for builds more than once.
  const seen = new Set<string>()
  await until(async () => (await claims()).every((each) => seen.add(each)) && seen.size > 4)
  expect(gates.map((gate) => gate.held()).sort()).toEqual([0, 1])
  for (const service of [one, other]) {
    expect(await status(service, 'slow')).toMatchObject({ enabled: true, ready: false, status: 'Running' })
    expect((await run(service, 'slow')).body.endpoint_materialized).toBeUndefined()
  }
  gates.forEach((gate) => gate.open())
  await ready(one, 'slow')
  await expectStored('slow')
})

test('when one process disables, deactivates or deletes a materialized endpoint, the other runs live and either can rebuild', async () => {
  await create(one, 'ending')
  for (const [by, end, begin] of [
    [one, { is_materialized: false }, { is_materialized: true }],
    [other, { is_active: false }, { is_active: true, is_materialized: true }],
  ] as const) {
    await ready(by, 'ending')
    await expectStored('ending')
    await change(by, 'ending', end)
    if ('is_active' in end)
      expect([(await run(one, 'ending')).status, (await run(other, 'ending')).status]).toEqual([404, 404])
    else await expectLive('ending')
    await change(by === one ? other : one, 'ending', begin)
  }
  await ready(one, 'ending')
  await api(other, 'DELETE', '/endpoints/ending/')
  expect([(await run(one, 'ending')).status, (await run(other, 'ending')).status]).toEqual([404, 404])
})

test('a materialized table that another process disables during its build is dropped unused', async () => {
  const before = await tables()
  gates.forEach((gate) => gate.hold(COUNT))
  await create(one, 'regretted')
  const { builder, idle } = await findBuilder()
  await change(idle, 'regretted', { is_materialized: false })
  gates.forEach((gate) => gate.open())
  await until(async () => (await tables()).every((each) => before.includes(each)))
  expect(await status(builder, 'regretted')).toMatchObject({ enabled: false, ready: false })
  await expectLive('regretted')
})

test('a started run completes from its materialized table after another process retires it', async () => {
  await create(one, 'read')
  await ready(other, 'read')
  await capture(one, event('rare', {}, { plan: 'pro' }))
  gates[1].hold(/rollup_[^]*rare|rare[^]*rollup_/)
  const answer = run(other, 'read', { variables: { event_name: 'rare' } })
  await until(() => gates[1].held() === 1)
  await change(one, 'read', { is_materialized: false })
  gates[1].open()
  expect((await answer).body).toMatchObject({ results: [['pro', 1, 1]], endpoint_materialized: true })
  await expectLive('read')
})

test('a materialized table that differs from a live run is disabled for both processes and its cached results are dropped', async () => {
  await create(one, 'watched', { data_freshness_seconds: 604_800 })
  await ready(one, 'watched')
  const table = await tableOf('watched')
  await clickhouse.ask(`INSERT INTO db.${table} SELECT * FROM db.${table}`)
  expect((await run(one, 'watched', { refresh: 'force' })).body.endpoint_materialized).toBe(true)
  await until(async () => !(await status(other, 'watched')).ready)
  for (const service of [one, other])
    expect(await status(service, 'watched')).toMatchObject({
      enabled: true,
      status: 'Failed',
      error: expect.stringContaining('other rows'),
    })
  await expectLive('watched')
  await until(() => (one.output() + other.output()).includes('is turned off'))
  await change(other, 'watched', { is_materialized: true })
  await ready(one, 'watched')
  await expectStored('watched')
})

test('a person erased by one process is absent from cached and materialized results of the other', async () => {
  expect((await capture(one, bought('secret', 'eve'))).status).toBe(200)
  await create(one, 'private')
  await ready(other, 'private')
  const hers = ['secret', 1, 1]
  expect(await expectStored('private')).toContainEqual(hers)
  // A table with the person's events is filled and about to be used.
  gates.forEach((gate) => gate.hold(COUNT))
  await create(other, 'half-done')
  const { gate: builderGate, idle } = await findBuilder()
  gates.forEach((gate) => gate.hold(FILL))
  const [{ id }] = (await api(idle, 'GET', '/persons/?distinct_id=eve')).body.results
  // A lost response does not end the erasure.
  gates.forEach((gate) => gate.dropNext(/DELETE WHERE/))
  expect((await api(idle, 'DELETE', `/persons/${id}/?delete_events=true`)).status).toBe(204)
  for (const name of ['private', 'half-done', 'sales']) expect(await expectLive(name)).not.toContainEqual(hers)
  // What this process rebuilds now is held like the other's builds.
  builderGate.open()
  builderGate.hold(FILL)
  for (const name of ['private', 'half-done']) expect(await expectLive(name)).not.toContainEqual(hers)
  gates.forEach((gate) => gate.open())
  for (const name of ['private', 'half-done', 'sales']) {
    await ready(other, name)
    expect(await expectStored(name)).not.toContainEqual(hers)
  }
})

test('both processes reject invalid requests and dates for a materialized insight with one message', async () => {
  const trend = {
    kind: 'TrendsQuery',
    series: [{ kind: 'EventsNode', event: 'bought' }],
    breakdownFilter: { breakdown: 'plan' },
  }
  await create(one, 'trend', { query: trend })
  await api(one, 'POST', '/endpoints/', { name: 'plain', query: sql(QUERY) })
  const asked = (service: RunningService) =>
    Promise.all([
      create(service, 'likes', { query: sql('SELECT count() FROM events WHERE event LIKE {variables.event_name}') }),
      run(service, 'plain', { refresh: 'direct' }),
      run(service, 'trend', { variables: { date_from: '2026-01-01' } }),
      run(service, 'trend', { variables: {}, format: 'csv' }),
    ])
  const answers = (replies: readonly Reply[]) =>
    replies.map(({ status: code, body: { request_id: _, ...body } }) => [code, body])
  const [first, second] = [answers(await asked(one)), answers(await asked(other))]
  expect(first).toEqual(second)
  expect(first.map(([code]) => code)).toEqual([400, 400, 400, 400])
  await change(other, 'trend', { date_variables: true })
  expect((await run(one, 'trend', { variables: { date_from: '2026-01-01', plan: 'pro' } })).status).toBe(200)
})

test('a merge that another process stores while a materialized insight is read is counted as a whole or not at all', async () => {
  const joined = (person: string) =>
    event('joined', { timestamp: '2026-01-01T12:00:00Z' }, { distinct_id: `${person} joined` })
  const query = {
    kind: 'TrendsQuery',
    series: [{ kind: 'EventsNode', event: 'joined', math: 'dau' }],
    dateRange: { date_from: '2026-01-01', date_to: '2026-01-01' },
  }
  await capture(one, joined('first'))
  await create(one, 'people', { query })
  await ready(one, 'people')
  const table = await tableOf('people')
  const people = async (service: RunningService, refresh: string) => {
    const { body } = await run(service, 'people', { variables: {}, refresh })
    expect(body.endpoint_materialized).toBe(refresh === 'direct' ? undefined : true)
    return body.results[0].data[0] as number
  }
  // In the first round, no id of the project was ever merged, and the run looks up no person.
  for (const [round, hold] of (['hold', 'holdResponses', 'hold'] as const).entries()) {
    const [ann, phone, late] = ['ann', 'phone', 'late'].map((each) => `${each} ${round}`) as [string, string, string]
    await capture(other, joined(ann), joined(phone))
    const before = await people(one, 'direct')
    gates[0][hold](new RegExp(table))
    const held = people(one, 'force')
    await until(() => gates[0].held() > 0)
    const merge = { distinct_id: `${ann} joined`, $anon_distinct_id: `${phone} joined` }
    expect((await capture(other, event('$identify', {}, merge))).status).toBe(200)
    expect((await capture(other, joined(late))).status).toBe(200)
    gates[0].open()
    // Before the merge, after it, or after the event that followed it. Never the event without the merge.
    expect([before, before - 1]).toContain(await held)
    expect([await people(other, 'force'), await people(other, 'direct')]).toEqual([before, before])
  }
})

test('an unfinished materialized table of a killed process is dropped', async () => {
  expect(abandoned).toMatch(/^rollup_/)
  // The process has noticed the table, and now its clock is past the time that a table is kept.
  other.process.kill('SIGUSR2')
  await until(async () => !(await tables()).includes(abandoned))
  expect(await tables()).toContain(await tableOf('sales'))
})
