import { join } from 'node:path'
import { SCOPES } from '../../src/http/auth.ts'
import { openMetadata } from '../../src/storage/metadata/metadata.ts'
import { api, capture, event, request } from '../support/api.ts'
import { childrenOf, engineOf, until } from '../support/engine.ts'
import { type RunningService, startService, testEmbedded } from '../support/startService.ts'

type Target = Pick<RunningService, 'url' | 'token' | 'key' | 'projectId'>

let service: RunningService
/** A project that receives only the events of the setup tests. */
let fresh: Target
let other: Target

beforeAll(async () => {
  service = await startService({ env: { TRAILMARK_MATERIALIZE_LAG_SECONDS: '0' } })
  const metadata = await openMetadata(join(service.data, 'definitions.db'))
  const createProject = async (name: string): Promise<Target> => {
    const { id, token } = await metadata.projects.create({ name, token: `token-of-${name}` })
    await metadata.keys.put({ projectId: id, label: name, secret: `key-of-${name}`, scopes: SCOPES })
    return { url: service.url, token, key: `key-of-${name}`, projectId: id }
  }
  fresh = await createProject('fresh')
  other = await createProject('other')
  await metadata.close()
  for (const name of ['plan', 'secret_name'])
    await api(service, 'POST', '/insight_variables/', { name, type: 'String' })
  await capture(service, event('bought', {}, { plan: 'pro' }))
})
afterAll(() => service.stop())

const sql = (query: string) => ({ kind: 'HogQLQuery', query })

