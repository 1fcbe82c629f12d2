import fc from 'fast-check'
import type { Analytics, Options } from '../../src/client/publicApi'
import type { CaptureOptions } from '../../src/types'
import { listenToConsole, startAnalytics, type Started } from '../support/startAnalytics'
import { randomRuns } from '../support/randomRuns'

const throwing = () => {
  throw new Error('the page threw')
}
const hostileObject = () => {
  const circle: Record<string, unknown> = { big: 1n, lone: '\ud83d', call: () => 1, date: new Date(NaN) }
  circle.self = circle
  Object.defineProperty(circle, 'bad', { get: throwing, enumerable: true })
  circle.proxy = new Proxy({}, { ownKeys: throwing })
  circle.json = { toJSON: throwing }
  circle.element = document.body
  return circle
}
const cyclicGraph = () => {
  const all: Record<string, unknown>[] = Array.from({ length: 12 }, (_, index) => ({ index }))
  for (const each of all) all.forEach((other, index) => (each[`friend${index}`] = other))
  return { all }
}

/** Every method that accepts values from the page. Each captures an event or changes what later events contain. */
const INPUTS: Record<string, (analytics: Analytics, value: never) => unknown> = {
  'capture() as a property': (analytics, value) => analytics.capture('x', { value }),
  'capture() as the properties': (analytics, value) => analytics.capture('x', value),
  'capture() as the options': (analytics, value) => analytics.capture('x', {}, value),
  'capture() as a $set property': (analytics, value) => analytics.capture('x', {}, { $set: { value } }),
  'capture() as $set and $set_once': (analytics, value) =>
    analytics.capture('x', { $set: value }, { $set: value, $set_once: value }),
  'capture() as an $unset name': (analytics, value) => analytics.capture('x', {}, { $unset: [value] }),
  'capture() as timestamp and uuid': (analytics, value) =>
    analytics.capture('x', {}, { timestamp: value, uuid: value }),
  'capture() as the event name': (analytics, value) => analytics.capture<string>(value),
  calculateEventProperties: (analytics, value) => analytics.calculateEventProperties('x', value),
  register: (analytics, value) => analytics.register({ value }),
  'register() as the properties': (analytics, value) => analytics.register(value),
  register_once: (analytics, value) => analytics.register_once({ value }),
  register_for_session: (analytics, value) => analytics.register_for_session({ value }),
  setPersonProperties: (analytics, value) => analytics.setPersonProperties({ value }, { value }),
  'setPersonProperties() as the properties': (analytics, value) => analytics.setPersonProperties(value, value),
  unsetPersonProperties: (analytics, value) => analytics.unsetPersonProperties(value),
  'people.set': (analytics, value) => analytics.people.set('value', value, throwing),
  'identify() as a property': (analytics, value) => analytics.identify('user', { value }, { value }),
  'identify() as the id': (analytics, value) => analytics.identify(value),
  alias: (analytics, value) => analytics.alias(value, value),
  'group() as a property': (analytics, value) => analytics.group('company', 'acme', { value }),
  'group() as type and key': (analytics, value) => analytics.group(value, value),
  updateFlags: (analytics, value) => analytics.updateFlags({ value }, { value }),
  'updateFlags() as the flags': (analytics, value) => analytics.updateFlags(value, value),
  'featureFlags.override': (analytics, value) =>
    analytics.featureFlags.override({ flags: { value }, payloads: { value } }),
  setPersonPropertiesForFlags: (analytics, value) => analytics.setPersonPropertiesForFlags({ value }),
  setGroupPropertiesForFlags: (analytics, value) => analytics.setGroupPropertiesForFlags({ company: { value } }),
  setAnonymousDistinctId: (analytics, value) => analytics.featureFlags.setAnonymousDistinctId(value),
  updateEarlyAccessFeatureEnrollment: (analytics, value) =>
    analytics.updateEarlyAccessFeatureEnrollment('a', value, value),
  captureTraceMetric: (analytics, value) => analytics.captureTraceMetric('a', 'b', value),
  captureTraceFeedback: (analytics, value) => analytics.captureTraceFeedback(value, value),
  captureException: (analytics, value) => analytics.captureException(value, { value }),
  addExceptionStep: (analytics, value) => analytics.addExceptionStep(value, { value }),
  'people.set_once': (analytics, value) => analytics.people.set_once({ value }, value),
  unregister: (analytics, value) => analytics.unregister(value),
  unregister_for_session: (analytics, value) => analytics.unregister_for_session(value),
  opt_in_capturing: (analytics, value) =>
    analytics.opt_in_capturing({ captureEventName: value, captureProperties: { value } }),
  'reset() as the bootstrap values': (analytics, value) => analytics.reset({ bootstrap: value }),
  'reset() as bootstrap flags': (analytics, value) => analytics.reset({ bootstrap: { featureFlags: { value } } }),
  set_config: (analytics, value) => analytics.set_config(value),
  push: (analytics, value) => analytics.push(['capture', 'x', value]),
  'push() as the command': (analytics, value) => analytics.push(value),
}

