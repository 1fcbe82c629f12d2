import type { Readable } from 'node:stream'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { ApiError, type ApiErrorCode } from '../lib/apiError.ts'
import { clientOf } from '../lib/clientOf.ts'
import { concatInSteps } from '../lib/concatInSteps.ts'
import type { Count } from '../lib/metrics.ts'
import type { TimeSlices } from '../lib/timeSlices.ts'
import { BODY_LIMITS, type BodyMemory, createBodyMemory, type Intake } from './bodyMemory.ts'

const RETRY_AFTER_SECONDS = 2
const SWEEP_MS = 1_000
// Ending a body, with its response and log line, takes about 0.4 ms.
const MAX_ENDED_PER_TURN = 10

export interface BodyReader {
  /** Call before a body is read. Its memory is released when the response is sent or the connection is closed. */
  watch(request: FastifyRequest, reply: FastifyReply): void
  /** Returns the bytes of a body. Throws `ApiError`. */
  read(request: FastifyRequest, stream: Readable, maxBytes: number): Promise<Buffer>
  /** Bytes that all bodies hold. */
  heldBytes(): number
  close(): void
}

export interface BodyReaderOptions {
  readonly count: Count
  readonly slices: TimeSlices
  readonly limits?: typeof BODY_LIMITS
}

/** Returns the body to end if too many are arriving: the slowest one of the client that has the most. */
const bodyToEnd = (arriving: readonly Intake[]): Intake | undefined => {
  const counts = new Map<string, number>()
  for (const { client } of arriving) counts.set(client, (counts.get(client) ?? 0) + 1)
  const most = Math.max(...counts.values())
  return arriving
    .filter(({ client }) => counts.get(client) === most)
    .reduce<Intake | undefined>((last, each) => (last && last.behindMs >= each.behindMs ? last : each), undefined)
}

interface Reading {
  readonly intake: Intake
  readonly stream: Readable
  readonly maxBytes: number
  readonly memory: BodyMemory
  /** Whether the response has not ended yet. */
  readonly isOpen: () => boolean
  readonly slices: TimeSlices
  readonly limits: typeof BODY_LIMITS
  readonly count: Count
}

/** Reads one body. */
const readBody = ({ intake, stream, maxBytes, memory, isOpen, slices, limits, count }: Reading): Promise<Buffer> =>
  new Promise((resolve, reject) => {
    const chunks: Buffer[] = []
    let failure: ApiError | undefined
    /** Resolves when the last chunk is held, or the body was ended. */
    let kept: Promise<void> | undefined
    intake.stop = (error) => {
      failure = error
      chunks.length = 0
      memory.release(intake)
      stream.pause()
      intake.isFinished = true
      reject(error)
    }
    const keep = async (chunk: Buffer) => {
      for (let room = memory.hold(intake, chunk.length); room !== undefined; room = memory.hold(intake, chunk.length)) {
        const heldUpAt = Date.now()
        stream.pause()
        await room
        intake.startedAt += Date.now() - heldUpAt
        if (failure || !isOpen()) return
      }
      chunks.push(chunk)
      if (stream.isPaused()) stream.resume()
    }
    // With listeners: iterating over a stream costs more than everything else for a body of a few kilobytes.
    stream.on('data', (chunk: Buffer) => {
      intake.received += chunk.length
      if (!failure && intake.received > maxBytes) {
        count('trailmark_bodies_ended_total', { reason: 'too_large' })
        failure = new ApiError('body_too_large', {
          detail: `The body has more than ${maxBytes} bytes. Send it in parts.`,
        })
        chunks.length = 0
        memory.release(intake)
      }
      if (!failure) kept = keep(chunk)
      else if (intake.received > limits.discardedBytes) intake.stop!(failure)
    })
    stream.once('error', reject)
    const finish = async () => {
      intake.isFinished = true
      if (failure) return reject(failure)
      const next = () => slices.next(intake.client)
      const bytes = await concatInSteps(chunks, next)
      chunks.length = 0
      // Parsing is the first step of the request. If several bodies end in the same turn, some wait for the next turn.
      const turn = next()
      if (turn) await turn
      resolve(bytes)
    }
    // The stream may end while the last chunk waits for memory, even when it is paused.
    stream.once('end', () => void Promise.resolve(kept).then(finish).catch(reject))
  })

