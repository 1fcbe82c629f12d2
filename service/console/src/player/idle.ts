import type { RecordedEvent, Span } from './messages.ts'

/** Sources of incremental events that a visitor causes. */
const ACTIVE: ReadonlySet<unknown> = new Set([1, 2, 3, 4, 5, 6, 7, 12])
const INCREMENTAL = 3

/** Longer periods without activity can be skipped. */
const MIN_IDLE_MS = 10_000
/** Margin around activity that is always played. */
const MARGIN_MS = 1_000

export interface IdleSpans {
  /** Adds an event. Events must be in order. */
  add(event: RecordedEvent): void
  /** Returns the idle time that contains a moment. */
  at(time: number): Span | undefined
}

const isActive = ({ type, data }: RecordedEvent): boolean =>
  type === INCREMENTAL && ACTIVE.has((data as { source?: unknown } | null)?.source)

/** Returns the last of the sorted spans that begins at or before a moment and ends after it. */
export const spanAt = (spans: readonly Span[], time: number): Span | undefined => {
  let [low, high] = [0, spans.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if (spans[middle]!.from <= time) low = middle + 1
    else high = middle
  }
  const span = spans[low - 1]
  return span && time < span.to ? span : undefined
}

/** Finds periods without activity of the visitor. */
export const createIdleSpans = (): IdleSpans => {
  const spans: Span[] = []
  let last: number | undefined
  return {
    add(event) {
      if (last !== undefined && !isActive(event)) return
      const time = event.timestamp
      if (last !== undefined && time - last > MIN_IDLE_MS) spans.push({ from: last + MARGIN_MS, to: time - MARGIN_MS })
      last = Math.max(last ?? 0, time)
    },
    at: (time) => spanAt(spans, time),
  }
}
