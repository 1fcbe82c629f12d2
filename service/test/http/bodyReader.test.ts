import { EventEmitter } from 'node:events'
import { PassThrough } from 'node:stream'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { BODY_LIMITS } from '../../src/http/bodyMemory.ts'
import { createBodyReader } from '../../src/http/bodyReader.ts'
import { createTimeSlices } from '../../src/lib/timeSlices.ts'

const limits = { ...BODY_LIMITS, smallBytes: 10 }
const KB = 1_024

/** Bodies of clients that the test sends piece by piece. */
const createBodies = (maxHeldBytes: number) => {
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
      /** The answer is out, or the connection is gone. */
      close: () => raw.emit('close'),
      outcome,
    }
  }
  return { reader, open }
}

const soon = () => new Promise((resolve) => setTimeout(resolve, 20))

test('holds what arrives until the answer is out', async () => {
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

test('releases what it holds of a body that is too large', async () => {
  const { reader, open } = createBodies(1_000 * KB)
  const body = open('1.1.1.1', 50)
  body.send(100)
  body.end()
  expect(await body.outcome).toBe('body_too_large')
  expect(reader.heldBytes()).toBe(0)
  reader.close()
})

test('a body waits for room until another one of its client is answered', async () => {
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

test('a stalled body makes room for another one of the same client', async () => {
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

test('of bodies that all wait for room the one that holds the most is ended', async () => {
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
