import { resolveConfig } from '../../src/config/settings'
import { encodeNow } from '../../src/delivery/encode'
import { createOutbox } from '../../src/delivery/outbox'
import { createQueue, type QueueInputs } from '../../src/delivery/queue'
import type { Answer } from '../../src/delivery/transport'
import type { CapturedEvent, Config, DropReason } from '../../src/types'

const event = (name: string, size = 0): CapturedEvent => ({
  uuid: `u-${name}`,
  event: name,
  properties: size ? { filler: 'x'.repeat(size) } : {},
  timestamp: new Date(0),
})

const setUp = (options: Partial<Config> = {}, inputs: Partial<QueueInputs> = {}) => {
  jest.useFakeTimers()
  const config = resolveConfig({ api_host: 'https://h.example/', disable_compression: true, ...options }, console)
  const requests: { url: string; names: string[] }[] = []
  const beacons: string[][] = []
  const delivered: string[] = []
  const dropped: [string, DropReason][] = []
  const errors: unknown[] = []
  const answers: (Partial<Answer> | 'hang')[] = []
  let beaconTakes = true
  const names = (data: unknown) => (JSON.parse(String(data)).batch as CapturedEvent[]).map((each) => each.event)
  const queue = createQueue({
    config,
    token: 't',
    path: () => '/e/',
    encode: async (text) => encodeNow(text, undefined),
    gzipNow: () => undefined,
    // Memory alone, as where the browser keeps nothing; e2e/scenarios/durability.spec.ts has the other.
    outbox: createOutbox({ name: 'x', config, mayKeep: () => false, onOrphaned: () => {}, onDropped: () => {} }),
    onDelivered: (uuids) => delivered.push(...uuids),
    onDropped: ({ event: name }, reason) => dropped.push([name, reason]),
    onRequestError: (error) => errors.push(error),
    send: async (url, body) => {
      requests.push({ url, names: names(body!.data) })
      const answer = answers.shift() ?? { status: 200 }
      if (answer === 'hang') return new Promise<Answer>(() => {})
      return { status: 200, text: '', ...answer }
    },
    sendBeacon: (_, body) => {
      if (beaconTakes) beacons.push(names(body.data))
      return beaconTakes
    },
    ...inputs,
  })
  return { queue, requests, beacons, delivered, dropped, errors, answers, refuseBeacons: () => (beaconTakes = false) }
}

const tick = (ms = 3000) => jest.advanceTimersByTimeAsync(ms)

test('events that come within the interval leave together', async () => {
  const { queue, requests, delivered } = setUp()
  queue.add(event('a'), { now: false })
  await tick(2000)
  queue.add(event('b'), { now: false })
  expect(requests).toEqual([])
  await tick(1000)
  expect(requests).toEqual([{ url: 'https://h.example/e/', names: ['a', 'b'] }])
  expect(delivered).toEqual(['u-a', 'u-b'])
  expect(queue.waiting()).toBe(0)
})

test('an event may leave at once', async () => {
  const { queue, requests } = setUp()
  queue.add(event('a'), { now: true })
  await tick(0)
  expect(requests).toHaveLength(1)
})

test('what could not be sent is sent again, in order, before what came later, one request at a time', async () => {
  const { queue, requests, answers, delivered } = setUp()
  answers.push({ status: 0 }, { status: 503 })
  queue.add(event('a'), { now: true })
  await tick(0)
  queue.add(event('b'), { now: true })
  await tick(60_000)
  expect(requests.map(({ names }) => names)).toEqual([['a'], ['a', 'b'], ['a', 'b']])
  expect(requests.map(({ url }) => url.split('?')[1])).toEqual([undefined, 'retry_count=1', 'retry_count=2'])
  expect(delivered).toEqual(['u-a', 'u-b'])
})

test('Retry-After is honoured', async () => {
  const { queue, requests, answers } = setUp()
  answers.push({ status: 429, retryAfterMs: 30_000 })
  queue.add(event('a'), { now: true })
  await tick(29_000)
  expect(requests).toHaveLength(1)
  await tick(2000)
  expect(requests).toHaveLength(2)
})

test('coming online tries at once', async () => {
  const { queue, requests, answers } = setUp()
  answers.push({ status: 0 })
  queue.add(event('a'), { now: true })
  await tick(0)
  queue.wake()
  await tick(0)
  expect(requests).toHaveLength(2)
})

test('what the service refuses is dropped with its reason, and the page is told', async () => {
  const { queue, answers, dropped, errors, delivered } = setUp()
  answers.push({ status: 401, text: '{"detail":"no"}', json: { detail: 'no' } })
  queue.add(event('a'), { now: true })
  await tick(0)
  expect(dropped).toEqual([['a', 'refused_by_service']])
  expect(errors).toEqual([{ statusCode: 401, text: '{"detail":"no"}', json: { detail: 'no' } }])
  expect(delivered).toEqual([])
})

test('a batch that is too large is halved until it passes; one event that is too large is dropped alone', async () => {
  const { queue, requests, answers, dropped, delivered } = setUp()
  answers.push({ status: 413 }, { status: 413 }, { status: 413 })
  for (const name of 'abcd') queue.add(event(name), { now: false })
  await tick(3000)
  expect(requests.map(({ names }) => names.join(''))).toEqual(['abcd', 'ab', 'a', 'b', 'c', 'd'])
  expect(dropped).toEqual([['a', 'refused_by_service']])
  expect(delivered).toEqual(['u-b', 'u-c', 'u-d'])
})

