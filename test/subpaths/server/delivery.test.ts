/** @jest-environment node */
import { createAnalytics, type ServerAnalytics, type ServerOptions } from '../../../src/subpaths/server'
import { FOREIGN_ERRORS, REFUSAL } from '../../support/foreignErrors'
import { answer, type Captured, type Collector, startCollector, up } from './collector'

// What `trailmark/server` captures, and what the service has of it. service/test/service/serverSdk.test.ts repeats the faults
// with the real service.

let collector: Collector
beforeEach(async () => {
  collector = await startCollector()
})
afterEach(() => collector.stop())

const problems: string[] = []
beforeEach(() => void problems.splice(0))

const COUNT = 25
const connect = (more: Partial<ServerOptions> = {}): ServerAnalytics =>
  createAnalytics('token', {
    host: collector.url,
    flushAt: 1_000,
    flushInterval: 600_000,
    onError: ({ message }) => problems.push(message),
    ...more,
  })
const captureMany = (analytics: ServerAnalytics, count = COUNT) => {
  for (let index = 0; index < count; index += 1)
    analytics.capture({ distinctId: `p${index}`, event: 'x', properties: { index } })
}
/** The indexes of the stored events, and the largest number of copies of one. */
const found = () => {
  const copies = [...collector.stored.values()]
  return {
    stored: new Set(copies.map(([first]) => first!.properties.index)).size,
    ids: copies.length,
  }
}
const ALL = { stored: COUNT, ids: COUNT }

/** Behaves so for some requests, and then works. */
const failing = (times: number, behavior: Parameters<Collector['be']>[0]) => {
  let left = times
  collector.be((events, response) => {
    left -= 1
    if (left >= 0) return behavior(events, response)
    return up(events, response)
  })
}

// Each fault: how the service behaves for one or more requests.
const FAULTS: Record<string, [times: number, behavior: Parameters<Collector['be']>[0]]> = {
  'nothing is wrong': [0, up],
  'the service answers 429 with Retry-After': [2, answer(429, '{}', { 'Retry-After': '1' })],
  'the service answers 503 with Retry-After': [1, answer(503, '{}', { 'Retry-After': '1' })],
  'the service answers 507 with Retry-After': [1, answer(507, '{}', { 'Retry-After': '1' })],
  'the service answers 500': [2, answer(500, '{}')],
  'the connection breaks before the answer': [1, (_events, { socket }) => void socket!.destroy()],
  'the answer is lost after the events are stored': [
    1,
    (_events, { socket }) => {
      socket!.destroy()
      return true
    },
  ],
  'the answer is cut off after the events are stored': [
    1,
    (_events, response) => {
      response.writeHead(200, { 'Content-Length': '100' }).write('{"status"')
      setTimeout(() => response.destroy(), 20)
      return true
    },
  ],
  'a captive portal answers 200 with a page': [1, answer(200, '<!doctype html><title>Sign in</title>')],
  'every request is redirected to a page': [1, answer(302, '', { Location: 'data:text/html,hello' })],
  'a proxy answers 403 with a page': [1, answer(403, '<html>Forbidden</html>', { 'Content-Type': 'text/html' })],
  'a proxy answers 413 to more than 10 events': [
    3,
    (events, response) => (events.length > 10 ? answer(413, '<html></html>')(events, response) : up(events, response)),
  ],
}

test.each(Object.entries(FAULTS))(`${COUNT} captured, each stored once, while %s`, async (_, [times, behavior]) => {
  failing(times, behavior)
  const analytics = connect()
  captureMany(analytics)
  expect(await analytics.flush(60_000)).toBe(true)
  expect([found(), analytics.waiting(), analytics.drops()]).toEqual([ALL, 0, {}])
})

test('each event is stored once when the service accepts and does not answer in time', async () => {
  failing(1, () => {})
  const analytics = connect({ requestTimeout: 100 })
  captureMany(analytics)
  expect(await analytics.flush(60_000)).toBe(true)
  expect(found()).toEqual(ALL)
})

test('each event is stored once when the service was down while shutdown was called', async () => {
  await collector.stop()
  const port = Number(new URL(collector.url).port)
  const kept: string[][] = []
  const analytics = connect({ onUnsent: (events) => kept.push(events) })
  captureMany(analytics)
  expect(await analytics.shutdown(200)).toBe(false)
  expect([kept.flat().length, analytics.waiting()]).toEqual([COUNT, 0])
  expect(problems.join()).toContain(`127.0.0.1:${port}`)

  // Another process sends them, twice by mistake.
  collector = await startCollector()
  const next = connect()
  next.resend(kept.flat())
  await next.flush()
  next.resend(kept.flat())
  expect(await next.shutdown()).toBe(true)
  expect(found()).toEqual(ALL)
})

