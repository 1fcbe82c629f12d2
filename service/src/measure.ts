import { type IntervalHistogram, monitorEventLoopDelay } from 'node:perf_hooks'
import type { Writer } from './ingest/writer.ts'
import type { Metrics } from './lib/metrics.ts'
import { ApiError } from './lib/apiError.ts'

// Fine enough to see a block of 50 ms, coarse enough to be cheap.
const LOOP_RESOLUTION_MS = 10

/**
 * Returns a function that returns the longest block of the event loop since its last call, in seconds. It measures from
 * its first call, because its timer takes 1% of a core, which is most of an idle service's work.
 */
const createLoopWatch = (): (() => number) => {
  let delays: IntervalHistogram | undefined
  return () => {
    if (!delays) {
      delays = monitorEventLoopDelay({ resolution: LOOP_RESOLUTION_MS })
      delays.enable()
      return 0
    }
    // Each sample is the time between two ticks, including the interval.
    const longestMs = Math.max(0, delays.max / 1e6 - LOOP_RESOLUTION_MS)
    delays.reset()
    return longestMs / 1_000
  }
}

/** Registers the metrics of the process, the writer and the engine that are collected at scrape time. */
export const measureProcess = (
  { gauge }: Pick<Metrics, 'gauge'>,
  {
    writer,
    isReady,
    heldBytes,
  }: { writer: Pick<Writer, 'waiting'>; isReady: () => Promise<boolean>; heldBytes: () => number },
): void => {
  gauge('trailmark_bodies_held_bytes', heldBytes)
  gauge('trailmark_writer_waiting_events', () => writer.waiting().events)
  gauge('trailmark_writer_waiting_bytes', () => writer.waiting().chars)
  gauge('trailmark_engine_up', async () => Number(await isReady()))
  gauge('trailmark_event_loop_delay_max_seconds', createLoopWatch())
  gauge('process_resident_memory_bytes', () => process.memoryUsage.rss())
  gauge('process_cpu_seconds_total', () => {
    const { user, system } = process.cpuUsage()
    return (user + system) / 1_000_000
  })
  const startedAt = Date.now() / 1_000 - process.uptime()
  gauge('process_start_time_seconds', () => startedAt)
}

/** Wraps runs to record their duration, outcome and use of the cache. */
export const measureRuns =
  ({ count, observe }: Pick<Metrics, 'count' | 'observe'>) =>
  <Given extends unknown[], Answer>(run: (...given: Given) => Promise<Answer>) =>
  async (...given: Given): Promise<Answer> => {
    const startedAt = performance.now()
    let outcome = 'ok'
    try {
      const response = await run(...given)
      const { is_cached: isCached } = response as { is_cached?: boolean }
      if (isCached !== undefined) count('trailmark_run_cache_total', { result: isCached ? 'hit' : 'miss' })
      return response
    } catch (error) {
      outcome = error instanceof ApiError ? error.code : 'internal_error'
      throw error
    } finally {
      observe('trailmark_run_seconds', { outcome }, (performance.now() - startedAt) / 1_000)
    }
  }
