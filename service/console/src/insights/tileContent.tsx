import { useMemo } from 'preact/hooks'
import type { QueryResult } from '../api/query.ts'
import { formatChange, formatCompact, formatDuration, formatNumber } from '../lib/format.ts'
import { LineChart } from '../ui/lineChart.tsx'
import { SimpleTable } from '../ui/simpleTable.tsx'
import styles from './tileContent.module.css'
import type { Display } from '../api/dashboards.ts'
import { toTileData } from './kinds.ts'
import { tileOf } from './tiles.tsx'
import type { Figure, TileData } from './tileData.ts'

interface ContentProps {
  readonly title: string
  readonly display: Display
  readonly kind: string
  readonly result: Pick<QueryResult, 'results' | 'columns'>
  /** Whether the last bucket of a chart is still running. */
  readonly isRunning: boolean
}

/** Shows a tile's result in its display, or as a table if the result does not support that display. */
export const TileContent = ({ title, display, kind, result, isRunning }: ContentProps) => {
  const data = useMemo(() => toTileData(kind, result), [kind, result])
  if (data.table.rows.length === 0) return <p class={`muted ${styles.nothing}`}>Nothing in this period.</p>
  if (display === 'number' && data.figures) return <Figures figures={data.figures} />
  if ((display === 'line' || display === 'bar') && data.chart)
    return (
      <LineChart
        caption={title}
        labels={data.chart.labels}
        series={data.chart.series}
        kind={display}
        isLastPartial={isRunning && kind === 'TrendsQuery'}
      />
    )
  const Tile = tileOf(kind, display)
  if (Tile) return <Tile caption={title} results={result.results} />
  return <AsTable title={title} display={display} data={data} />
}

const AsTable = ({
  title,
  display,
  data,
}: {
  readonly title: string
  readonly display: Display
  readonly data: TileData
}) => (
  <div class={styles.filled}>
    {(display === 'number' || display === 'line' || display === 'bar') && (
      <p class="small muted">This result has no numbers for a chart. Here it is as a table.</p>
    )}
    <SimpleTable caption={title} head={data.table.head} rows={data.table.rows} />
  </div>
)

const FORMATS: Readonly<Record<Figure['unit'], (value: number) => string>> = {
  number: formatCompact,
  percent: (value) => `${formatNumber(Math.round(value * 10) / 10)}%`,
  seconds: formatDuration,
}

const Figures = ({ figures }: { readonly figures: readonly Figure[] }) => (
  <dl class={styles.figures}>
    {figures.map((figure) => (
      <div key={figure.label}>
        <dt class="tile-label">{figure.label}</dt>
        <dd class="tile-value" title={figure.value === null ? 'Not known' : formatNumber(figure.value)}>
          {figure.value === null ? '–' : FORMATS[figure.unit](figure.value)}
        </dd>
        <Change figure={figure} />
      </div>
    ))}
  </dl>
)

const Change = ({ figure: { value, previous, unit, isIncreaseBad } }: { readonly figure: Figure }) => {
  if (value === null || previous === null || (unit !== 'percent' && previous === 0)) return null
  const difference = value - previous
  const text =
    unit === 'percent'
      ? `${difference > 0 ? '+' : ''}${formatNumber(Math.round(difference * 10) / 10)} points`
      : formatChange(difference / previous)
  const tone = difference === 0 ? 'same' : difference > 0 === !isIncreaseBad ? 'good' : 'bad'
  return (
    <dd class={`trend ${tone}`} title={`Before: ${FORMATS[unit](previous)}`}>
      <span aria-hidden="true">{difference === 0 ? '= ' : difference > 0 ? '▲ ' : '▼ '}</span>
      {text}
    </dd>
  )
}