test('a batch is bounded in events and in size', async () => {
  const { queue, requests } = setUp()
  for (let index = 0; index < 300; index++) queue.add(event(`e${index}`), { now: false })
  await tick(3000)
  expect(requests.map(({ names }) => names.length)).toEqual([250, 50])
  for (let index = 0; index < 3; index++) queue.add(event(`big${index}`, 300_000), { now: false })
  await tick(3000)
  expect(requests.slice(2).map(({ names }) => names.length)).toEqual([1, 1, 1])
})

test('what waits is bounded: the oldest go, and say why', async () => {
  const { queue, answers, dropped } = setUp({ outbox_max_bytes: 20_000_000 })
  answers.push('hang')
  for (let index = 0; index < 25; index++) queue.add(event(`e${index}`, 1_000_000), { now: false })
  expect(dropped.every(([, reason]) => reason === 'queue_full')).toBe(true)
  expect(dropped.length + queue.waiting()).toBe(25)
  expect(queue.waiting()).toBe(19)
})

test('when the page goes, what waits is handed to the browser', () => {
  const { queue, beacons } = setUp()
  queue.add(event('a'), { now: false })
  queue.add(event('b'), { now: false })
  queue.leave()
  expect(beacons).toEqual([['a', 'b']])
  expect(queue.waiting()).toBe(0)
})

test('what is on its way in a request that outlives the page is not sent twice', async () => {
  const { queue, beacons, answers } = setUp()
  answers.push('hang')
  queue.add(event('a'), { now: true })
  await tick(0)
  queue.add(event('b'), { now: false })
  queue.leave()
  expect(beacons).toEqual([['b']])
})

test('what waits too long goes, and says why', async () => {
  const { queue, answers, dropped, delivered } = setUp({ outbox_max_age_ms: 10_000 })
  answers.push({ status: 503, retryAfterMs: 12_000 })
  queue.add(event('a'), { now: true })
  await tick(8000)
  queue.add(event('b'), { now: false })
  await tick(10_000)
  expect(dropped).toEqual([['a', 'expired']])
  expect(delivered).toEqual(['u-b'])
})

test('one beacon takes what fits; the rest stays', () => {
  const { queue, beacons } = setUp()
  for (const name of 'abc') queue.add(event(name, 25_000), { now: false })
  queue.leave()
  expect(beacons).toEqual([['a', 'b']])
  expect(queue.waiting()).toBe(1)
})

test('what is captured after the page has gone goes at once', () => {
  const { queue, beacons } = setUp()
  queue.leave()
  queue.add(event('late'), { now: false })
  expect(beacons).toEqual([['late']])
})

test('a page that comes back sends again', async () => {
  const { queue, delivered } = setUp()
  queue.leave()
  queue.wake()
  queue.add(event('a'), { now: true })
  await tick(0)
  expect(delivered).toEqual(['u-a'])
})

test('what the browser does not take stays', () => {
  const { queue, refuseBeacons } = setUp()
  refuseBeacons()
  queue.add(event('a'), { now: false })
  queue.leave()
  expect(queue.waiting()).toBe(1)
})

test('what is cleared is dropped with the reason', () => {
  const { queue, dropped } = setUp()
  queue.add(event('a'), { now: false })
  queue.clear('opted_out')
  expect(dropped).toEqual([['a', 'opted_out']])
  expect(queue.waiting()).toBe(0)
})

describe('what is refused is not sent, however far it had come', () => {
  const asBody = (text: string) => encodeNow(text, undefined)

  test('while it is compressed', async () => {
    let compressed = () => {}
    const { queue, requests, dropped } = setUp(
      {},
      { encode: (text) => new Promise((done) => (compressed = () => done(asBody(text)))) },
    )
    queue.add(event('a'), { now: true })
    await tick(0)
    queue.clear('opted_out')
    compressed()
    await tick(60_000)
    expect([requests, dropped]).toEqual([[], [['a', 'opted_out']]])
  })

  test('while what another tab has left is looked for', async () => {
    let found = () => {}
    const left = { event: 'left', uuid: 'u-left', at: Date.now(), text: JSON.stringify(event('left')) }
    const outbox = createOutbox({
      name: 'x',
      config: resolveConfig({}, console),
      mayKeep: () => false,
      onOrphaned: () => {},
      onDropped: () => {},
    })
    const { queue, requests } = setUp(
      {},
      { outbox: { ...outbox, orphans: () => new Promise((done) => (found = () => done([left]))) } },
    )
    queue.takeOver()
    await tick()
    queue.clear('opted_out')
    found()
    await tick(60_000)
    expect(requests).toEqual([])
    expect(queue.waiting()).toBe(0)
  })

  test('and what is captured after a new consent is sent', async () => {
    const { queue, requests } = setUp({}, { encode: async (text) => asBody(text) })
    queue.add(event('a'), { now: true })
    queue.clear('opted_out')
    queue.add(event('b'), { now: true })
    await tick()
    expect(requests.map(({ names }) => names)).toEqual([['b']])
  })
})

test('events that the service refuses among others are dropped with the reason; the others are delivered', async () => {
  const { queue, answers, delivered, dropped } = setUp()
  answers.push({ status: 200, json: { status: 1, refused: [{ index: 1, uuid: 'u-b', code: 'missing_distinct_id' }] } })
  for (const name of 'abc') queue.add(event(name), { now: false })
  await tick(3000)
  expect(delivered).toEqual(['u-a', 'u-c'])
  expect(dropped).toEqual([['b', 'refused_by_service']])
})
