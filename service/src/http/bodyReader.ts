import type { Readable } from 'node:stream'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Count } from '../lib/metrics.ts'
import { ApiError, type ApiErrorCode } from '../lib/apiError.ts'
import { concatInSteps } from '../lib/concatInSteps.ts'
import type { TimeSlices } from '../lib/timeSlices.ts'

/** What bounds the bodies of requests while they arrive. */
export const BODY_LIMITS = {
  /** A body up to this size is small: it does not compete with large ones for memory. */
  smallBytes: 64 * 1024,
  /** Part of the memory that the bodies of one client may take up. */
  clientShare: 1 / 2,
  /** Most bodies that are under way at the same time. */
  unfinished: 2_000,
  /** Longest time for a body. */
  maxMs: 120_000,
  /** Least rate of a body after its first seconds. */
  graceMs: 10_000,
  bytesPerSecond: 1_024,
  /** A body that is too large is read and discarded up to this size, so that its sender sees the answer. */
  discardedBytes: 64 * 1024 * 1024,
}

const RETRY_AFTER_SECONDS = 2
const SWEEP_MS = 1_000

/** A body from its request's first byte to the end of the answer. */
interface Intake {
  readonly client: string
  readonly reply: FastifyReply
  /** ms, moved on by the time for which the body was held up here. */
  startedAt: number
  received: number
  /** `received` at the last sweep. */
  receivedBefore: number
  /** Whether hardly anything of it arrived between the last two sweeps, though it was read. */
  isStalled: boolean
  /** Whether it waits for room. */
  isWaiting: boolean
  held: number
  pool: Pool
  isFinished: boolean
  /** Ends the body with a refusal. Absent: nobody reads it yet. */
  stop?: (refusal: ApiError) => void
}

interface Pool {
  readonly maxBytes: number
  bytes: number
}

export interface BodyReader {
  /** Call before a body is read. What it takes up is released when the answer is out or the connection is gone. */
  watch(request: FastifyRequest, reply: FastifyReply): void
  /** The bytes of a body. Throws `ApiError`. */
  read(request: FastifyRequest, stream: Readable, maxBytes: number): Promise<Buffer>
  /** What all bodies take up. */
  heldBytes(): number
  close(): void
}

// A network of IPv6 has a /64 for each customer, who may use all of its addresses.
const clientOf = (ip: string) => (ip.includes(':') ? ip.split(':').slice(0, 4).join(':') : ip)

/**
 * Reads the bodies of requests in bounded memory. Small and large ones have a pool each, large ones of `maxHeldBytes`; one
 * that is alone is taken whatever its size. Where a pool is full, a body waits until another is answered; if all that fill it
 * are still arriving, a stalled one of the client that holds the most is ended. Bodies that arrive too slowly are ended too.
 */
