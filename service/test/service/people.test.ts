import { rmSync } from 'node:fs'
import { api, capture, event, request, rowsOf } from '../support/api.ts'
import { engineOf } from '../support/engine.ts'
import { type RunningService, startService, testEmbedded } from '../support/startService.ts'

let service: RunningService
beforeAll(async () => {
  service = await startService()
})
afterAll(async () => {
  await service.stop()
  rmSync(service.data, { recursive: true, force: true })
})

const ask = async (question: object) =>
  (
    await request(`${service.url}/flags/?v=2`, {
      method: 'POST',
      body: JSON.stringify({ token: service.token, ...question }),
    })
  ).body
const define = async (key: string, filters: object) =>
  expect(await api(service, 'POST', '/feature_flags/', { key, filters })).toMatchObject({ status: 201 })
const by = (
  distinct_id: string,
  name: string,
  properties: Record<string, unknown> = {},
  more: Record<string, unknown> = {},
) => event(name, more, { distinct_id, ...properties })
const on = (key: string, value: unknown, more: object = {}) => ({
  groups: [{ properties: [{ key, value, type: 'person' }] }],
  ...more,
})

test('a visitor can be captured, identified, merged and queried as a person', async () => {
  await capture(
    service,
    by('anon', '$pageview', { $session_id: 's', $current_url: 'https://a.b/' }),
    by('ann', '$identify', { $anon_distinct_id: 'anon' }, { $set: { plan: 'pro' }, $set_once: { first: 'ads' } }),
    by('ben', 'buy', { $groups: { company: 'acme' } }),
  )
  expect(
    await rowsOf(
      service,
      "SELECT event, person.properties.first FROM events WHERE person.properties.plan = 'pro' ORDER BY event",
    ),
  ).toEqual([
    ['$identify', 'ads'],
    ['$pageview', 'ads'],
  ])
  expect(await rowsOf(service, 'SELECT count(), countIf(is_identified) FROM persons')).toEqual([[2, 1]])
  expect(await rowsOf(service, 'SELECT session_id, $entry_current_url FROM sessions')).toEqual([['s', 'https://a.b/']])
  expect(await rowsOf(service, 'SELECT index, key FROM groups')).toEqual([[0, 'acme']])
  expect(
    await rowsOf(service, 'SELECT * FROM persons WHERE properties.plan = {variables.plan}').catch(String),
  ).toContain('plan')
})

test('a flag uses stored person properties for every distinct ID, and properties in the request win', async () => {
  await capture(
    service,
    by('visitor', 'x', {}, { $set_once: { source: 'ads' } }),
    by('cleo', '$identify', { $anon_distinct_id: 'visitor' }, { $set: { plan: 'gold' } }),
    by('cleo', '$set', {}, { $unset: ['gone'], $set: { gone: 1 } }),
    by('dan', 'x', {}, { $set: { plan: 'free' } }),
  )
  await define('gold', on('plan', 'gold'))
  await define('from-ads', on('source', 'ads'))
  await define('needs-gold', { groups: [{ properties: [{ key: 'gold', value: true, type: 'flag' }] }] })
  const enabled = async (question: object) =>
    Object.values<any>((await ask(question)).flags)
      .filter((flag) => flag.enabled)
      .map(({ key }) => key)
  expect(await enabled({ distinct_id: 'cleo' })).toEqual(['gold', 'from-ads', 'needs-gold'])
  expect(await enabled({ distinct_id: 'visitor' })).toEqual(['gold', 'from-ads', 'needs-gold'])
  expect(await enabled({ distinct_id: 'dan' })).toEqual([])
  expect(await enabled({ distinct_id: 'nobody' })).toEqual([])
  expect(await enabled({ distinct_id: 'cleo', person_properties: { plan: 'free' } })).toEqual(['from-ads'])
  expect(await enabled({ distinct_id: 'cleo', flag_keys_to_evaluate: ['needs-gold'] })).toEqual(['needs-gold'])
  // Concurrent requests are batched, and each gets its own response.
  const ids = ['cleo', 'dan', 'visitor', 'nobody', 'ann']
  const answers = await Promise.all(
    Array.from({ length: 50 }, (_, n) => enabled({ distinct_id: ids[n % 5]!, flag_keys_to_evaluate: ['gold'] })),
  )
  answers.forEach((keys, n) => expect(keys).toEqual(n % 5 === 0 || n % 5 === 2 ? ['gold'] : []))
})

