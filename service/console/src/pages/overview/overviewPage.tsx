import { useMemo } from 'preact/hooks'
import { type Filter, filtersOf, toApiFilter, toggleFilter } from '../../lib/filters.ts'
import { periodOf, PERIODS, toDateRange } from '../../lib/period.ts'
import { type Shortcut, useShortcuts } from '../../lib/shortcuts.ts'
import { search, setSearch } from '../../router.ts'
import { Select } from '../../ui/field.tsx'
import { FilterBar, showFilters } from '../../ui/filterBar.tsx'
import { PageHead } from '../../ui/pageHead.tsx'
import { choosePeriod, PeriodMenu } from '../../ui/periodMenu.tsx'
import { PANELS } from './breakdowns.ts'
import { GoalSelect } from './goalSelect.tsx'
import { Headline } from './headline.tsx'
import { Online } from './online.tsx'
import { StatsPanel } from './statsPanel.tsx'

/** What the numbers are compared with. `compare` is the field of the API. */
const COMPARISONS = [
  { value: 'previous', label: 'Compared with the period before' },
  { value: 'year', label: 'Compared with a year ago' },
  { value: 'none', label: 'No comparison' },
] as const

type Comparison = (typeof COMPARISONS)[number]['value']

const COMPARE_FILTERS: Readonly<Record<Comparison, Readonly<Record<string, unknown>>>> = {
  previous: { compareFilter: { compare: true } },
  year: { compareFilter: { compare: true, compare_to: '-1y' } },
  none: {},
}

const comparisonOf = (parameters: URLSearchParams): Comparison =>
  COMPARISONS.find(({ value }) => value === parameters.get('compare'))?.value ?? 'previous'

const toggleComparison = () => setSearch({ compare: comparisonOf(search.value) === 'none' ? undefined : 'none' })

const SHORTCUTS: readonly Shortcut[] = [
  ...PERIODS.map(({ name, label, shortcut }) => ({ key: shortcut, about: label, run: () => choosePeriod(name) })),
  { key: 'x', about: 'Turn the comparison on or off', run: toggleComparison },
  { key: 'Escape', about: 'Remove all filters', run: () => showFilters([]) },
]

/** Visitors, pages and sources of the project's sites. Period, comparison and filters are in the URL. */
export const OverviewPage = () => {
  const period = periodOf(search.value)
  const comparison = comparisonOf(search.value)
  const filters = filtersOf(search.value)
  useShortcuts(SHORTCUTS)
  const goal = search.value.get('goal')
  const filterText = JSON.stringify(filters)
  const base = useMemo(
    () => ({
      dateRange: toDateRange(period),
      properties: filters.map(toApiFilter),
      ...COMPARE_FILTERS[comparison],
      ...(goal ? { conversionGoal: { customEventName: goal } } : {}),
    }),
    [period.name, period.label, comparison, filterText, goal],
  )
  const onFilter = (filter: Filter) => showFilters(toggleFilter(filters, filter))
  return (
    <div class="stack">
      <PageHead title="Overview">
        <Online />
        <GoalSelect value={goal ?? ''} onChange={(name) => setSearch({ goal: name || undefined, metric: undefined })} />
        <Select
          label="Comparison"
          value={comparison}
          options={COMPARISONS}
          onChange={(value) => setSearch({ compare: value === 'previous' ? undefined : value })}
        />
        <PeriodMenu period={period} />
      </PageHead>
      <FilterBar filters={filters} />
      <Headline base={base} interval={period.interval} isRunning={!period.dateTo} />
      <div class="grid-2">
        {PANELS.map((panel) => (
          <StatsPanel key={panel.name} panel={panel} base={base} onFilter={onFilter} />
        ))}
      </div>
    </div>
  )
}
