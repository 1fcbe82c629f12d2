import type { ComponentType } from 'preact'
import type { BuiltKind } from '../../insights/kind.ts'
import { BUILT_KINDS } from '../../insights/kinds.ts'
import { periodOf } from '../../lib/period.ts'
import { search, setSearch } from '../../router.ts'
import { PageHead } from '../../ui/pageHead.tsx'
import { PeriodMenu } from '../../ui/periodMenu.tsx'
import { Tabs } from '../../ui/tabs.tsx'
import { FunnelTab } from './funnelTab.tsx'
import { InsightActions } from './insightActions.tsx'
import { OpenSaved } from './openSaved.tsx'
import { RetentionTab } from './retentionTab.tsx'
import { SavedMenu } from './savedMenu.tsx'
import { TrendsTab } from './trendsTab.tsx'

const TABS: Readonly<Record<BuiltKind['name'], ComponentType>> = {
  trends: TrendsTab,
  funnel: FunnelTab,
  retention: RetentionTab,
}

/** Builders of insights. All settings are in the URL. `insight` is the name of a saved one to open. */
export const InsightsPage = () => {
  const opening = search.value.get('insight')
  return opening ? <OpenSaved key={opening} name={opening} /> : <Builder />
}

const Builder = () => {
  const kind = BUILT_KINDS.find(({ name }) => name === search.value.get('tab')) ?? BUILT_KINDS[0]!
  const saved = search.value.get('saved') ?? undefined
  const Tab = TABS[kind.name]
  return (
    <div class="stack">
      <PageHead title="Insights" about={saved && `Opened from ${saved}`}>
        <SavedMenu />
        <InsightActions query={kind.toQuery(search.value)} saved={saved} />
        {kind.hasPeriod && <PeriodMenu period={periodOf(search.value)} />}
      </PageHead>
      <Tabs
        label="Kind of insight"
        tabs={BUILT_KINDS}
        current={kind.name}
        onChange={(tab) => setSearch({ tab: tab === 'trends' ? undefined : tab })}
      >
        <Tab key={kind.name} />
      </Tabs>
    </div>
  )
}
