import { useMemo } from 'preact/hooks'
import { eventName } from '../../lib/eventNames.ts'
import { bucketName, formatNumber } from '../../lib/format.ts'
import { LineChart, type Series } from '../../ui/lineChart.tsx'
import { SimpleTable } from '../../ui/simpleTable.tsx'
import { Empty } from '../../ui/states.tsx'
import styles from './insights.module.css'
import type { Display } from './trendsQuery.ts'

/** A line in the results of `TrendsQuery`. */
export interface TrendLine {
  readonly label: string
  readonly data: readonly number[]
  readonly days: readonly string[]
  readonly count: number
  readonly aggregated_value?: number
  readonly compare_label?: 'current' | 'previous'
  readonly action: { readonly math: string } | null
}

const MAX_LINES = 5
const CAPTION = 'Trend'

const isPrevious = (line: TrendLine) => line.compare_label === 'previous'
const nameOf = (line: TrendLine) => eventName(line.label) + (isPrevious(line) ? ' (before)' : '')

/** Names that occur several times get the letter of their series: two series of one event differ by their math. */
const namesOf = (lines: readonly TrendLine[]): readonly string[] => {
  const names = lines.map(nameOf)
  const seen = new Map<string, number>()
  return names.map((name) => {
    if (names.indexOf(name) === names.lastIndexOf(name)) return name
    const count = (seen.get(name) ?? 0) + 1
    seen.set(name, count)
    return `${name} ${String.fromCharCode(64 + count)}`
  })
}

/** Shows the lines of a trend as a chart, as numbers or as a table. */
export const TrendsChart = ({
  lines,
  display,
  isRunning,
}: {
  readonly lines: readonly TrendLine[]
  readonly display: Display
  readonly isRunning: boolean
}) => {
  if (lines.length === 0) return <NoEvents />
  if (display === 'number') return <Numbers lines={lines} />
  if (display === 'table')
    return (
      <SimpleTable
        caption={CAPTION}
        head={['Series', 'Total']}
        rows={namesOf(lines).map((name, index) => [name, lines[index]!.aggregated_value ?? null])}
      />
    )
  if (lines.every(({ data }) => data.every((value) => value === 0))) return <NoEvents />
  return <Lines lines={lines} kind={display} isRunning={isRunning} />
}

const NoEvents = () => (
  <Empty title="No events in this period">
    <p>Choose another event, a longer period or fewer filters.</p>
  </Empty>
)

const Numbers = ({ lines }: { readonly lines: readonly TrendLine[] }) => {
  const names = namesOf(lines)
  return (
    <dl class={styles.numbers}>
      {lines.map((line, index) => (
        <div key={index}>
          <dt class="muted">{names[index]}</dt>
          <dd class={styles.big}>{formatNumber(line.aggregated_value ?? 0)}</dd>
        </div>
      ))}
    </dl>
  )
}

const Lines = ({
  lines,
  kind,
  isRunning,
}: {
  readonly lines: readonly TrendLine[]
  readonly kind: 'line' | 'bar'
  readonly isRunning: boolean
}) => {
  const names = namesOf(lines)
  const labels = useMemo(() => lines[0]!.days.map((day) => bucketName(day)), [lines])
  const current = lines.filter((line) => !isPrevious(line))
  const series = useMemo<readonly Series[]>(() => {
    const shown = current.slice(0, MAX_LINES)
    const colorOf = (line: TrendLine) =>
      1 + (isPrevious(line) ? lines.filter(isPrevious).indexOf(line) : shown.indexOf(line))
    return lines
      .map((line, index) => ({ line, label: names[index]!, color: colorOf(line) }))
      .filter(({ line, color }) => (isPrevious(line) ? color <= shown.length : color > 0))
      .map(({ line, label, color }) => ({ label, values: line.data, color, isComparison: isPrevious(line) }))
  }, [lines])
  return (
    <div class="stack">
      <LineChart caption={CAPTION} labels={labels} series={series} isLastPartial={isRunning} kind={kind} />
      {current.length > MAX_LINES && (
        <>
          <p class="small muted">
            The chart shows the first {MAX_LINES} of {current.length} lines. The table has all.
          </p>
          <SimpleTable
            caption="All lines"
            head={['Series', ...labels]}
            rows={lines.map((line, index) => [names[index]!, ...line.data])}
          />
        </>
      )}
    </div>
  )
}
