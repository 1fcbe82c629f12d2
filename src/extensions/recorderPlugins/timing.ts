import type { RecordedRequest, Stop } from '../../types'

const TIMES = [
  'startTime',
  'duration',
  'transferSize',
  'encodedBodySize',
  'decodedBodySize',
  'domainLookupStart',
  'domainLookupEnd',
  'connectStart',
  'connectEnd',
  'requestStart',
  'responseStart',
  'responseEnd',
  'domInteractive',
  'domContentLoadedEventEnd',
  'domComplete',
  'loadEventEnd',
] as const

const toRequest = (entry: PerformanceEntry): RecordedRequest => {
  const all = entry as unknown as Record<string, unknown>
  return {
    ...Object.fromEntries(TIMES.flatMap((name) => (typeof all[name] === 'number' ? [[name, all[name]]] : []))),
    name: entry.name,
    entryType: entry.entryType,
    initiatorType: String(all.initiatorType),
    status: (all.responseStatus as number | undefined) || undefined,
    timestamp: Math.round(performance.timeOrigin + entry.startTime),
  }
}

/** Whether a request was sent by `fetch` or `XMLHttpRequest`. */
const isCall = ({ initiatorType }: RecordedRequest) => /^(fetch|xmlhttprequest)$/.test(initiatorType!)

/**
 * Captures the start and end times of requests, including earlier ones, from `since` on (ms of `performance.now`).
 * `withCalls: false` leaves out what `calls.ts` reports with more detail.
 */
export const captureTiming = (
  withCalls: boolean,
  since: number,
  report: (requests: RecordedRequest[], isInitial: boolean) => void,
): Stop => {
  const observe = (entries: PerformanceEntryList, isInitial: boolean) =>
    report(
      entries
        .filter(({ startTime }) => startTime >= since)
        .map(toRequest)
        .filter((each) => withCalls || !isCall(each)),
      isInitial,
    )
  const observer = new PerformanceObserver((list) => observe(list.getEntries(), false))
  observe([...performance.getEntriesByType('navigation'), ...performance.getEntriesByType('resource')], true)
  observer.observe({ type: 'resource' })
  return () => observer.disconnect()
}
