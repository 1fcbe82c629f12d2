import type { ComponentType } from 'preact'
import { periodOf } from '../../lib/period.ts'
import { search, setSearch } from '../../router.ts'
import { PageHead } from '../../ui/pageHead.tsx'
import { PeriodMenu } from '../../ui/periodMenu.tsx'
import { Tabs } from '../../ui/tabs.tsx'
import { funnelQuery } from './funnelQuery.ts'
import { FunnelTab } from './funnelTab.tsx'
import { InsightActions } from './insightActions.tsx'
import { retentionQuery } from './retentionQuery.ts'
import { RetentionTab } from './retentionTab.tsx'
import { trendsQuery } from './trendsQuery.ts'
import { TrendsTab } from './trendsTab.tsx'
import type { Query } from '../../api/query.ts'

interface Kind {
  readonly name: 'trends' | 'funnel' | 'retention'
  readonly label: string
  readonly toQuery: (search: URLSearchParams) => Query | undefined
  readonly Tab: ComponentType
  /** Whether the page's period applies. */
  readonly hasPeriod: boolean
}

const KINDS: readonly Kind[] = [
  { name: 'trends', label: 'Trends', toQuery: trendsQuery, Tab: TrendsTab, hasPeriod: true },
  { name: 'funnel', label: 'Funnel', toQuery: funnelQuery, Tab: FunnelTab, hasPeriod: true },
  { name: 'retention', label: 'Retention', toQuery: retentionQuery, Tab: RetentionTab, hasPeriod: false },
]

/** Builders of insights. All settings are in the URL. */
export const InsightsPage = () => {
  const kind = KINDS.find(({ name }) => name === search.value.get('tab')) ?? KINDS[0]!
  return (
    <div class="stack">
      <PageHead title="Insights">
        <InsightActions query={kind.toQuery(search.value)} />
        {kind.hasPeriod && <PeriodMenu period={periodOf(search.value)} />}
      </PageHead>
      <Tabs
        label="Kind of insight"
        tabs={KINDS}
        current={kind.name}
        onChange={(tab) => setSearch({ tab: tab === 'trends' ? undefined : tab })}
      >
        <kind.Tab key={kind.name} />
      </Tabs>
    </div>
  )
}