describe('run statistics', () => {
  const create = async (name: string, query: string, target: Target = service, more: object = {}) =>
    expect((await api(target, 'POST', '/endpoints/', { name, query: sql(query), ...more })).status).toBe(201)
  const run = (name: string, body: object = {}, target: Target = service) =>
    api(target, 'POST', `/endpoints/${name}/run`, body)
  const runsOf = async (name: string, query = '', target: Target = service) =>
    (await api(target, 'GET', `/endpoints/${name}/runs${query}`)).body
  /** Resolves with the statistics when they contain this many runs. */
  const whenCounted = async (name: string, runs: number, target: Target = service) => {
    await until(async () => (await runsOf(name, '', target)).totals.runs >= runs)
    return runsOf(name, '', target)
  }

  test('an endpoint that has not run has empty statistics', async () => {
    await create('idle', 'SELECT 1')
    expect(await runsOf('idle')).toMatchObject({
      interval: 'hour',
      totals: {
        runs: 0,
        errors: 0,
        cached: 0,
        materialized: 0,
        p50_ms: null,
        p95_ms: null,
        rows: 0,
        errors_by_code: [],
      },
      series: [],
      recent: [],
    })
  })

  test('counts runs by path, with durations, errors and the names of variables', async () => {
    await create('sales', 'SELECT count() FROM events WHERE properties.plan = {variables.plan}')
    const before = Date.now()
    expect((await run('sales', { variables: { plan: 'ann@example.com' } })).status).toBe(200)
    expect((await run('sales', { variables: { plan: 'ann@example.com' } })).body.is_cached).toBe(true)
    expect((await run('sales', { variables: { secret_name: 'eve@example.com' } })).status).toBe(400)
    expect((await run('sales', { variables: { plan: 'pro' }, format: 'csv' })).status).toBe(200)
    expect((await run('sales', { variables: { plan: 'pro' }, version: 7 })).status).toBe(404)
    const stats = await whenCounted('sales', 5)
    expect(stats.totals).toEqual({
      runs: 5,
      errors: 2,
      cached: 1,
      materialized: 0,
      rows: 2,
      p50_ms: expect.any(Number),
      p95_ms: expect.any(Number),
      errors_by_code: [
        { code: 'invalid_variables', count: 1 },
        { code: 'version_not_found', count: 1 },
      ],
    })
    expect(stats.totals.p95_ms).toBeGreaterThanOrEqual(stats.totals.p50_ms)
    // The hour may change during the test.
    const sum = (field: string) => stats.series.reduce((total: number, each: any) => total + each[field], 0)
    expect([sum('runs'), sum('errors'), sum('cached')]).toEqual([5, 2, 1])
    expect(before - Date.parse(stats.series[0].start)).toBeLessThan(3_600_000)
    expect(
      stats.recent.map(({ path, status, code, rows, version, variables }: Record<string, unknown>) => [
        status,
        code,
        path,
        rows,
        version,
        variables,
      ]),
    ).toEqual([
      ['error', 'version_not_found', null, null, 7, ['plan']],
      ['ok', null, null, null, 1, ['plan']],
      ['error', 'invalid_variables', null, null, 1, ['secret_name']],
      ['ok', null, 'cache', 1, 1, ['plan']],
      ['ok', null, 'live', 1, 1, ['plan']],
    ])
    expect(stats.recent[0]).toMatchObject({ key_label: 'first key', run_token_id: null })
    expect(Date.parse(stats.recent.at(-1).at)).toBeGreaterThanOrEqual(before)
    expect(JSON.stringify(stats)).not.toContain('@example.com')
  })

  // Runs are stored every 2 s, so tests that need only their own endpoints wait at the same time.
  test.concurrent('creating, changing and previewing an endpoint does not count as a run', async () => {
    await create('quiet', 'SELECT 1')
    await api(service, 'PATCH', '/endpoints/quiet/', { query: sql('SELECT 2') })
    await api(service, 'POST', '/endpoints/quiet/materialization_preview', {})
    await create('loud', 'SELECT 1')
    await run('loud')
    await whenCounted('loud', 1)
    expect((await runsOf('quiet')).totals.runs).toBe(0)
  })

  test.concurrent('a run by run token names the token', async () => {
    await create('shown', 'SELECT 1')
    const { body } = await api(service, 'POST', '/endpoints/run_tokens/', { endpoints: ['shown'] })
    await request(`${service.url}/api/projects/${service.projectId}/endpoints/shown/run`, {
      method: 'POST',
      headers: { authorization: `Bearer ${body.token}`, 'content-type': 'application/json' },
      body: '{}',
    })
    const { recent } = await whenCounted('shown', 1)
    expect(recent[0]).toMatchObject({ key_label: 'first key', run_token_id: body.id })
  })

  test.concurrent('a run that reads a materialized table counts as materialized', async () => {
    await create('stored', 'SELECT count() AS n FROM events WHERE event = {variables.plan}', service, {
      is_materialized: true,
    })
    await until(async () => (await api(service, 'GET', '/endpoints/stored/materialization_status')).body.ready)
    expect((await run('stored', { variables: { plan: 'bought' } })).body.endpoint_materialized).toBe(true)
    const { totals, recent } = await whenCounted('stored', 1)
    expect([totals.materialized, recent[0].path]).toEqual([1, 'materialized'])
  })

  test.concurrent('keeps the statistics of an endpoint that is renamed, and not those of a deleted one', async () => {
    await create('before', 'SELECT 1')
    await run('before')
    await whenCounted('before', 1)
    await api(service, 'PATCH', '/endpoints/before/', { name: 'after' })
    expect((await runsOf('after')).totals.runs).toBe(1)
    await api(service, 'DELETE', '/endpoints/after/')
    await create('after', 'SELECT 1')
    expect((await runsOf('after')).totals.runs).toBe(0)
  })

  test('intervals begin at the times of the project', async () => {
    await api(service, 'PATCH', '', { timezone: 'Asia/Kathmandu' })
    const stats = async (interval: string) => (await runsOf('sales', `?interval=${interval}`)).series[0].start
    expect(await stats('day')).toMatch(/T18:15:00\.000Z$/)
    expect(await stats('hour')).toMatch(/:15:00\.000Z$/)
    expect(await stats('minute')).toMatch(/:00\.000Z$/)
    await api(service, 'PATCH', '', { timezone: 'UTC' })
  })

  test('excludes runs before "after"', async () => {
    const later = await runsOf('sales', `?after=${new Date(Date.now() + 1_000).toISOString()}`)
    expect([later.totals.runs, later.series]).toEqual([0, []])
    expect(later.recent).not.toEqual([])
  })

  test.each([
    ['interval=week', 'interval', /minute, hour, day/],
    ['after=yesterday', 'after', /2026-01-31T10:00:00Z/],
    ['after=2020-01-01', 'after', /last 31 days/],
    [`interval=minute&after=${new Date(Date.now() - 30 * 3_600_000).toISOString()}`, 'after', /last 24 hours/],
  ])('rejects ?%s', async (query, attr, detail) => {
    const { status, body } = await api(service, 'GET', `/endpoints/sales/runs?${query}`)
    expect([status, body.attr]).toEqual([400, attr])
    expect(body.detail).toMatch(detail)
  })

  test('lists the runs of all endpoints', async () => {
    const { results } = (await api(service, 'GET', '/endpoint_stats')).body
    expect(results.find(({ name }: { name: string }) => name === 'sales')).toEqual({
      id: expect.any(String),
      name: 'sales',
      runs_24h: 5,
      errors_24h: 2,
      p95_ms: expect.any(Number),
      cached_share: expect.closeTo(1 / 3),
      last_run_at: expect.any(String),
    })
    expect(results.find(({ name }: { name: string }) => name === 'idle')).toMatchObject({
      runs_24h: 0,
      p95_ms: null,
      cached_share: null,
      last_run_at: null,
    })
  })

  test('projects do not see the runs of others', async () => {
    await create('sales', 'SELECT 1', other)
    await run('sales', {}, other)
    expect((await whenCounted('sales', 1, other)).totals.runs).toBe(1)
    expect((await api(other, 'GET', '/endpoints/idle/runs')).status).toBe(404)
    expect((await api(other, 'GET', '/endpoint_stats')).body.results).toMatchObject([{ name: 'sales', runs_24h: 1 }])
    expect((await runsOf('sales')).totals.runs).toBe(5)
    expect((await api({ ...service, key: other.key }, 'GET', '/endpoint_stats')).status).toBe(404)
  })

  test.concurrent('keeps the names of a bounded number of variables', async () => {
    await create('named', 'SELECT 1')
    const names = [...Array.from({ length: 30 }, (_, n) => `name${n}`), 'x'.repeat(500_000)]
    const variables = Object.fromEntries(names.reverse().map((name) => [name, 1]))
    expect((await run('named', { variables })).status).toBe(400)
    const { recent } = await whenCounted('named', 1)
    expect(recent[0].variables).toEqual(names.slice(1, 21))
  })

  testEmbedded('a batch that is inserted again is stored once', async () => {
    const { id } = (await api(service, 'GET', '/endpoints/idle')).body
    const row = { project_id: service.projectId, endpoint_id: id, at: new Date().toISOString(), path: 'live' }
    const insert = () =>
      engineOf(service.data).ask('writer', `INSERT INTO db.endpoint_runs FORMAT JSONEachRow ${JSON.stringify(row)}`, {
        date_time_input_format: 'best_effort',
      })
    await insert()
    await insert()
    expect((await runsOf('idle')).totals.runs).toBe(1)
  })

  testEmbedded('runs during an outage of the engine are counted once it is back', async () => {
    await create('outage', 'SELECT count() FROM events')
    const [engine] = childrenOf(service.process.pid!)
    process.kill(engine!, 'SIGSTOP')
    const failing = run('outage')
    process.kill(engine!, 'SIGKILL')
    const statuses = [(await failing).status]
    await until(async () => {
      statuses.push((await run('outage')).status)
      return statuses.at(-1) === 200
    })
    const failed = statuses.length - 1
    expect(statuses).toEqual([...Array(failed).fill(503), 200])
    const { totals } = await whenCounted('outage', statuses.length)
    expect(totals).toMatchObject({
      runs: statuses.length,
      errors: failed,
      errors_by_code: [{ code: 'engine_unavailable', count: failed }],
    })
  })
})