export const createBodyReader = (
  maxHeldBytes: number,
  {
    count,
    slices,
    limits = BODY_LIMITS,
  }: { readonly count: Count; readonly slices: TimeSlices; readonly limits?: typeof BODY_LIMITS },
): BodyReader => {
  const small: Pool = { maxBytes: maxHeldBytes / 2, bytes: 0 }
  const large: Pool = { maxBytes: maxHeldBytes, bytes: 0 }
  const byRequest = new WeakMap<FastifyRequest, Intake>()
  const intakes = new Set<Intake>()
  let waiting: (() => void)[] = []

  const end = (intake: Intake, code: ApiErrorCode, reason: string) => {
    count('trailmark_bodies_ended_total', { reason })
    // What follows of the body is not read.
    intake.reply.header('connection', 'close')
    intake.stop?.(new ApiError(code, { retryAfterSeconds: RETRY_AFTER_SECONDS }))
  }

  const resumeWaiting = () => {
    const resumed = waiting
    waiting = []
    for (const resume of resumed) resume()
  }

  const release = (intake: Intake) => {
    intake.pool.bytes -= intake.held
    intake.held = 0
    resumeWaiting()
  }

  const heldByClients = (pool: Pool): Map<string, number> => {
    const held = new Map<string, number>()
    for (const each of intakes) if (each.pool === pool) held.set(each.client, (held.get(each.client) ?? 0) + each.held)
    return held
  }

  const rateOf = ({ received, startedAt }: Intake) => received / (Date.now() - startedAt + 1)

  const unfinishedOf = (client: string) => [...intakes].filter((each) => !each.isFinished && each.client === client)

  /**
   * The body of a client to end so that another one gets room: a stalled one. If all of them wait for room and nothing will be
   * released, the one that holds the most. `undefined`: wait.
   */
  const bodyToEnd = (client: string, pool: Pool): Intake | undefined => {
    const holding = unfinishedOf(client).filter((each) => each.pool === pool && each.held)
    const stalled = holding.filter(({ isStalled }) => isStalled)
    if (stalled.length) return stalled.reduce((most, each) => (each.held > most.held ? each : most))
    return holding.length && holding.every(({ isWaiting }) => isWaiting)
      ? holding.reduce((most, each) => (each.held > most.held ? each : most))
      : undefined
  }

  const hasRoom = (intake: Intake, bytes: number): boolean => {
    const { pool, client, held } = intake
    if (pool.bytes === held) return true
    if (pool.bytes + bytes > pool.maxBytes) return false
    // Only a pool that is filling up needs to be shared out.
    if (pool.bytes + bytes <= pool.maxBytes * limits.clientShare) return true
    return (heldByClients(pool).get(client) ?? 0) + bytes <= pool.maxBytes * limits.clientShare
  }

  const crowdingClient = ({ pool, client }: Intake, bytes: number): string => {
    const held = heldByClients(pool)
    if ((held.get(client) ?? 0) + bytes > pool.maxBytes * limits.clientShare) return client
    return [...held].reduce((most, each) => (each[1] > most[1] ? each : most))[0]
  }

  /** Takes room for more bytes of a body. `undefined`: they are held. Otherwise wait and try again, unless the body was ended. */
  const hold = (intake: Intake, bytes: number): Promise<void> | undefined => {
    if (intake.pool === small && intake.held + bytes > limits.smallBytes) {
      small.bytes -= intake.held
      intake.pool = large
      large.bytes += intake.held
    }
    intake.isWaiting = true
    while (!hasRoom(intake, bytes)) {
      const willRelease = [...intakes].some((each) => each.isFinished && each.held && each.pool === intake.pool)
      const ended = willRelease ? undefined : bodyToEnd(crowdingClient(intake, bytes), intake.pool)
      if (!ended) return new Promise((resume) => waiting.push(resume))
      end(ended, 'ingest_overloaded', 'evicted')
      if (ended === intake) return Promise.resolve()
    }
    intake.isWaiting = false
    intake.held += bytes
    intake.pool.bytes += bytes
    return undefined
  }

  const isTooSlow = ({ startedAt, received }: Intake, now: number) => {
    const ms = now - startedAt
    return ms > limits.maxMs || (ms > limits.graceMs && received < (ms / 1_000) * limits.bytesPerSecond)
  }

  const sweeping = setInterval(() => {
    const now = Date.now()
    for (const each of intakes) {
      if (each.isFinished) continue
      each.isStalled =
        !each.isWaiting &&
        now - each.startedAt >= SWEEP_MS &&
        each.received - each.receivedBefore < (limits.bytesPerSecond * SWEEP_MS) / 1_000
      each.receivedBefore = each.received
      if (isTooSlow(each, now)) end(each, 'body_too_slow', 'too_slow')
    }
    // A body that waits may take the room of one that has stalled since.
    resumeWaiting()
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
        isStalled: false,
        isWaiting: false,
        held: 0,
        pool: small,
        isFinished: false,
      }
      byRequest.set(request, intake)
      intakes.add(intake)
      reply.raw.once('close', () => {
        intakes.delete(intake)
        release(intake)
      })
      if (intakes.size <= limits.unfinished) return
      const slowest = unfinishedOf(intake.client).reduce((least, each) => (rateOf(each) < rateOf(least) ? each : least))
      end(slowest, 'ingest_overloaded', 'evicted')
    },
    read: (request, stream, maxBytes) =>
      new Promise((resolve, reject) => {
        const intake = byRequest.get(request)!
        const chunks: Buffer[] = []
        let fault: ApiError | undefined
        /** Resolves when the last chunk is held, or the body was ended. */
        let kept: Promise<void> | undefined
        intake.stop = (refusal) => {
          fault = refusal
          chunks.length = 0
          release(intake)
          stream.pause()
          intake.isFinished = true
          reject(refusal)
        }
        const keep = async (chunk: Buffer) => {
          for (let room = hold(intake, chunk.length); room !== undefined; room = hold(intake, chunk.length)) {
            const heldUpAt = Date.now()
            stream.pause()
            await room
            intake.startedAt += Date.now() - heldUpAt
            if (fault || !intakes.has(intake)) return
          }
          chunks.push(chunk)
          if (stream.isPaused()) stream.resume()
        }
        // By its events: to iterate over a stream costs more than all that is done with a body of a few kilobytes.
        stream.on('data', (chunk: Buffer) => {
          intake.received += chunk.length
          if (!fault && intake.received > maxBytes) {
            count('trailmark_bodies_ended_total', { reason: 'too_large' })
            fault = new ApiError('body_too_large', {
              detail: `The body has more than ${maxBytes} bytes: send it in parts.`,
            })
            chunks.length = 0
            release(intake)
          }
          if (!fault) kept = keep(chunk)
          else if (intake.received > limits.discardedBytes) intake.stop!(fault)
        })
        stream.once('error', reject)
        const finish = async () => {
          intake.isFinished = true
          if (fault) return reject(fault)
          const next = () => slices.next(intake.client)
          const bytes = await concatInSteps(chunks, next)
          chunks.length = 0
          // Parsing it is the first step of the request: of bodies that end in the same turn, some wait for the next one.
          const turn = next()
          if (turn) await turn
          resolve(bytes)
        }
        // The end may come while the last chunk still waits for room: a paused stream does not hold it back.
        stream.once('end', () => void (kept ? kept.then(finish).catch(reject) : finish()))
      }),
    heldBytes: () => small.bytes + large.bytes,
    close: () => clearInterval(sweeping),
  }
}
