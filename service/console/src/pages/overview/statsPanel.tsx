import { useRef, useState } from 'preact/hooks'
import { formatCompact, formatShare, formatWhole } from '../../lib/format.ts'
import { type Filter, toApiFilter } from '../../lib/filters.ts'
import { useQuery } from '../../lib/useQuery.ts'
import { useVisible } from '../../lib/useVisible.ts'
import { PeopleDialog } from '../../ui/peopleDialog.tsx'
import { Load, Progress } from '../../ui/states.tsx'
import { type Tab, Tabs } from '../../ui/tabs.tsx'
import type { Breakdown, Panel } from './breakdowns.ts'
import styles from './statsPanel.module.css'

const ROWS = 9

interface Row {
  readonly value: string | null
  readonly visitors: number
  /** Further cells, by column. */
  readonly cells: Readonly<Record<string, number | null>>
}

/** Fields that the queries of all panels share. */
interface Base {
  readonly dateRange: object
  readonly properties: readonly object[]
  readonly conversionGoal?: object
}

interface Column {
  /** Name in the API's table. */
  readonly name: string
  readonly label: string
  readonly format: (value: number) => string
  readonly exact?: (value: number) => string
}

const VIEWS: Column = { name: 'views', label: 'Views', format: formatCompact, exact: formatWhole }
const BOUNCE: Column = { name: 'bounce_rate', label: 'Bounce', format: formatShare }
const GOAL: readonly Column[] = [
  { name: 'total_conversions', label: 'Conversions', format: formatCompact, exact: formatWhole },
  { name: 'conversion_rate', label: 'Rate', format: formatShare },
]

/** A row whose visitors are shown. */
interface Opened {
  readonly name: string
  readonly filter: Filter
}

/** Returns what `ActorsQuery` reads the visitors of a row from. */
const visitorsOf = ({ dateRange, properties }: Base, filter: Filter) => ({
  kind: 'InsightActorsQuery',
  source: {
    kind: 'TrendsQuery',
    series: [{ kind: 'EventsNode', event: '$pageview' }],
    dateRange,
    properties: [...properties, toApiFilter(filter)],
  },
})

type Cell = readonly [current: number | null, previous: number | null]

const toRows = (columns: readonly string[], results: readonly unknown[]): readonly Row[] => {
  const names = columns.map((name) => name.replace('context.columns.', ''))
  return (results as readonly (readonly unknown[])[]).map((row) => {
    const cells = Object.fromEntries(
      names.flatMap((name, at) => (Array.isArray(row[at]) ? [[name, (row[at] as unknown as Cell)[0]]] : [])),
    )
    return { value: row[names.indexOf('breakdown_value')] as string | null, visitors: cells.visitors ?? 0, cells }
  })
}

/** A panel of the overview: rows of one breakdown with their visitors. A click on a row filters the page by it. */
export const StatsPanel = ({
  panel,
  base,
  onFilter,
}: {
  readonly panel: Panel
  readonly base: Base
  readonly onFilter: (filter: Filter) => void
}) => {
  const [by, setBy] = useState(panel.breakdowns[0]!.by)
  const [limit, setLimit] = useState(ROWS)
  const [opened, setOpened] = useState<Opened>()
  const root = useRef<HTMLElement>(null)
  const isVisible = useVisible(root)
  const breakdown = panel.breakdowns.find((each) => each.by === by)!
  const query = {
    ...base,
    kind: 'WebStatsTableQuery',
    breakdownBy: by,
    limit,
    ...(breakdown.hasBounceRate && !base.conversionGoal ? { includeBounceRate: true } : {}),
  }
  const columns = base.conversionGoal ? GOAL : breakdown.hasBounceRate ? [VIEWS, BOUNCE] : [VIEWS]
  const loaded = useQuery(isVisible ? query : undefined)
  const tabs: readonly Tab<string>[] = panel.breakdowns.map(({ by: name, label }) => ({ name, label }))
  return (
    <section class="card" ref={root} aria-label={panel.title}>
      <Tabs
        label={panel.title}
        tabs={tabs}
        current={by}
        onChange={(name) => {
          setBy(name)
          setLimit(ROWS)
        }}
      >
        <Progress isActive={loaded.isLoading} {...(loaded.share === undefined ? {} : { share: loaded.share })} />
        <Load of={loaded}>
          {(data) => (
            <Rows
              breakdown={breakdown}
              columns={columns}
              rows={toRows(data.columns ?? [], data.results)}
              onFilter={onFilter}
              onOpen={setOpened}
              hasMore={data.hasMore === true}
              onMore={() => setLimit(limit + 30)}
            />
          )}
        </Load>
      </Tabs>
      {opened && (
        <PeopleDialog
          title={`Visitors of ${opened.name}`}
          sources={[{ label: '', source: visitorsOf(base, opened.filter) }]}
          onClose={() => setOpened(undefined)}
        />
      )}
    </section>
  )
}

const Rows = ({
  breakdown,
  columns,
  rows,
  onFilter,
  onOpen,
  hasMore,
  onMore,
}: {
  readonly breakdown: Breakdown
  readonly columns: readonly Column[]
  readonly rows: readonly Row[]
  readonly onFilter: (filter: Filter) => void
  readonly onOpen: (opened: Opened) => void
  readonly hasMore: boolean
  readonly onMore: () => void
}) => {
  if (rows.length === 0) return <p class={`muted ${styles.none}`}>Nothing in this period.</p>
  const most = Math.max(...rows.map(({ visitors }) => visitors), 1)
  const nameOf = (value: string | null) =>
    value === null || value === '' ? '(none)' : (breakdown.display?.(value) ?? value)
  const filterOf = (value: string | null): Filter =>
    value === null
      ? { operator: 'unset', ...breakdown.filter, values: [] }
      : { operator: 'is', ...breakdown.filter, values: [value] }
  return (
    <>
      <table class={styles.rows}>
        <caption class="visually-hidden">{breakdown.label}</caption>
        <thead>
          <tr>
            <th scope="col">{breakdown.label}</th>
            <th scope="col">Visitors</th>
            {columns.map(({ name, label }) => (
              <th key={name} scope="col">
                {label}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map(({ value, visitors, cells }) => (
            <tr key={value}>
              <td>
                <div class="share-bar" style={{ width: `${(visitors / most) * 100}%` }} />
                <button
                  type="button"
                  class={`${styles.name} clip`}
                  title={`Filter by ${nameOf(value)}`}
                  onClick={() => onFilter(filterOf(value))}
                >
                  {nameOf(value)}
                </button>
              </td>
              <td>
                <button
                  type="button"
                  class={styles.people}
                  title={`${formatWhole(visitors)}. Show the people`}
                  onClick={() => onOpen({ name: nameOf(value), filter: filterOf(value) })}
                >
                  {formatCompact(visitors)}
                </button>
              </td>
              {columns.map(({ name, format, exact }) => {
                const cell = cells[name]
                return typeof cell === 'number' ? (
                  <td key={name} title={exact?.(cell)}>
                    {format(cell)}
                  </td>
                ) : (
                  <td key={name}>–</td>
                )
              })}
            </tr>
          ))}
        </tbody>
      </table>
      <div class="row between">
        <span class="muted small">Visitors of several rows can be the same people.</span>
        {hasMore && (
          <button type="button" class="button plain" onClick={onMore}>
            Show more
          </button>
        )}
      </div>
    </>
  )
}
