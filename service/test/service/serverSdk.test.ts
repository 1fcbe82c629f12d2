import { OFREPProvider } from '@openfeature/ofrep-provider'
import { OFREPWebProvider } from '@openfeature/ofrep-web-provider'
import { OpenFeature } from '@openfeature/server-sdk'
import { OpenFeature as WebOpenFeature } from '@openfeature/web-sdk'
import { startProxy, type Proxy } from '../../../e2e/support/proxy.ts'
import { api, capture, countOf, event, request, rowsOf } from '../support/api.ts'
import { loadSubpath } from '../support/serverSdk.ts'
import { type SharedService, sharedService } from '../support/sharedService.ts'

// `trailmark/server` and `trailmark/openfeature-server` as they are published, with the real service.

const { createAnalytics } = loadSubpath('server')
const { createTrailmarkProvider } = loadSubpath('openfeature-server')

let service: SharedService
let network: Proxy
beforeAll(async () => {
  service = await sharedService()
  network = await startProxy(service.url)
})
afterAll(async () => {
  await network.stop()
  await service.stop()
})

const problems: string[] = []
const open: any[] = []
afterEach(() => Promise.all(open.splice(0).map((each) => each.shutdown(0))))

/** Creates a client that records its requests and their statuses. */
const connect = (options: object = {}) => {
  const asked: string[] = []
  const analytics = createAnalytics(service.token, {
    host: network.url,
    flushInterval: 600_000,
    flushAt: 10_000,
    onError: ({ message }: Error) => problems.push(message),
    fetch: async (url: string, init: RequestInit) => {
      const response = await fetch(url, init)
      asked.push(`${init.method} ${new URL(url).pathname} ${response.status}`)
      return response
    },
    ...options,
  })
  open.push(analytics)
  return { analytics, asked }
}
const define = async (key: string, filters: object) =>
  expect(await api(service, 'POST', '/feature_flags/', { key, filters })).toMatchObject({ status: 201 })
const property = (key: string, value: unknown, more: object = {}) => ({
  properties: [{ key, value, type: 'person', ...more }],
})

describe('trailmark/server capture', () => {
  test('stores events, persons, aliases, groups and exceptions', async () => {
    const { analytics } = connect()
    analytics.capture({ distinctId: 'visitor-9', event: '$pageview' })
    analytics.capture({
      distinctId: 'ada',
      event: 'bought',
      properties: { amount: 42, text: 'ü "x"' },
      groups: { company: 'acme' },
      timestamp: new Date('2026-02-03T04:05:06.789Z'),
    })
    analytics.identify({ distinctId: 'ada', properties: { plan: 'gold', $set_once: { source: 'ads' } } })
    analytics.alias({ distinctId: 'ada', alias: 'visitor-9' })
    analytics.groupIdentify({ groupType: 'company', groupKey: 'acme', properties: { size: 11 } })
    analytics.captureException(new TypeError('no such thing'), 'ada', { where: 'test' })
    expect(await analytics.flush()).toBe(true)
    expect(
      await rowsOf(
        service,
        "SELECT event, $group_0, properties.amount, properties.text, person.properties.plan, person.properties.source FROM events WHERE event IN ('$pageview', 'bought') ORDER BY event",
      ),
    ).toEqual([
      ['$pageview', '', null, null, 'gold', 'ads'],
      ['bought', 'acme', '42', 'ü "x"', 'gold', 'ads'],
    ])
    expect(await rowsOf(service, 'SELECT key, properties.size FROM groups')).toEqual([['acme', '11']])
    const issues = await api(service, 'GET', '/error_tracking/issues')
    expect(issues.body.results).toMatchObject([
      { type: 'TypeError', value: 'no such thing', culprit: expect.stringContaining('serverSdk.test.ts') },
    ])
  })

  test('stores an event of captureImmediate before the call returns', async () => {
    const { analytics } = connect()
    expect(await analytics.captureImmediate({ distinctId: 'ada', event: 'at once' })).toBe(true)
    expect(await countOf(service, 'at once')).toBe(1)
  })

  test('counts what the service refuses', async () => {
    const { analytics } = connect()
    expect(await analytics.captureImmediate({ distinctId: 'ada', event: 'x'.repeat(300) })).toBe(false)
    expect(analytics.drops()).toEqual({ refused_by_service: 1 })
  })
})

