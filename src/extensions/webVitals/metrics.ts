import type { Typing } from '../../host'
import type { Properties, Stop } from '../../types'

/** A metric as web-vitals reports it, without its performance entries, which hold elements of the page. */
export interface Metric {
  name: MetricName
  value: number
  /** When its latest part happened, ms of `performance.now`. */
  at?: number
  rating: string
  delta: number
  /** Identifies the values of one metric of one page view. The last value counts. */
  id: string
  navigationType: string
  navigationId: number
  navigationURL?: string
  attribution?: Properties
}

export type MetricName = 'CLS' | 'FCP' | 'INP' | 'LCP' | 'TTFB'

/** A metric with everything that web-vitals adds. */
export interface ReportedMetric extends Omit<Metric, 'attribution' | 'at'> {
  attribution?: object & { interactionTarget?: string }
  entries: readonly (PerformanceEntry & { target?: Node | null })[]
}

interface ObserveOptions {
  reportSoftNavs?: boolean
  generateTarget?: (node: Node | null) => string | undefined
}

/** The functions of web-vitals that observe the metrics. */
export type Observers = Record<
  MetricName,
  (onReport: (metric: ReportedMetric) => void, options: ObserveOptions) => void
>

/** Describes what caused the value of a metric. */
export interface Attributor {
  /** Returns the selector that web-vitals attributes to a node. */
  generateTarget(node: Node | null | undefined): string | undefined
  attributionOf(metric: ReportedMetric): Properties | undefined
}

const SOFT = 'soft-navigation'

const plain = ({
  name,
  value,
  rating,
  delta,
  id,
  navigationType,
  navigationId,
  navigationURL,
  entries,
}: ReportedMetric): Metric => ({
  name,
  value,
  at: entries.length ? Math.max(...entries.map(({ startTime }) => startTime)) : performance.now(),
  rating,
  delta,
  id,
  navigationType,
  navigationId,
  ...(navigationURL ? { navigationURL } : {}),
})

/**
 * Creates the source of a page's metrics. web-vitals cannot stop observing, so each metric is observed once per page
 * and reported to all listeners. Soft navigations are observed separately: web-vitals ends the values of the page
 * itself at the first one. `createAttributor`: adds attributions; omitted: metrics have none.
 */
export const createMetricSource = (
  observers: Observers,
  createAttributor?: (matcher: Typing['matcher']) => Attributor,
) => {
  const listeners = new Set<(metric: Metric) => void>()
  const observed = new Set<MetricName>()
  let matcher: Typing['matcher']
  const attributor = createAttributor?.(() => matcher())
  const report = (metric: ReportedMetric) =>
    listeners.forEach((listener) => listener({ ...plain(metric), attribution: attributor?.attributionOf(metric) }))
  const observe = (name: MetricName) => {
    observed.add(name)
    observers[name](report, { ...attributor })
    if (PerformanceObserver.supportedEntryTypes.includes(SOFT))
      observers[name](
        (metric) => {
          if (metric.navigationType === SOFT) report(metric)
        },
        { ...attributor, reportSoftNavs: true },
      )
  }
  /** Reports metrics with these names from now on. `listener` must not throw. `typed`: `Typing.matcher`. */
  return (names: readonly MetricName[], typed: Typing['matcher'], listener: (metric: Metric) => void): Stop => {
    matcher = typed
    listeners.add(listener)
    for (const name of names) if (!observed.has(name)) observe(name)
    return () => void listeners.delete(listener)
  }
}

export type MetricSource = ReturnType<typeof createMetricSource>
