import { getHeapStatistics } from 'node:v8'
import { parentPort, type Transferable, Worker } from 'node:worker_threads'
import { ApiError, type ApiErrorCode, type ApiErrorDetails } from './apiError.ts'
import { createLane } from './lane.ts'

/** A worker thread that runs one job at a time, so that a large or hostile input blocks no request. */
export interface JobThread<Job, Result> {
  /**
   * Sends a job to the thread and returns its result. The bytes of the job are copied. Clients take turns.
   * Rejects with `JobEndedError` if the job exceeds its time or memory, and with the error that the job has thrown.
   */
  run(client: string, job: Job): Promise<Result>
  close(): Promise<void>
}

export interface JobLimits {
  /** Maximum time of a job, in ms. */
  readonly maxMs: number
  /** Maximum size of the JavaScript heap, in MB. Buffers are not included. */
  readonly maxHeapMb: number
  /** A thread that holds much memory ends after this time without jobs, in ms. 0: before its next job. */
  readonly maxIdleMsIfLarge: number
}

/** A job that the thread could not finish. The message continues a sentence about its input: "it takes …". */
export class JobEndedError extends Error {
  override name = 'JobEndedError'
}

/** Failure of a job: the parts of an API error, whose class would be lost in a message, or another error. */
type Failure = { readonly code: ApiErrorCode; readonly details: ApiErrorDetails } | { readonly error: Error }

/** `isLarge`: whether the thread holds much memory. */
type Answer<Result> = { readonly isLarge?: boolean } & ({ readonly value: Result } | { readonly failure: Failure })

/** A thread without jobs ends after this time, and with it the memory that it holds. */
const MAX_IDLE_MS = 60_000
const LARGE_BYTES = 128 * 1024 * 1024

/** A thread for `JobTurns`. */
interface Turn {
  /** Whether the thread holds much memory. */
  readonly isLarge: () => boolean
  readonly end: () => Promise<void>
}

/** Threads that take turns, one job at a time, so that at most one of them holds much memory. */
export interface JobTurns {
  run<Result>(turn: Turn, work: () => Promise<Result>): Promise<Result>
}

export const createJobTurns = (): JobTurns => {
  const lane = createLane(1)
  const ids = new Map<Turn, string>()
  let last: Turn | undefined
  return {
    run(turn, work) {
      const id = ids.get(turn) ?? String(ids.size)
      ids.set(turn, id)
      return lane.run(id, async () => {
        if (last !== turn && last?.isLarge()) await last.end()
        last = turn
        return work()
      })
    },
  }
}

/** Creates a thread that runs the file `program`, which calls `serveJobs`. It starts with the first job, and again after it has ended. */
export const createJobThread = <Job, Result>(
  program: string,
  { maxMs, maxHeapMb, maxIdleMsIfLarge, turns }: JobLimits & { readonly turns: JobTurns },
): JobThread<Job, Result> => {
  const lane = createLane(1)
  let worker: Worker | undefined
  let idle: NodeJS.Timeout | undefined
  /** Whether the thread holds much memory. */
  let isLarge = false

  const start = () => {
    const next = new Worker(program, { resourceLimits: { maxOldGenerationSizeMb: maxHeapMb } })
    // A thread without jobs does not keep the process alive.
    next.unref()
    const forget = () => {
      if (worker === next) worker = undefined
    }
    // Without a listener, an error between two jobs would end the process. The thread exits soon, so it gets no further job.
    next.on('error', forget)
    next.once('exit', forget)
    return next
  }
  const end = async () => {
    clearTimeout(idle)
    const ended = worker
    worker = undefined
    isLarge = false
    await ended?.terminate()
  }

  const runNow = (job: Job): Promise<Result> =>
    new Promise((resolve, reject) => {
      const current = (worker ??= start())
      let reason = 'it could not be read'
      const settle = (finish: () => void) => {
        clearTimeout(timer)
        current.off('message', onMessage).off('error', onError).off('exit', onExit)
        finish()
      }
      const deliver = (answer: Answer<Result>) => {
        if ('value' in answer) resolve(answer.value)
        else if ('code' in answer.failure) reject(new ApiError(answer.failure.code, answer.failure.details))
        else reject(answer.failure.error)
      }
      const onMessage = (answer: Answer<Result>) =>
        settle(() => {
          isLarge = Boolean(answer.isLarge)
          // The memory of this job and that of the next one would add up.
          if (isLarge && !maxIdleMsIfLarge) return void end().then(() => deliver(answer))
          idle = setTimeout(() => void end(), isLarge ? maxIdleMsIfLarge : MAX_IDLE_MS).unref()
          deliver(answer)
        })
      const onError = ({ code, message }: NodeJS.ErrnoException) => {
        reason =
          code === 'ERR_WORKER_OUT_OF_MEMORY' ? 'it takes too much memory to read' : `reading it failed: ${message}`
      }
      const onExit = () => settle(() => reject(new JobEndedError(reason)))
      clearTimeout(idle)
      const timer = setTimeout(() => {
        reason = `it takes more than ${maxMs / 1_000} seconds to read`
        void current.terminate()
      }, maxMs)
      current.on('message', onMessage).on('error', onError).once('exit', onExit)
      current.postMessage(job)
    })

  const turn = { isLarge: () => isLarge, end }
  return {
    // Clients of one thread take turns first. Otherwise many clients of one thread would delay the other threads.
    run: (client, job) => lane.run(client, () => turns.run(turn, () => runNow(job))),
    close: end,
  }
}

/** The result of a job. `transfer`: what the thread passes on without a copy. */
export interface JobResult {
  readonly value: unknown
  readonly transfer?: readonly Transferable[]
}

/** Answers the jobs of a `JobThread`. Called once by its program. */
export const serveJobs = <Job>(run: (job: Job) => JobResult | Promise<JobResult>): void => {
  const failureOf = (error: unknown): Failure => {
    if (error instanceof ApiError) return { code: error.code, details: error.details }
    return { error: error instanceof Error ? error : new Error(String(error)) }
  }
  const isLarge = () => {
    const { total_heap_size: heap, external_memory: buffers } = getHeapStatistics()
    return heap + buffers > LARGE_BYTES
  }
  const answer = async (job: Job) => {
    try {
      const { value, transfer = [] } = await run(job)
      parentPort!.postMessage({ value, isLarge: isLarge() }, transfer)
    } catch (error) {
      parentPort!.postMessage({ failure: failureOf(error), isLarge: isLarge() })
    }
  }
  parentPort!.on('message', (job: Job) => void answer(job))
}
