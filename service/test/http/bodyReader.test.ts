import { EventEmitter } from 'node:events'
import { PassThrough } from 'node:stream'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { BODY_LIMITS } from '../../src/http/bodyMemory.ts'
import { createBodyReader } from '../../src/http/bodyReader.ts'
import { createTimeSlices } from '../../src/lib/timeSlices.ts'

const SMALL_LIMITS = { ...BODY_LIMITS, smallBytes: 10 }
const KB = 1_024

/** Creates request bodies that the test sends in chunks. */
const createBodies = (maxHeldBytes: number, limits = SMALL_LIMITS) => {
  const reader = createBodyReader(maxHeldBytes, { count: () => {}, slices: createTimeSlices(), limits })
  const open = (ip: string, maxBytes = 1_000_000) => {
    const request = { ip } as FastifyRequest
    const raw = new EventEmitter()
    const reply = { raw, header: () => {} } as unknown as FastifyReply
    const stream = new PassThrough({ highWaterMark: 1_000_000 })
    reader.watch(request, reply)
    const outcome = reader.read(request, stream, maxBytes).then(
      (bytes) => bytes.length,
      ({ code }: { code: string }) => code,
    )
    return {
      send: (bytes: number) => stream.write(Buffer.alloc(bytes)),
      end: () => stream.end(),
      /** The response is sent or the connection is closed. */
      close: () => raw.emit('close'),
      outcome,
    }
  }
  return { reader, open }
}

const soon = () => new Promise((resolve) => setTimeout(resolve, 20))

test('the body reader counts the bytes of a body until the response is sent', async () => {
  const { reader, open } = createBodies(1_000 * KB)
  const body = open('1.1.1.1')
  body.send(100 * KB)
  body.end()
  expect(await body.outcome).toBe(100 * KB)
  expect(reader.heldBytes()).toBe(100 * KB)
  body.close()
  expect(reader.heldBytes()).toBe(0)
  reader.close()
})

test('the body reader releases the bytes of a body that is too large', async () => {
  const { reader, open } = createBodies(1_000 * KB)
  const body = open('1.1.1.1', 50)
  body.send(100)
  body.end()
  expect(await body.outcome).toBe('body_too_large')
  expect(reader.heldBytes()).toBe(0)
  reader.close()
})

test('a body waits for memory until another request of its client is completed', async () => {
  const { reader, open } = createBodies(100 * KB)
  const [first, second] = [open('1.1.1.1'), open('1.1.1.1')]
  first.send(40 * KB)
  first.end()
  await first.outcome
  second.send(40 * KB)
  second.end()
  await soon()
  expect(reader.heldBytes()).toBe(40 * KB)
  first.close()
  expect(await second.outcome).toBe(40 * KB)
  reader.close()
})

test('a stalled body is dropped for another one of the same client', async () => {
  const { reader, open } = createBodies(100 * KB)
  const stalled = open('1.1.1.1')
  stalled.send(40 * KB)
  await soon()
  const honest = open('1.1.1.1')
  honest.send(40 * KB)
  honest.end()
  expect(await honest.outcome).toBe(40 * KB)
  expect(await stalled.outcome).toBe('ingest_overloaded')
  reader.close()
})

test('the largest of several bodies waiting for memory is rejected', async () => {
  const { reader, open } = createBodies(100 * KB)
  const [large, small] = [open('1.1.1.1'), open('1.1.1.1')]
  large.send(30 * KB)
  small.send(15 * KB)
  await soon()
  large.send(30 * KB)
  small.send(15 * KB)
  small.end()
  expect(await large.outcome).toBe('ingest_overloaded')
  expect(await small.outcome).toBe(30 * KB)
  reader.close()
})

test('bodies that wait for memory try again a few per turn of the event loop, each after every release', async () => {
  const { reader, open } = createBodies(100 * KB)
  const full = [open('1.1.1.1'), open('2.2.2.2')]
  for (const body of full) {
    body.send(50 * KB)
    body.end()
    await body.outcome
  }
  const waiting = Array.from({ length: 35 }, () => open('3.3.3.3'))
  for (const body of waiting) {
    body.send(KB)
    body.end()
  }
  await soon()
  let turn = 0
  const counting = { isOver: false }
  const countTurns = () => {
    turn += 1
    if (!counting.isOver) setImmediate(countTurns)
  }
  countTurns()
  const turns = waiting.map(({ outcome }) => outcome.then(() => turn))
  full[0]!.close()
  full[1]!.close()
  const perTurn = new Map<number, number>()
  for (const each of await Promise.all(turns)) perTurn.set(each, (perTurn.get(each) ?? 0) + 1)
  counting.isOver = true
  expect(Math.max(...perTurn.values())).toBeLessThanOrEqual(10)
  expect(reader.heldBytes()).toBe(35 * KB)
  reader.close()
})

test('a client that uses up its share of the memory does not delay another one', async () => {
  const { reader, open } = createBodies(100 * KB)
  const [first, second, other] = [open('1.1.1.1'), open('1.1.1.1'), open('2.2.2.2')]
  first.send(40 * KB)
  first.end()
  await first.outcome
  second.send(40 * KB)
  second.end()
  await soon()
  other.send(40 * KB)
  other.end()
  expect(await other.outcome).toBe(40 * KB)
  expect(reader.heldBytes()).toBe(80 * KB)
  first.close()
  await second.outcome
  reader.close()
})