/**
 * Reads the bodies of requests in bounded memory (`bodyMemory.ts`). Bodies that arrive too slowly are ended, and
 * if there are too many, bodies of the client with the most.
 */
export const createBodyReader = (
  maxHeldBytes: number,
  { count, slices, limits = BODY_LIMITS }: BodyReaderOptions,
): BodyReader => {
  const byRequest = new WeakMap<FastifyRequest, Intake>()
  const intakes = new Set<Intake>()

  const end = (intake: Intake, code: ApiErrorCode, reason: string) => {
    count('trailmark_bodies_ended_total', { reason })
    // The rest of the body is not read.
    intake.reply.header('connection', 'close')
    intake.stop?.(new ApiError(code, { retryAfterSeconds: RETRY_AFTER_SECONDS }))
  }

  const memory = createBodyMemory({
    maxHeldBytes,
    limits,
    intakes,
    evict: (intake) => end(intake, 'ingest_overloaded', 'evicted'),
  })

  const tooSlow = new Set<Intake>()
  let isEnding = false
  /** Ends the bodies in `tooSlow`, a few per turn of the event loop. */
  const endSlowBodies = () => {
    for (const each of [...tooSlow].slice(0, MAX_ENDED_PER_TURN)) {
      tooSlow.delete(each)
      if (!each.isFinished) end(each, 'body_too_slow', 'too_slow')
    }
    isEnding = tooSlow.size > 0
    if (isEnding) setImmediate(endSlowBodies)
  }

  const sweeping = setInterval(() => {
    const now = Date.now()
    for (const each of intakes) {
      if (each.isFinished) continue
      const arrived = each.received - each.receivedBefore
      const minRate = each.pool === memory.small ? limits.bytesPerSecond : limits.largeBytesPerSecond
      each.receivedBefore = each.received
      each.isStalled =
        !each.isWaiting && now - each.startedAt >= SWEEP_MS && arrived < (limits.bytesPerSecond * SWEEP_MS) / 1_000
      // Time ahead of the minimum rate is not saved up, so a fast body that stalls later also ends soon.
      if (!each.isWaiting) each.behindMs = Math.max(0, each.behindMs + SWEEP_MS - (arrived / minRate) * 1_000)
      if (now - each.startedAt > limits.maxMs || each.behindMs > limits.maxBehindMs) tooSlow.add(each)
    }
    if (!isEnding) endSlowBodies()
    // A waiting body may take the memory of one that has stalled since.
    memory.resumeWaiting()
  }, SWEEP_MS)
  sweeping.unref()

  return {
    watch(request, reply) {
      const intake: Intake = {
        client: clientOf(request.ip),
        reply,
        startedAt: Date.now(),
        received: 0,
        receivedBefore: 0,
        behindMs: 0,
        isStalled: false,
        isWaiting: false,
        held: 0,
        pool: memory.small,
        isFinished: false,
      }
      byRequest.set(request, intake)
      intakes.add(intake)
      reply.raw.once('close', () => {
        intakes.delete(intake)
        memory.release(intake)
      })
      if (intakes.size <= limits.unfinished) return
      const ended = bodyToEnd([...intakes].filter((each) => !each.isFinished && each.stop))
      if (ended) end(ended, 'ingest_overloaded', 'evicted')
    },
    read(request, stream, maxBytes) {
      const intake = byRequest.get(request)!
      return readBody({ intake, stream, maxBytes, memory, isOpen: () => intakes.has(intake), slices, limits, count })
    },
    heldBytes: memory.heldBytes,
    close: () => clearInterval(sweeping),
  }
}
