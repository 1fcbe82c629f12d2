import { formatChange, formatNumber } from '../../lib/format.ts'
import type { Metric } from './metrics.ts'

/** How a metric has changed against the period before: the direction as a sign and in words, not by color alone. */
export const Trend = ({
  metric,
  value,
  previous,
}: {
  readonly metric: Metric
  readonly value: number | null
  readonly previous: number | null | undefined
}) => {
  if (value === null || previous === null || previous === undefined) return null
  if (!metric.isShare && previous === 0) return null
  // Rounded as displayed: a change that rounds to zero counts as no change.
  const change = metric.isShare
    ? Math.round((value - previous) * 10) / 10
    : Math.round((value / previous - 1) * 100) / 100
  const text = metric.isShare ? `${change > 0 ? '+' : ''}${formatNumber(change)} points` : formatChange(change)
  const tone = change === 0 ? 'same' : change > 0 === !metric.isIncreaseBad ? 'good' : 'bad'
  return (
    <span class={`trend ${tone}`} title={`Before: ${metric.exact(previous)}`}>
      <span aria-hidden="true">{change === 0 ? '= ' : change > 0 ? '▲ ' : '▼ '}</span>
      {text}
    </span>
  )
}