// The fault matrix of the SDK (e2e/scenarios/faultMatrix.spec.ts), for servers: captured before the fault, during it, and sent
// by the process itself or by the next one.
const FAULTS: Record<string, Parameters<Proxy['be']>> = {
  'nothing is wrong': ['up'],
  'the service answers 503': [503],
  'the service answers 500': [500],
  'the service answers 429 with Retry-After': [429, { 'Retry-After': '1' }],
  'the service answers 507 with Retry-After': [507, { 'Retry-After': '1' }],
  'a captive portal answers 200 with a page': ['html'],
  'every request is redirected to a page': ['redirecting'],
  'connections are refused': ['refusing'],
  'the service accepts and never answers': ['silent'],
  'a proxy answers 404 with a page': [{ status: 404, body: '<html>Not Found</html>' }],
  'a proxy answers 413': [{ status: 413, body: '<html>Too Large</html>' }],
  'a proxy rejects compressed bodies': [{ status: 400, body: '<html>Bad Request</html>', ifGzip: true }],
}
const COUNT = 12
let round = 0

describe.each(Object.entries(FAULTS))('a server captures while %s', (_, [mode, headers]) => {
  const captureMany = (analytics: any, name: string) => {
    for (let index = 0; index < COUNT; index += 1)
      analytics.capture({ distinctId: `p${index}`, event: name, properties: { index, text: 'x'.repeat(100) } })
  }
  const expectStored = async (name: string) =>
    expect(
      await rowsOf(
        service,
        `SELECT count(), uniqExact(uuid), uniqExact(properties.index) FROM events WHERE event = '${name}'`,
      ),
    ).toEqual([[COUNT, COUNT, COUNT]])

  test(`${COUNT} captured, ${COUNT} stored once the fault ends`, async () => {
    round += 1
    const name = `fault ${round}`
    await network.be(mode, headers)
    const { analytics } = connect({ requestTimeout: 500 })
    captureMany(analytics, name)
    await analytics.flush(300)
    await network.be('up')
    expect(await analytics.flush(60_000)).toBe(true)
    expect(analytics.drops()).toEqual({})
    await expectStored(name)
  })

  test(`${COUNT} captured, the process ends after shutdown, the next one resends: ${COUNT} stored`, async () => {
    round += 1
    const name = `fault ${round}`
    await network.be(mode, headers)
    const kept: string[] = []
    const { analytics } = connect({ onUnsent: (events: string[]) => kept.push(...events) })
    captureMany(analytics, name)
    const hasSent = await analytics.shutdown(300)
    expect([kept.length, analytics.waiting()]).toEqual([hasSent ? 0 : COUNT, 0])
    await network.be('up')
    const next = connect().analytics
    next.resend(kept)
    expect(await next.shutdown(60_000)).toBe(true)
    await expectStored(name)
  })
})

test('each event is stored once when answers are lost after the service has stored them', async () => {
  let lost = 2
  const { analytics } = connect({
    fetch: async (url: string, init: RequestInit) => {
      const response = await fetch(url, init)
      lost -= 1
      if (lost >= 0) throw new TypeError('terminated')
      return response
    },
  })
  for (let index = 0; index < COUNT; index += 1) analytics.capture({ distinctId: `p${index}`, event: 'lost answer' })
  expect(await analytics.flush(60_000)).toBe(true)
  expect([lost, await countOf(service, 'lost answer')]).toEqual([-1, COUNT])
})

