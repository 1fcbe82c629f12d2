import { PostHog, type PostHogOptions } from 'posthog-node'
import { api, capture, countOf, event, rowsOf } from '../support/api.ts'
import { until } from '../support/engine.ts'
import { type SharedService, sharedService } from '../support/sharedService.ts'

// Uses the published posthog-node package: an existing backend only has to change the host.

let service: SharedService
beforeAll(async () => {
  service = await sharedService()
})
afterAll(() => service.stop())

interface Client {
  readonly client: PostHog
  /** Methods and paths of the requests so far. */
  asked(): string[]
}

const open: PostHog[] = []
afterEach(() => Promise.all(open.splice(0).map((client) => client.shutdown())))

// Silences deprecation warnings: existing code still makes these calls.
beforeAll(() => void jest.spyOn(console, 'warn').mockImplementation(() => {}))

/** Creates a client that records its requests. */
const connect = (options: PostHogOptions = {}): Client => {
  const asked: string[] = []
  const client = new PostHog(service.token, {
    host: service.url,
    flushInterval: 50,
    fetch: (url, init) => {
      asked.push(`${init.method} ${new URL(url).pathname}`)
      return fetch(url, init)
    },
    ...options,
  })
  open.push(client)
  return { client, asked: () => asked }
}

const define = async (key: string, filters: object) =>
  expect(await api(service, 'POST', '/feature_flags/', { key, filters })).toMatchObject({ status: 201 })
const property = (key: string, value: unknown, more: object = {}) => ({
  properties: [{ key, value, type: 'person', ...more }],
})

describe('posthog-node capture', () => {
  test('stores events with timestamp, UUID and groups', async () => {
    const { client } = connect()
    client.capture({
      distinctId: 'ada',
      event: 'bought',
      properties: { amount: 42, list: [1, { deep: true }], quote: 'ü "x"' },
      groups: { company: 'acme' },
      timestamp: new Date('2026-02-03T04:05:06.789Z'),
      uuid: '0195f000-0000-7000-8000-000000000001',
    })
    await client.flush()
    const [[uuid, id, time, properties, group] = []] = await rowsOf(
      service,
      "SELECT toString(uuid), distinct_id, toString(timestamp), toString(properties), $group_0 FROM events WHERE event = 'bought'",
    )
    expect([uuid, id, time, group]).toEqual([
      '0195f000-0000-7000-8000-000000000001',
      'ada',
      expect.stringMatching(/^2026-02-03.04:05:06\.789/),
      'acme',
    ])
    expect(JSON.parse(String(properties))).toMatchObject({
      amount: 42,
      list: [1, { deep: true }],
      quote: 'ü "x"',
      $lib: 'posthog-node',
      $groups: { company: 'acme' },
    })
  })

  test('stores an event of captureImmediate before the call returns', async () => {
    const { client } = connect({ flushInterval: 60_000, flushAt: 1_000 })
    await client.captureImmediate({ distinctId: 'ada', event: 'at once' })
    expect(await countOf(service, 'at once')).toBe(1)
  })

  test('sends all queued events exactly once on shutdown', async () => {
    const { client } = connect({ flushInterval: 60_000, flushAt: 40 })
    for (let n = 0; n < 150; n += 1) client.capture({ distinctId: `p${n}`, event: 'waited' })
    await client.shutdown()
    expect(await rowsOf(service, "SELECT count(), uniqExact(distinct_id) FROM events WHERE event = 'waited'")).toEqual([
      [150, 150],
    ])
  })

  test('updates persons with identify, set, unset and alias', async () => {
    const { client } = connect()
    client.capture({ distinctId: 'visitor-7', event: '$pageview' })
    client.identify({ distinctId: 'bob', properties: { plan: 'gold', seats: 3, $set_once: { source: 'ads' } } })
    client.alias({ distinctId: 'bob', alias: 'visitor-7' })
    await client.flush()
    client.capture({
      distinctId: 'bob',
      event: 'changed',
      properties: { $set: { seats: 4 }, $set_once: { source: 'mail' }, $unset: ['plan'] },
    })
    await client.flush()
    expect(
      await rowsOf(
        service,
        "SELECT event, person.properties.plan, person.properties.seats, person.properties.source FROM events WHERE distinct_id IN ('bob', 'visitor-7') AND event IN ('$pageview', 'changed') ORDER BY event",
      ),
    ).toEqual([
      ['$pageview', null, '4', 'ads'],
      ['changed', null, '4', 'ads'],
    ])
  })

  test('creates no person for an event without person processing', async () => {
    const { client } = connect()
    client.capture({ distinctId: 'nobody-7', event: 'quiet', properties: { $process_person_profile: false } })
    await client.flush()
    expect(await rowsOf(service, "SELECT count() FROM person_distinct_ids WHERE distinct_id = 'nobody-7'")).toEqual([
      [0],
    ])
    expect(await countOf(service, 'quiet')).toBe(1)
  })

  test('stores group properties', async () => {
    const { client } = connect()
    client.groupIdentify({ groupType: 'company', groupKey: 'acme', properties: { size: 11 } })
    await client.flush()
    expect(await rowsOf(service, "SELECT key, properties.size FROM groups WHERE index = 0 AND key = 'acme'")).toEqual([
      ['acme', '11'],
    ])
  })

  test('stores an exception', async () => {
    const { client } = connect()
    client.captureException(new TypeError('no such thing'), 'ada', { where: 'test' })
    await until(async () => {
      await client.flush()
      return (await countOf(service, '$exception')) === 1
    })
    const [[properties] = []] = await rowsOf(
      service,
      "SELECT toString(properties) FROM events WHERE event = '$exception'",
    )
    expect(JSON.parse(String(properties))).toMatchObject({
      $exception_list: [{ type: 'TypeError', value: 'no such thing' }],
      where: 'test',
    })
  })
})

