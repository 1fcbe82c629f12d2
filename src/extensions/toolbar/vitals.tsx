import { Fragment, h } from 'preact'
import { useLayoutEffect, useState } from 'preact/hooks'
import type { PanelProps } from './tools'
import { usePath } from './usePath'
import { useService } from './useService'

/** A metric, and the limits of good and poor values (https://web.dev/articles/vitals). CLS has no unit, the others are ms. */
const METRICS = [
  { name: 'LCP', title: 'Largest Contentful Paint', good: 2500, poor: 4000 },
  { name: 'INP', title: 'Interaction to Next Paint', good: 200, poor: 500 },
  { name: 'CLS', title: 'Cumulative Layout Shift', good: 0.1, poor: 0.25 },
  { name: 'FCP', title: 'First Contentful Paint', good: 1800, poor: 3000 },
  { name: 'TTFB', title: 'Time to First Byte', good: 800, poor: 1800 },
] as const

type Metric = (typeof METRICS)[number]

const Value = ({ metric, value }: { metric: Metric; value: number | null | undefined }) => {
  if (typeof value !== 'number') return <td>none</td>
  const rating = value <= metric.good ? 'good' : value <= metric.poor ? 'fair' : 'poor'
  return (
    <td>
      {metric.name === 'CLS' ? value.toFixed(3) : `${Math.round(value)} ms`} <span class={rating}>{rating}</span>
    </td>
  )
}

/** Compares this view's web vitals with the 75th percentile of the path in the last 7 days. */
export const VitalsPanel = ({ tools }: PanelProps) => {
  const { events } = tools
  const path = usePath(tools.host)
  const { data, error, isLoading } = useService<VitalsAnswer>(tools, 'vitals', { path })
  const [, redraw] = useState({})
  useLayoutEffect(() => events.onChange(() => redraw({})), [])
  const current = events.vitals()
  return (
    <>
      <p>
        <code>{path}</code>
      </p>
      {error && <p class="warning">{error}</p>}
      <table>
        <thead>
          <tr>
            <th scope="col">Metric</th>
            <th scope="col">p75, 7 days</th>
            <th scope="col">This view</th>
          </tr>
        </thead>
        <tbody>
          {METRICS.map((metric) => (
            <tr key={metric.name}>
              <th scope="row">
                <abbr title={metric.title}>{metric.name}</abbr>
              </th>
              {isLoading ? (
                <td>Loading</td>
              ) : (
                <Value metric={metric} value={data?.results.find((each) => each.metric === metric.name)?.p75} />
              )}
              <Value metric={metric} value={current[metric.name]} />
            </tr>
          ))}
        </tbody>
      </table>
    </>
  )
}

interface VitalsAnswer {
  results: { metric: string; p75: number | null; count: number }[]
}
