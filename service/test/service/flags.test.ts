import { gzipSync } from 'node:zlib'
import { openMetadata } from '../../src/storage/metadata/metadata.ts'
import { join } from 'node:path'
import { PostHog } from 'posthog-node'
import { api, capture, event, request } from '../support/api.ts'
import { type RunningService, startService } from '../support/startService.ts'

let service: RunningService
let other: Pick<RunningService, 'url' | 'token' | 'key' | 'projectId'>

beforeAll(async () => {
  service = await startService()
  const metadata = await openMetadata(join(service.data, 'definitions.db'))
  const project = await metadata.projects.create({ name: 'Another', token: 'another-token' })
  await metadata.keys.put({
    projectId: project.id,
    label: 'another',
    secret: 'the-key-of-another',
    scopes: ['feature_flag:read', 'feature_flag:write'],
  })
  await metadata.close()
  other = { url: service.url, token: project.token, key: 'the-key-of-another', projectId: project.id }
})
afterAll(() => service.stop())

const ask = (question: object, query = 'v=2', { url, token } = service as Pick<RunningService, 'url' | 'token'>) =>
  request(`${url}/flags/?${query}`, {
    method: 'POST',
    body: JSON.stringify({ token, distinct_id: 'ada', ...question }),
  })
const define = async (input: object, target: Parameters<typeof api>[0] = service) => {
  const reply = await api(target, 'POST', '/feature_flags/', input)
  expect(reply).toMatchObject({ status: 201 })
  return reply.body
}

test('a flag can be created, evaluated, changed, disabled and deleted', async () => {
  const made = await define({
    key: 'checkout',
    name: 'The new one',
    filters: {
      groups: [{ properties: [{ key: 'plan', value: 'gold', type: 'person' }] }],
      payloads: { true: { steps: 2 } },
    },
  })
  expect(made).toMatchObject({
    id: expect.any(Number),
    key: 'checkout',
    active: true,
    version: 1,
    deleted: false,
    evaluation_contexts: [],
  })

  expect((await ask({})).body.flags.checkout).toMatchObject({ enabled: false, reason: { code: 'no_condition_match' } })
  expect((await ask({ person_properties: { plan: 'gold' } })).body).toMatchObject({
    flags: {
      checkout: {
        key: 'checkout',
        enabled: true,
        variant: null,
        reason: { code: 'condition_match', condition_index: 0 },
        metadata: { id: made.id, version: 1, description: 'The new one', payload: '{"steps":2}' },
      },
    },
    errorsWhileComputingFlags: false,
    requestId: expect.stringMatching(/^[0-9a-f-]{36}$/),
    evaluatedAt: expect.any(Number),
  })

  const changed = await api(service, 'PATCH', `/feature_flags/${made.id}`, { filters: { groups: [{}] } })
  expect(changed.body).toMatchObject({ version: 2, name: 'The new one' })
  expect((await ask({})).body.flags.checkout).toMatchObject({ enabled: true, metadata: { version: 2 } })
  await api(service, 'PATCH', `/feature_flags/${made.id}`, { active: false })
  expect((await ask({})).body.flags).toEqual({})
  expect((await api(service, 'DELETE', `/feature_flags/${made.id}`)).status).toBe(204)
  expect((await api(service, 'GET', `/feature_flags/${made.id}`)).status).toBe(404)
  // The key can be reused.
  const again = await define({ key: 'checkout' })
  expect(again.id).not.toBe(made.id)
  await api(service, 'DELETE', `/feature_flags/${again.id}`)
})

test('older clients get flags in older response versions', async () => {
  const { id } = await define({
    key: 'old',
    filters: {
      groups: [{}],
      multivariate: { variants: [{ key: 'x', rollout_percentage: 100 }] },
      payloads: { x: '1' },
    },
  })
  expect((await ask({}, 'v=1')).body).toMatchObject({ featureFlags: { old: 'x' }, featureFlagPayloads: { old: '1' } })
  await api(service, 'DELETE', `/feature_flags/${id}`)
})

test('flag requests filter by context and key and can skip evaluation', async () => {
  const ids = [
    await define({ key: 'web', evaluation_contexts: ['web'] }),
    await define({ key: 'app', evaluation_contexts: ['app'] }),
    await define({ key: 'both' }),
  ].map(({ id }) => id)
  const keys = async (question: object) => Object.keys((await ask(question)).body.flags)
  expect(await keys({})).toEqual(['web', 'app', 'both'])
  expect(await keys({ evaluation_contexts: ['web'] })).toEqual(['web', 'both'])
  expect(await keys({ evaluation_environments: ['app'] })).toEqual(['app', 'both'])
  expect(await keys({ flag_keys_to_evaluate: ['both'] })).toEqual(['both'])
  expect(await keys({ disable_flags: true, distinct_id: undefined })).toEqual([])
  for (const id of ids) await api(service, 'DELETE', `/feature_flags/${id}`)
})