test.each([
  ['the same client', '1.1.1.1'],
  ['another client', '2.2.2.2'],
])('if too many bodies arrive at once, a body of %s ends one of the client with the most', async (_, ip) => {
  const { reader, open } = createBodies(100 * KB, { ...SMALL_LIMITS, unfinished: 4 })
  const bystander = open('3.3.3.3')
  const many = Array.from({ length: 3 }, () => open('1.1.1.1'))
  for (const body of [bystander, ...many]) body.send(1)
  await soon()
  const last = open(ip)
  const ended = await Promise.race(many.map(({ outcome }, place) => outcome.then((code) => [place, code])))
  expect(ended).toEqual([0, 'ingest_overloaded'])
  for (const body of [bystander, last]) {
    body.send(1)
    body.end()
  }
  expect([await bystander.outcome, await last.outcome]).toEqual([2, 1])
  reader.close()
})

test('the rest of a body that is too large is read up to a limit', async () => {
  const { reader, open } = createBodies(100 * KB, { ...SMALL_LIMITS, discardedBytes: 1_000 })
  const body = open('1.1.1.1', 50)
  let outcome: unknown
  void body.outcome.then((code) => (outcome = code))
  body.send(1_000)
  await soon()
  expect(outcome).toBeUndefined()
  body.send(1)
  await soon()
  expect(outcome).toBe('body_too_large')
  expect(reader.heldBytes()).toBe(0)
  reader.close()
})

test('small bodies do not wait for large ones of the same client', async () => {
  const { reader, open } = createBodies(100 * KB)
  const large = open('1.1.1.1')
  large.send(100 * KB)
  await soon()
  const small = open('1.1.1.1')
  small.send(8)
  small.end()
  expect(await small.outcome).toBe(8)
  reader.close()
})

describe('the minimum rate of a body', () => {
  beforeEach(() => void jest.useFakeTimers({ doNotFake: ['nextTick', 'setImmediate', 'queueMicrotask'] }))
  afterEach(() => void jest.useRealTimers())

  /** Sends `bytes` in each of `seconds`. */
  const drip = async (body: { send(bytes: number): unknown }, bytes: number, seconds: number) => {
    for (let second = 0; second < seconds; second++) {
      if (bytes) body.send(bytes)
      await new Promise((resolve) => setImmediate(resolve))
      await jest.advanceTimersByTimeAsync(1_000)
    }
  }
  const isOpen = Symbol('open')
  const stateOf = (body: { outcome: Promise<unknown> }) => Promise.race([body.outcome, Promise.resolve(isOpen)])

  test('rejects a body that stalls after a fast start', async () => {
    const { reader, open } = createBodies(10_000 * KB, BODY_LIMITS)
    const body = open('1.1.1.1', 10_000 * KB)
    body.send(3_000 * KB)
    await drip(body, 0, 9)
    expect(await stateOf(body)).toBe(isOpen)
    await drip(body, 0, 3)
    expect(await stateOf(body)).toBe('body_too_slow')
    expect(reader.heldBytes()).toBe(0)
    reader.close()
  })

  test('ends at most ten bodies per turn of the event loop', async () => {
    const { reader, open } = createBodies(1_000 * KB)
    const bodies = Array.from({ length: 35 }, (_, n) => open(`1.1.1.${n}`))
    let turn = 0
    const countTurns = () => {
      turn += 1
      if (turn < 10_000) setImmediate(countTurns)
    }
    countTurns()
    const turns = Promise.all(bodies.map(({ outcome }) => outcome.then(() => turn)))
    await jest.advanceTimersByTimeAsync(12_000)
    const ended = await turns
    turn = 10_000
    const perTurn = [...new Set(ended)].map((each) => ended.filter((other) => other === each).length)
    expect(Math.max(...perTurn)).toBe(10)
    reader.close()
  })

  test.each<[title: string, bytesPerSecond: number, seconds: number, expected: unknown]>([
    ['accepts a large body of 20 kB/s', 20 * KB, 100, isOpen],
    ['rejects a large body of 5 kB/s', 5 * KB, 40, 'body_too_slow'],
    ['accepts a small body of 2 kB/s', 2 * KB, 25, isOpen],
    ['rejects a small body of 0.5 kB/s', KB / 2, 25, 'body_too_slow'],
    ['rejects any body after 120 s', 20 * KB, 123, 'body_too_slow'],
  ])('%s', async (_, bytesPerSecond, seconds, expected) => {
    const { reader, open } = createBodies(10_000 * KB, BODY_LIMITS)
    const body = open('1.1.1.1', 10_000 * KB)
    await drip(body, bytesPerSecond, seconds)
    expect(await stateOf(body)).toBe(expected)
    reader.close()
  })

  test('accepts a body that pauses for less than 10 s', async () => {
    const { reader, open } = createBodies(10_000 * KB, BODY_LIMITS)
    const body = open('1.1.1.1', 10_000 * KB)
    for (let round = 0; round < 3; round++) {
      await drip(body, 20 * KB, 10)
      await drip(body, 0, 8)
    }
    expect(await stateOf(body)).toBe(isOpen)
    reader.close()
  })

  test('excludes the time for which a body waits for memory', async () => {
    const { reader, open } = createBodies(100 * KB, BODY_LIMITS)
    const first = open('1.1.1.1')
    first.send(40 * KB)
    first.end()
    await first.outcome
    const second = open('1.1.1.1')
    await drip(second, 40 * KB, 1)
    await drip(second, 0, 30)
    first.close()
    second.end()
    expect(await second.outcome).toBe(40 * KB)
    reader.close()
  })
})