test('a group flag uses stored group properties by the name or index of the group type', async () => {
  await capture(
    service,
    by('ann', '$groupidentify', { $group_type: 'company', $group_key: 'acme', $group_set: { size: 50 } }),
    by('ann', '$groupidentify', { $group_type: 'company', $group_key: 'zeta', $group_set: { size: 5 } }),
    by('ann', '$groupidentify', { $group_type: 'team', $group_key: 'acme', $group_set: { size: 1000 } }),
  )
  const big = { groups: [{ properties: [{ key: 'size', value: 10, operator: 'gt', type: 'group' }] }] }
  await define('big-by-name', { ...big, aggregation_group_type: 'company' })
  await define('big-by-index', { ...big, aggregation_group_type_index: 0 })
  await define('of-no-type', { groups: [{}], aggregation_group_type_index: 4 })
  const flags = async (question: object) => {
    const { flags } = await ask({
      distinct_id: 'x',
      flag_keys_to_evaluate: ['big-by-name', 'big-by-index', 'of-no-type'],
      ...question,
    })
    return [flags['big-by-name'].enabled, flags['big-by-index'].enabled, flags['of-no-type'].reason.code]
  }
  expect(await flags({ groups: { company: 'acme' } })).toEqual([true, true, 'no_group_type'])
  expect(await flags({ groups: { company: 'zeta', team: 'acme' } })).toEqual([false, false, 'no_group_type'])
  expect(await flags({ groups: { company: 'zeta' }, group_properties: { company: { size: 11 } } })).toEqual([
    true,
    true,
    'no_group_type',
  ])
  expect(await flags({})).toEqual([false, false, 'no_group_type'])
})

test('server SDKs get flag definitions for local evaluation', async () => {
  const path = `${service.url}/api/feature_flag/local_evaluation`
  const get = (url: string, key = service.key) => request(url, { headers: { authorization: `Bearer ${key}` } })
  await define('local', {
    groups: [{ properties: [{ key: 'needs-gold', value: true, type: 'flag' }], rollout_percentage: 50 }],
    payloads: { true: { a: 1 } },
  })
  const { status, body } = await get(`${path}?token=${service.token}&send_cohorts`)
  expect(status).toBe(200)
  expect(body).toMatchObject({ group_type_mapping: { 0: 'company', 1: 'team' }, cohorts: {} })
  const flags = new Map<string, any>(body.flags.map((flag: { key: string }) => [flag.key, flag]))
  expect(flags.get('local')).toMatchObject({
    active: true,
    deleted: false,
    ensure_experience_continuity: false,
    filters: {
      groups: [
        {
          properties: [
            {
              key: 'needs-gold',
              value: true,
              type: 'flag',
              operator: 'flag_evaluates_to',
              dependency_chain: ['gold', 'needs-gold'],
            },
          ],
          rollout_percentage: 50,
          variant: null,
        },
      ],
      multivariate: null,
      payloads: { true: '{"a":1}' },
      aggregation_group_type_index: null,
    },
  })
  expect(flags.get('big-by-name').filters).toMatchObject({
    aggregation_group_type_index: 0,
    groups: [{ properties: [{ key: 'size', type: 'group', group_type_index: 0 }] }],
  })
  expect(flags.has('of-no-type')).toBe(false)
  expect((await get(path)).body).toEqual(body)
  expect((await get(`${path}?token=wrong`)).status).toBe(401)
  expect((await get(`${path}?token=${service.token}`, 'wrong')).status).toBe(401)
})

testEmbedded('the engine filter isolates persons of projects', async () => {
  const engine = engineOf(service.data)
  for (const table of ['person_properties', 'person_distinct_ids', 'person_merges', 'group_properties']) {
    const seen = (settings: Record<string, string>) =>
      engine
        .ask('reader', `SELECT count() FROM db.${table}`, { readonly: '1', ...settings })
        .then((rows) => Number(rows[0]![0]))
    expect(await seen({ log_comment: String(service.projectId) })).toBeGreaterThan(0)
    expect(await seen({ log_comment: '999' })).toBe(0)
    expect(await seen({})).toBe(0)
  }
  await expect(
    engine.ask('reader', 'INSERT INTO db.person_properties (project_id) VALUES (1)', { log_comment: '1' }),
  ).rejects.toThrow(/ACCESS_DENIED|privileges/)
})

test('person properties survive a restart', async () => {
  await service.kill()
  service = await startService({ data: service.data })
  expect((await ask({ distinct_id: 'visitor', flag_keys_to_evaluate: ['gold'] })).flags.gold.enabled).toBe(true)
  expect(
    await rowsOf(
      service,
      "SELECT count() FROM events WHERE person.properties.plan = 'gold' AND distinct_id = 'visitor'",
    ),
  ).toEqual([[1]])
  await capture(service, by('eve', 'x', { $groups: { fourth: 'a', company: 'acme' } }))
  expect(await rowsOf(service, "SELECT $group_0, $group_2 FROM events WHERE distinct_id = 'eve'")).toEqual([
    ['acme', 'a'],
  ])
})