test('flags of another project are not visible', async () => {
  const mine = await define({ key: 'mine' })
  const theirs = await define({ key: 'theirs' }, other)
  expect(Object.keys((await ask({}, 'v=2', other)).body.flags)).toEqual(['theirs'])
  expect((await api(service, 'GET', '/feature_flags/')).body.results.map(({ key }: { key: string }) => key)).toEqual([
    'mine',
  ])
  for (const [method, body] of [
    ['GET', undefined],
    ['PATCH', { active: false }],
    ['DELETE', undefined],
  ] as const) {
    expect((await api(service, method, `/feature_flags/${theirs.id}`, body)).status).toBe(404)
  }
  expect((await api({ ...service, key: other.key }, 'GET', '/feature_flags/')).status).toBe(404)
  expect((await ask({}, 'v=2', other)).body.flags.theirs.enabled).toBe(true)
  await api(service, 'DELETE', `/feature_flags/${mine.id}`)
})

describe('the flags API', () => {
  const properties = (...given: object[]) => ({ groups: [{ properties: given }] })
  test.each([
    ['a key with spaces', { key: 'a b' }, 'key', /letters, digits/],
    [
      'an unknown operator',
      { key: 'k', filters: properties({ key: 'p', value: 1, operator: 'like', type: 'person' }) },
      'filters.groups.0.properties.0.operator',
      /Unknown operator like. Valid operators: exact/,
    ],
    [
      'a value of the wrong type',
      { key: 'k', filters: properties({ key: 'p', value: {}, operator: 'gt', type: 'person' }) },
      'filters.groups.0.properties.0.value',
      /gt takes a number or a string/,
    ],
    [
      'an invalid regular expression',
      { key: 'k', filters: properties({ key: 'p', value: '(', operator: 'regex', type: 'person' }) },
      'filters.groups.0.properties.0.value',
      /regular expression/,
    ],
    [
      'a group property without a group type',
      { key: 'k', filters: properties({ key: 'p', value: 1, type: 'group' }) },
      'filters.groups.0.properties.0.type',
      /aggregation_group_type/,
    ],
    [
      'variants that do not add up to 100',
      { key: 'k', filters: { groups: [], multivariate: { variants: [{ key: 'a', rollout_percentage: 60 }] } } },
      'filters.multivariate.variants',
      /add up to 100, got 60/,
    ],
    [
      'a duplicate variant',
      {
        key: 'k',
        filters: {
          groups: [],
          multivariate: {
            variants: [
              { key: 'a', rollout_percentage: 50 },
              { key: 'a', rollout_percentage: 50 },
            ],
          },
        },
      },
      'filters.multivariate.variants',
      /same key/,
    ],
    [
      'a condition for an unknown variant',
      { key: 'k', filters: { groups: [{ variant: 'z' }] } },
      'filters.groups.0.variant',
      /no variant "z"/,
    ],
    [
      'a payload that is not JSON',
      { key: 'k', filters: { groups: [], payloads: { true: 'text' } } },
      'filters.payloads.true',
      /JSON/,
    ],
    [
      'a payload of an unknown variant',
      { key: 'k', filters: { groups: [], payloads: { b: '1' } } },
      'filters.payloads.b',
      /must belong to "true"/,
    ],
    [
      'a dependency on an unknown flag',
      { key: 'k', filters: properties({ key: 'nothing', value: true, operator: 'flag_evaluates_to', type: 'flag' }) },
      'filters.groups',
      /"nothing", which does not exist/,
    ],
    [
      'a flag that depends on itself',
      { key: 'k', filters: properties({ key: 'k', value: true, type: 'flag' }) },
      'filters.groups',
      /cycle: k → k/,
    ],
    ['a percentage over 100', { key: 'k', filters: { groups: [{ rollout_percentage: 101 }] } }, 'filters', /100/],
    ['an unknown field', { key: 'k', rollout: 5 }, 'rollout', /./],
  ])('rejects %s with the field and the expected value', async (_, input, attr, detail) => {
    const reply = await api(service, 'POST', '/feature_flags/', input)
    expect(reply).toMatchObject({ status: 400, body: { type: 'validation_error', request_id: expect.any(String) } })
    expect(reply.body.attr).toBe(attr)
    expect(reply.body.detail).toMatch(detail)
    expect((await api(service, 'GET', '/feature_flags/')).body.results).toEqual([])
  })

  test('rejects a duplicate key, deletion of a flag that others depend on, and a dependency cycle', async () => {
    const base = await define({ key: 'base' })
    const top = await define({ key: 'top', filters: properties({ key: 'base', value: true, type: 'flag' }) })
    expect((await api(service, 'POST', '/feature_flags/', { key: 'base' })).body).toMatchObject({
      code: 'name_taken',
      attr: 'key',
    })
    expect((await api(service, 'PATCH', `/feature_flags/${top.id}`, { key: 'base' })).status).toBe(400)
    expect((await api(service, 'DELETE', `/feature_flags/${base.id}`)).body.detail).toContain('top')
    const circle = await api(service, 'PATCH', `/feature_flags/${base.id}`, {
      filters: properties({ key: 'top', value: true, type: 'flag' }),
    })
    expect(circle.body.detail).toContain('base → top → base')
    await api(service, 'DELETE', `/feature_flags/${top.id}`)
    await api(service, 'DELETE', `/feature_flags/${base.id}`)
  })

  test('rejects an evaluation request without a person and one without flags', async () => {
    const { id } = await define({ key: 'any' })
    expect(await ask({ distinct_id: '' })).toMatchObject({ status: 400, body: { attr: 'distinct_id' } })
    expect(
      await request(`${service.url}/flags/?v=2`, {
        method: 'POST',
        body: JSON.stringify({ token: 'wrong', distinct_id: 'a' }),
      }),
    ).toMatchObject({ status: 401 })
    const hostile = await ask({
      distinct_id: 7,
      groups: 'x',
      person_properties: [1],
      group_properties: { company: 5 },
      evaluation_contexts: 'web',
      flag_keys: [1],
    })
    expect(hostile).toMatchObject({ status: 200, body: { flags: {} } })
    expect(
      await request(`${service.url}/flags/?v=2`, {
        method: 'POST',
        body: gzipSync(JSON.stringify({ token: service.token, distinct_id: 'a' })),
      }),
    ).toMatchObject({ status: 200, body: { flags: { any: { enabled: true } } } })
    await api(service, 'DELETE', `/feature_flags/${id}`)
  })
})

