import { resolveConfig } from '../../src/config/settings'
import { STAND_INS } from '../../src/client/standIns'
import { REFUSAL } from '../support/foreignErrors'
import { RULES } from '../support/optionRules'
import { createMemoryQueue } from '../../src/delivery/memoryQueue'
import type { QueueInputs } from '../../src/delivery/queue'
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
  const queue = createMemoryQueue({
    config,
    token: 't',
    path: () => '/e/',
    encode: async (text) => text,
    outbox: STAND_INS.createOutbox({} as never, NO_DATABASE),
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

test('a failed batch is sent again later, in halves after two failures, and nothing is sent meanwhile', async () => {
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

test('a batch can be encoded from its events', async () => {
  const { queue, requests } = setUp(
    {},
    { encodeBatch: async (batch) => `{"batch":[{"event":"${batch.length} events"}]}` },
  )
  for (const name of ['a', 'b']) queue.add(event(name), { now: false })
  await tick()
  expect(requests.map(({ names }) => names)).toEqual([['2 events']])
})

test('an event that always fails does not keep the others from being delivered', async () => {
  const { queue, delivered, dropped } = setUp(
    {},
    {
      send: async (_, body) => ({
        ...ACCEPTED,
        text: '',
        ...(String(body).includes('u-bad') ? { status: 500, json: undefined } : {}),
      }),
    },
  )
  for (const name of ['bad', 'a', 'b', 'c']) queue.add(event(name), { now: false })
  await tick(3_600_000)
  expect(delivered.sort()).toEqual(['u-a', 'u-b', 'u-c'])
  expect([queue.waiting(), dropped]).toEqual([1, []])
})

test('Retry-After is honored, and a browser that is online again sends at once', async () => {
  const { queue, requests, responses } = setUp()
  responses.push({ status: 429, retryAfterMs: 30_000 })
  queue.add(event('a'), { now: true })
  await tick(29_000)
  expect(requests).toHaveLength(1)
  queue.retryNow()
  await tick(0)
  expect(requests).toHaveLength(2)
})

test('events that the service rejects are dropped with the reason', async () => {
  const { queue, responses, dropped, errors, delivered } = setUp()
  responses.push({ status: 401, text: '{…}', json: REFUSAL }, { json: { status: 1, refused: [{ uuid: 'u-b' }] } })
  queue.add(event('a'), { now: true })
  await tick(0)
  for (const name of ['b', 'c']) queue.add(event(name), { now: false })
  await tick()
  expect(dropped).toEqual([
    ['a', 'refused_by_service'],
    ['b', 'refused_by_service'],
  ])
  expect(errors).toEqual([{ statusCode: 401, text: '{…}', json: REFUSAL }])
  expect([delivered, queue.waiting()]).toEqual([['u-c'], 0])
})

test('events that were cleared while a request carried them are counted by its result', async () => {
  let respond: (result: RequestResult) => void = () => {}
  const send = () => new Promise<RequestResult>((done) => (respond = done))
  const { queue, delivered, dropped } = setUp({}, { send })
  queue.add(event('a'), { now: true })
  await tick(0)
  queue.clear('opted_out')
  expect(dropped).toEqual([])
  respond({ ...ACCEPTED, text: '' })
  await tick(0)
  expect([delivered, dropped]).toEqual([['u-a'], []])
  queue.add(event('b'), { now: true })
  await tick(0)
  queue.clear('opted_out')
  respond({ status: 0, text: '' })
  await tick(0)
  expect([delivered, dropped]).toEqual([['u-a'], [['b', 'opted_out']]])
})

test('events that are cleared before they are sent are not sent', async () => {
  const { queue, requests, dropped } = setUp()
  for (const name of ['a', 'b']) queue.add(event(name), { now: name === 'b' })
  queue.clear('opted_out', (each) => each.event === 'a')
  await tick(0)
  expect(requests.map(({ names }) => names)).toEqual([['b']])
  expect(dropped).toEqual([['a', 'opted_out']])
})

test('a page that is left passes waiting events to the browser, which a restored page sends again', async () => {
  const { queue, requests, beacons } = setUp()
  for (const name of ['a', 'b']) queue.add(event(name), { now: false })
  queue.onPageLeave()
  queue.add(event('c'), { now: true })
  expect([requests, beacons]).toEqual([[], [['a', 'b'], ['c']]])
  queue.retryNow()
  await tick(0)
  expect(requests.map(({ names }) => names)).toEqual([['a', 'b', 'c']])
  expect(queue.waiting()).toBe(0)
})

test('a beacon that is too large is passed in halves', () => {
  const beacons: number[] = []
  const sendBeacon: QueueInputs['sendBeacon'] = (_, body) => String(body).length < 3000 && !!beacons.push(1)
  const { queue } = setUp({}, { sendBeacon })
  for (const name of ['a', 'b', 'c', 'd']) queue.add(event(name, 1000), { now: false })
  queue.onPageLeave()
  expect(beacons).toHaveLength(2)
})

test('the oldest events are dropped beyond the bound, and events that are too old', async () => {
  const { queue, responses, dropped } = setUp({ outbox_max_bytes: 3000, outbox_max_age_ms: 60_000 })
  responses.push('hang')
  queue.add(event('first'), { now: true })
  await tick(0)
  for (const name of ['a', 'b', 'c']) queue.add(event(name, 1000), { now: false })
  await tick()
  expect(dropped).toEqual([['a', 'queue_full']])
  await tick(120_000)
  queue.add(event('d'), { now: false })
  await tick()
  expect(dropped.slice(1).map(([name, reason]) => `${name} ${reason}`)).toEqual(['c expired', 'b expired'])
})

test('nothing is sent after the queue was stopped, also when a request fails later', async () => {
  const { queue, requests, responses } = setUp()
  responses.push({ status: 0 })
  queue.add(event('a'), { now: true })
  queue.stop()
  await tick(600_000)
  expect(requests).toHaveLength(1)
})
