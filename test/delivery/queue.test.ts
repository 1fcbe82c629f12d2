import { gunzipSync, gzipSync } from 'node:zlib'
import { resolveConfig } from '../../src/config/settings'
import { REFUSAL } from '../support/foreignErrors'
import { RULES } from '../support/optionRules'
import type { Body } from '../../src/delivery/encode'
import { createOutbox } from '../../src/delivery/outbox'
import { createQueue, type QueueInputs } from '../../src/delivery/queue'
import type { RequestResult } from '../../src/delivery/transport'
import type { CapturedEvent, Config, DropReason } from '../../src/types'

/** jsdom has no databases. */
const NO_DATABASE = () => Promise.reject(new Error('no database'))

const event = (name: string, size = 0): CapturedEvent => ({
  uuid: `u-${name}`,
  event: name,
  properties: size ? { filler: 'x'.repeat(size) } : {},
  timestamp: new Date(0),
})

const ACCEPTED = { status: 200, json: { status: 1 } }

const setUp = (options: Partial<Config> = {}, inputs: Partial<QueueInputs> = {}) => {
  jest.useFakeTimers()
  const config = resolveConfig(
    { api_host: 'https://h.example/', disable_compression: true, ...options },
    console,
    RULES,
  )
  const requests: { url: string; names: string[] }[] = []
  const beacons: string[][] = []
  const delivered: string[] = []
  const dropped: [string, DropReason][] = []
  const errors: unknown[] = []
  const responses: (Partial<RequestResult> | 'hang')[] = []
  let beaconTakes = true
  const names = (data: unknown) => (JSON.parse(String(data)).batch as CapturedEvent[]).map((each) => each.event)
  const queue = createQueue({
    config,
    token: 't',
    path: () => '/e/',
    encode: async (text) => text,
    // Memory only, as in a browser without storage. e2e/scenarios/durability.spec.ts covers storage.
    outbox: createOutbox(
      {
        name: 'x',
        config,
        mayKeep: () => false,
        journals: () => undefined,
        onOrphaned: () => {},
        onDropped: () => {},
      },
      NO_DATABASE,
    ),
    onDelivered: (uuids) => delivered.push(...uuids),
    onDropped: ({ event: name }, reason) => dropped.push([name, reason]),
    onRequestError: (error) => errors.push(error),
    send: async (url, body) => {
      requests.push({ url, names: names(body) })
      const response = responses.shift() ?? ACCEPTED
      if (response === 'hang') return new Promise<RequestResult>(() => {})
      return { status: 200, text: '', ...response }
    },
    sendBeacon: (_, body) => {
      if (beaconTakes) beacons.push(names(body))
      return beaconTakes
    },
    ...inputs,
  })
  return { queue, requests, beacons, delivered, dropped, errors, responses, rejectBeacons: () => (beaconTakes = false) }
}

const tick = (ms = 3000) => jest.advanceTimersByTimeAsync(ms)