describe('setup state', () => {
  const setup = async (target: Target) => (await api(target, 'GET', '/setup')).body
  const NOTHING = {
    first_pageview_at: null,
    first_custom_event_at: null,
    first_identify_at: null,
    first_flag_evaluation_at: null,
  }

  test('a new project has done nothing', async () => {
    expect(await setup(fresh)).toEqual({ token: fresh.token, timezone: 'UTC', ...NOTHING })
  })

  test.each([
    ['first_pageview_at', '$pageview'],
    ['first_custom_event_at', 'signed up'],
    ['first_identify_at', '$identify'],
    ['first_flag_evaluation_at', '$feature_flag_called'],
  ])('%s is set as soon as %s is stored', async (step, name) => {
    const before = Date.now()
    expect((await setup(fresh))[step]).toBeNull()
    // The device may have any clock.
    await capture(fresh, event(name, { timestamp: '2026-01-01T00:00:00Z' }))
    const at = Date.parse((await setup(fresh))[step])
    expect(at).toBeGreaterThanOrEqual(before - 1_000)
    expect(at).toBeLessThanOrEqual(Date.now() + 1_000)
  })

  test('remembers the first time when more events arrive', async () => {
    const first = await setup(fresh)
    await capture(fresh, event('$pageview'), event('signed up'))
    expect(await setup(fresh)).toEqual(first)
  })

  test('a /flags request that returns flags is a flag evaluation', async () => {
    const evaluate = () =>
      request(`${service.url}/flags/?v=2`, {
        method: 'POST',
        body: JSON.stringify({ token: other.token, distinct_id: 'ada' }),
      })
    await evaluate()
    expect((await setup(other)).first_flag_evaluation_at).toBeNull()
    await api(other, 'POST', '/feature_flags/', { key: 'on' })
    await evaluate()
    await until(async () => (await setup(other)).first_flag_evaluation_at !== null)
    expect(await setup(other)).toMatchObject({ ...NOTHING, first_flag_evaluation_at: expect.any(String) })
  })
})