describe('flags of a server', () => {
  beforeAll(async () => {
    await capture(
      service,
      event('$set', { $set: { plan: 'gold' } }, { distinct_id: 'gold-user' }),
      event('x', {}, { distinct_id: 'gold-user', $groups: { company: 'acme' } }),
    )
    await define('for-all', { groups: [{}], payloads: { true: { steps: [1, 2] } } })
    await define('for-gold', { groups: [property('plan', 'gold')] })
    await define('half', { groups: [{ rollout_percentage: 50 }] })
    await define('color', {
      groups: [{}],
      multivariate: {
        variants: [
          { key: 'red', rollout_percentage: 30 },
          { key: 'green', rollout_percentage: 30 },
          { key: 'blue', rollout_percentage: 40 },
        ],
      },
      payloads: { red: '"r"', green: '"g"', blue: '"b"' },
    })
    await define('seats', {
      groups: [{ variant: '12' }],
      multivariate: { variants: [{ key: '12', rollout_percentage: 100 }] },
    })
    await define('needs-gold', { groups: [property('for-gold', true, { type: 'flag' })] })
    await define('needs-blue', { groups: [property('color', 'blue', { type: 'flag' })] })
    await define('of-company', {
      aggregation_group_type: 'company',
      groups: [property('size', 10, { type: 'group', operator: 'gt' })],
    })
    await define('recent', { groups: [property('signed_up', '2026-01-01', { operator: 'is_date_after' })] })
    await define('matching', { groups: [property('email', '@acme\\.com$', { operator: 'regex' })] })
    await define('versioned', { groups: [property('app', '2.0.0', { operator: 'semver_gte' })] })
    await define('negated', {
      groups: [
        {
          properties: [{ key: 'plan', value: ['FREE', 'x'], type: 'person', operator: 'is_not' }],
          rollout_percentage: 80,
        },
      ],
    })
    const { body } = await api(service, 'POST', '/feature_flags/', { key: 'off', active: false })
    expect(body.active).toBe(false)
  })

  const PEOPLE = Array.from({ length: 40 }, (_, n) => ({
    id: `person-${n}`,
    options: {
      groups: { company: `c${n}` },
      personProperties: {
        plan: n % 2 ? 'gold' : 'free',
        signed_up: n % 3 ? '2026-05-05' : '2025-05-05',
        email: n % 4 ? 'a@acme.com' : 'a@b.c',
        app: n % 5 ? '2.1.0' : '1.9.9',
      },
      groupProperties: { company: { size: String(n) } },
    },
  }))

  test('evaluate locally to the results of the service, without requests', async () => {
    const local = connect({ personalApiKey: service.key })
    const remote = connect()
    expect(await local.analytics.waitForLocalEvaluationReady()).toBe(true)
    const colors = new Set()
    for (const { id, options } of PEOPLE) {
      const here = await local.analytics.evaluateFlags(id, { ...options, onlyEvaluateLocally: true })
      const there = await remote.analytics.evaluateFlags(id, options)
      const all = (flags: any) =>
        Object.fromEntries(flags.keys.map((key: string) => [key, [flags.getFlag(key), flags.getFlagPayload(key)]]))
      expect({ id, ...all(here) }).toEqual({ id, ...all(there) })
      expect(here.keys).toHaveLength(12)
      colors.add(here.getFlag('color'))
    }
    expect(colors).toEqual(new Set(['red', 'green', 'blue']))
    expect(local.asked).toEqual(['GET /flags/definitions 200'])
  })

  test('ask the service for what only it knows, unless that is turned off', async () => {
    const { analytics, asked } = connect({ personalApiKey: service.key })
    expect(await analytics.getFeatureFlag('for-gold', 'gold-user', { onlyEvaluateLocally: true })).toBeUndefined()
    expect(asked).toEqual(['GET /flags/definitions 200'])
    expect(await analytics.isFeatureEnabled('for-gold', 'gold-user')).toBe(true)
    expect(await analytics.getFeatureFlagPayload('for-all', 'gold-user')).toEqual({ steps: [1, 2] })
    expect(await analytics.getAllFlags('gold-user')).toMatchObject({ 'for-gold': true, seats: '12' })
    expect(asked.slice(1)).toEqual(['POST /flags/ 200', 'POST /flags/ 200'])
  })

  test('are polled by their tag, and change after the next poll', async () => {
    const { analytics, asked } = connect({ personalApiKey: service.key, featureFlagsPollingInterval: 0 })
    await analytics.waitForLocalEvaluationReady()
    expect(await analytics.reloadFeatureFlags()).toBe(false)
    await define('late', { groups: [{}] })
    expect(await analytics.reloadFeatureFlags()).toBe(true)
    expect(asked).toEqual(['GET /flags/definitions 200', 'GET /flags/definitions 304', 'GET /flags/definitions 200'])
    expect(await analytics.getFeatureFlag('late', 'ada', { onlyEvaluateLocally: true })).toBe(true)
  })

  test('are reported once per value, and can be added to an event', async () => {
    const { analytics } = connect()
    const flags = await analytics.evaluateFlags('told')
    expect([flags.isEnabled('for-all'), flags.isEnabled('for-all'), flags.getFlag('unknown')]).toEqual([
      true,
      true,
      undefined,
    ])
    analytics.capture({ distinctId: 'told', event: 'with flags', flags })
    await analytics.flush()
    expect(
      await rowsOf(
        service,
        "SELECT properties.$feature_flag, properties.$feature_flag_response, properties.locally_evaluated FROM events WHERE event = '$feature_flag_called' AND distinct_id = 'told' ORDER BY 1",
      ),
    ).toEqual([
      ['for-all', 'true', 'false'],
      ['unknown', null, 'false'],
    ])
    expect(
      await rowsOf(service, "SELECT properties.`$feature/for-all` FROM events WHERE event = 'with flags'"),
    ).toEqual([['true']])
  })

  test('have no value, and nothing is thrown, when the service is down or the key is wrong', async () => {
    const { analytics } = connect({ personalApiKey: 'phx_wrong' })
    expect(await analytics.waitForLocalEvaluationReady()).toBe(false)
    expect(problems.at(-1)).toContain('401')
    expect(await analytics.getFeatureFlag('for-all', 'ada')).toBe(true)
    await network.be('refusing')
    const flags = await connect().analytics.evaluateFlags('ada')
    expect([flags.keys, flags.isEnabled('for-all'), flags.isEnabled('for-all', { defaultValue: true })]).toEqual([
      [],
      false,
      true,
    ])
    await network.be('up')
  })

  // One suite for our provider and for the protocol, whose values have the same types.
  describe.each(['trailmark/openfeature-server', '@openfeature/ofrep-provider'])('%s', (name) => {
    const isOurs = name.startsWith('trailmark')
    const context = { targetingKey: 'ada', plan: 'gold' }
    const client = OpenFeature.getClient(name)
    beforeAll(async () => {
      const provider = isOurs
        ? createTrailmarkProvider(connect({ personalApiKey: service.key }).analytics)
        : new OFREPProvider({ baseUrl: service.url, headers: [['Authorization', `Bearer ${service.key}`]] })
      await OpenFeature.setProviderAndWait(name, provider)
    })
    afterAll(() => OpenFeature.close())

    test('resolves values, and default values for another type and an unknown flag', async () => {
      expect(await client.getBooleanValue('for-gold', false, context)).toBe(true)
      expect(await client.getBooleanValue('for-gold', true, { targetingKey: 'ada', plan: 'free' })).toBe(false)
      expect(await client.getStringDetails('seats', 'none', context)).toMatchObject({
        value: '12',
        variant: '12',
        reason: 'SPLIT',
      })
      expect(await client.getStringDetails('for-all', 'none', context)).toMatchObject({
        value: 'none',
        errorCode: 'TYPE_MISMATCH',
      })
      expect(await client.getBooleanDetails('unknown', true, context)).toMatchObject({
        value: true,
        errorCode: 'FLAG_NOT_FOUND',
      })
      expect(await client.getBooleanDetails('for-all', false, {})).toMatchObject({ errorCode: 'TARGETING_KEY_MISSING' })
    })

    if (isOurs)
      test('resolves numbers and objects', async () => {
        expect(await client.getNumberValue('seats', 0, context)).toBe(12)
        expect(await client.getNumberDetails('for-all', 7, context)).toMatchObject({
          value: 7,
          errorCode: 'TYPE_MISMATCH',
        })
        expect(await client.getObjectValue('for-all', {}, context)).toEqual({ steps: [1, 2] })
        expect(await client.getObjectDetails('seats', { a: 1 }, context)).toMatchObject({
          value: { a: 1 },
          errorCode: 'TYPE_MISMATCH',
        })
        expect(await client.getNumberDetails('for-gold', 7, { targetingKey: 'ada', plan: 'free' })).toMatchObject({
          value: 7,
          reason: 'DEFAULT',
        })
      })
  })
})

