import type { ComponentType } from 'preact'
import { search, setSearch } from '../../router.ts'
import { PageHead } from '../../ui/pageHead.tsx'
import { Tabs } from '../../ui/tabs.tsx'
import { ExceptionsTab } from './exceptionsTab.tsx'
import { DataTab } from './dataTab.tsx'
import { HealthTab } from './healthTab.tsx'
import { KeysTab } from './keysTab.tsx'
import { PlanTab } from './planTab.tsx'
import { ProjectTab } from './projectTab.tsx'
import { RecordingTab } from './recordingTab.tsx'
import { RejectedTab } from './rejectedTab.tsx'
import { RetentionTab } from './retentionTab.tsx'
import { SdkTab } from './sdkTab.tsx'
import { ToolbarTab } from './toolbarTab.tsx'
import { VariablesTab } from './variablesTab.tsx'

const TABS: readonly { readonly name: string; readonly label: string; readonly content: ComponentType }[] = [
  { name: 'project', label: 'Project', content: ProjectTab },
  { name: 'keys', label: 'Keys', content: KeysTab },
  { name: 'sdk', label: 'Capture', content: SdkTab },
  { name: 'recording', label: 'Recording', content: RecordingTab },
  { name: 'exceptions', label: 'Exceptions', content: ExceptionsTab },
  { name: 'toolbar', label: 'Toolbar', content: ToolbarTab },
  { name: 'plan', label: 'Plan', content: PlanTab },
  { name: 'variables', label: 'Variables', content: VariablesTab },
  { name: 'retention', label: 'Retention', content: RetentionTab },
  { name: 'data', label: 'Import and export', content: DataTab },
  { name: 'rejected', label: 'Rejected events', content: RejectedTab },
  { name: 'health', label: 'Limits and health', content: HealthTab },
]

/** Settings of the project and its keys. The tab is in the URL. */
export const SettingsPage = () => {
  const current = TABS.find(({ name }) => name === search.value.get('tab')) ?? TABS[0]!
  const { content: Content } = current
  return (
    <>
      <PageHead title="Settings" />
      <Tabs
        label="Settings"
        tabs={TABS}
        current={current.name}
        onChange={(name) => setSearch({ tab: name === TABS[0]!.name ? undefined : name })}
      >
        <Content />
      </Tabs>
    </>
  )
}