describe('dashboards', () => {
  const tile = (id: string, more: object = {}) => ({
    id,
    title: id,
    display: 'number',
    endpoint: 'sales',
    x: 0,
    y: 0,
    w: 4,
    h: 2,
    ...more,
  })

  test('a project starts with one default dashboard, also when it is first read concurrently', async () => {
    const lists = await Promise.all(Array.from({ length: 5 }, () => api(fresh, 'GET', '/dashboards/')))
    expect(new Set(lists.map(({ body }) => body.results[0].id)).size).toBe(1)
    const [dashboard, ...more] = lists[0]!.body.results
    expect(more).toEqual([])
    expect(dashboard).toMatchObject({ name: 'Web overview', version: 1 })
    expect(dashboard.tiles.map(({ query }: any) => query.kind)).toEqual([
      'WebOverviewQuery',
      'TrendsQuery',
      'WebStatsTableQuery',
      'WebStatsTableQuery',
      'WebStatsTableQuery',
      'WebStatsTableQuery',
    ])
    expect((await api(fresh, 'DELETE', `/dashboards/${dashboard.id}`)).status).toBe(204)
    expect((await api(fresh, 'GET', '/dashboards/')).body.results).toEqual([])
  })

  test('are created, read, changed and deleted', async () => {
    const { status, body: created } = await api(service, 'POST', '/dashboards/', {
      name: 'Sales',
      variables: { plan: 'pro' },
      tiles: [tile('a'), tile('b', { endpoint: undefined, query: { kind: 'TrendsQuery', series: [] }, x: 4 })],
    })
    expect(status).toBe(201)
    expect(created).toMatchObject({ name: 'Sales', description: '', version: 1, variables: { plan: 'pro' } })
    expect((await api(service, 'GET', `/dashboards/${created.id}`)).body).toEqual(created)
    const { body: changed } = await api(service, 'PATCH', `/dashboards/${created.id}`, {
      version: 1,
      name: 'All sales',
      tiles: [tile('a')],
    })
    expect(changed).toMatchObject({ name: 'All sales', version: 2, variables: { plan: 'pro' }, tiles: [{ id: 'a' }] })
    expect((await api(service, 'DELETE', `/dashboards/${created.id}`)).status).toBe(204)
    for (const method of ['GET', 'DELETE'])
      expect((await api(service, method, `/dashboards/${created.id}`)).status).toBe(404)
  })

  test('a change based on an old version is rejected', async () => {
    const { id } = (await api(service, 'POST', '/dashboards/', { name: 'Shared' })).body
    const replies = await Promise.all(
      ['one', 'two', 'three'].map((name) => api(service, 'PATCH', `/dashboards/${id}`, { version: 1, name })),
    )
    expect(replies.map(({ status }) => status).sort()).toEqual([200, 409, 409])
    const conflict = replies.find(({ status }) => status === 409)!.body
    expect(conflict).toMatchObject({ code: 'version_conflict', attr: 'version', current_version: 2 })
    expect(conflict.detail).toMatch(/based on version 1, and the current version is 2/)
    expect((await api(service, 'GET', `/dashboards/${id}`)).body).toMatchObject({
      version: 2,
      name: replies.find(({ status }) => status === 200)!.body.name,
    })
  })

  test.each([
    ['a tile with an endpoint and a query', { tiles: [tile('a', { query: { kind: 'TrendsQuery' } })] }, 'tiles.0'],
    ['a tile with neither', { tiles: [tile('a', { endpoint: undefined })] }, 'tiles.0'],
    ['two tiles with one id', { tiles: [tile('a'), tile('a')] }, 'tiles.1.id'],
    ['a tile beyond the grid', { tiles: [tile('a', { x: 9 })] }, 'tiles.0.w'],
    ['an unknown display', { tiles: [tile('a', { display: 'pie' })] }, 'tiles'],
    ['too many tiles', { tiles: Array.from({ length: 51 }, (_, n) => tile(`t${n}`)) }, 'tiles'],
    [
      'tiles that are too large',
      { tiles: [tile('a', { endpoint: undefined, query: { kind: 'x', text: 'x'.repeat(250_000) } })] },
      'tiles',
    ],
    ['a blank name', { name: '  ' }, 'name'],
    ['an unknown field', { color: 'red' }, 'color'],
  ])('rejects %s', async (_, input, attr) => {
    const { status, body } = await api(service, 'POST', '/dashboards/', { name: 'x', ...input })
    expect([status, body.attr]).toEqual([400, attr])
  })

  test('a project has a limited number of dashboards', async () => {
    const created: string[] = []
    let last = await api(other, 'POST', '/dashboards/', { name: 'x' })
    while (last.status === 201) {
      created.push(last.body.id)
      last = await api(other, 'POST', '/dashboards/', { name: 'x' })
    }
    expect(created).toHaveLength(100)
    expect(last.body).toMatchObject({ code: 'invalid_input', detail: expect.stringMatching(/at most 100 dashboards/) })
    await Promise.all(created.map((id) => api(other, 'DELETE', `/dashboards/${id}`)))
  })

  test('projects and keys without the scopes have no access', async () => {
    const { id } = (await api(service, 'POST', '/dashboards/', { name: 'Mine' })).body
    for (const [method, body] of [
      ['GET', undefined],
      ['PATCH', { version: 1, name: 'Theirs' }],
      ['DELETE', undefined],
    ] as const)
      expect((await api(other, method, `/dashboards/${id}`, body)).status).toBe(404)
    const { value } = (
      await request(`${service.url}/api/personal_api_keys/`, {
        method: 'POST',
        headers: { authorization: `Bearer ${service.key}`, 'content-type': 'application/json' },
        body: JSON.stringify({ label: 'dashboard reader', scopes: ['dashboard:read'] }),
      })
    ).body
    const reader = { ...service, key: value }
    expect((await api(reader, 'GET', `/dashboards/${id}`)).status).toBe(200)
    expect((await api(reader, 'DELETE', `/dashboards/${id}`)).body.code).toBe('permission_denied')
  })

  test('names and values of any kind are returned unchanged', async () => {
    const variables = JSON.parse('{"__proto__":{"a":1},"x":"<img onerror=alert(1)>","\u202e":"\u202eabc"}')
    const { status, body } = await api(service, 'POST', '/dashboards/', { name: '<img onerror>\u202e', variables })
    expect(status).toBe(201)
    const read = (await api(service, 'GET', `/dashboards/${body.id}`)).body
    expect(JSON.stringify(read.variables)).toBe(JSON.stringify(variables))
    expect(read.name).toBe('<img onerror>\u202e')
  })
})

