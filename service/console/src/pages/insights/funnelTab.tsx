import { useState } from 'preact/hooks'
import type { Query } from '../../api/query.ts'
import { filtersOf } from '../../lib/filters.ts'
import { useQuery } from '../../lib/useQuery.ts'
import { search, setSearch } from '../../router.ts'
import { useEventNames } from '../../ui/eventSelect.tsx'
import { Select } from '../../ui/field.tsx'
import { FilterBar } from '../../ui/filterBar.tsx'
import { FunnelChart, type FunnelGroup, funnelLists } from '../../insights/funnel/funnelChart.tsx'
import { useCommitted } from '../../ui/inputs.tsx'
import { Card } from '../../ui/pageHead.tsx'
import { PropertySelect } from '../../ui/propertySelect.tsx'
import { Empty } from '../../ui/states.tsx'
import { FunnelSteps } from './funnelSteps.tsx'
import { funnelOf, funnelQuery, ORDERS, WINDOW_UNITS } from '../../insights/funnel/funnelQuery.ts'
import { InsightResult } from './insightResult.tsx'
import styles from './insights.module.css'
import { PeopleDialog } from '../../ui/peopleDialog.tsx'

const EXAMPLE_STEPS = 2

/** A funnel: how many people go through steps. */
export const FunnelTab = () => {
  const query = funnelQuery(search.value)
  const loaded = useQuery(query)
  const names = useEventNames()
  const [group, setGroup] = useState<FunnelGroup>()
  return (
    <div class="stack">
      <FunnelSettings />
      <Card>
        {query ? (
          <InsightResult of={loaded}>
            {({ results }) =>
              funnelLists(results).every(([first]) => !first?.count) ? (
                <Empty title="Nobody entered this funnel">
                  <p>No person did the first step in this period.</p>
                </Empty>
              ) : (
                <FunnelChart caption="Funnel" results={results} onOpen={setGroup} />
              )
            }
          </InsightResult>
        ) : (
          <Empty title="Choose the steps">
            <p>A funnel shows how many people go from one event to the next, and where they are lost.</p>
            {names.length >= EXAMPLE_STEPS && (
              <button type="button" class="button" onClick={() => setSearch({ step: names.slice(0, EXAMPLE_STEPS) })}>
                Begin with the most frequent events
              </button>
            )}
          </Empty>
        )}
      </Card>
      {query && group && (
        <PeopleDialog
          title={group.step > 0 ? `People who reached “${group.name}”` : `People lost before “${group.name}”`}
          sources={[{ label: 'All', source: toSource(query, group) }]}
          onClose={() => setGroup(undefined)}
        />
      )}
    </div>
  )
}

const toSource = (query: Query, { step, value }: FunnelGroup) => ({
  kind: 'FunnelsActorsQuery',
  source: query,
  funnelStep: step,
  ...(value === undefined ? {} : { funnelStepBreakdown: value }),
})

const FunnelSettings = () => {
  const { steps, order, window, breakdown } = funnelOf(search.value)
  const showWindow = (changes: Partial<typeof window>) => {
    const { length, unit } = { ...window, ...changes }
    setSearch({ window: `${length}${unit}` })
  }
  const committed = useCommitted(window.length, (text) => showWindow({ length: Math.max(1, Number(text) || 1) }))
  return (
    <div class={styles.settings}>
      <FunnelSteps steps={steps} onChange={(changed) => setSearch({ step: changed })} />
      <FilterBar filters={filtersOf(search.value)} />
      <hr />
      <div class="row">
        <Select
          label="Order of the steps"
          value={order}
          options={ORDERS}
          onChange={(value) => setSearch({ order: value })}
        />
        <span>within</span>
        <input
          class={`input ${styles.number}`}
          type="number"
          min="1"
          max="1000"
          aria-label="Length of the window"
          {...committed}
        />
        <Select
          label="Unit of the window"
          value={window.unit}
          options={WINDOW_UNITS}
          onChange={(unit) => showWindow({ unit })}
        />
        <PropertySelect
          label="Breakdown"
          none="No breakdown"
          value={breakdown}
          onChange={(by) => setSearch({ by: by || undefined })}
        />
      </div>
    </div>
  )
}