describe('the remote configuration', () => {
  const everywhere = async () => [
    (await ask({}, 'v=2&config=true')).body,
    (await request(`${service.url}/array/${service.token}/config`)).body,
    JSON.parse(
      /config:(\{.*\}),siteApps/.exec((await request(`${service.url}/array/${service.token}/config.js`)).body)![1]!,
    ),
  ]

  test('is set through the API and returned by every route', async () => {
    expect((await api(service, 'GET', '/remote_config/')).body).toMatchObject({
      autocapture_opt_out: false,
      heatmaps: false,
      defaultIdentifiedOnly: true,
    })
    const changed = await api(service, 'PATCH', '/remote_config/', {
      autocapture_opt_out: true,
      sessionRecording: { endpoint: '/s/' },
    })
    expect(changed).toMatchObject({
      status: 200,
      body: { autocapture_opt_out: true, sessionRecording: { endpoint: '/s/' }, heatmaps: false },
    })
    for (const config of await everywhere())
      expect(config).toMatchObject({
        token: service.token,
        autocapture_opt_out: true,
        sessionRecording: { endpoint: '/s/' },
        supportedCompression: expect.arrayContaining(['gzip-js']),
      })
    expect((await ask({}, 'v=2&config=true', other)).body).toMatchObject({ autocapture_opt_out: false })
    await api(service, 'PATCH', '/remote_config/', { autocapture_opt_out: false, sessionRecording: false })
  })

  test('reports whether the project has flags', async () => {
    expect((await everywhere()).map(({ hasFeatureFlags }) => hasFeatureFlags)).toEqual([false, false, false])
    const { id } = await define({ key: 'any' })
    expect((await everywhere()).map(({ hasFeatureFlags }) => hasFeatureFlags)).toEqual([true, true, true])
    await api(service, 'DELETE', `/feature_flags/${id}`)
  })

  test('is returned only on request and rejects unknown fields', async () => {
    expect((await ask({})).body).not.toHaveProperty('supportedCompression')
    expect(await api(service, 'PATCH', '/remote_config/', { surveys: 'yes' })).toMatchObject({
      status: 400,
      body: { attr: 'surveys' },
    })
    expect(await api(service, 'PATCH', '/remote_config/', { token: 'x' })).toMatchObject({ status: 400 })
  })
})

