import { useMemo } from 'preact/hooks'
import { bucketName } from '../../lib/format.ts'
import { type Filter, filtersOf, toApiFilter, toggleFilter } from '../../lib/filters.ts'
import { periodOf, PERIODS, toDateRange } from '../../lib/period.ts'
import { type Shortcut, useShortcuts } from '../../lib/shortcuts.ts'
import { useQuery } from '../../lib/useQuery.ts'
import { useLink } from '../../project.ts'
import { search, setSearch } from '../../router.ts'
import { Segments } from '../../ui/field.tsx'
import { FilterBar, showFilters } from '../../ui/filterBar.tsx'
import { LineChart } from '../../ui/lineChart.tsx'
import { Card, PageHead } from '../../ui/pageHead.tsx'
import { choosePeriod, PeriodMenu } from '../../ui/periodMenu.tsx'
import { Empty, Load, Progress, Skeleton } from '../../ui/states.tsx'
import {
  formatVital,
  lineOf,
  MIN_SAMPLES,
  type Vital,
  type VitalRow,
  type VitalSeries,
  VITALS,
  type VitalValues,
} from './vitals.ts'
import styles from './vitals.module.css'
import { VitalTable } from './vitalTable.tsx'
import { VitalTiles } from './vitalTiles.tsx'

const NAVIGATIONS = [
  { value: 'hard', label: 'Page loads' },
  { value: 'soft', label: 'Routes' },
] as const

type Navigation = (typeof NAVIGATIONS)[number]['value']

const SHORTCUTS: readonly Shortcut[] = [
  ...PERIODS.map(({ name, label, shortcut }) => ({ key: shortcut, about: label, run: () => choosePeriod(name) })),
  { key: 'Escape', about: 'Remove all filters', run: () => showFilters([]) },
]

/** Web vitals of the project's pages. Period, metric, kind of navigation and filters are in the URL. */
export const VitalsPage = () => {
  const period = periodOf(search.value)
  const filters = filtersOf(search.value)
  const navigation: Navigation = search.value.get('navigation') === 'soft' ? 'soft' : 'hard'
  const vital = VITALS.find(({ name }) => name === search.value.get('metric')) ?? VITALS[0]!
  useShortcuts(SHORTCUTS)
  const filterText = JSON.stringify(filters)
  const base = useMemo(
    () => ({ dateRange: toDateRange(period), properties: filters.map(toApiFilter), navigation }),
    [period.name, period.label, navigation, filterText],
  )
  const loaded = useQuery({ ...base, kind: 'WebVitalsQuery', interval: period.interval })
  const onFilter = (filter: Filter) => showFilters(toggleFilter(filters, filter))
  return (
    <div class="stack">
      <PageHead title="Web vitals">
        <Segments
          label="Kind of navigation"
          value={navigation}
          options={NAVIGATIONS}
          onChange={(value) => setSearch({ navigation: value === 'soft' ? value : undefined })}
        />
        <PeriodMenu period={period} />
      </PageHead>
      <FilterBar filters={filters} />
      <Progress isActive={loaded.isLoading} {...(loaded.share === undefined ? {} : { share: loaded.share })} />
      <Load of={loaded} skeleton={<Skeleton height={24} />}>
        {(data) => {
          const [row] = data.results as readonly VitalRow[]
          return row ? (
            <Metrics
              vital={vital}
              metrics={row.metrics}
              series={data.series as VitalSeries}
              isRunning={!period.dateTo}
            />
          ) : (
            <NoVitals navigation={navigation} />
          )
        }}
      </Load>
      {loaded.data?.results.length ? (
        <VitalTable key={vital.name} vital={vital} base={base} onFilter={onFilter} />
      ) : null}
    </div>
  )
}

const Metrics = ({
  vital,
  metrics,
  series,
  isRunning,
}: {
  readonly vital: Vital
  readonly metrics: Readonly<Record<string, VitalValues>>
  readonly series: VitalSeries
  readonly isRunning: boolean
}) => {
  const { name, title } = vital
  const labels = useMemo(() => series.days.map((day) => bucketName(day, series.interval)), [series])
  const lines = useMemo(() => [{ label: `${name}, p75`, color: 1, values: lineOf(series, name) }], [series, name])
  const format = useMemo(() => (value: number) => formatVital(name, value), [name])
  return (
    <div class="stack">
      <VitalTiles metrics={metrics} current={name} onChoose={(metric) => setSearch({ metric })} />
      <Card title={title}>
        {lines.some(({ values }) => values.some((value) => value !== null)) ? (
          <LineChart
            caption={`${title}, p75 by interval`}
            labels={labels}
            series={lines}
            format={format}
            isLastPartial={isRunning}
          />
        ) : (
          <p class={`muted ${styles.none}`}>No interval has {MIN_SAMPLES} values.</p>
        )}
        <p class="small muted">
          Three of four page views were at least as fast. Intervals with fewer than {MIN_SAMPLES} values are left out.
        </p>
      </Card>
    </div>
  )
}

const NoVitals = ({ navigation }: { readonly navigation: Navigation }) => {
  const link = useLink()
  return navigation === 'soft' ? (
    <Empty title="No routes in this period">
      <p>
        Browsers that report soft navigations (Chrome and Edge from version 151) send values for each route of a
        single-page app. They are kept apart from page loads, because they are not comparable.
      </p>
    </Empty>
  ) : (
    <Empty title="No web vitals in this period">
      <p>
        They measure how fast pages load and respond for visitors. Values arrive about five seconds after a page has
        loaded, and when it is left.
      </p>
      <a class="button primary" href={link('settings', { tab: 'sdk' })}>
        Capture web vitals
      </a>
    </Empty>
  )
}
