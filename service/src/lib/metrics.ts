import { own } from './own.ts'

export interface MetricRow {
  readonly type: 'counter' | 'gauge' | 'histogram'
  readonly labels: readonly string[]
  readonly help: string
}

/** Metrics by name. */
export type MetricRows = Readonly<Record<string, MetricRow>>

/** Metrics of the service, besides those of modules. */
export const METRICS = {
  trailmark_events_received_total: {
    type: 'counter',
    labels: [],
    help: 'Events received, including duplicates and rejected ones.',
  },
  trailmark_events_stored_total: { type: 'counter', labels: [], help: 'Events stored.' },
  trailmark_events_repeated_total: {
    type: 'counter',
    labels: [],
    help: 'Events that were not stored because their uuid is stored already.',
  },
  trailmark_events_refused_total: {
    type: 'counter',
    labels: ['reason'],
    help: 'Events rejected individually, by the code in the response.',
  },
  trailmark_refused_events_unkept_total: {
    type: 'counter',
    labels: [],
    help: 'Rejected events that were not stored for listing.',
  },
  trailmark_writer_waiting_events: { type: 'gauge', labels: [], help: 'Events waiting for the engine.' },
  trailmark_writer_waiting_bytes: {
    type: 'gauge',
    labels: [],
    help: 'Approximate memory of events waiting for the engine.',
  },
  trailmark_writer_batch_seconds: {
    type: 'histogram',
    labels: [],
    help: 'Duration of storing a batch, from the lookup of stored ids to the last row.',
  },
  trailmark_requests_total: {
    type: 'counter',
    labels: ['method', 'route', 'status'],
    help: 'Requests with a response.',
  },
  trailmark_refusals_total: { type: 'counter', labels: ['code'], help: 'Requests rejected as a whole.' },
  trailmark_bodies_ended_total: {
    type: 'counter',
    labels: ['reason'],
    help: 'Request bodies rejected while they arrived: too_large, too_slow or evicted.',
  },
  trailmark_bodies_held_bytes: {
    type: 'gauge',
    labels: [],
    help: 'Memory of the bodies of requests without a response yet.',
  },
  trailmark_run_seconds: {
    type: 'histogram',
    labels: ['outcome'],
    help: 'Duration of endpoint runs by outcome: ok, or the code of the error.',
  },
  trailmark_run_cache_total: {
    type: 'counter',
    labels: ['result'],
    help: 'Runs served from the cache (hit) and by the engine (miss).',
  },
  trailmark_runs_unrecorded_total: {
    type: 'counter',
    labels: [],
    help: 'Runs that are missing in the statistics of their endpoint, because too many waited for the engine.',
  },
  trailmark_engine_up: { type: 'gauge', labels: [], help: '1 if the engine responds, 0 if not.' },
  trailmark_engine_restarts_total: {
    type: 'counter',
    labels: [],
    help: 'Restarts of the embedded engine.',
  },
  trailmark_event_loop_delay_max_seconds: {
    type: 'gauge',
    labels: [],
    help: 'Longest block of the event loop since the last scrape. 0 in the first one.',
  },
  process_resident_memory_bytes: {
    type: 'gauge',
    labels: [],
    help: 'Memory of the service, without the embedded engine.',
  },
  process_cpu_seconds_total: {
    type: 'counter',
    labels: [],
    help: 'CPU time of the service, without the embedded engine.',
  },
  process_start_time_seconds: { type: 'gauge', labels: [], help: 'Start time of the service, in seconds since 1970.' },
} as const satisfies MetricRows

type Named<Type extends MetricRow['type']> = {
  [Name in keyof typeof METRICS]: (typeof METRICS)[Name]['type'] extends Type ? Name : never
}[keyof typeof METRICS]
type Labels = Readonly<Record<string, string | number>>

/** Increases a counter by `by`, 1 if absent. */
export type Count = (name: Named<'counter'>, labels?: Labels, by?: number) => void
export type Observe = (name: Named<'histogram'>, labels: Labels, seconds: number) => void

