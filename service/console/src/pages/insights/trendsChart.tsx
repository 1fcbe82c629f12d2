import { useMemo, useState } from 'preact/hooks'
import type { Query } from '../../api/query.ts'
import { eventName } from '../../lib/eventNames.ts'
import { bucketName, formatNumber } from '../../lib/format.ts'
import { LineChart, type Series } from '../../ui/lineChart.tsx'
import { SimpleTable } from '../../ui/simpleTable.tsx'
import { Empty } from '../../ui/states.tsx'
import styles from './insights.module.css'
import { PeopleDialog, type PeopleSource } from '../../ui/peopleDialog.tsx'
import type { Display } from '../../insights/trends/trendsQuery.ts'

/** A line in the results of `TrendsQuery`. */
export interface TrendLine {
  readonly label: string
  readonly data: readonly number[]
  readonly days: readonly string[]
  readonly count: number
  readonly aggregated_value?: number
  readonly compare_label?: 'current' | 'previous'
  readonly breakdown_value?: string | null | readonly (string | null)[]
  /** null for a formula: its values do not count people. */
  readonly action: { readonly math: string; readonly order: number } | null
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
  query,
  lines,
  display,
  isRunning,
}: {
  readonly query: Query
  readonly lines: readonly TrendLine[]
  readonly display: Display
  readonly isRunning: boolean
}) => {
  if (lines.length === 0) return <NoEvents />
  if (display === 'number') return <Numbers query={query} lines={lines} />
  if (display === 'table')
    return (
      <SimpleTable
        caption={CAPTION}
        head={['Series', 'Total']}
        rows={namesOf(lines).map((name, index) => [name, lines[index]!.aggregated_value ?? null])}
      />
    )
  if (lines.every(({ data }) => data.every((value) => value === 0))) return <NoEvents />
  return <Lines query={query} lines={lines} kind={display} isRunning={isRunning} />
}

const NoEvents = () => (
  <Empty title="No events in this period">
    <p>Choose another event, a longer period or fewer filters.</p>
  </Empty>
)

/** The people of lines: all, or those of the interval at `index`. */
const sourcesOf = (query: Query, lines: readonly TrendLine[], index?: number): readonly PeopleSource[] => {
  const names = namesOf(lines)
  return lines.flatMap(({ action, days, breakdown_value, compare_label }, at) =>
    action
      ? [
          {
            label: names[at]!,
            source: {
              kind: 'InsightActorsQuery',
              source: query,
              series: action.order,
              ...(index === undefined ? {} : { day: days[index] }),
              ...(breakdown_value === undefined ? {} : { breakdown: breakdown_value }),
              ...(compare_label ? { compare: compare_label } : {}),
            },
          },
        ]
      : [],
  )
}

const Numbers = ({ query, lines }: { readonly query: Query; readonly lines: readonly TrendLine[] }) => {
  const names = namesOf(lines)
  const [opened, setOpened] = useState<number>()
  const sources = opened === undefined ? [] : sourcesOf(query, [lines[opened]!])
  return (
    <>
      <dl class={styles.numbers}>
        {lines.map((line, index) => (
          <div key={index}>
            <dt class="muted">{names[index]}</dt>
            <dd class={styles.big}>{formatNumber(line.aggregated_value ?? 0)}</dd>
            {line.action && (
              <dd>
                <button type="button" class="button plain" onClick={() => setOpened(index)}>
                  Show people
                </button>
              </dd>
            )}
          </div>
        ))}
      </dl>
      {opened !== undefined && sources.length > 0 && (
        <PeopleDialog
          title={`People of ${names[opened]}`}
          sources={sources}
          countName="Events"
          onClose={() => setOpened(undefined)}
        />
      )}
    </>
  )
}

const Lines = ({
  query,
  lines,
  kind,
  isRunning,
}: {
  readonly query: Query
  readonly lines: readonly TrendLine[]
  readonly kind: 'line' | 'bar'
  readonly isRunning: boolean
}) => {
  const names = namesOf(lines)
  const labels = useMemo(() => lines[0]!.days.map((day) => bucketName(day)), [lines])
  const current = lines.filter((line) => !isPrevious(line))
  const [opened, setOpened] = useState<number>()
  const sources = opened === undefined ? [] : sourcesOf(query, lines, opened)
  const open = lines.some(({ action }) => action) ? { label: 'show the people', onOpen: setOpened } : undefined
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
      <LineChart
        caption={CAPTION}
        labels={labels}
        series={series}
        isLastPartial={isRunning}
        kind={kind}
        {...(open ? { open } : {})}
      />
      {opened !== undefined && sources.length > 0 && (
        <PeopleDialog
          title={`People, ${labels[opened]}`}
          sources={sources}
          countName="Events"
          onClose={() => setOpened(undefined)}
        />
      )}
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