const LONE_SURROGATE = /[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/

/** Invariants for any input: everything sent is small well-formed JSON, and every event is accounted for. */
const expectOrder = async ({ analytics, requests, apiRequests, settle }: Started) => {
  expect(analytics.capture('after')).toBeDefined()
  await settle()
  await settle()
  const states = analytics.explain().map(({ event, state, reason }) => ({ event, state, reason }))
  expect(states.filter(({ state }) => state === 'waiting')).toEqual([])
  expect(states).toContainEqual({ event: 'after', state: 'delivered', reason: undefined })
  for (const { init } of requests) {
    const body = init.body as string
    expect(body.length).toBeLessThan(3_000_000)
    for (const event of (JSON.parse(body) as { batch: unknown[] }).batch)
      expect(JSON.stringify(event)).not.toMatch(/\\ud/)
    expect(body).not.toMatch(LONE_SURROGATE)
  }
  for (const { body } of apiRequests) expect(JSON.stringify(body ?? {})).not.toMatch(/\\ud/)
  expect(JSON.parse(localStorage.getItem('ph_token_posthog')!)).toMatchObject({
    distinct_id: analytics.get_distinct_id(),
  })
}

const HOSTILE: [name: string, make: () => unknown][] = [
  ['an object with throwing traps', hostileObject],
  ['objects that all reference each other', cyclicGraph],
  ['a BigInt', () => 10n],
  ['a lone surrogate', () => '😀'.slice(0, 1)],
  ['null', () => null],
  ['a function', () => throwing],
  ['a symbol', () => Symbol('x')],
  ['a revoked proxy', () => {
    const { proxy, revoke } = Proxy.revocable({}, {})
    revoke()
    return proxy
  }],
  ['a DOM element', () => document.body],
  ['a string', () => 'text'],
] // oxfmt-ignore

test.each(Object.keys(INPUTS))('every hostile value passed to %s is sent as valid JSON or dropped', async (input) => {
  listenToConsole('error')
  listenToConsole('warn')
  const started = startAnalytics({ rate_limiting: { events_per_second: 1000, events_burst_limit: 1000 } })
  const thrown = HOSTILE.flatMap(([name, make]) => {
    try {
      INPUTS[input]!(started.analytics, make() as never)
      return []
    } catch (error) {
      return [`${name}: ${String(error)}`]
    }
  })
  expect(thrown).toEqual([])
  await expectOrder(started)
})

test('any value passed to any method is sent as small JSON or counted as dropped', async () => {
  listenToConsole('error')
  listenToConsole('warn')
  const anything = fc.anything({
    withBigInt: true,
    withDate: true,
    withMap: true,
    withSet: true,
    withSparseArray: true,
    withNullPrototype: true,
    withTypedArray: true,
    withBoxedValues: true,
    withUnicodeString: true,
  } as fc.ObjectConstraints)
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.tuple(fc.constantFrom(...Object.keys(INPUTS)), anything), { maxLength: 6 }),
      async (calls) => {
        localStorage.clear()
        sessionStorage.clear()
        const started = startAnalytics()
        for (const [input, value] of calls) INPUTS[input]!(started.analytics, value as never)
        await expectOrder(started)
        await started.analytics.shutdown()
      },
    ),
    { numRuns: randomRuns(30) },
  )
})

