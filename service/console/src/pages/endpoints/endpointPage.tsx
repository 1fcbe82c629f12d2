import type { ComponentType } from 'preact'
import type { PageProps } from '../../lib/pageProps.ts'
import { useLink } from '../../project.ts'
import { search, setSearch } from '../../router.ts'
import { PageHead } from '../../ui/pageHead.tsx'
import { Load } from '../../ui/states.tsx'
import { Tabs } from '../../ui/tabs.tsx'
import { type TabProps, useEndpoint } from './endpointApi.ts'
import { EndpointActions } from './endpointActions.tsx'
import { EndpointBanners } from './endpointBanners.tsx'
import { StateBadges } from './endpointsPage.tsx'
import { MaterializationTab } from './materializationTab.tsx'
import { QueryTab } from './queryTab.tsx'
import { RunsTab } from './runsTab.tsx'
import { UseTab } from './useTab.tsx'
import { VersionsTab } from './versionsTab.tsx'

const TABS = [
  { name: 'query', label: 'Query', Tab: QueryTab },
  { name: 'runs', label: 'Runs', Tab: RunsTab },
  { name: 'versions', label: 'Versions', Tab: VersionsTab },
  { name: 'materialization', label: 'Materialization', Tab: MaterializationTab },
  { name: 'use', label: 'Use', Tab: UseTab },
] as const satisfies readonly { name: string; label: string; Tab: ComponentType<TabProps> }[]

/** An endpoint: its query, runs, versions, materialization, and how programs use it. */
export const EndpointPage = ({ params }: PageProps) => {
  const name = params.name!
  const link = useLink()
  const version = Number(search.value.get('version')) || undefined
  const loaded = useEndpoint(name, version)
  const tab = TABS.find((each) => each.name === search.value.get('tab')) ?? TABS[0]
  return (
    <div class="stack">
      <a href={link('endpoints')}>Endpoints</a>
      <PageHead title={name} about={loaded.data?.description}>
        {loaded.data && <StateBadges endpoint={loaded.data} />}
        {loaded.data && <EndpointActions endpoint={loaded.data} onChanged={() => loaded.reload()} />}
      </PageHead>
      {loaded.data && <EndpointBanners endpoint={loaded.data} />}
      <Tabs
        label="Parts of the endpoint"
        tabs={TABS}
        current={tab.name}
        onChange={(next) => setSearch({ tab: next === 'query' ? undefined : next })}
      >
        <Load of={loaded}>
          {(endpoint) => <tab.Tab key={tab.name} endpoint={endpoint} onChanged={() => loaded.reload()} />}
        </Load>
      </Tabs>
    </div>
  )
}