describe('flag tests', () => {
  const define = async (input: object) => {
    const reply = await api(service, 'POST', '/feature_flags/', input)
    expect(reply.status).toBe(201)
    return reply.body
  }
  const tryOut = async (input: object, target: Target = service) =>
    (await api(target, 'POST', '/feature_flags/test', input)).body
  const valueOf = async (key: string, input: object) => {
    const { body } = await request(`${service.url}/flags/?v=2`, {
      method: 'POST',
      body: JSON.stringify({ token: service.token, ...input }),
    })
    const { variant, enabled } = body.flags[key]
    return variant ?? enabled
  }
  const person = (key: string, value: unknown, operator = 'exact') => ({ key, value, operator, type: 'person' })

  test('explains each condition on stored properties', async () => {
    const { id } = await define({
      key: 'explained',
      filters: {
        groups: [
          { properties: [person('tier', 'gold'), person('age', 30, 'gte')] },
          { properties: [person('tier', 'free')], rollout_percentage: 0 },
          { properties: [person('tier', 'free')], variant: 'b' },
          {},
        ],
        multivariate: {
          variants: [
            { key: 'a', rollout_percentage: 50 },
            { key: 'b', rollout_percentage: 50 },
          ],
        },
        payloads: { b: { steps: 2 } },
      },
    })
    await capture(service, event('$identify', {}, { distinct_id: 'ada', $set: { tier: 'free' } }))
    const result = await tryOut({ flag: id, distinct_id: 'ada' })
    expect(result).toMatchObject({
      key: 'explained',
      active: true,
      value: 'b',
      payload: '{"steps":2}',
      reason: { code: 'condition_match', condition_index: 2 },
      person: { is_identified: true },
      enrollment: null,
    })
    expect(result.conditions.map(({ matched, decides }: any) => [matched, decides])).toEqual([
      [false, false],
      [false, false],
      [true, true],
      [true, false],
    ])
    const [first, second, third, fourth] = result.conditions
    expect(first.properties).toMatchObject([
      { key: 'tier', operator: 'exact', wanted: 'gold', found: 'free', missing: false, matched: false },
      { key: 'age', operator: 'gte', wanted: 30, found: null, missing: true, matched: false },
    ])
    expect(first.why).toBe('2 of 2 properties do not match. "tier" is "free", which does not match exact "gold".')
    expect(first.properties[1].why).toMatch(/^The person has no property "age"\./)
    expect(second.why).toMatch(/^All properties match, but the bucket \d+(\.\d+)?% is above the rollout of 0%\.$/)
    expect(third.why).toBe('All properties match.')
    expect(fourth.why).toBe(
      'The condition has no properties, so it matches everyone. But condition 3 comes first, and decides.',
    )
    expect(second.bucket).toBeGreaterThan(0)
    expect(await valueOf('explained', { distinct_id: 'ada' })).toBe(result.value)
    // By key, and with a property that replaces the stored one.
    expect(
      await tryOut({ flag: 'explained', distinct_id: 'ada', person_properties: { tier: 'gold', age: 36 } }),
    ).toMatchObject({ reason: { condition_index: 0 } })
  })

  test('says that a property is missing because nobody was identified', async () => {
    const flag = { key: 'draft', filters: { groups: [{ properties: [person('email', '@', 'icontains')] }] } }
    const stranger = await tryOut({ flag, distinct_id: 'nobody-knows' })
    expect(stranger).toMatchObject({ value: false, person: null })
    expect(stranger.conditions[0].properties[0].why).toMatch(/no stored person with this distinct id/)
    await capture(
      service,
      event('seen', {}, { distinct_id: 'anonymous-1', $process_person_profile: true, $set: { color: 'red' } }),
    )
    const anonymous = await tryOut({ flag, distinct_id: 'anonymous-1' })
    expect(anonymous.person).toMatchObject({ is_identified: false })
    expect(anonymous.conditions[0].properties[0].why).toMatch(/has not been identified/)
  })

  test('evaluates unsaved changes without saving them', async () => {
    const saved = await define({ key: 'edited', active: false })
    const draft = { id: saved.id, key: 'edited', active: true, filters: { groups: [{ rollout_percentage: 0 }] } }
    expect(await tryOut({ flag: draft, distinct_id: 'ada' })).toMatchObject({
      active: true,
      value: false,
      reason: { code: 'out_of_rollout_bound' },
    })
    expect(await tryOut({ flag: saved.id, distinct_id: 'ada' })).toMatchObject({
      active: false,
      value: false,
      reason: { code: 'flag_inactive' },
      conditions: [{ matched: true }],
    })
    expect((await api(service, 'GET', `/feature_flags/${saved.id}`)).body).toEqual(saved)
    expect(await tryOut({ flag: { key: 'never saved' }, distinct_id: 'ada' })).toMatchObject({
      code: 'invalid_input',
      attr: 'key',
    })
    expect(
      await tryOut({
        flag: { key: 'k', filters: { groups: [{ properties: [person('x', {}, 'gt')] }] } },
        distinct_id: 'a',
      }),
    ).toMatchObject({ attr: 'filters.groups.0.properties.0.value' })
  })

  test('shows enrollment in an early access feature before the conditions', async () => {
    const feature = (await api(service, 'POST', '/early_access_feature/', { name: 'New editor', stage: 'beta' })).body
    const { key } = feature.feature_flag
    const enroll = (distinctId: string, isEnrolled: boolean) =>
      capture(
        service,
        event(
          '$feature_enrollment_update',
          {},
          { distinct_id: distinctId, $set: { [`$feature_enrollment/${key}`]: isEnrolled } },
        ),
      )
    await enroll('joins', true)
    await enroll('leaves', false)
    await api(service, 'PATCH', `/feature_flags/${feature.feature_flag.id}`, { filters: { groups: [{}] } })
    const joined = await tryOut({ flag: key, distinct_id: 'joins' })
    expect(joined.enrollment).toMatchObject({ name: 'New editor', stage: 'beta', enrolled: true })
    expect(joined.enrollment.why).toBe('The person enrolled in "New editor", so the flag is on.')
    expect(joined.conditions[0]).toMatchObject({ index: 1, is_enrollment: true, matched: true })
    expect(joined.conditions[0].why).toMatch(/The person enrolled|All properties match/)
    const left = await tryOut({ flag: key, distinct_id: 'leaves' })
    expect(left).toMatchObject({ value: false, enrollment: { enrolled: false } })
    expect(left.enrollment.why).toMatch(/opted out of "New editor", so the flag is off/)
    expect(left.conditions[1].why).toMatch(/opted out of the early access feature/)
    expect(await tryOut({ flag: key, distinct_id: 'neither' })).toMatchObject({
      value: true,
      enrollment: { enrolled: null },
    })
    for (const distinct_id of ['joins', 'leaves', 'neither'])
      expect(await valueOf(key, { distinct_id })).toBe((await tryOut({ flag: key, distinct_id })).value)
    // An unsaved edit of the flag is still decided by enrollment.
    const draft = { id: feature.feature_flag.id, key, filters: { groups: [] } }
    expect(await tryOut({ flag: draft, distinct_id: 'joins' })).toMatchObject({ value: true })
    await api(service, 'PATCH', `/early_access_feature/${feature.id}`, { stage: 'concept' })
    const undecided = await tryOut({ flag: key, distinct_id: 'leaves' })
    expect(undecided.enrollment.why).toMatch(/does not decide the flag in the stage concept/)
    expect(undecided.conditions.every(({ is_enrollment }: any) => !is_enrollment)).toBe(true)
  })

  test('explains flags of groups and conditions on other flags', async () => {
    await define({ key: 'base', filters: { groups: [{ properties: [person('tier', 'free')] }] } })
    const flag = {
      key: 'of-companies',
      filters: {
        aggregation_group_type: 'company',
        groups: [{ properties: [{ key: 'size', value: 10, operator: 'gt', type: 'group' }] }],
      },
    }
    await capture(
      service,
      event('$groupidentify', {}, { $group_type: 'company', $group_key: 'acme', $group_set: { size: 20 } }),
    )
    expect(await tryOut({ flag, groups: { company: 'acme' } })).toMatchObject({
      value: true,
      person: null,
      conditions: [{ properties: [{ found: 20, matched: true, why: '"size" is 20, which matches gt 10.' }] }],
    })
    const without = await tryOut({ flag, distinct_id: 'ada' })
    expect(without).toMatchObject({ value: false, reason: { code: 'no_group_type' }, conditions: [{ bucket: null }] })
    expect(without.conditions[0].why).toMatch(/groups of the type "company", and "groups" does not name one/)
    expect(
      await tryOut({ flag, groups: { company: 'acme' }, group_properties: { company: { size: 1 } } }),
    ).toMatchObject({ value: false })
    const depends = {
      key: 'depends',
      filters: { groups: [{ properties: [{ key: 'base', value: true, type: 'flag' }] }] },
    }
    const dependent = await tryOut({ flag: depends, distinct_id: 'someone-else' })
    expect(dependent.conditions[0].properties[0]).toMatchObject({ operator: 'flag_evaluates_to', found: false })
    expect(dependent.conditions[0].properties[0].why).toBe('The flag "base" is false, which does not match true.')
  })

  test('rejects a test without a person, of a missing flag and of another project', async () => {
    const { id } = await define({ key: 'local' })
    expect(await tryOut({ flag: 'local' })).toMatchObject({ code: 'invalid_input', attr: 'distinct_id' })
    expect(await tryOut({ flag: 'none', distinct_id: 'ada' })).toMatchObject({ code: 'not_found', attr: 'flag' })
    expect(await tryOut({ flag: id, distinct_id: 'ada' }, other)).toMatchObject({ code: 'not_found' })
    expect(await tryOut({ flag: { id, key: 'local' }, distinct_id: 'ada' }, other)).toMatchObject({ code: 'not_found' })
    // The other project has no person "ada".
    const flag = { key: 'theirs', filters: { groups: [{ properties: [person('tier', 'free')] }] } }
    expect(await tryOut({ flag, distinct_id: 'ada' }, other)).toMatchObject({ value: false, person: null })
  })

  test('counts the persons that a flag is on for, saved or not, and lists some of them', async () => {
    await capture(
      service,
      event('$identify', {}, { distinct_id: 'matched 1', $set: { seat: 'window', age: 30 } }),
      event('$identify', {}, { distinct_id: 'matched 2', $set: { seat: 'window', age: 20 } }),
      event('$identify', {}, { distinct_id: 'unmatched', $set: { seat: 'aisle' } }),
    )
    const flag = {
      key: 'seats',
      filters: {
        groups: [
          { properties: [person('seat', 'window')], rollout_percentage: 0 },
          { properties: [person('seat', 'window'), person('age', 25, 'gte')] },
        ],
      },
    }
    const matches = async () => {
      const { status, body } = await api(service, 'POST', '/feature_flags/matches', { flag })
      expect(status).toBe(200)
      return body
    }
    let body = await matches()
    // The service evaluates flags for 100 ms, which a busy machine may spend on something else.
    while (!body.is_complete) body = await matches()
    expect(body).toMatchObject({
      matching: 1,
      conditions: [
        { index: 0, properties_match: 2, matching: 0 },
        { index: 1, properties_match: 1, matching: 1 },
      ],
      results: [{ distinct_id: 'matched 1', value: true }],
    })
    expect((await api(service, 'GET', `/persons/${body.results[0].id}/`)).body.properties.seat).toBe('window')
    const ofGroups = { key: 'seats', filters: { aggregation_group_type: 'company', groups: [{}] } }
    expect((await api(service, 'POST', '/feature_flags/matches', { flag: ofGroups })).status).toBe(400)
    expect((await api(service, 'POST', '/feature_flags/matches', { flag: 'unknown' })).status).toBe(404)
    expect((await api(other, 'POST', '/feature_flags/matches', { flag })).body).toMatchObject({ matching: 0 })
  })

  test('requires the scope for reading persons as well', async () => {
    const { value } = (
      await request(`${service.url}/api/personal_api_keys/`, {
        method: 'POST',
        headers: { authorization: `Bearer ${service.key}`, 'content-type': 'application/json' },
        body: JSON.stringify({ label: 'flag reader', scopes: ['feature_flag:read'] }),
      })
    ).body
    const reply = await api({ ...service, key: value }, 'POST', '/feature_flags/test', {
      flag: 'local',
      distinct_id: 'ada',
    })
    expect([reply.status, reply.body.detail]).toEqual([403, expect.stringContaining('person:read')])
  })
})

