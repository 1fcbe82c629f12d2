import { useRef, useState } from 'preact/hooks'
import { formatCompact, formatShare, formatWhole } from '../../lib/format.ts'
import { type Filter, toApiFilter } from '../../lib/filters.ts'
import { useQuery } from '../../lib/useQuery.ts'
import { useVisible } from '../../lib/useVisible.ts'
import { PeopleDialog } from '../../ui/peopleDialog.tsx'
import { Load, Progress } from '../../ui/states.tsx'
import { type Tab, Tabs } from '../../ui/tabs.tsx'
import type { Panel } from './breakdowns.ts'
import { type OpenedRow, type StatsColumn, type StatsRow, StatsRows } from './statsRows.tsx'

const ROWS = 9

/** Fields that the queries of all panels share. */
interface Base {
  readonly dateRange: object
  readonly properties: readonly object[]
  readonly conversionGoal?: object
}

const VIEWS: StatsColumn = { name: 'views', label: 'Views', format: formatCompact, exact: formatWhole }
const BOUNCE: StatsColumn = { name: 'bounce_rate', label: 'Bounce', format: formatShare }
const GOAL: readonly StatsColumn[] = [
  { name: 'total_conversions', label: 'Conversions', format: formatCompact, exact: formatWhole },
  { name: 'conversion_rate', label: 'Rate', format: formatShare },
]

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

const toRows = (columns: readonly string[], results: readonly unknown[]): readonly StatsRow[] => {
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
  const [opened, setOpened] = useState<OpenedRow>()
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
            <StatsRows
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