test('what clients poll has a tag, and a 304 until it changes', async () => {
  const ask = async (path: string, headers: Record<string, string> = {}) =>
    request(`${service.url}${path}`, { headers: { authorization: `Bearer ${service.key}`, ...headers } })
  const paths = [
    '/flags/definitions',
    '/api/feature_flag/local_evaluation',
    `/array/${service.token}/config`,
    `/array/${service.token}/config.js`,
    `/api/early_access_features?token=${service.token}`,
    `/api/surveys?token=${service.token}`,
    '/static/analytics.js',
    '/static/toolbar.js',
  ]
  for (const path of paths) {
    const first = await ask(path)
    const etag = first.headers.get('etag')!
    expect([path, first.status, etag]).toEqual([path, 200, expect.stringMatching(/^(?:W\/)?".+"$/)])
    for (const sent of [etag, `"other", ${etag}`, '*'])
      expect([path, (await ask(path, { 'if-none-match': sent })).status]).toEqual([path, 304])
    const again = await ask(path, { 'if-none-match': etag })
    expect([again.body, again.headers.get('etag')]).toEqual(['', etag])
    expect((await ask(path, { 'if-none-match': '"other"' })).status).toBe(200)
  }
  const etag = (await ask('/flags/definitions')).headers.get('etag')!
  const { id } = await define({ key: 'polled' })
  expect(await ask('/flags/definitions', { 'if-none-match': etag })).toMatchObject({
    status: 200,
    body: { flags: [{ key: 'polled' }] },
  })
  await api(service, 'DELETE', `/feature_flags/${id}`)
})

test('definitions have a tag by project, variant, flags and group types, for one client only', async () => {
  const ask = (query = '', headers: Record<string, string> = {}) =>
    request(`${service.url}/flags/definitions${query}`, {
      headers: { authorization: `Bearer ${service.key}`, ...headers },
    })
  const tagOf = async (query = '') => (await ask(query)).headers.get('etag')!
  const first = await tagOf()
  for (const sent of [first, first.replace('W/', '')]) {
    const { status, body, headers } = await ask('', { 'if-none-match': sent })
    expect([status, body, headers.get('cache-control')]).toEqual([304, '', 'private, must-revalidate'])
  }
  expect((await ask()).headers.get('cache-control')).toBe('private, must-revalidate')
  const tags = [first, await tagOf('?send_cohorts')]
  const { id } = await define({ key: 'tagged' })
  tags.push(await tagOf())
  await api(service, 'PATCH', `/feature_flags/${id}`, { active: false })
  tags.push(await tagOf())
  await capture(service, event('in a group', {}, { $groups: { [`type of ${id}`]: 'x' } }))
  tags.push(await tagOf())
  expect(new Set(tags).size).toBe(tags.length)
  await api(service, 'DELETE', `/feature_flags/${id}`)
})

test('flag definitions survive a restart', async () => {
  const { id } = await define({ key: 'stays' })
  await service.kill()
  service = await startService({ data: service.data })
  expect((await ask({})).body.flags.stays).toMatchObject({ enabled: true })
  await api(service, 'DELETE', `/feature_flags/${id}`)
})

describe('a project over its /flags quota', () => {
  let bounded: RunningService
  beforeAll(async () => {
    bounded = await startService({ env: { TRAILMARK_FLAGS_PER_MINUTE: '2' } })
    await define({ key: 'on' }, bounded)
  })
  afterAll(() => bounded.stop())

  test('gets quotaLimited without flags in the requested version, and requests without flags do not count', async () => {
    for (let turn = 0; turn < 3; turn += 1)
      expect((await ask({ disable_flags: true }, 'v=2&config=true', bounded)).body).toMatchObject({
        flags: {},
        quotaLimited: [],
      })
    for (let turn = 0; turn < 2; turn += 1)
      expect((await ask({}, 'v=2', bounded)).body).toMatchObject({
        flags: { on: { enabled: true } },
        quotaLimited: [],
        errorsWhileComputingFlags: false,
      })
    const { status, body } = await ask({}, 'v=2&config=true', bounded)
    expect([status, body]).toEqual([
      200,
      expect.objectContaining({
        flags: {},
        quotaLimited: ['feature_flags'],
        errorsWhileComputingFlags: false,
        requestId: expect.any(String),
        hasFeatureFlags: true,
      }),
    ])
    expect((await ask({}, 'v=1', bounded)).body).toMatchObject({
      featureFlags: {},
      featureFlagPayloads: {},
      quotaLimited: ['feature_flags'],
    })
  })

  test('makes a server SDK use its default values', async () => {
    const client = new PostHog(bounded.token, { host: bounded.url, flushAt: 1 })
    const warn = jest.spyOn(console, 'warn').mockImplementation(() => {})
    expect(await client.getFeatureFlag('on', 'ada')).toBeUndefined()
    warn.mockRestore()
    await client.shutdown()
  })
})