test('a property that is read as a plain value is read as JSON from its first object or array on', async () => {
  const query = sql("SELECT distinct_id, properties.shape FROM events WHERE event = 'shaped' ORDER BY distinct_id")
  await api(service, 'POST', '/endpoints/', { name: 'shapes', query })
  const send = (...shapes: readonly (readonly [id: string, shape: unknown])[]) =>
    capture(service, ...shapes.map(([distinct_id, shape]) => event('shaped', {}, { distinct_id, shape })))
  const run = async () =>
    (await api(service, 'POST', '/endpoints/shapes/run', { refresh: 'force', debug: true })).body as {
      results: unknown
      clickhouse: string
    }
  const isPlain = ({ clickhouse }: { clickhouse: string }) => !clickhouse.includes('.^')
  await send(['a', '[1]'], ['b', 7])
  await until(async () => isPlain(await run()))
  expect((await run()).results).toEqual([
    ['a', '[1]'],
    ['b', '7'],
  ])
  await send(['c', { deep: [1] }], ['d', ['x']])
  const after = await run()
  expect(isPlain(after)).toBe(false)
  expect(after.results).toEqual([
    ['a', '[1]'],
    ['b', '7'],
    ['c', '{"deep":[1]}'],
    ['d', '["x"]'],
  ])
})
