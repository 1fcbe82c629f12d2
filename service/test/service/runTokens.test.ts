import { createHmac } from 'node:crypto'
import { join } from 'node:path'
import { ROUTES } from '../../src/modules.ts'
import { type Metadata, openMetadata } from '../../src/storage/metadata/metadata.ts'
import { api, capture, event, request, type Reply } from '../support/api.ts'
import { until } from '../support/engine.ts'
import { type RunningService, startService } from '../support/startService.ts'

const PAGE = 'https://shop.example'
const QUERY =
  'SELECT properties.org AS org, properties.plan AS plan FROM events WHERE properties.org = {variables.org} AND properties.plan = {variables.plan} ORDER BY plan'

let service: RunningService
let other: Pick<RunningService, 'url' | 'token' | 'key' | 'projectId'>
let metadata: Metadata

beforeAll(async () => {
  service = await startService({ env: { TRAILMARK_KEY_LIMITS: JSON.stringify({ slow: { per_minute: 2 } }) } })
  metadata = await openMetadata(join(service.data, 'definitions.db'))
  const project = await metadata.projects.create({ name: 'Another', token: 'another-token' })
  other = { url: service.url, token: project.token, key: 'the-key-of-another', projectId: project.id }
  await metadata.keys.put({
    projectId: project.id,
    label: 'another',
    secret: other.key,
    scopes: ['endpoint:read', 'endpoint:write', 'insight_variable:write', 'run_token:write'],
  })
  for (const target of [service, other]) {
    for (const name of ['org', 'plan', 'tier'])
      expect((await api(target, 'POST', '/insight_variables/', { name, type: 'String' })).status).toBe(201)
    expect((await api(target, 'POST', '/insight_variables/', { name: 'n', type: 'Number' })).status).toBe(201)
    for (const name of ['since', 'until'])
      expect((await api(target, 'POST', '/insight_variables/', { name, type: 'Date' })).status).toBe(201)
    for (const [name, query] of [
      ['orders', QUERY],
      ['dated', 'SELECT {variables.org}, {variables.plan}, {variables.tier}, {variables.since}, {variables.until}'],
      ['one', 'SELECT 1'],
      ['of_org', 'SELECT count() FROM events WHERE properties.org = {variables.org}'],
      ['broken', 'SELECT intDiv(1, toInt({variables.n}))'],
      ['numbers', 'SELECT {variables.n}'],
    ]) {
      const { status, body } = await api(target, 'POST', '/endpoints/', { name, query: { kind: 'HogQLQuery', query } })
      expect([name, status, body.detail]).toEqual([name, 201, undefined])
    }
  }
  const trend = {
    kind: 'TrendsQuery',
    series: [{ kind: 'EventsNode', event: 'order' }],
    breakdownFilter: { breakdown: 'org', breakdown_type: 'event' },
  }
  expect((await api(service, 'POST', '/endpoints/', { name: 'trend', query: trend })).status).toBe(201)
  await capture(
    service,
    event('order', {}, { org: 'acme', plan: 'pro' }),
    event('order', {}, { org: 'acme', plan: 'free' }),
    event('order', {}, { org: 'rival', plan: 'pro' }),
  )
})
afterAll(async () => {
  await metadata.close()
  await service.stop()
})