test('events captured within the interval are sent in one batch', async () => {
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

test('an event can be sent immediately', async () => {
  const { queue, requests } = setUp()
  queue.add(event('a'), { now: true })
  await tick(0)
  expect(requests).toHaveLength(1)
})

test('events of a failed request are sent again in order, one request at a time, in halves after two failures', async () => {
  const { queue, requests, responses, delivered } = setUp()
  responses.push({ status: 0 }, { status: 503 })
  queue.add(event('a'), { now: true })
  await tick(0)
  queue.add(event('b'), { now: true })
  await tick(60_000)
  expect(requests.map(({ names }) => names)).toEqual([['a'], ['a', 'b'], ['a'], ['b']])
  expect(requests.map(({ url }) => url.split('?')[1])).toEqual([undefined, 'retry_count=1', 'retry_count=2', undefined])
  expect(delivered).toEqual(['u-a', 'u-b'])
})

test('a batch that the service asks to send later is not halved', async () => {
  const { queue, requests, responses } = setUp()
  responses.push({ status: 429 }, { status: 429 }, { status: 429 })
  for (const name of ['a', 'b']) queue.add(event(name), { now: false })
  await tick(120_000)
  expect(requests.map(({ names }) => names)).toEqual(Array.from({ length: 4 }, () => ['a', 'b']))
})

test('the queue honors Retry-After', async () => {
  const { queue, requests, responses } = setUp()
  responses.push({ status: 429, retryAfterMs: 30_000 })
  queue.add(event('a'), { now: true })
  await tick(29_000)
  expect(requests).toHaveLength(1)
  await tick(2000)
  expect(requests).toHaveLength(2)
})

test('the queue retries immediately when the browser comes online', async () => {
  const { queue, requests, responses } = setUp()
  responses.push({ status: 0 })
  queue.add(event('a'), { now: true })
  await tick(0)
  queue.retryNow()
  await tick(0)
  expect(requests).toHaveLength(2)
})

test('the queue drops events the service rejects, with the reason, and calls on_request_error', async () => {
  const { queue, responses, dropped, errors, delivered } = setUp()
  responses.push({ status: 401, text: '{…}', json: REFUSAL })
  queue.add(event('a'), { now: true })
  await tick(0)
  expect(dropped).toEqual([['a', 'refused_by_service']])
  expect(errors).toEqual([{ statusCode: 401, text: '{…}', json: REFUSAL }])
  expect(delivered).toEqual([])
})

test('the queue halves a batch that is too large until it is accepted and drops a single event that is too large', async () => {
  const { queue, requests, responses, dropped, delivered } = setUp()
  const tooLarge = { status: 413, json: REFUSAL }
  responses.push(tooLarge, tooLarge, ACCEPTED, tooLarge)
  for (const name of 'abcd') queue.add(event(name), { now: false })
  await tick(3000)
  expect(requests.map(({ names }) => names.join(''))).toEqual(['abcd', 'ab', 'cd', 'a', 'b'])
  expect(dropped).toEqual([['a', 'refused_by_service']])
  expect(delivered).toEqual(['u-c', 'u-d', 'u-b'])
  // Later events are sent in full batches.
  for (const name of 'efgh') queue.add(event(name), { now: false })
  await tick(3000)
  expect(requests.at(-1)!.names.join('')).toBe('efgh')
})

test('an event that is too large for a proxy waits, and neither it nor its batch delays the others', async () => {
  const { queue, requests, responses, dropped, delivered } = setUp({ outbox_max_age_ms: 3_600_000 })
  const tooLarge = { status: 413, text: 'Request Entity Too Large' }
  // The proxy rejects every request with the event `b`.
  jest.spyOn(responses, 'shift').mockImplementation(() => (requests.at(-1)!.names.includes('b') ? tooLarge : ACCEPTED))
  for (const name of 'abcd') queue.add(event(name), { now: false })
  await tick(3000)
  expect(requests.map(({ names }) => names.join(''))).toEqual(['abcd', 'ab', 'cd', 'a', 'b'])
  expect(delivered).toEqual(['u-c', 'u-d', 'u-a'])
  queue.add(event('e'), { now: true })
  await tick(0)
  expect(delivered).toEqual(['u-c', 'u-d', 'u-a', 'u-e'])
  await tick(4 * 3_600_000)
  expect(requests.length).toBeLessThan(20)
  queue.add(event('f'), { now: true })
  await tick(0)
  expect(dropped).toEqual([['b', 'expired']])
  expect(delivered).toContain('u-f')
})

test('events that are all too large for a proxy are not sent in a burst', async () => {
  const { queue, requests, responses, dropped } = setUp()
  jest.spyOn(responses, 'shift').mockReturnValue({ status: 413 })
  for (const name of 'abcdefgh') queue.add(event(name), { now: false })
  await tick(60_000)
  // 7 batches are halved, and single events are sent again after growing times.
  expect(requests.length).toBeLessThan(25)
  expect(dropped).toEqual([])
})

test('a batch is limited by number of events and by size', async () => {
  const { queue, requests } = setUp()
  for (let index = 0; index < 300; index++) queue.add(event(`e${index}`), { now: false })
  await tick(3000)
  expect(requests.map(({ names }) => names.length)).toEqual([250, 50])
  for (let index = 0; index < 3; index++) queue.add(event(`big${index}`, 300_000), { now: false })
  await tick(3000)
  expect(requests.slice(2).map(({ names }) => names.length)).toEqual([1, 1, 1])
})

test('a full queue drops the oldest events with the reason queue_full', async () => {
  const { queue, responses, dropped } = setUp({ outbox_max_bytes: 20_000_000 })
  responses.push('hang')
  for (let index = 0; index < 25; index++) queue.add(event(`e${index}`, 1_000_000), { now: false })
  await tick(0)
  expect(dropped.every(([, reason]) => reason === 'queue_full')).toBe(true)
  expect(dropped.map(([name]) => name)).toEqual(['e0', 'e1', 'e2', 'e3', 'e4', 'e5'].reverse())
  expect(queue.waiting()).toBe(19)
})

test('queued events are sent with a beacon when the page is left', () => {
  const { queue, beacons } = setUp()
  queue.add(event('a'), { now: false })
  queue.add(event('b'), { now: false })
  queue.onPageLeave()
  expect(beacons).toEqual([['a', 'b']])
})

test('events in a keepalive request are not sent again with a beacon', async () => {
  const { queue, beacons, responses } = setUp()
  responses.push('hang')
  queue.add(event('a'), { now: true })
  await tick(0)
  queue.add(event('b'), { now: false })
  queue.onPageLeave()
  expect(beacons).toEqual([['b']])
})

test('events that wait too long are dropped with the reason expired', async () => {
  const { queue, responses, dropped, delivered } = setUp({ outbox_max_age_ms: 10_000 })
  responses.push({ status: 503, retryAfterMs: 12_000 })
  queue.add(event('a'), { now: true })
  await tick(8000)
  queue.add(event('b'), { now: false })
  await tick(10_000)
  expect(dropped).toEqual([['a', 'expired']])
  expect(delivered).toEqual(['u-b'])
})

test('a page that is left sends several beacons, halved until the browser accepts them, small events first', () => {
  const beacons: string[] = []
  // The quota Chromium shares among all beacons of a page.
  let quota = 65_536
  const { queue } = setUp(
    {},
    {
      sendBeacon: (_, data) => {
        if (data.length > quota) return false
        quota -= data.length
        return !!beacons.push(String(data))
      },
    },
  )
  queue.add(event('large', 70_000), { now: false })
  for (let index = 0; index < 60; index += 1) queue.add(event(`e${index}`, 900), { now: false })
  queue.onPageLeave()
  const names = beacons.flatMap((text) => (JSON.parse(text).batch as CapturedEvent[]).map((each) => each.event))
  expect(names).toEqual(Array.from({ length: 60 }, (_, index) => `e${index}`))
  expect(beacons.length).toBeGreaterThan(1)
})

test('events sent with a beacon are sent again when the page is restored from the back/forward cache', async () => {
  const { queue, beacons, requests, delivered } = setUp()
  queue.add(event('a'), { now: false })
  queue.onPageLeave()
  expect(beacons).toEqual([['a']])
  queue.retryNow()
  await tick(0)
  expect(requests.map(({ names }) => names)).toEqual([['a']])
  expect(delivered).toEqual(['u-a'])
})

test('a page restored from the back/forward cache sends the events in its journal once', async () => {
  const config = resolveConfig({ api_host: 'https://h.example/' }, console, RULES)
  const outbox = createOutbox(
    {
      name: 'x',
      config,
      mayKeep: () => true,
      journals: () => localStorage,
      onOrphaned: () => {},
      onDropped: () => {},
    },
    NO_DATABASE,
  )
  const { queue, requests } = setUp({}, { outbox })
  queue.add(event('a'), { now: false })
  queue.onPageLeave()
  expect(queue.waiting()).toBe(0)
  queue.retryNow()
  await tick()
  expect(requests.map(({ names }) => names)).toEqual([['a']])
  expect(Object.keys(localStorage)).toEqual([])
})

test('queued events are compressed ahead of time so that a page left immediately sends all of them', async () => {
  const bodies: Body[] = []
  const { queue } = setUp(
    {},
    {
      encode: async (text) => gzipSync(text),
      sendBeacon: (_, body) => !!bodies.push(body),
    },
  )
  for (let index = 0; index < 50; index += 1) queue.add(event(`e${index}`, 2000), { now: false })
  await tick(10)
  queue.onPageLeave()
  expect(bodies).toHaveLength(1)
  expect(bodies[0]!.length).toBeLessThan(5000)
  expect(JSON.parse(gunzipSync(bodies[0]! as Uint8Array).toString()).batch).toHaveLength(50)
})

test('a batch is compressed ahead of time at most once a second, and once when it is full', async () => {
  const encoded: number[] = []
  const { queue } = setUp(
    {},
    {
      encode: async (text) => {
        encoded.push((JSON.parse(text).batch as unknown[]).length)
        return text
      },
    },
  )
  for (let burst = 0; burst < 5; burst += 1) {
    for (let index = 0; index < 100; index += 1) queue.add(event(`e${burst}-${index}`, 1000), { now: false })
    await tick(10)
  }
  expect(encoded).toEqual([100])
  await tick(1000)
  expect(encoded).toEqual([100, 250])
  queue.add(event('late', 20_000), { now: false })
  await tick(1000)
  expect(encoded).toEqual([100, 250])
})

test('a body compressed ahead of time is not sent after 5 s because its sent_at would be wrong', async () => {
  const bodies: Body[] = []
  const { queue } = setUp(
    {},
    {
      encode: async (text) => gzipSync(text),
      send: async () => ({ status: 503, text: '', retryAfterMs: 60_000 }),
      sendBeacon: (_, body) => !!bodies.push(body),
    },
  )
  queue.add(event('a', 20_000), { now: true })
  await tick(6000)
  queue.onPageLeave()
  expect(bodies).toHaveLength(1)
  // Bodies that cannot be compressed synchronously are sent as text.
  const { sent_at } = JSON.parse(bodies[0]! as string)
  expect(Date.parse(sent_at)).toBe(Date.now())
})

test('an event that always fails delays the others by less than a minute and is retried separately', async () => {
  const sentAt: number[] = []
  const { queue, delivered, dropped } = setUp(
    {},
    {
      send: async (_, body) => {
        const names = (JSON.parse(String(body)).batch as CapturedEvent[]).map((each) => each.event)
        if (!names.includes('poison')) return { text: '', ...ACCEPTED }
        if (names.length === 1) sentAt.push(performance.now())
        return { status: 500, text: '' }
      },
    },
  )
  for (let index = 0; index < 20; index += 1) queue.add(event(index === 7 ? 'poison' : `e${index}`), { now: false })
  await tick(60_000)
  expect(delivered).toHaveLength(19)
  // It does not delay later events either.
  queue.add(event('later'), { now: true })
  await tick(4000)
  expect(delivered).toContain('u-later')
  await tick(24 * 3_600_000)
  queue.add(event('a day later'), { now: true })
  await tick(0)
  expect(delivered).toContain('u-a day later')
  expect(dropped).toEqual([])
  expect(queue.waiting()).toBe(1)
  expect(sentAt.length).toBeGreaterThan(20)
  expect(sentAt.length).toBeLessThan(80)
})

test('an error in the sending loop does not end it', async () => {
  const reported = jest.spyOn(console, 'error').mockImplementation(() => {})
  let isBroken = true
  const { queue, delivered } = setUp(
    {},
    {
      encode: async (text) => {
        if (isBroken) throw new Error('broken')
        return text
      },
    },
  )
  queue.add(event('a'), { now: true })
  await tick(0)
  expect(reported).toHaveBeenCalledTimes(1)
  isBroken = false
  await tick(4000)
  expect(delivered).toEqual(['u-a'])
})

test('retries back off during an outage, doubling from 3 s', async () => {
  const times: number[] = []
  const { queue } = setUp(
    {},
    {
      send: async () => {
        times.push(performance.now())
        return { status: 0, text: '' }
      },
    },
  )
  queue.add(event('a'), { now: true })
  await tick(100_000)
  const waits = times.slice(1).map((time, index) => time - times[index]!)
  expect(waits.length).toBeGreaterThanOrEqual(4)
  waits.forEach((ms, index) => {
    expect(ms).toBeGreaterThanOrEqual(0.75 * 3000 * 2 ** index)
    expect(ms).toBeLessThanOrEqual(1.25 * 3000 * 2 ** index + 2)
  })
})

test('an event over the size limit is dropped alone', async () => {
  const { queue, dropped } = setUp({ outbox_max_bytes: 1000 })
  queue.add(event('a'), { now: false })
  queue.add(event('large', 2000), { now: false })
  await tick(0)
  expect(dropped).toEqual([['large', 'queue_full']])
  expect(queue.waiting()).toBe(1)
})

test('modifying an event after it was captured does not change the sent event', async () => {
  const bodies: string[] = []
  const { queue } = setUp(
    {},
    {
      send: async (_, body) => {
        bodies.push(String(body))
        return { text: '', ...ACCEPTED }
      },
    },
  )
  const captured = { ...event('a'), properties: { list: [{ price: 1 }] }, $set: { plan: 'free' } }
  queue.add(captured, { now: false })
  captured.event = 'b'
  captured.properties.list[0]!.price = 2
  captured.$set.plan = 'paid'
  captured.timestamp.setTime(1)
  await tick()
  expect(JSON.parse(bodies[0]!).batch).toEqual([
    {
      uuid: 'u-a',
      event: 'a',
      properties: { list: [{ price: 1 }] },
      $set: { plan: 'free' },
      timestamp: '1970-01-01T00:00:00.000Z',
    },
  ])
})

test('a page that captures without a pause keeps a bounded queue', () => {
  const { queue, dropped } = setUp({ outbox_max_bytes: 1000 })
  for (let index = 0; index < 500; index++) queue.add(event(`e${index}`), { now: false })
  expect(queue.waiting()).toBeLessThan(300)
  expect(dropped.length + queue.waiting()).toBe(500)
})

test('a clock that jumps ahead by a week expires no events', async () => {
  const { queue, delivered, dropped } = setUp()
  queue.add(event('a'), { now: false })
  jest.setSystemTime(Date.now() + 8 * 86_400_000)
  await tick()
  expect([dropped, delivered]).toEqual([[], ['u-a']])
})

test('events captured after the page was left are sent immediately', () => {
  const { queue, beacons } = setUp()
  queue.onPageLeave()
  queue.add(event('late'), { now: false })
  expect(beacons).toEqual([['late']])
})

test('a page restored from the back/forward cache sends events again', async () => {
  const { queue, delivered } = setUp()
  queue.onPageLeave()
  queue.retryNow()
  queue.add(event('a'), { now: true })
  await tick(0)
  expect(delivered).toEqual(['u-a'])
})

test('events stay queued when the browser rejects the beacon', () => {
  const { queue, rejectBeacons } = setUp()
  rejectBeacons()
  queue.add(event('a'), { now: false })
  queue.onPageLeave()
  expect(queue.waiting()).toBe(1)
})

test('cleared events are dropped with the reason', () => {
  const { queue, dropped } = setUp()
  queue.add(event('a'), { now: false })
  queue.clear('opted_out')
  expect(dropped).toEqual([['a', 'opted_out']])
  expect(queue.waiting()).toBe(0)
})

test.each<[string, Partial<RequestResult>, string[], [string, DropReason][]]>([
  ['delivered if the service stores them', ACCEPTED, ['u-a'], []],
  [
    'dropped if the service refuses them',
    { json: { status: 1, refused: [{ uuid: 'u-a' }] } },
    [],
    [['a', 'opted_out']],
  ],
  ['dropped if the service does not respond', { status: 0 }, [], [['a', 'opted_out']]],
])('events that are cleared while a request carries them are %s', async (_, result, arrived, lost) => {
  let respond = () => {}
  const responded = new Promise<RequestResult>((done) => (respond = () => done({ text: '', status: 200, ...result })))
  const { queue, delivered, dropped } = setUp({}, { send: () => responded })
  queue.add(event('a'), { now: true })
  await tick(0)
  queue.clear('opted_out')
  queue.add(event('b'), { now: false })
  queue.clear('turned_off_by_service', (each) => each.event === 'b')
  expect([delivered, dropped]).toEqual([[], [['b', 'turned_off_by_service']]])
  respond()
  await tick(0)
  expect([delivered, dropped]).toEqual([arrived, [['b', 'turned_off_by_service'], ...lost]])
})

test('events beyond the bound are delivered if the request that carries them succeeds', async () => {
  let respond = () => {}
  const responded = new Promise<RequestResult>((done) => (respond = () => done({ ...ACCEPTED, text: '' })))
  const { queue, delivered, dropped } = setUp({ outbox_max_bytes: 1000 }, { send: () => responded })
  queue.add(event('a', 600), { now: true })
  await tick(0)
  queue.add(event('b', 600), { now: false })
  await tick(0)
  expect(queue.waiting()).toBe(1)
  respond()
  await tick(60_000)
  expect([delivered, dropped]).toEqual([['u-a', 'u-b'], []])
})

describe('events queued before an opt-out', () => {
  const asBody = (text: string) => text

  test('are not sent when they are being compressed', async () => {
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

  test('are not sent when they are being loaded from another tab', async () => {
    let found = () => {}
    const left = { event: 'left', uuid: 'u-left', at: Date.now(), text: JSON.stringify(event('left')) }
    const outbox = createOutbox(
      {
        name: 'x',
        config: resolveConfig({}, console, RULES),
        mayKeep: () => false,
        journals: () => undefined,
        onOrphaned: () => {},
        onDropped: () => {},
      },
      NO_DATABASE,
    )
    const { queue, requests } = setUp(
      {},
      { outbox: { ...outbox, claimOrphans: () => new Promise((done) => (found = () => done([left]))) } },
    )
    queue.adoptOrphans()
    await tick()
    queue.clear('opted_out')
    found()
    await tick(60_000)
    expect(requests).toEqual([])
    expect(queue.waiting()).toBe(0)
  })

  test('are dropped while events captured after a new consent are sent', async () => {
    const { queue, requests } = setUp({}, { encode: async (text) => asBody(text) })
    queue.add(event('a'), { now: true })
    queue.clear('opted_out')
    queue.add(event('b'), { now: true })
    await tick()
    expect(requests.map(({ names }) => names)).toEqual([['b']])
  })
})

test('the queue drops individually rejected events with the reason and delivers the others', async () => {
  const { queue, responses, delivered, dropped } = setUp()
  responses.push({
    status: 200,
    json: { status: 1, refused: [{ index: 1, uuid: 'u-b', code: 'missing_distinct_id' }] },
  })
  for (const name of 'abc') queue.add(event(name), { now: false })
  await tick(3000)
  expect(delivered).toEqual(['u-a', 'u-c'])
  expect(dropped).toEqual([['b', 'refused_by_service']])
})

test('events that are cleared while a batch is compressed do not hold back the others', async () => {
  let finish = () => {}
  const compressed = new Promise<void>((done) => (finish = done))
  const { queue, delivered, dropped } = setUp({}, { encode: async (text) => compressed.then(() => text) })
  queue.add(event('a'), { now: false })
  queue.add(event('b'), { now: true })
  await tick(0)
  queue.clear('opted_out', (each) => each.event === 'a')
  finish()
  await tick(0)
  // The request carries both.
  expect([delivered, dropped]).toEqual([['u-a', 'u-b'], []])
})