describe('each event is counted once', () => {
  const lines = () => [...listenToConsole('error')]

  test.each<[string, (analytics: Analytics) => unknown]>([
    ['without options', (analytics) => analytics.capture('x', {}, null as never)],
    [
      'with a property that throws',
      (analytics) => analytics.capture('x', Object.defineProperty({}, 'a', { get: throwing, enumerable: true })),
    ],
    [
      'with an option that throws',
      (analytics) => analytics.capture('x', {}, Object.defineProperty({}, '$set', { get: throwing, enumerable: true })),
    ],
  ])('as sent %s', async (_, act) => {
    lines()
    const { analytics, sent, settle } = startAnalytics()
    act(analytics)
    await settle()
    expect(sent.map(({ event }) => event)).toEqual(['x'])
    expect(analytics.explain('x')).toMatchObject([{ state: 'delivered' }])
  })

  test.each<[string, Options]>([
    ['adds a BigInt', { before_send: (event) => ({ ...event, properties: { ...event.properties, big: 1n } }) }],
    ['adds a cycle', { before_send: (event) => Object.assign(event, { properties: { ...event.properties, event } }) }],
    ['sets an invalid timestamp', { before_send: (event) => ({ ...event, timestamp: 'yesterday' as never }) }],
    ['is an array with empty items', { before_send: [false, undefined, (event) => event] }],
  ])('as sent when before_send %s', async (_, options) => {
    const { analytics, sent, settle } = startAnalytics(options)
    analytics.capture('x')
    await settle()
    expect(sent).toHaveLength(1)
    expect(new Date(sent[0]!.timestamp).getTime()).not.toBeNaN()
    expect(analytics.drops()).toEqual({})
  })

  test.each<[string, Options]>([
    ['before_send throws', { before_send: throwing }],
    ['before_send returns a string', { before_send: (() => 'no') as never }],
    ['before_send contains a value that is not a function', { before_send: ['scrub' as never] }],
    ['sanitize_properties throws', { sanitize_properties: throwing }],
  ])('as dropped, with one log message, when %s', async (_, options) => {
    const errors = listenToConsole('error')
    const { analytics, sent, settle } = startAnalytics(options)
    analytics.capture('x')
    await settle()
    expect(sent).toEqual([])
    expect(analytics.drops()).toEqual({ before_send: 1 })
    expect(errors).toEqual([expect.stringContaining('"x" is not sent')])
  })

  test('as dropped with internal_error when the page breaks an object the SDK reads', () => {
    listenToConsole('error')
    const { analytics } = startAnalytics()
    jest.spyOn(Date.prototype, 'getTime').mockImplementation(throwing)
    expect(analytics.capture('x')).toBeUndefined()
    expect(analytics.drops()).toEqual({ internal_error: 1 })
    expect(analytics.explain('x')).toMatchObject([{ state: 'dropped', reason: 'internal_error' }])
  })
})

describe('page callbacks that throw or return invalid values', () => {
  test.each<[string, Options]>([
    ['get_device_id throws', { get_device_id: throwing }],
    ['get_device_id returns undefined', { get_device_id: (() => undefined) as never }],
    ['get_device_id returns an object', { get_device_id: (() => ({})) as never }],
    ['loaded throws', { loaded: throwing }],
    [
      'a member of bootstrap throws',
      { bootstrap: Object.defineProperty({}, 'featureFlags', { get: throwing, enumerable: true }) },
    ],
    [
      'bootstrapped flags throw',
      { bootstrap: { featureFlags: hostileObject() as never, featureFlagPayloads: hostileObject() } },
    ],
    ['on_request_error throws', { on_request_error: throwing }],
  ])('do not stop capturing and log a readable message: %s', async (_, options) => {
    const errors = listenToConsole('error')
    const { analytics, sent, setEventsResponse, settle } = startAnalytics(options)
    expect(analytics.get_distinct_id()).toMatch(/^[0-9a-f-]{36}$/)
    analytics.capture('x')
    await settle()
    expect(sent.map(({ event }) => event)).toEqual(['x'])
    expect(sent[0]!.properties.distinct_id).toBe(analytics.get_distinct_id())
    setEventsResponse(500)
    analytics.capture('y')
    await settle()
    expect(errors.filter((line) => !line.includes('request failed')).length).toBeLessThanOrEqual(2)
  })
})