test('@openfeature/ofrep-web-provider evaluates with the public token, and again when the context changes', async () => {
  await capture(service, event('$set', { $set: { tier: 'gold' } }, { distinct_id: 'bea' }))
  await define('for-tier', { groups: [property('tier', 'gold')] })
  const statuses: number[] = []
  const provider = new OFREPWebProvider({
    baseUrl: service.url,
    headers: [['Authorization', `Bearer ${service.token}`]],
    cacheMode: 'disabled',
    changeDetection: 'none',
    fetchImplementation: async (input: string | URL | Request, init?: RequestInit) => {
      const response = await fetch(input, init)
      statuses.push(response.status)
      return response
    },
  })
  await WebOpenFeature.setProviderAndWait(provider, { targetingKey: 'bea' })
  const client = WebOpenFeature.getClient()
  expect(client.getBooleanValue('for-tier', false)).toBe(true)
  expect(client.getBooleanDetails('unknown', true)).toMatchObject({ value: true, errorCode: 'FLAG_NOT_FOUND' })
  await WebOpenFeature.setContext({ targetingKey: 'bea', tier: 'free' })
  expect(client.getBooleanValue('for-tier', true)).toBe(false)
  await WebOpenFeature.setContext({ targetingKey: 'bea', tier: 'free' })
  await WebOpenFeature.close()
  expect(statuses.slice(0, 2)).toEqual([200, 200])
})

