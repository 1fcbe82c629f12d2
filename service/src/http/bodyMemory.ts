import type { FastifyReply } from 'fastify'
import type { ApiError } from '../lib/apiError.ts'

/** Limits on request bodies while they arrive. */
export const BODY_LIMITS = {
  /** A body up to this size is small: it does not compete with large ones for memory. */
  smallBytes: 64 * 1024,
  /** Maximum share of the memory for the bodies of one client. */
  clientShare: 1 / 2,
  /** Maximum number of bodies that arrive at the same time. */
  unfinished: 2_000,
  /** Maximum time for a body, in ms. */
  maxMs: 120_000,
  /** Minimum rates of small and large bodies, and how far a body may fall behind them. */
  bytesPerSecond: 1_024,
  largeBytesPerSecond: 10 * 1_024,
  maxBehindMs: 10_000,
  /** A body that is too large is read and discarded up to this size, so that its sender sees the response. */
  discardedBytes: 64 * 1024 * 1024,
}

/** A body, from the first byte of its request to the end of the response. */
export interface Intake {
  readonly client: string
  readonly reply: FastifyReply
  /** ms since the epoch. Increased by the time for which the body waited for memory. */
  startedAt: number
  received: number
  /** `received` at the last sweep. */
  receivedBefore: number
  /** Time by which the body is behind its minimum rate. */
  behindMs: number
  /** Whether almost nothing of the body arrived between the last two sweeps although the service was reading it. */
  isStalled: boolean
  /** Whether the body waits for memory. */
  isWaiting: boolean
  held: number
  pool: Pool
  isFinished: boolean
  /** Ends the body with an error. Absent: it is not read yet. */
  stop?: (error: ApiError) => void
}

export interface Pool {
  readonly maxBytes: number
  bytes: number
}

export interface BodyMemory {
  /**
   * Reserves memory for more bytes of a body. `undefined`: reserved. Otherwise await the promise and try again, unless
   * the body has ended.
   */
  hold(intake: Intake, bytes: number): Promise<void> | undefined
  /** Releases all memory of a body. */
  release(intake: Intake): void
  /** Lets the bodies that wait for memory try again. */
  resumeWaiting(): void
  /** The pool in which a body starts. */
  readonly small: Pool
  /** Bytes that all bodies hold. */
  heldBytes(): number
}

// Trying again may end other bodies, and takes longer the more bodies there are.
const RESUMED_PER_TURN = 10

export interface BodyMemoryOptions {
  readonly maxHeldBytes: number
  readonly limits: typeof BODY_LIMITS
  /** All bodies that are arriving or waiting for their response. */
  readonly intakes: ReadonlySet<Intake>
  /** Ends a body to free its memory. */
  readonly evict: (intake: Intake) => void
}

/**
 * Shares memory among request bodies. Small and large bodies have a pool each, and `maxHeldBytes` is the size of the
 * pool for large ones. A body that is alone in its pool is accepted regardless of its size. If a pool is full, a body waits
 * until another request has its response. If all bodies in the pool are still arriving, a stalled one of the client
 * that holds the most is ended.
 */
export const createBodyMemory = ({ maxHeldBytes, limits, intakes, evict }: BodyMemoryOptions): BodyMemory => {
  const small: Pool = { maxBytes: maxHeldBytes / 2, bytes: 0 }
  const large: Pool = { maxBytes: maxHeldBytes, bytes: 0 }
  const waiting: (() => void)[] = []
  /** Number of bodies at the front of the queue that have not tried again since memory was released. */
  let due = 0
  let isResuming = false

  const resumeSome = () => {
    const resumed = waiting.splice(0, Math.min(due, RESUMED_PER_TURN))
    due -= resumed.length
    for (const resume of resumed) resume()
    isResuming = due > 0
    if (isResuming) setImmediate(resumeSome)
  }
  const resumeWaiting = () => {
    due = waiting.length
    if (isResuming || !due) return
    isResuming = true
    setImmediate(resumeSome)
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

  /**
   * Returns the body of a client to end so that another one gets memory: a stalled one or, if all of them wait for memory
   * and nothing will be released, the one that holds the most. `undefined`: wait.
   */
  const bodyToEnd = (client: string, pool: Pool): Intake | undefined => {
    const holding = [...intakes].filter(
      (each) => !each.isFinished && each.client === client && each.pool === pool && each.held,
    )
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
    // Only a pool that is filling up needs fair shares.
    if (pool.bytes + bytes <= pool.maxBytes * limits.clientShare) return true
    return (heldByClients(pool).get(client) ?? 0) + bytes <= pool.maxBytes * limits.clientShare
  }

  const crowdingClient = ({ pool, client }: Intake, bytes: number): string => {
    const held = heldByClients(pool)
    if ((held.get(client) ?? 0) + bytes > pool.maxBytes * limits.clientShare) return client
    return [...held].reduce((most, each) => (each[1] > most[1] ? each : most))[0]
  }

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
      evict(ended)
      if (ended === intake) return Promise.resolve()
    }
    intake.isWaiting = false
    intake.held += bytes
    intake.pool.bytes += bytes
    return undefined
  }

  return { hold, release, resumeWaiting, small, heldBytes: () => small.bytes + large.bytes }
}