export interface Metrics {
  readonly count: Count
  /** Returns the function that increases a counter of a module, by 1 if absent. Throws if no module has it. */
  counter(name: string): (by?: number) => void
  readonly observe: Observe
  /** Registers a function that returns the value at each scrape. */
  gauge(name: Named<'gauge'> | 'process_cpu_seconds_total', read: () => number | Promise<number>): void
  /** Returns all metrics in the Prometheus text format. */
  text(): Promise<string>
}

// The range covers cached results as well as runs at their time limit.
const BUCKETS_SECONDS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60]

const escape = (value: string | number) =>
  String(value).replace(/[\\\n"]/g, (sign) => (sign === '\n' ? '\\n' : `\\${sign}`))

const sample = (name: string, labels: Labels, value: number) => {
  const inside = Object.entries(labels).map(([label, of]) => `${label}="${escape(of)}"`)
  return `${name}${inside.length ? `{${inside.join(',')}}` : ''} ${value}`
}

interface Spread {
  readonly counts: number[]
  sum: number
  count: number
}

/** Creates metrics that are counted in memory, from the start of the process. `ofModules`: metrics besides `METRICS`. */
export const createMetrics = (ofModules: MetricRows = {}): Metrics => {
  const rows: MetricRows = { ...METRICS, ...ofModules }
  const counters = new Map<string, Map<string, { labels: Labels; value: number }>>()
  const spreads = new Map<string, Map<string, { labels: Labels; spread: Spread }>>()
  const gauges = new Map<string, () => number | Promise<number>>()

  const of = <Kept>(all: Map<string, Map<string, Kept>>, name: string, labels: Labels, make: () => Kept): Kept => {
    const series = all.get(name) ?? new Map<string, Kept>()
    all.set(name, series)
    const key = JSON.stringify(labels)
    const kept = series.get(key) ?? make()
    series.set(key, kept)
    return kept
  }

  const SAMPLES: Readonly<Record<MetricRow['type'], (name: string, row: MetricRow) => string[] | Promise<string[]>>> = {
    counter: async (name, { labels }) => {
      const read = gauges.get(name) // collected at scrape time
      if (read) return [sample(name, {}, await read())]
      const series = [...(counters.get(name)?.values() ?? [])]
      // A metric without labels has one series, which starts at 0.
      return labels.length || series.length
        ? series.map(({ labels: of, value }) => sample(name, of, value))
        : [sample(name, {}, 0)]
    },
    gauge: async (name) => {
      const read = gauges.get(name)
      return read ? [sample(name, {}, await read())] : []
    },
    histogram: (name) =>
      [...(spreads.get(name)?.values() ?? [])].flatMap(({ labels, spread }) => [
        ...BUCKETS_SECONDS.map((le, at) => sample(`${name}_bucket`, { ...labels, le }, spread.counts[at]!)),
        sample(`${name}_bucket`, { ...labels, le: '+Inf' }, spread.count),
        sample(`${name}_sum`, labels, spread.sum),
        sample(`${name}_count`, labels, spread.count),
      ]),
  }

  const count = (name: string, labels: Labels = {}, by = 1) => {
    of(counters, name, labels, () => ({ labels, value: 0 })).value += by
  }

  return {
    count,
    counter(name) {
      if (own(rows, name)?.type !== 'counter') throw new Error(`No module defines the counter ${name}.`)
      return (by) => count(name, {}, by)
    },
    observe(name, labels, seconds) {
      const { spread } = of(spreads, name, labels, () => ({
        labels,
        spread: { counts: BUCKETS_SECONDS.map(() => 0), sum: 0, count: 0 },
      }))
      spread.sum += seconds
      spread.count += 1
      BUCKETS_SECONDS.forEach((le, at) => {
        if (seconds <= le) spread.counts[at]! += 1
      })
    },
    gauge: (name, read) => void gauges.set(name, read),
    async text() {
      const parts = await Promise.all(
        Object.entries(rows).map(async ([name, row]) => [
          `# HELP ${name} ${row.help}`,
          `# TYPE ${name} ${row.type}`,
          ...(await SAMPLES[row.type](name, row)),
        ]),
      )
      return `${parts.flat().join('\n')}\n`
    },
  }
}