test('shutdown returns at its deadline while the service is silent, and keeps the events', async () => {
  collector.be(() => {})
  const analytics = connect()
  captureMany(analytics)
  expect(await analytics.shutdown(100)).toBe(false)
  expect(analytics.waiting()).toBe(COUNT)
  collector.be(up)
  expect(await analytics.shutdown()).toBe(true)
  expect(found()).toEqual(ALL)
})

test('shutdown never rejects, also if onUnsent and onError throw', async () => {
  await collector.stop()
  const fail = () => {
    throw new Error('mine')
  }
  const analytics = connect({ onUnsent: fail, onError: fail })
  captureMany(analytics)
  expect(await analytics.shutdown(50)).toBe(false)
  collector = await startCollector()
})

test('an event that something always rejects does not delay the others', async () => {
  collector.be((events, response) =>
    events.some(({ properties }) => properties.index === 7)
      ? answer(500, '{}')(events, response)
      : up(events, response),
  )
  const analytics = connect()
  captureMany(analytics)
  // Each flush cuts a wait short.
  while (analytics.waiting() > 1) await analytics.flush(1)
  expect(found()).toEqual({ stored: COUNT - 1, ids: COUNT - 1 })
  collector.be(up)
  expect(await analytics.flush()).toBe(true)
  expect(found()).toEqual(ALL)
})

test('the service refuses one event and stores the others', async () => {
  collector.be((events, response) => {
    const refused = events.slice(0, 1).map(({ uuid }, index) => ({ index, uuid, reason: 'x' }))
    response.writeHead(200).end(JSON.stringify({ status: 1, refused }))
    return true
  })
  const analytics = connect()
  expect(await analytics.captureImmediate({ distinctId: 'a', event: 'bad' })).toBe(false)
  captureMany(analytics)
  expect(await analytics.flush()).toBe(true)
  expect(analytics.drops()).toEqual({ refused_by_service: 2 })
  expect(problems.filter((each) => each.includes('refused'))).toHaveLength(1)
})

test('the service rejects a whole request', async () => {
  collector.be(answer(401, JSON.stringify({ ...REFUSAL, type: 'authentication_error', code: 'invalid_token' })))
  const analytics = connect()
  captureMany(analytics)
  expect([await analytics.flush(), analytics.drops()]).toEqual([true, { refused_by_service: COUNT }])
})

test(`${FOREIGN_ERRORS.length} errors of proxies, gateways and other servers drop nothing`, async () => {
  const analytics = connect()
  captureMany(analytics, 3)
  for (const [, status, body] of FOREIGN_ERRORS) {
    collector.be(answer(status, body))
    const before = collector.requests.length
    while (collector.requests.length === before) await analytics.flush(1)
  }
  expect(analytics.drops()).toEqual({})
  collector.be(up)
  expect(await analytics.flush()).toBe(true)
  expect(found()).toEqual({ stored: 3, ids: 3 })
})

test('a flush waits as long as Retry-After says, and not at all if that is beyond its deadline', async () => {
  collector.be(answer(429, '{}', { 'Retry-After': '3600' }))
  const analytics = connect()
  captureMany(analytics)
  expect(await analytics.flush()).toBe(false)
  expect(await analytics.flush()).toBe(false)
  expect(collector.requests).toEqual([COUNT])
})

test('events are bounded by number and by bytes, and what is dropped is counted', async () => {
  const few = connect({ maxQueueEvents: 10 })
  captureMany(few)
  expect([few.waiting(), few.drops()]).toEqual([10, { queue_full: COUNT - 10 }])
  const small = connect({ maxQueueBytes: 10_000 })
  for (let n = 0; n < 10; n += 1)
    small.capture({ distinctId: 'a', event: 'x', properties: { text: 'é'.repeat(1_500) } })
  expect([small.waiting(), small.drops()]).toEqual([3, { queue_full: 7 }])
  await small.flush()
  small.capture({ distinctId: 'a', event: 'x', properties: { text: 'é'.repeat(1_500) } })
  expect(small.waiting()).toBe(1)
  await Promise.all([few.shutdown(), small.shutdown()])
})

