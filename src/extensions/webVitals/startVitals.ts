import type { Moment } from '../../lib/moment'
import type { VitalsParts } from '../../host'
import type { Properties, Stop } from '../../types'
import type { ExtensionHost } from '../contract'
import type { Metric, MetricName, MetricSource } from './metrics'

const NAMES: readonly MetricName[] = ['CLS', 'FCP', 'INP', 'LCP', 'TTFB']
const DEFAULT_NAMES: readonly string[] = ['LCP', 'CLS', 'FCP', 'INP']
const DELAY_MS = 5000
// The page was suspended: no page takes this long to load or to respond.
const MAX_MS = 900_000

/** A metric as `$web_vitals_…_event`. */
interface MetricEvent extends Properties {
  name: MetricName
  value: number
  navigationType: string
  $current_url: string
}

const isHidden = () => document.visibilityState === 'hidden'

interface PageView {
  /** When its first metric was reported. */
  moment: Moment
  metrics: Map<MetricName, MetricEvent>
  timer?: ReturnType<typeof setTimeout>
}

/**
 * Captures the metrics of a source as `$web_vitals`: one event per page view for all metrics that are known 5 s after the first
 * one, and one for those that become known later, at the latest when the page is hidden.
 */
export const startVitals = (host: ExtensionHost & VitalsParts, source: MetricSource): Stop => {
  const { capture, session, settings, listen, guarded, outgoingUrl, outgoingText, typing } = host
  /** Page views with metrics that are not captured yet, by navigation. */
  const waiting = new Map<string, PageView>()
  const names = NAMES.filter((name) => (settings().web_vitals_allowed_metrics ?? DEFAULT_NAMES).includes(name))

  const flush = (key: string) => {
    const view = waiting.get(key)
    if (!view) return
    clearTimeout(view.timer)
    waiting.delete(key)
    const events = [...view.metrics.values()]
    const { $current_url, navigationType } = events[0]!
    const properties: Properties = {
      $web_vitals_navigation_type: navigationType,
      $current_url,
      $pathname: new URL($current_url).pathname,
    }
    for (const event of events) {
      properties[`$web_vitals_${event.name}_value`] = event.value
      properties[`$web_vitals_${event.name}_event`] = event
    }
    capture('$web_vitals', properties, { send_instantly: isHidden() }, view.moment)
  }
  const flushAll = () => [...waiting.keys()].forEach(flush)

  const onMetric = (metric: Metric) => {
    const { name, at, navigationId, navigationType, navigationURL, attribution, ...rest } = metric
    const { __web_vitals_max_value = MAX_MS, web_vitals_delayed_flush_ms = DELAY_MS } = settings()
    // What a previous person has caused is not the current one's, although it may be known only when the page is hidden.
    if (!names.includes(name) || !(metric.value < __web_vitals_max_value) || at! < host.personSince()) return
    const key = `${navigationType} ${navigationId}`
    const view: PageView = waiting.get(key) ?? { moment: host.moment(), metrics: new Map() }
    waiting.set(key, view)
    view.metrics.set(name, {
      ...rest,
      name,
      navigationType,
      ...(attribution ? { attribution: redacted(attribution, outgoingText) } : {}),
      // A metric may be known only when the next page is shown: its own URL counts, not the current one.
      $current_url: outgoingUrl(navigationURL ?? location.href),
      $session_id: session.current(),
      $window_id: session.windowId(),
      timestamp: Date.now(),
    })
    // A hidden page may never run again. In a separate task, because web-vitals reports all metrics when it is hidden.
    if (isHidden() || names.every((each) => view.metrics.has(each))) host.later(() => flush(key), 0)
    else view.timer ??= host.later(() => flush(key), web_vitals_delayed_flush_ms)
  }

  const stops = [
    typing.follow(),
    source(names, typing.matcher, (metric) => guarded(() => onMetric(metric))),
    host.onLeave((isNextPerson) => {
      if (isNextPerson) flushAll()
    }),
    // Fires after `pagehide` when the page is left. In the bubble phase, because web-vitals reports in the capture phase.
    listen(self, ['visibilitychange'], () => isHidden() && flushAll(), { passive: true }),
  ]
  return () => {
    stops.forEach((stop) => stop())
    waiting.forEach(({ timer }) => clearTimeout(timer))
    waiting.clear()
  }
}

/** Returns an attribution without the secrets in its URLs. */
const redacted = (attribution: Properties, outgoingText: VitalsParts['outgoingText']): Properties =>
  Object.fromEntries(
    Object.entries(attribution).map(([name, value]) => [name, typeof value === 'string' ? outgoingText(value) : value]),
  )
