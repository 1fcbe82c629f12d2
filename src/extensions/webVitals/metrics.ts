import type { Typing } from '../../host'
import type { Properties, Stop } from '../../types'
import { selectorOf } from '../selector'

/** A metric as web-vitals reports it, without its performance entries, which hold elements of the page. */
export interface Metric {
  name: MetricName
  value: number
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
interface ReportedMetric extends Omit<Metric, 'attribution'> {
  attribution?: object
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

const SOFT = 'soft-navigation'
// An attribution contains URLs and selectors, which are shorter than this.
const MAX_STRING = 1000

/** Returns the strings, numbers and booleans of an attribution: everything else refers to the page's elements. */
const attributionOf = (attribution: object): Properties =>
  Object.fromEntries(
    Object.entries(attribution).filter(
      ([, value]) =>
        /^(number|boolean)$/.test(typeof value) || (typeof value === 'string' && value.length <= MAX_STRING),
    ),
  )

const plain = ({
  name,
  value,
  rating,
  delta,
  id,
  navigationType,
  navigationId,
  navigationURL,
  attribution,
}: ReportedMetric): Metric => ({
  name,
  value,
  rating,
  delta,
  id,
  navigationType,
  navigationId,
  ...(navigationURL ? { navigationURL } : {}),
  ...(attribution ? { attribution: attributionOf(attribution) } : {}),
})

/**
 * Creates the source of a page's metrics. web-vitals cannot stop observing, so each metric is observed once per page
 * and reported to all listeners. Soft navigations are observed separately: web-vitals ends the values of the page
 * itself at the first one.
 */
export const createMetricSource = (observers: Observers) => {
  const listeners = new Set<(metric: Metric) => void>()
  const observed = new Set<MetricName>()
  let typed: Typing['texts']
  const generateTarget = (node: Node | null) => {
    try {
      const element = node instanceof Element ? node : node?.parentElement
      return element ? selectorOf(element, typed()) : undefined
    } catch {
      // The page has broken what selectors are made of. web-vitals would throw this into it.
      return undefined
    }
  }
  const report = (metric: ReportedMetric) => listeners.forEach((listener) => listener(plain(metric)))
  const observe = (name: MetricName) => {
    observed.add(name)
    observers[name](report, { generateTarget })
    if (PerformanceObserver.supportedEntryTypes.includes(SOFT))
      observers[name](
        (metric) => {
          if (metric.navigationType === SOFT) report(metric)
        },
        { generateTarget, reportSoftNavs: true },
      )
  }
  /** Reports metrics with these names from now on. `listener` must not throw. `texts`: `Typing.texts`. */
  return (names: readonly MetricName[], texts: Typing['texts'], listener: (metric: Metric) => void): Stop => {
    typed = texts
    listeners.add(listener)
    for (const name of names) if (!observed.has(name)) observe(name)
    return () => void listeners.delete(listener)
  }
}

export type MetricSource = ReturnType<typeof createMetricSource>
