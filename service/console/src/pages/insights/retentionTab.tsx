import { useState } from 'preact/hooks'
import { filtersOf } from '../../lib/filters.ts'
import { useQuery } from '../../lib/useQuery.ts'
import { search, setSearch } from '../../router.ts'
import { EventSelect } from '../../ui/eventSelect.tsx'
import { Select } from '../../ui/field.tsx'
import { FilterBar } from '../../ui/filterBar.tsx'
import { useCommitted } from '../../ui/inputs.tsx'
import { Card } from '../../ui/pageHead.tsx'
import { PeopleDialog } from '../../ui/peopleDialog.tsx'
import { type Cohort, RetentionGrid } from '../../insights/retention/retentionGrid.tsx'
import { Empty } from '../../ui/states.tsx'
import { InsightResult } from './insightResult.tsx'
import styles from './insights.module.css'
import { COHORTS, retentionOf, retentionQuery, UNITS } from '../../insights/retention/retentionQuery.ts'

// The date is local to the project, with its offset. It is shown as written.
const formatCohort = (date: string) =>
  search.value.get('unit') === 'Hour' ? date.slice(0, 16).replace('T', ' ') : date.slice(0, 10)

/** Retention: how many people return in later intervals. */
export const RetentionTab = () => {
  const query = retentionQuery(search.value)
  const loaded = useQuery(query)
  const [opened, setOpened] = useState<{ readonly date: string; readonly interval: number }>()
  const { unit } = retentionOf(search.value)
  return (
    <div class="stack">
      <RetentionSettings />
      <Card>
        <InsightResult of={loaded}>
          {({ results }) =>
            (results as readonly Cohort[]).every(({ values }) => !values[0]?.count) ? (
              <Empty title="No cohorts in this period">
                <p>No person did the first event in these {unit.toLowerCase()}s.</p>
              </Empty>
            ) : (
              <RetentionGrid
                caption="Retention"
                unit={unit}
                results={results}
                formatCohort={formatCohort}
                onOpen={(date, interval) => setOpened({ date, interval })}
              />
            )
          }
        </InsightResult>
      </Card>
      {opened && (
        <PeopleDialog
          title={`People of ${formatCohort(opened.date)}, ${unit.toLowerCase()} ${opened.interval}`}
          sources={[{ label: '', source: { kind: 'RetentionActorsQuery', source: query, ...opened } }]}
          onClose={() => setOpened(undefined)}
        />
      )}
    </div>
  )
}

const RetentionSettings = () => {
  const { target, returning, unit, cohorts, intervals } = retentionOf(search.value)
  const committed = useCommitted(intervals, (text) => setSearch({ intervals: text || undefined }))
  return (
    <div class={styles.settings}>
      <div class="row">
        <span>People who did</span>
        <EventSelect label="First event" value={target} onChange={(start) => setSearch({ start })} />
        <Select label="Cohorts" value={cohorts} options={COHORTS} onChange={(value) => setSearch({ cohorts: value })} />
      </div>
      <div class="row">
        <span>and then did</span>
        <EventSelect label="Return event" value={returning} onChange={(event) => setSearch({ return: event })} />
      </div>
      <FilterBar filters={filtersOf(search.value)} />
      <hr />
      <div class="row">
        <span>Over the last</span>
        <input
          class={`input ${styles.number}`}
          type="number"
          min="2"
          max="60"
          aria-label="Number of intervals"
          {...committed}
        />
        <Select label="Interval" value={unit} options={UNITS} onChange={(value) => setSearch({ unit: value })} />
      </div>
    </div>
  )
}