describe('ids are sent unchanged', () => {
  const ID = 'tenant/4929384756102938?token=abc'

  test('by identify, alias and group, in events, in storage and in flags requests', async () => {
    const { analytics, sent, apiRequests, settle } = startAnalytics()
    analytics.identify(ID)
    analytics.group('company', ID)
    analytics.alias(`${ID}2`)
    analytics.capture('x', { tenant_id: ID, tenant: 'tenant/4111111111111111' })
    await settle()
    expect(analytics.get_distinct_id()).toBe(ID)
    const of = (name: string) => sent.find(({ event }) => event === name)!.properties
    expect(of('$identify')).toMatchObject({ distinct_id: ID })
    expect(of('$groupidentify')).toMatchObject({ $group_key: ID, $groups: { company: ID } })
    expect(of('$create_alias')).toMatchObject({ alias: `${ID}2` })
    expect(of('x')).toMatchObject({
      distinct_id: ID,
      $user_id: ID,
      $groups: { company: ID },
      tenant_id: ID,
      tenant: 'tenant/4111111111111111',
    })
    expect(apiRequests.at(-1)!.body).toMatchObject({ distinct_id: ID, groups: { company: ID } })
    expect(localStorage.getItem('ph_token_posthog')).toContain(ID)
  })

  test('except for lone surrogates, which are replaced consistently', async () => {
    const { analytics, sent, settle } = startAnalytics()
    const warnings = listenToConsole('warn')
    analytics.identify('a\ud83d')
    analytics.identify('a\ud83d')
    analytics.capture('x\ude00', { ['k\ud83d']: ['v\ud83d'] })
    await settle()
    expect(analytics.get_distinct_id()).toBe('a\ufffd')
    expect(sent.map(({ event }) => event)).toEqual(['$identify', 'x\ufffd'])
    expect(sent[1]!.properties).toMatchObject({ distinct_id: 'a\ufffd', 'k\ufffd': ['v\ufffd'] })
    expect(warnings).toEqual([])
  })
})

describe('secrets in URLs', () => {
  // The secrets cannot be part of a random UUID.
  const URL = '/orders/4111111111111111?token=zyx&gclid=g1&email=a%40b#access_token=x'

  test('are redacted in page properties', async () => {
    history.replaceState(null, '', URL)
    const { analytics, sent, settle } = startAnalytics({ person_profiles: 'always' })
    analytics.capture('$pageview')
    analytics.capture('x', { $current_url: `https://a.example${URL}`, link: `https://a.example${URL}` })
    await settle()
    const text = JSON.stringify(sent.map(({ properties: { link: _, ...rest }, ...event }) => ({ ...event, rest })))
    expect(text).not.toMatch(/41111111|zyx|access_token=x/)
    expect(sent[1]!.properties.link).toBe(
      'https://a.example/orders/4111111111111111?token=redacted&gclid=g1&email=a%40b#access_token=redacted',
    )
  })

  test('mask_personal_data_properties masks click ids and listed parameters', async () => {
    history.replaceState(null, '', URL)
    const { analytics, sent, settle } = startAnalytics({
      person_profiles: 'always',
      mask_personal_data_properties: true,
      custom_personal_data_properties: ['email'],
    })
    analytics.capture('x')
    await settle()
    const { properties, $set_once } = sent[0]!
    const masked = '/orders/redacted?token=redacted&gclid=<masked>&email=<masked>#access_token=redacted'
    expect(properties).toMatchObject({
      $current_url: `http://localhost${masked}`,
      $session_entry_url: `http://localhost${masked}`,
      $session_entry_gclid: '<masked>',
      gclid: '<masked>',
    })
    expect($set_once).toMatchObject({ $initial_current_url: `http://localhost${masked}`, $initial_gclid: '<masked>' })
    expect(JSON.stringify(sent)).not.toMatch(/"g1"|=g1|a%40b/)
  })

  test('custom_personal_data_properties masks nothing without mask_personal_data_properties', async () => {
    history.replaceState(null, '', URL)
    const { analytics, sent, settle } = startAnalytics({ custom_personal_data_properties: ['email'] })
    analytics.capture('x')
    await settle()
    expect(sent[0]!.properties.$current_url).toContain('email=a%40b')
  })

  test.each(['2026-06-25', '2026-08-29', '2031-01-01'])(
    'are not captured from hashes with defaults %s',
    async (defaults) => {
      history.replaceState(null, '', '/a?b=1#jwt-in-the-hash')
      const { analytics, sent, apiRequests, settle } = startAnalytics({
        defaults,
        person_profiles: 'always',
        advanced_disable_flags: false,
      })
      analytics.capture('x')
      await settle()
      expect(apiRequests.length).toBeGreaterThan(0)
      expect(JSON.stringify([sent, apiRequests])).not.toContain('jwt-in-the-hash')
    },
  )
})