const make = (input: object, target = service) => api(target, 'POST', '/endpoints/run_tokens', input)
const tokenOf = async (input: object, target: typeof other = service): Promise<string> => {
  const { status, body } = await api(target, 'POST', '/endpoints/run_tokens', input)
  expect([status, body.detail]).toEqual([201, undefined])
  return body.token
}
const run = (
  token: string,
  name: string,
  body: object = {},
  {
    headers = {},
    query = '',
    projectId = service.projectId,
  }: { headers?: Record<string, string>; query?: string; projectId?: number } = {},
): Promise<Reply> =>
  request(`${service.url}/api/projects/${projectId}/endpoints/${name}/run${query}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  })
const RANGE = { from: '2020-01-01', to: '2020-01-31', variables: { from: 'since', to: 'until' } }
const ACME = { endpoints: ['orders'], variables: { org: 'acme' } }

describe('a run token', () => {
  test('runs its endpoints with its pinned variables until it expires', async () => {
    const { status, headers, body } = await make({
      ...ACME,
      ttl_seconds: 600,
      runs_per_minute: 9,
      origins: [PAGE],
      allowed_variables: ['plan'],
    })
    expect({ status, body }).toEqual({
      status: 201,
      body: {
        id: expect.any(String),
        token: expect.any(String),
        expires_at: expect.any(String),
        endpoints: ['orders'],
        variables: { org: 'acme' },
        allowed_variables: ['plan'],
        allowed_values: {},
        date_range: null,
        runs_per_minute: 9,
        origins: [PAGE],
      },
    })
    expect(headers.get('cache-control')).toBe('no-store')
    const left = Date.parse(body.expires_at) - Date.now()
    expect(left).toBeGreaterThan(0)
    expect(left).toBeLessThanOrEqual(600_000)
    const reply = await run(body.token, 'orders', { variables: { plan: 'pro' } }, { headers: { origin: PAGE } })
    expect(reply).toMatchObject({ status: 200, body: { results: [['acme', 'pro']], name: 'orders' } })
    // Works through the alias of the route and with a trailing slash, too.
    expect(
      (
        await request(`${service.url}/api/environments/1/endpoints/orders/run/`, {
          method: 'POST',
          headers: { authorization: `Bearer ${body.token}`, origin: PAGE, 'content-type': 'application/json' },
          body: '{"variables":{"plan":"free"}}',
        })
      ).body.results,
    ).toEqual([['acme', 'free']])
  })

  test('supports pages, streams and the cache', async () => {
    const token = await tokenOf({ endpoints: ['orders', 'numbers'], allowed_variables: ['org', 'plan', 'n'] })
    const variables = { org: 'acme', plan: 'pro' }
    expect((await run(token, 'orders', { variables, limit: 1, cursor: '*' })).body).toMatchObject({
      results: [['acme', 'pro']],
      next_cursor: null,
    })
    expect((await run(token, 'numbers', { variables: { n: 41 } })).body.is_cached).toBe(false)
    expect((await run(token, 'numbers', { variables: { n: 41 }, refresh: 'cache', debug: false })).body.is_cached).toBe(
      true,
    )
    expect((await run(token, 'orders', { variables, format: 'csv' })).body).toBe('"org","plan"\n"acme","pro"\n')
  })

  test('does not return a result cached for another organization', async () => {
    const [acme, rival] = await Promise.all(
      ['acme', 'rival'].map((org) => tokenOf({ endpoints: ['orders'], variables: { org } })),
    )
    for (const [token, org] of [
      [acme!, 'acme'],
      [rival!, 'rival'],
      [acme!, 'acme'],
    ] as const)
      expect((await run(token, 'orders', { variables: { plan: 'pro' } })).body.results).toEqual([[org, 'pro']])
  })

  test.each([
    ['another value', { org: 'rival', plan: 'pro' }],
    ['the same value', { org: 'acme', plan: 'pro' }],
    ['null', { org: null, plan: 'pro' }],
  ])('rejects a value for a pinned variable: %s', async (_, variables) => {
    expect(await run(await tokenOf(ACME), 'orders', { variables })).toMatchObject({
      status: 400,
      body: {
        code: 'invalid_variables',
        attr: 'variables',
        errors: [{ path: 'org', code: 'pinned', message: expect.stringContaining('omit it') }],
      },
    })
  })

  test('rejects variables that it does not allow and requires those of the endpoint', async () => {
    const token = await tokenOf({ endpoints: ['trend'], variables: { org: 'acme' }, allowed_variables: ['date_from'] })
    expect(await run(token, 'trend', { variables: { date_from: '-7d' } })).toMatchObject({
      status: 200,
      body: { results: [expect.objectContaining({ count: 2 })] },
    })
    expect(await run(token, 'trend', { variables: { date_to: '-1d' } })).toMatchObject({
      status: 400,
      body: { code: 'invalid_variables', errors: [{ path: 'date_to', code: 'not_allowed' }] },
    })
    expect(await run(await tokenOf(ACME), 'orders')).toMatchObject({
      status: 400,
      body: { errors: [{ path: 'plan', code: 'required' }] },
    })
    expect(await run(await tokenOf(ACME), 'orders', { variables: { plan: 'pro', more: 1 } })).toMatchObject({
      status: 400,
      body: { errors: [{ path: 'more', code: 'unknown' }] },
    })
  })

  test.each([
    ['debug', { debug: true }],
    ['version', { version: 1 }],
    ['refresh', { refresh: 'force' }],
    ['refresh', { refresh: 'direct' }],
    ['client_query_id', { client_query_id: 'mine' }],
  ])('cannot use %s, in the body or in the URL', async (attr, body) => {
    const token = await tokenOf({ endpoints: ['one'] })
    const query = `?${new URLSearchParams(Object.entries(body).map(([name, value]) => [name, String(value)] as [string, string])).toString()}`
    for (const reply of [await run(token, 'one', body), await run(token, 'one', {}, { query })]) {
      expect(reply).toMatchObject({ status: 403, body: { type: 'authentication_error', code: 'not_granted', attr } })
      expect(JSON.stringify(reply.body)).not.toContain('SELECT')
    }
  })

  test('does not run an endpoint that lacks its pinned variable', async () => {
    const create = (query: string) => ({ query: { kind: 'HogQLQuery', query } })
    await api(service, 'POST', '/endpoints/', {
      name: 'changing',
      ...create('SELECT count() FROM events WHERE properties.org = {variables.org}'),
    })
    const token = await tokenOf({ endpoints: ['changing'], variables: { org: 'acme' } })
    expect((await run(token, 'changing')).body.results).toEqual([[2]])
    await api(service, 'PATCH', '/endpoints/changing/', create('SELECT count() FROM events'))
    expect(await run(token, 'changing')).toMatchObject({
      status: 400,
      body: { code: 'invalid_variables', errors: [{ path: 'org', code: 'unknown' }] },
    })
  })

  test('does not expose the query in an engine error', async () => {
    const token = await tokenOf({ endpoints: ['broken'] })
    const byKey = await api(service, 'POST', '/endpoints/broken/run', { variables: { n: 0 } })
    expect(byKey).toMatchObject({ status: 400, body: { attr: 'query' } })
    expect((await run(token, 'broken', { variables: { n: 0 } })).body).toEqual({
      type: 'validation_error',
      code: 'query_failed',
      detail: 'The engine rejected the query.',
      attr: null,
      request_id: expect.any(String),
    })
  })
})

describe('a modified token', () => {
  const partsOf = (token: string) => token.split('.') as [string, string, string]
  const decoded = (part: string) => JSON.parse(Buffer.from(part, 'base64url').toString())
  const encoded = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url')
  const INVALID = { status: 401, body: { type: 'authentication_error', code: 'invalid_run_token', attr: null } }

  const CHANGES: Record<string, unknown> = {
    jti: '00000000-0000-4000-8000-000000000000',
    iat: 0,
    project: 2,
    exp: 9_999_999_999,
    key: 'another',
    endpoints: ['orders', 'one'],
    variables: { org: 'rival' },
    allowed_variables: ['plan', 'org'],
    allowed_values: { tier: ['a', 'b'] },
    date_range: { from: '2000-01-01' },
    runs_per_minute: 1_000_000,
    origins: ['https://evil.example'],
  }

  const FULL = {
    endpoints: ['dated'],
    variables: { org: 'acme' },
    allowed_variables: ['plan'],
    allowed_values: { tier: ['a'] },
    date_range: RANGE,
    origins: [PAGE],
  }

  test('has a test case for every field', async () => {
    expect(Object.keys(decoded(partsOf(await tokenOf(FULL))[1])).sort()).toEqual(Object.keys(CHANGES).sort())
  })

  test.each(Object.entries(CHANGES))('is rejected: %s', async (field, value) => {
    const [head, payload, signature] = partsOf(await tokenOf(FULL))
    const claims = decoded(payload)
    const ask = (changed: object) =>
      run(
        [head, encoded(changed), signature].join('.'),
        'dated',
        { variables: { plan: 'pro', tier: 'a' } },
        { headers: { origin: PAGE } },
      )
    expect((await ask(claims)).status).toBe(200) // unmodified
    expect(await ask({ ...claims, [field]: value })).toMatchObject(INVALID)
    const { [field]: _, ...without } = claims
    expect(await ask(without)).toMatchObject(INVALID)
  })

  test('is rejected with a changed signature or algorithm', async () => {
    const token = await tokenOf({ endpoints: ['one'] })
    const [head, payload, signature] = partsOf(token)
    const own = createHmac('sha256', service.token).update(`${head}.${payload}`).digest('base64url')
    const last = {
      A: 'B',
      E: 'F',
      I: 'J',
      M: 'N',
      Q: 'R',
      U: 'V',
      Y: 'Z',
      c: 'd',
      g: 'h',
      k: 'l',
      o: 'p',
      s: 't',
      w: 'x',
      0: '1',
      4: '5',
      8: '9',
    } as Record<string, string>
    for (const forged of [
      '',
      'x',
      own,
      signature.slice(1),
      signature.slice(0, -1),
      `${signature}.`,
      `${signature}=`,
      `${signature.slice(0, -1)}${last[signature.at(-1)!]}`,
    ]) {
      expect([forged, await run(`${head}.${payload}.${forged}`, 'one')]).toMatchObject([forged, INVALID])
    }
    expect(await run(`${head}.${payload}`, 'one')).toMatchObject(INVALID)
    for (const alg of ['none', 'HS512', 'RS256']) {
      expect((await run(`${encoded({ alg, typ: 'JWT' })}.${payload}.`, 'one')).status).toBe(401)
      expect((await run(`${encoded({ alg, typ: 'JWT' })}.${payload}.${signature}`, 'one')).status).toBe(401)
    }
    expect((await run(token, 'one')).status).toBe(200)
  })

  test('is rejected in another project', async () => {
    const token = await tokenOf({ endpoints: ['one'] })
    await tokenOf({ endpoints: ['one'] }, other)
    expect(await run(token, 'one', {}, { projectId: other.projectId })).toMatchObject(INVALID)
    expect(await run(token, 'one', {}, { projectId: 999 })).toMatchObject(INVALID)
    expect(
      (await run(await tokenOf({ endpoints: ['one'] }, other), 'one', {}, { projectId: other.projectId })).status,
    ).toBe(200)
  })

  test('is rejected at another endpoint', async () => {
    const token = await tokenOf({ endpoints: ['one', 'numbers'] })
    expect(await run(token, 'orders', { variables: { org: 'acme', plan: 'pro' } })).toMatchObject({
      status: 403,
      body: { code: 'not_granted', detail: expect.stringContaining('"orders"') },
    })
    expect(await run(token, 'no_such')).toMatchObject({ status: 403, body: { code: 'not_granted' } })
    expect((await run(token, 'one')).status).toBe(200)
  })
})

test('the OpenAPI document lists where a run token is accepted', async () => {
  const { paths } = (await request(`${service.url}/api/openapi.json`)).body
  const documented = Object.entries<any>(paths).flatMap(([path, methods]) =>
    Object.entries<any>(methods)
      .filter(([, { description }]) => description?.includes('run token'))
      .map(([method]) => `${method} ${path}`),
  )
  expect(documented).toEqual(['post /api/projects/{projectId}/endpoints/{name}/run'])
})

test('a run token allows only runs of endpoints', async () => {
  const token = await tokenOf({ endpoints: ['one'] })
  const guarded = ROUTES.filter(
    ({ access, takesRunTokens }) =>
      !['public', 'console', 'console_page', 'viewer', 'toolbar'].includes(access) && !takesRunTokens,
  )
  expect(ROUTES.filter(({ takesRunTokens }) => takesRunTokens).map(({ method, path }) => `${method} ${path}`)).toEqual([
    'POST /api/projects/:projectId/endpoints/:name/run',
  ])
  for (const { method, path, access } of guarded) {
    const filled = path
      .replace(':projectId', String(service.projectId))
      .replace(':id', '00000000-0000-4000-8000-000000000000')
      .replace(':name', 'one')
    // Agents reject requests of pages before they read a key.
    const ofPage = access === 'agent' ? undefined : { origin: PAGE }
    const reply = await request(`${service.url}${filled}`, {
      method,
      headers: { authorization: `Bearer ${token}`, ...ofPage },
    })
    expect([method, path, reply]).toMatchObject([
      method,
      path,
      { status: 401, body: { code: 'invalid_api_key', detail: expect.stringContaining('Run tokens') } },
    ])
    expect(reply.headers.get('access-control-allow-origin')).toBeNull()
  }
  for (const method of ['GET', 'POST', 'DELETE'])
    expect(
      await request(`${service.url}/api/console/session`, {
        method,
        headers: { authorization: `Bearer ${token}`, origin: PAGE },
      }),
    ).toMatchObject({ status: 403, body: { code: 'cross_origin_request' } })
})

describe('a run token that is no longer valid', () => {
  test('is rejected when it expires', async () => {
    const token = await tokenOf({ endpoints: ['one'], ttl_seconds: 2 })
    let reply: Reply
    do {
      reply = await run(token, 'one')
    } while (reply.status === 200 || reply.status === 429)
    expect(reply).toMatchObject({
      status: 401,
      body: { code: 'run_token_expired', detail: expect.stringContaining('Get a new one') },
    })
  })

  test('is rejected when its ID is revoked, without affecting other tokens', async () => {
    const [{ body: first }, second] = [await make({ endpoints: ['one'] }), await tokenOf({ endpoints: ['one'] })]
    expect((await run(first.token, 'one')).status).toBe(200)
    for (let turn = 0; turn < 2; turn += 1)
      expect((await api(service, 'DELETE', `/endpoints/run_tokens/${first.id}`)).status).toBe(204)
    expect(await run(first.token, 'one')).toMatchObject({ status: 401, body: { code: 'run_token_revoked' } })
    expect((await run(second, 'one')).status).toBe(200)
    expect((await api(service, 'DELETE', '/endpoints/run_tokens/what')).status).toBe(404)
  })

  test('is rejected when all tokens of its project are revoked, without affecting other projects and later tokens', async () => {
    const [mine, theirs] = [await tokenOf({ endpoints: ['one'] }), await tokenOf({ endpoints: ['one'] }, other)]
    expect((await api(service, 'POST', '/endpoints/run_tokens/revoke_all')).status).toBe(204)
    expect(await run(mine, 'one')).toMatchObject({ status: 401, body: { code: 'invalid_run_token' } })
    expect((await run(theirs, 'one', {}, { projectId: other.projectId })).status).toBe(200)
    expect((await run(await tokenOf({ endpoints: ['one'] }), 'one')).status).toBe(200)
  })

  test('is rejected when the key that issued it is removed', async () => {
    await metadata.keys.put({
      projectId: service.projectId,
      label: 'leaving',
      secret: 'the-key-that-leaves',
      scopes: ['endpoint:read', 'run_token:write'],
    })
    const token = await tokenOf({ endpoints: ['one'] }, { ...service, key: 'the-key-that-leaves' })
    expect((await run(token, 'one')).status).toBe(200)
    await metadata.keys.remove('leaving')
    expect(await run(token, 'one')).toMatchObject({
      status: 401,
      body: { code: 'run_token_revoked', detail: expect.stringContaining('key') },
    })
  })
})

describe('rate limits of run tokens', () => {
  const TOO_OFTEN = { status: 429, body: { type: 'throttled_error', code: 'rate_limited' } }

  test('apply to each token', async () => {
    const [token, another] = [
      await tokenOf({ endpoints: ['one'], runs_per_minute: 2 }),
      await tokenOf({ endpoints: ['one'], runs_per_minute: 2 }),
    ]
    expect([(await run(token, 'one')).status, (await run(token, 'one')).status]).toEqual([200, 200])
    const refused = await run(token, 'one')
    expect(refused).toMatchObject(TOO_OFTEN)
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0)
    expect((await run(another, 'one')).status).toBe(200)
    expect((await api(service, 'POST', '/endpoints/one/run')).status).toBe(200)
  })

  test('never exceed those of the key', async () => {
    await metadata.keys.put({
      projectId: service.projectId,
      label: 'slow',
      secret: 'the-key-called-slow',
      scopes: ['endpoint:read', 'run_token:write'],
    })
    const token = await tokenOf(
      { endpoints: ['one'], runs_per_minute: 100 },
      { ...service, key: 'the-key-called-slow' },
    )
    expect([(await run(token, 'one')).status, (await run(token, 'one')).status]).toEqual([200, 200])
    expect(await run(token, 'one')).toMatchObject(TOO_OFTEN)
  })
})

describe('pages with run tokens', () => {
  const preflight = () =>
    request(`${service.url}/api/projects/1/endpoints/one/run`, {
      method: 'OPTIONS',
      headers: {
        origin: PAGE,
        'access-control-request-method': 'POST',
        'access-control-request-headers': 'authorization,content-type',
      },
    })

  test('can only use a token for their origin', async () => {
    const token = await tokenOf({ endpoints: ['one'], origins: [PAGE, 'http://localhost:3000'] })
    for (const origin of [PAGE, 'http://localhost:3000']) {
      const reply = await run(token, 'one', {}, { headers: { origin } })
      expect([reply.status, reply.headers.get('access-control-allow-origin'), reply.headers.get('vary')]).toEqual([
        200,
        origin,
        'origin',
      ])
    }
    for (const origin of [
      'https://evil.example',
      `${PAGE}.evil.example`,
      'http://shop.example',
      `${PAGE}:8443`,
      'null',
    ]) {
      const reply = await run(token, 'one', {}, { headers: { origin } })
      expect(reply).toMatchObject({
        status: 403,
        body: { code: 'origin_not_allowed', detail: expect.stringContaining(origin) },
      })
      expect(JSON.stringify(reply.body)).not.toContain('localhost:3000')
      // The developer of the page can read the error.
      expect(reply.headers.get('access-control-allow-origin')).toBe(origin)
    }
    expect(await run(token, 'one')).toMatchObject({
      status: 403,
      body: { code: 'origin_not_allowed', detail: expect.stringContaining('no Origin') },
    })
  })

  test('can use a token without origins from any origin', async () => {
    const token = await tokenOf({ endpoints: ['one'] })
    expect(
      (await run(token, 'one', {}, { headers: { origin: 'https://any.example' } })).headers.get(
        'access-control-allow-origin',
      ),
    ).toBe('https://any.example')
    expect((await run(token, 'one')).status).toBe(200)
  })

  test('can read why a run was rejected, and when to retry', async () => {
    const token = await tokenOf({ endpoints: ['one'], runs_per_minute: 1 })
    const replies = [
      await run(token, 'one', { nonsense: 1 }, { headers: { origin: PAGE } }),
      await run(`${token}x`, 'one', {}, { headers: { origin: PAGE } }),
    ]
    await run(token, 'one')
    replies.push(await run(token, 'one', {}, { headers: { origin: PAGE } }))
    expect(replies.map(({ status }) => status)).toEqual([400, 401, 429])
    for (const { headers } of replies) {
      expect(headers.get('access-control-allow-origin')).toBe(PAGE)
      expect(headers.get('access-control-expose-headers')).toContain('retry-after')
    }
  })

  test('pass the CORS preflight for POST only', async () => {
    const { status, headers } = await preflight()
    expect(status).toBe(204)
    expect(headers.get('access-control-allow-origin')).toBe('*')
    expect(headers.get('access-control-allow-methods')).toBe('POST')
    expect(headers.get('access-control-allow-headers')).toContain('authorization')
    expect(headers.get('access-control-allow-credentials')).toBeNull()
  })

  test('cannot read responses to a personal API key', async () => {
    const reply = await request(`${service.url}/api/projects/1/endpoints/one/run`, {
      method: 'POST',
      headers: { authorization: `Bearer ${service.key}`, origin: PAGE },
    })
    expect([reply.status, reply.headers.get('access-control-allow-origin')]).toEqual([200, null])
  })
})

describe('a date pinned by a run token', () => {
  const pinned = { endpoints: ['by_day'], variables: { date_from: '2020-01-01', date_to: '2020-12-31' } }
  const results = async (token: string) => {
    const { status, body } = await run(token, 'by_day')
    expect([status, body.detail]).toEqual([200, undefined])
    return [body.results[0].count, body.endpoint_materialized]
  }
  beforeAll(async () => {
    const trend = {
      kind: 'TrendsQuery',
      series: [{ kind: 'EventsNode', event: 'daily' }],
      dateRange: { date_from: '2000-01-01' },
      interval: 'month',
    }
    expect((await api(service, 'POST', '/endpoints/', { name: 'by_day', query: trend })).status).toBe(201)
    await capture(
      service,
      event('daily', { timestamp: '2020-12-31T23:59:59.999Z' }),
      event('daily', { timestamp: '2021-01-01T00:00:00Z' }),
    )
  })

  test('is rejected while the insight is materialized without dates, and applies in earlier tokens', async () => {
    const token = await tokenOf(pinned)
    expect(await results(token)).toEqual([1, undefined])
    expect((await api(service, 'PATCH', '/endpoints/by_day/', { is_materialized: true })).status).toBe(200)
    expect(await make(pinned)).toMatchObject({
      status: 400,
      body: {
        code: 'invalid_variables',
        attr: 'variables',
        detail: expect.stringMatching(
          /^Endpoint "by_day": "date_from" is not available, because this endpoint is materialized. .*"date_variables" to true/,
        ),
        errors: [
          { path: 'date_from', code: 'not_available' },
          { path: 'date_to', code: 'not_available' },
        ],
      },
    })
    await until(async () => (await api(service, 'GET', '/endpoints/by_day/materialization_status/')).body.ready)
    expect(await results(token)).toEqual([1, true])
    // Without the token it is rejected as before.
    expect((await api(service, 'POST', '/endpoints/by_day/run', { variables: pinned.variables })).status).toBe(400)
  })

  test('is accepted if the materialized insight accepts dates', async () => {
    await api(service, 'PATCH', '/endpoints/by_day/', { date_variables: true })
    expect(await results(await tokenOf(pinned))).toEqual([1, true])
  })
})

describe('what a run token lets readers choose', () => {
  const CHOICES = {
    endpoints: ['dated'],
    variables: { org: 'acme', plan: 'pro' },
    allowed_values: { tier: ['gold', 'silver'] },
    allowed_variables: [],
    date_range: RANGE,
  }

  test('is one of its values, and days of its range, which are those of the range if a run has none', async () => {
    const token = await tokenOf(CHOICES)
    expect(await run(token, 'dated', { variables: { tier: 'silver' } })).toMatchObject({
      status: 200,
      body: {
        results: [['acme', 'pro', 'silver', '2020-01-01', '2020-01-31']],
        days: { from: '2020-01-01', to: '2020-01-31', min: '2020-01-01', max: '2020-01-31' },
      },
    })
    expect(
      await run(token, 'dated', { variables: { tier: 'gold', since: '2020-01-02', until: '2020-01-31' } }),
    ).toMatchObject({
      status: 200,
      body: {
        results: [['acme', 'pro', 'gold', '2020-01-02', '2020-01-31']],
        days: { from: '2020-01-02', min: '2020-01-01' },
      },
    })
  })

  test.each<[string, object, object[]]>([
    ['no value', {}, [{ path: 'tier', code: 'required', message: '"tier" is required: one of "gold", "silver"' }]],
    ['another value', { tier: 'bronze' }, [{ path: 'tier', code: 'not_allowed' }]],
    ['an empty list', { tier: [] }, [{ path: 'tier', code: 'not_allowed' }]],
    ['a list with another value', { tier: ['gold', 'bronze'] }, [{ path: 'tier', code: 'not_allowed' }]],
    ['null', { tier: null }, [{ path: 'tier', code: 'not_allowed' }]],
    [
      'an earlier day',
      { tier: 'gold', since: '2019-12-31' },
      [{ path: 'since', code: 'out_of_range', message: '"since" must be from 2020-01-01 to 2020-01-31' }],
    ],
    ['a later day', { tier: 'gold', until: '2020-02-01' }, [{ path: 'until', code: 'out_of_range' }]],
    ['a time', { tier: 'gold', since: '2020-01-02T00:00:00Z' }, [{ path: 'since', code: 'wrong_type' }]],
    ['a day that is none', { tier: 'gold', since: '2020-01-32' }, [{ path: 'since', code: 'wrong_type' }]],
    ['null as a day', { tier: 'gold', since: null }, [{ path: 'since', code: 'wrong_type' }]],
    [
      'days in reverse',
      { tier: 'gold', since: '2020-01-09', until: '2020-01-08' },
      [{ path: 'since', code: 'out_of_range' }],
    ],
  ])('rejects %s', async (_, variables, errors) => {
    expect(await run(await tokenOf(CHOICES), 'dated', { variables })).toMatchObject({
      status: 400,
      body: { code: 'invalid_variables', attr: 'variables', errors },
    })
  })

  test('are days of an insight, by the time zone of the project', async () => {
    const token = await tokenOf({
      endpoints: ['trend'],
      allowed_values: { org: ['acme', 'rival'] },
      date_range: { from: '-7d' },
    })
    const ofOrg = async (org: string) => (await run(token, 'trend', { variables: { org } })).body
    const { results, days } = await ofOrg('acme')
    expect([results.length, results[0].count, results[0].days.length]).toEqual([1, 2, 8])
    expect(results[0].days.at(0)).toBe(days.min)
    expect(results[0].days.at(-1)).toBe(days.max)
    expect(
      (await run(token, 'trend', { variables: { org: 'acme', date_from: '-1d', date_to: '0d' } })).body,
    ).toMatchObject({
      results: [{ days: [expect.any(String), days.max] }],
    })
    // Without the breakdown's value it would have all of them.
    expect((await run(token, 'trend')).status).toBe(400)
    expect((await run(token, 'trend', { variables: { org: 'acme', date_from: '-8d' } })).status).toBe(400)
  })
})

describe('creating a run token', () => {
  const BAD: [string, object, { attr: string; detail: string }][] = [
    ['no endpoint', { endpoints: [] }, { attr: 'endpoints', detail: 'fewer than 1' }],
    ['an unknown endpoint', { endpoints: ['one', 'no_such'] }, { attr: 'endpoints', detail: 'no endpoint "no_such"' }],
    [
      'a pinned variable that one of the endpoints does not have',
      { endpoints: ['of_org', 'one'], variables: { org: 'acme' } },
      { attr: 'variables', detail: 'Endpoint "one": "org" is not a variable' },
    ],
    [
      'a pinned value of the wrong type',
      { endpoints: ['numbers'], variables: { n: 'many' } },
      { attr: 'variables', detail: 'Endpoint "numbers": "n"' },
    ],
    [
      'a pinned null',
      { endpoints: ['of_org'], variables: { org: null } },
      { attr: 'variables', detail: 'may not be null' },
    ],
    [
      'a pinned variable that the insight does not have',
      { endpoints: ['trend'], variables: { city: 'Bern' } },
      { attr: 'variables', detail: '"city" is not a variable' },
    ],
    [
      'a variable that is both pinned and allowed',
      { ...ACME, allowed_variables: ['org', 'plan'] },
      { attr: 'allowed_variables', detail: '"org"' },
    ],
    [
      'a required variable that is neither pinned nor allowed',
      { ...ACME, allowed_variables: [] },
      { attr: 'allowed_variables', detail: 'lack "plan"' },
    ],
    [
      'a value that the variable does not take',
      { endpoints: ['numbers'], allowed_values: { n: [1, 'two'] } },
      { attr: 'variables', detail: 'Endpoint "numbers": "n" takes a number' },
    ],
    [
      'values of a pinned variable',
      { ...ACME, allowed_values: { org: ['acme'] } },
      { attr: 'allowed_values', detail: '"org" is in "variables" and in "allowed_values"' },
    ],
    [
      'a date range that ends before it begins',
      { endpoints: ['dated'], date_range: { ...RANGE, to: '2019-01-01' } },
      { attr: 'date_range', detail: 'must not be after' },
    ],
    [
      'a date range of hours',
      { endpoints: ['trend'], date_range: { from: '-24h' } },
      { attr: 'date_range', detail: 'such as -30d' },
    ],
    [
      'a date range of an endpoint without dates',
      { endpoints: ['one'], date_range: { from: '-7d' } },
      { attr: 'variables', detail: 'Endpoint "one": "date_from" is not a variable' },
    ],
    [
      'a lifetime above the maximum',
      { endpoints: ['one'], ttl_seconds: 30 * 86_400 + 1 },
      { attr: 'ttl_seconds', detail: 'must be <= 2592000' },
    ],
    ['a lifetime of 0', { endpoints: ['one'], ttl_seconds: 0 }, { attr: 'ttl_seconds', detail: 'must be >= 1' }],
    [
      'both a lifetime and an expiry',
      { endpoints: ['one'], ttl_seconds: 60, expires_at: '2030-01-01T00:00:00Z' },
      { attr: 'expires_at', detail: 'not both' },
    ],
    [
      'an expiry in the past',
      { endpoints: ['one'], expires_at: '2020-01-01T00:00:00Z' },
      { attr: 'expires_at', detail: 'in the future' },
    ],
    [
      'an expiry too far in the future',
      { endpoints: ['one'], expires_at: '2999-01-01T00:00:00Z' },
      { attr: 'expires_at', detail: '30 days' },
    ],
    ['an invalid expiry', { endpoints: ['one'], expires_at: 'tomorrow' }, { attr: 'expires_at', detail: 'such as' }],
    [
      'a rate limit of 0',
      { endpoints: ['one'], runs_per_minute: 0 },
      { attr: 'runs_per_minute', detail: 'must be >= 1' },
    ],
    [
      'an origin with a path',
      { endpoints: ['one'], origins: ['https://a.example/shop'] },
      { attr: 'origins', detail: 'such as https://a.example.' },
    ],
    [
      'an origin without a scheme',
      { endpoints: ['one'], origins: ['a.example'] },
      { attr: 'origins', detail: 'not an origin' },
    ],
    ['every origin', { endpoints: ['one'], origins: ['*'] }, { attr: 'origins', detail: 'not an origin' }],
    [
      'a token that does not fit into a header',
      { endpoints: ['of_org'], variables: { org: 'x'.repeat(4_000) } },
      { attr: 'variables', detail: 'fit into a header' },
    ],
    ['an unknown field', { endpoints: ['one'], pinned: {} }, { attr: 'pinned', detail: 'not a field' }],
  ]
  test.each(BAD)('rejects %s', async (_, input, { attr, detail }) => {
    expect(await make(input)).toMatchObject({ status: 400, body: { attr, detail: expect.stringContaining(detail) } })
  })

  test('accepts an expiry timestamp', async () => {
    const at = new Date(Date.now() + 3_600_000).toISOString()
    expect(Date.parse((await make({ endpoints: ['one'], expires_at: at })).body.expires_at)).toBe(
      Math.floor(Date.parse(at) / 1_000) * 1_000,
    )
  })

  test('rejects a key that cannot run endpoints', async () => {
    await metadata.keys.put({
      projectId: service.projectId,
      label: 'maker only',
      secret: 'the-key-of-a-maker',
      scopes: ['run_token:write'],
    })
    expect(
      await api({ ...service, key: 'the-key-of-a-maker' }, 'POST', '/endpoints/run_tokens', { endpoints: ['one'] }),
    ).toMatchObject({
      status: 403,
      body: { code: 'permission_denied', detail: expect.stringContaining('endpoint:read') },
    })
  })
})