describe('posthog-node flags', () => {
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
    await define('needs-gold', { groups: [property('for-gold', true, { type: 'flag' })] })
    await define('needs-blue', { groups: [property('color', 'blue', { type: 'flag' })] })
    await define('of-company', {
      aggregation_group_type: 'company',
      groups: [property('size', 10, { type: 'group', operator: 'gt' })],
    })
    await define('recent', { groups: [property('signed_up', '2026-01-01', { operator: 'is_date_after' })] })
    await define('matching', { groups: [property('email', '@acme\\.com$', { operator: 'regex' })] })
    await define('versioned', { groups: [property('app', '2.0.0', { operator: 'semver_gte' })] })
  })

  test('are evaluated by the service with payloads', async () => {
    const { client, asked } = connect()
    expect(await client.getFeatureFlag('for-all', 'gold-user')).toBe(true)
    expect(await client.getFeatureFlagPayload('for-all', 'gold-user')).toEqual({ steps: [1, 2] })
    expect(await client.isFeatureEnabled('for-gold', 'gold-user')).toBe(true)
    expect(await client.isFeatureEnabled('for-gold', 'somebody')).toBe(false)
    expect(await client.isFeatureEnabled('for-gold', 'somebody', { personProperties: { plan: 'gold' } })).toBe(true)
    expect(await client.isFeatureEnabled('of-company', 'somebody', { groups: { company: 'acme' } })).toBe(true)
    expect(
      await client.isFeatureEnabled('of-company', 'somebody', {
        groups: { company: 'acme' },
        groupProperties: { company: { size: '3' } },
      }),
    ).toBe(false)
    expect(await client.getAllFlags('gold-user')).toMatchObject({
      'for-all': true,
      'for-gold': true,
      'needs-gold': true,
      'of-company': false,
    })
    expect(await client.getFeatureFlag('unknown', 'gold-user')).toBeUndefined()
    expect(asked()).not.toContain('GET /flags/definitions')
  })

  test('report flag calls with the reason and the flag', async () => {
    const { client } = connect()
    const value = await client.getFeatureFlag('color', 'told')
    await client.flush()
    expect(
      await rowsOf(
        service,
        "SELECT properties.$feature_flag, properties.$feature_flag_response, properties.$feature_flag_reason, properties.locally_evaluated FROM events WHERE event = '$feature_flag_called' AND distinct_id = 'told'",
      ),
    ).toEqual([['color', value, 'Matched condition set 1', 'false']])
  })

  test('can be attached to an event', async () => {
    const { client } = connect()
    client.capture({ distinctId: 'gold-user', event: 'with flags', sendFeatureFlags: true })
    await until(async () => {
      await client.flush()
      return (await countOf(service, 'with flags')) === 1
    })
    expect(
      await rowsOf(
        service,
        "SELECT properties.`$feature/for-gold`, has(JSONExtract(properties.$active_feature_flags, 'Array(String)'), 'for-gold') FROM events WHERE event = 'with flags'",
      ),
    ).toEqual([['true', 1]])
  })

  const PEOPLE = Array.from({ length: 40 }, (_, n) => ({
    id: `person-${n}`,
    asks: {
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

  test('evaluate locally to the results of the service without requests', async () => {
    const local = connect({ personalApiKey: service.key, featureFlagsPollingInterval: 600_000 })
    const remote = connect()
    expect(await local.client.waitForLocalEvaluationReady()).toBe(true)
    for (const { id, asks } of PEOPLE) {
      const found = await local.client.getAllFlagsAndPayloads(id, { ...asks, onlyEvaluateLocally: true })
      expect({ id, ...found }).toEqual({ id, ...(await remote.client.getAllFlagsAndPayloads(id, asks)) })
      expect(Object.keys(found.featureFlags ?? {}).length).toBe(10)
    }
    expect(local.asked().filter((each) => each !== 'GET /flags/definitions')).toEqual([])
    // The persons above get different variants, so the comparison is meaningful.
    const colors = await Promise.all(
      PEOPLE.map(({ id }) =>
        local.client.getFeatureFlag('color', id, { onlyEvaluateLocally: true, sendFeatureFlagEvents: false }),
      ),
    )
    expect(new Set(colors)).toEqual(new Set(['red', 'green', 'blue']))
  })

  test('fall back to the service when local evaluation is not possible, unless it is disabled', async () => {
    const { client, asked } = connect({ personalApiKey: service.key, featureFlagsPollingInterval: 600_000 })
    await client.waitForLocalEvaluationReady()
    expect(await client.getFeatureFlag('for-gold', 'gold-user', { onlyEvaluateLocally: true })).toBeUndefined()
    expect(asked()).not.toContain('POST /flags/')
    expect(await client.getFeatureFlag('for-gold', 'gold-user')).toBe(true)
    expect(asked()).toContain('POST /flags/')
  })

  test('change after the next poll of the definitions', async () => {
    const { client } = connect({ personalApiKey: service.key, featureFlagsPollingInterval: 600_000 })
    await client.waitForLocalEvaluationReady()
    await define('late', { groups: [{}] })
    await client.reloadFeatureFlags()
    expect(await client.getFeatureFlag('late', 'ada', { onlyEvaluateLocally: true })).toBe(true)
  })

  test('are not sent again while the definitions are unchanged', async () => {
    const statuses: number[] = []
    const { client } = connect({
      personalApiKey: service.key,
      featureFlagsPollingInterval: 600_000,
      fetch: async (url, init) => {
        const response = await fetch(url, init)
        if (url.includes('/flags/definitions')) statuses.push(response.status)
        return response
      },
    })
    await client.waitForLocalEvaluationReady()
    // A reload joins one that is under way.
    while (statuses.length < 2) await client.reloadFeatureFlags()
    await define('later', { groups: [{}] })
    while (statuses.length < 3) await client.reloadFeatureFlags()
    expect(statuses).toEqual([200, 304, 200])
    expect(await client.getFeatureFlag('later', 'ada', { onlyEvaluateLocally: true })).toBe(true)
  })

  test('report an invalid key and still load from the service', async () => {
    const { client } = connect({ personalApiKey: 'wrong', featureFlagsPollingInterval: 600_000 })
    const errors: unknown[] = []
    client.on('error', (error: unknown) => errors.push(error))
    jest.spyOn(console, 'error').mockImplementation(() => {})
    expect(await client.getFeatureFlag('for-all', 'ada')).toBe(true)
    expect(String(errors[0])).toContain('key is invalid')
  })

  test('load a single payload by flag key', async () => {
    const { client } = connect({ personalApiKey: service.key, enableLocalEvaluation: false })
    expect(await client.getRemoteConfigPayload('for-all')).toEqual({ steps: [1, 2] })
  })
})