test('refuses an empty distinct id and what is not JSON, without throwing', async () => {
  const analytics = connect()
  const circular: Record<string, unknown> = {}
  circular.self = circular
  for (const distinctId of ['', '  ', undefined, null])
    analytics.capture({ distinctId: distinctId as string, event: 'x' })
  expect(await analytics.identifyImmediate({ distinctId: '' })).toBe(false)
  analytics.capture({ distinctId: 'a', event: 'x', properties: circular })
  analytics.capture({ distinctId: 'a', event: 'x', timestamp: new Date('never') })
  analytics.capture(undefined as never)
  analytics.resend(['{'])
  expect(analytics.drops()).toEqual({ no_distinct_id: 6, invalid: 3 })
  analytics.capture({ distinctId: 'a', event: 'big', properties: { index: 12n } })
  await analytics.shutdown()
  expect(collector.requests).toEqual([1])
  expect([...collector.stored.values()][0]![0]!.properties.index).toBe('12')
})

test('properties are those of the call, whatever the caller changes later', async () => {
  const analytics = connect()
  const properties = { index: 1 }
  analytics.capture({ distinctId: 'a', event: 'x', properties })
  properties.index = 2
  await analytics.shutdown()
  expect([...collector.stored.values()][0]![0]!.properties.index).toBe(1)
})

test('a long body is compressed, and a short one is not', async () => {
  const analytics = connect()
  captureMany(analytics, 100)
  await analytics.flush()
  captureMany(analytics, 1)
  await analytics.flush()
  expect(collector.headers.map((each) => each['content-type'])).toEqual(['text/plain', 'application/json'])
  expect(Number(collector.headers[0]!['content-length'])).toBeLessThan(6_000)
})

test('flushAt sends in the background', async () => {
  const analytics = connect({ flushAt: 5 })
  captureMany(analytics, 5)
  while (analytics.waiting()) await new Promise((done) => setTimeout(done, 5))
  expect(collector.stored.size).toBe(5)
})

test('waitUntil keeps a Worker alive until all events of a request are sent, in one request', async () => {
  const promises: Promise<unknown>[] = []
  const analytics = connect({ waitUntil: (promise) => promises.push(promise) })
  captureMany(analytics)
  await Promise.all(promises)
  expect([promises.length, collector.requests, found()]).toEqual([1, [COUNT], ALL])
})

test('a waitUntil that throws loses no event', async () => {
  const analytics = connect({
    waitUntil: () => {
      throw new TypeError('Illegal invocation')
    },
  })
  captureMany(analytics)
  expect([await analytics.flush(), analytics.drops(), found()]).toEqual([true, {}, ALL])
})

test('events of each kind have the properties of the protocol', async () => {
  const analytics = connect()
  analytics.capture({
    distinctId: 'a',
    event: 'bought',
    groups: { company: 'acme' },
    uuid: '0195f000-0000-7000-8000-000000000001',
  })
  analytics.identify({ distinctId: 'a', properties: { plan: 'pro', $set_once: { first: 1 } } })
  analytics.alias({ distinctId: 'a', alias: 'b' })
  analytics.groupIdentify({ groupType: 'company', groupKey: 'acme', properties: { size: 3 } })
  analytics.captureException(new TypeError('no', { cause: new Error('why') }), 'a', { where: 'here' })
  analytics.captureException('text')
  await analytics.shutdown()
  const events = [...collector.stored.values()].map(([event]) => event!)
  const sent = (name: string): Captured[] => events.filter(({ event }) => event === name)
  expect(sent('bought')).toMatchObject([
    {
      uuid: '0195f000-0000-7000-8000-000000000001',
      distinct_id: 'a',
      properties: { $lib: 'trailmark-server', $geoip_disable: true, $groups: { company: 'acme' } },
    },
  ])
  expect(sent('$identify')[0]!.properties).toMatchObject({ $set: { plan: 'pro' }, $set_once: { first: 1 } })
  expect(sent('$create_alias')[0]!.properties).toMatchObject({ distinct_id: 'a', alias: 'b' })
  expect(sent('$groupidentify')[0]).toMatchObject({
    distinct_id: '$company_acme',
    properties: { $group_type: 'company', $group_key: 'acme', $group_set: { size: 3 } },
  })
  const [first, second] = sent('$exception')
  expect(first).toMatchObject({
    distinct_id: 'a',
    properties: {
      where: 'here',
      $exception_list: [
        {
          type: 'TypeError',
          value: 'no',
          mechanism: { handled: true, synthetic: false },
          stack: expect.stringContaining('at '),
        },
        { type: 'Error', value: 'why' },
      ],
    },
  })
  expect(second!.properties).toMatchObject({
    $process_person_profile: false,
    $exception_list: [{ type: 'Error', value: 'text', mechanism: { synthetic: true } }],
  })
})

test('the options are checked when the analytics is created', () => {
  expect(() => createAnalytics('', { host: 'http://x' })).toThrow('project token')
  expect(() => createAnalytics('token', {} as ServerOptions)).toThrow('"host"')
})