describe('posthog-js options', () => {
  test('property_blacklist and property_denylist are combined', async () => {
    const { analytics, sent, settle } = startAnalytics({ property_blacklist: ['a'], property_denylist: ['b'] })
    analytics.capture('x', { a: 1, b: 2, c: 3 })
    await settle()
    expect(sent[0]!.properties).toMatchObject({ c: 3 })
    expect(Object.keys(sent[0]!.properties)).toEqual(expect.not.arrayContaining(['a', 'b']))
  })

  test('sanitize_properties replaces the properties before before_send runs', async () => {
    const before_send = jest.fn((event) => event)
    const { analytics, sent, settle } = startAnalytics({
      before_send,
      sanitize_properties: (properties, event) => ({
        distinct_id: properties.distinct_id,
        event,
        kept: properties.kept,
      }),
    })
    analytics.capture('x', { kept: 1, secret: 2 })
    await settle()
    expect(sent[0]!.properties).toEqual({
      distinct_id: analytics.get_distinct_id(),
      event: 'x',
      kept: 1,
      $process_person_profile: false,
    })
    expect(before_send.mock.calls[0]![0].properties).not.toHaveProperty('secret')
  })
})

test.each<[string, Options]>([
  ['with property_denylist', {}],
  ['without cookies', { cookieless_mode: 'always' }],
])('the rate limit warning contains neither page nor session %s', async (_, options) => {
  history.replaceState(null, '', '/secret-path')
  listenToConsole('error')
  const { analytics, sent, settle } = startAnalytics({
    ...options,
    property_denylist: ['$current_url', '$pathname', '$session_id', '$session_entry_url', '$session_entry_pathname'],
    rate_limiting: { events_per_second: 1, events_burst_limit: 1 },
  })
  const session = analytics.get_session_id()
  analytics.capture('a')
  analytics.capture('b')
  await settle()
  const warning = JSON.stringify(sent.find(({ event }) => event === '$$client_ingestion_warning'))
  expect(warning).toContain('Rate limit reached')
  expect(warning).not.toContain('secret-path')
  expect(warning).not.toContain(session)
})

test('an event keeps the values from when it was captured if the page modifies its objects later', async () => {
  const { analytics, sent, settle } = startAnalytics()
  const cart = { items: [1] }
  const options: CaptureOptions = { $set: { cart } }
  analytics.register({ cart })
  analytics.capture('x', { own: cart }, options)
  cart.items.push(2)
  await settle()
  expect(sent[0]).toMatchObject({
    properties: { own: { items: [1] }, cart: { items: [1] } },
    $set: { cart: { items: [1] } },
  })
})