describe('the OpenFeature Remote Evaluation Protocol', () => {
  const ask = (
    path: string,
    body: unknown,
    headers: Record<string, string> = { authorization: `Bearer ${service.token}` },
  ) =>
    request(`${service.url}/ofrep/v1/evaluate/flags${path}`, {
      method: 'POST',
      body: typeof body === 'string' ? body : JSON.stringify(body),
      headers,
    })
  const ADA = { context: { targetingKey: 'ada' } }

  test('evaluates all flags with the public token, and answers 304 to their tag', async () => {
    const first = await ask('', ADA)
    expect([first.status, first.headers.get('cache-control')]).toEqual([200, 'private, must-revalidate'])
    expect(first.body.flags).toContainEqual({
      key: 'for-all',
      value: true,
      variant: 'true',
      reason: 'TARGETING_MATCH',
      metadata: { id: expect.any(Number), version: 1, payload: '{"steps":[1,2]}' },
    })
    expect(first.body.flags.map(({ key }: { key: string }) => key)).not.toContain('off')
    const etag = first.headers.get('etag')!
    const again = await ask('', ADA, { 'x-api-key': service.token, 'if-none-match': etag })
    expect([again.status, again.body]).toEqual([304, ''])
    const other = await ask(
      '',
      { context: { targetingKey: 'ada', plan: 'free' } },
      { 'x-api-key': service.token, 'if-none-match': etag },
    )
    expect(other.status).toBe(200)
  })

  test('evaluates one flag, with groups', async () => {
    const context = { targetingKey: 'ada', groups: { company: 'c1' }, groupProperties: { company: { size: 20 } } }
    expect((await ask('/of-company', { context })).body).toMatchObject({ key: 'of-company', value: true })
    expect((await ask('/of-company', ADA)).body).toMatchObject({ value: false, reason: 'DEFAULT' })
  })

  test.each([
    ['no key', '', ADA, {}, 401, undefined],
    ['an unknown key', '', ADA, { authorization: 'Bearer nothing' }, 401, undefined],
    ['a body that is not JSON', '/for-all', '{', undefined, 400, 'PARSE_ERROR'],
    ['a context that is a list', '', { context: [] }, undefined, 400, 'PARSE_ERROR'],
    ['no targeting key', '', {}, undefined, 400, 'TARGETING_KEY_MISSING'],
    ['an unknown flag', '/unknown', ADA, undefined, 404, 'FLAG_NOT_FOUND'],
    ['an inactive flag', '/off', ADA, undefined, 404, 'FLAG_NOT_FOUND'],
    ['a name of a prototype', '/constructor', ADA, undefined, 404, 'FLAG_NOT_FOUND'],
  ])('answers %s with an error', async (_, path, body, headers, status, errorCode) => {
    const reply = await ask(path, body, headers)
    expect([reply.status, reply.body.errorCode]).toEqual([status, errorCode])
  })

  test('lets pages on other origins read flags and their tag', async () => {
    const { headers } = await ask('', ADA, { authorization: `Bearer ${service.token}`, origin: 'https://shop.example' })
    expect(headers.get('access-control-allow-origin')).toBe('https://shop.example')
    expect(headers.get('access-control-expose-headers')).toContain('etag')
  })
})
