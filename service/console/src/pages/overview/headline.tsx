import { useMemo } from 'preact/hooks'
import { bucketName } from '../../lib/format.ts'
import type { Interval } from '../../lib/period.ts'
import { useQuery } from '../../lib/useQuery.ts'
import { useLink } from '../../project.ts'
import { search, setSearch } from '../../router.ts'
import { Card } from '../../ui/pageHead.tsx'
import { LineChart, type Series } from '../../ui/lineChart.tsx'
import { Empty, Load, Progress, Skeleton } from '../../ui/states.tsx'
import { GOAL_METRICS, type Metric, METRICS } from './metrics.ts'
import { Trend } from './trend.tsx'

/** One item of the results of `WebOverviewQuery`. */
interface Item {
  readonly key: string
  readonly value: number | null
  readonly previous: number | null
  /** Median session duration. `value` is the mean. */
  readonly median?: number | null
}

type Values = readonly (number | null)[]

interface Overview {
  readonly results: readonly Item[]
  /** Values of each key by interval. */
  readonly series: {
    readonly days: readonly string[]
    readonly data: Readonly<Record<string, Values>>
    readonly previous?: Readonly<Record<string, Values>>
  }
}

/** The metrics of the period. The chart shows the chosen one. */
export const Headline = ({
  base,
  interval,
  isRunning,
}: {
  readonly base: Readonly<Record<string, unknown>>
  readonly interval: Interval
  readonly isRunning: boolean
}) => {
  const loaded = useQuery({ ...base, kind: 'WebOverviewQuery', interval })
  const metrics = base.conversionGoal ? GOAL_METRICS : METRICS
  const metric = metrics.find(({ name }) => name === search.value.get('metric')) ?? metrics[0]!
  return (
    <div class="stack">
      <Progress isActive={loaded.isLoading} {...(loaded.share === undefined ? {} : { share: loaded.share })} />
      <Load of={loaded} skeleton={<Skeleton height={26} />}>
        {(data) => {
          const { results, series } = data as unknown as Overview
          const isEmpty = results.every(({ value, previous }) => !value && !previous)
          return (
            <div class="stack">
              <Tiles metrics={metrics} items={results} current={metric} />
              <Card>
                {isEmpty ? (
                  <NoVisits />
                ) : (
                  <Chart metric={metric} series={series} interval={interval} isRunning={isRunning} />
                )}
              </Card>
            </div>
          )
        }}
      </Load>
    </div>
  )
}

const NoVisits = () => {
  const link = useLink()
  return (
    <Empty title="No visits in this period">
      <p>Choose a longer period, or add Trailmark to your site: the first page view appears here within seconds.</p>
      <a class="button primary" href={link('setup')}>
        Set up your site
      </a>
    </Empty>
  )
}

const titleOf = (metric: Metric, { value, median }: Item): string => {
  if (value === null) return 'Not known'
  const mean = metric.exact(value)
  return typeof median === 'number' ? `Mean: ${mean}. Median: ${metric.exact(median)}` : mean
}

const Tiles = ({
  metrics,
  items,
  current,
}: {
  readonly metrics: readonly Metric[]
  readonly items: readonly Item[]
  readonly current: Metric
}) => (
  <div class="tiles" role="group" aria-label="Metrics">
    {metrics.map((metric) => {
      // Old data may still be of the other metrics.
      const item = items.find(({ key }) => key === metric.key) ?? { key: metric.key, value: null, previous: null }
      const { value } = item
      return (
        <button
          key={metric.key}
          type="button"
          class="tile"
          aria-pressed={metric === current}
          title={metric.about}
          onClick={() => setSearch({ metric: metric === metrics[0] ? undefined : metric.name })}
        >
          <span class="tile-label">{metric.label}</span>
          <span class="tile-value" title={titleOf(metric, item)}>
            {value === null ? '–' : metric.format(value)}
          </span>
          <Trend metric={metric} value={value} previous={item.previous} />
        </button>
      )
    })}
  </div>
)

const Chart = ({
  metric,
  series: { days, data, previous },
  interval,
  isRunning,
}: {
  readonly metric: Metric
  readonly series: Overview['series']
  readonly interval: Interval
  readonly isRunning: boolean
}) => {
  const labels = useMemo(() => days.map((day) => bucketName(day, interval)), [days, interval])
  const lines = useMemo<readonly Series[]>(() => {
    const before = previous?.[metric.key]
    // The previous period may have more intervals, because of a longer month or a daylight saving change.
    const aligned = before && days.map((_, index) => before[index] ?? null)
    return [
      { label: metric.label, values: data[metric.key] ?? [], color: 1, isComparison: false },
      ...(aligned ? [{ label: 'Before', values: aligned, color: 1, isComparison: true }] : []),
    ]
  }, [days, data, previous, metric])
  return (
    <LineChart
      caption={`${metric.label} over time`}
      labels={labels}
      series={lines}
      format={metric.format}
      isLastPartial={isRunning}
    />
  )
}
