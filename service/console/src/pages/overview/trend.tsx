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
  const difference = value - previous
  if (!metric.isShare && previous === 0) return null
  const text = metric.isShare
    ? `${difference > 0 ? '+' : ''}${formatNumber(Math.round(difference * 10) / 10)} points`
    : formatChange(difference / previous)
  const isSame = Math.abs(difference) < 1e-9
  const tone = isSame ? 'same' : difference > 0 === !metric.isIncreaseBad ? 'good' : 'bad'
  return (
    <span class={`trend ${tone}`} title={`Before: ${metric.exact(previous)}`}>
      <span aria-hidden="true">{isSame ? '= ' : difference > 0 ? '▲ ' : '▼ '}</span>
      {text}
    </span>
  )
}
