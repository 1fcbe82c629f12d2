import { formatAgo, formatDateTime, formatWhole } from '../../lib/format.ts'
import { useLoad } from '../../lib/useLoad.ts'
import { useMutation } from '../../lib/useMutation.ts'
import type { PageProps } from '../../lib/pageProps.ts'
import { useLink, useProject } from '../../project.ts'
import { navigate, search, setSearch } from '../../router.ts'
import { Select } from '../../ui/field.tsx'
import { PageHead } from '../../ui/pageHead.tsx'
import { Empty, Failed, Skeleton } from '../../ui/states.tsx'
import { Tabs } from '../../ui/tabs.tsx'
import { Fingerprints } from './fingerprints.tsx'
import { getIssue, type IssueDetails, type IssueState, setIssueState, type StateChange } from './issueApi.ts'
import { IssueEvents } from './issueEvents.tsx'
import { PeriodSelect, periodDays } from './periodSelect.tsx'
import { Releases } from './releases.tsx'
import { StateBadge } from './stateBadge.tsx'
import styles from './errors.module.css'

const TABS = [
  { name: 'events', label: 'Events' },
  { name: 'releases', label: 'Releases' },
  { name: 'fingerprints', label: 'Fingerprints' },
] as const

/** The actions of each state: the state they lead to, and their labels. */
const ACTIONS: Readonly<Record<IssueState, readonly (readonly [IssueState, string])[]>> = {
  active: [
    ['resolved', 'Resolve'],
    ['ignored', 'Ignore'],
  ],
  resolved: [['active', 'Reopen']],
  ignored: [['active', 'Stop ignoring']],
}

const UNTIL = [
  { value: '', label: 'Ignore for …' },
  ...['10', '100', '1000', '10000'].map((value) => ({ value, label: `${formatWhole(Number(value))} more events` })),
]

/** One issue: its events with frames and steps, releases and fingerprints. The tab is in the URL. */
export const IssuePage = ({ params }: PageProps) => {
  const { id: projectId } = useProject()
  const link = useLink()
  const id = params.id!
  const days = periodDays()
  const { data, error, reload } = useLoad(`issue ${projectId} ${id} ${days}`, ({ signal }) =>
    getIssue(projectId, id, days, signal),
  )
  if (error?.code === 'not_found')
    return (
      <>
        <PageHead title="Error" />
        <Empty title="There is no issue with this id">
          <p>It may have been merged into another one.</p>
          <a class="button" href={link('errors')}>
            All errors
          </a>
        </Empty>
      </>
    )
  return (
    <div class="stack">
      {error && <Failed error={error} onRetry={() => reload()} />}
      {data ? (
        <Found issue={data} onChanged={() => reload()} />
      ) : (
        !error && (
          <>
            <PageHead title="Error" />
            <Skeleton lines={12} />
          </>
        )
      )}
    </div>
  )
}

const Found = ({ issue, onChanged }: { readonly issue: IssueDetails; readonly onChanged: () => void }) => {
  const { id: projectId } = useProject()
  const link = useLink()
  const change = useMutation(async (next: StateChange) => {
    await setIssueState(projectId, issue.id, next)
    onChanged()
  })
  const tab = TABS.find(({ name }) => name === search.value.get('tab')) ?? TABS[0]
  return (
    <>
      <PageHead title={issue.type} about={<bdi>{issue.value}</bdi>}>
        <PeriodSelect />
        {ACTIONS[issue.state].map(([state, label]) => (
          <button
            key={state}
            type="button"
            class="button"
            disabled={change.isRunning}
            onClick={() => void change.run({ state })}
          >
            {label}
          </button>
        ))}
        {issue.state === 'active' && <IgnoreUntil onChange={(next) => void change.run(next)} />}
      </PageHead>
      {change.error && <Failed error={change.error} />}
      <Summary issue={issue} />
      <Tabs
        label="About this issue"
        tabs={TABS}
        current={tab.name}
        onChange={(name) => setSearch({ tab: name === TABS[0].name ? undefined : name })}
      >
        {tab.name === 'events' && <IssueEvents issueId={issue.id} />}
        {tab.name === 'releases' && <Releases releases={issue.releases} />}
        {tab.name === 'fingerprints' && (
          <Fingerprints issue={issue} onSplit={(created) => navigate(link(`errors/${created}`))} />
        )}
      </Tabs>
    </>
  )
}

/** Ignores an issue until it has had some more events. */
const IgnoreUntil = ({ onChange }: { readonly onChange: (change: StateChange) => void }) => (
  <Select
    label="Ignore for a number of events"
    value=""
    options={UNTIL}
    onChange={(count) => count && onChange({ state: 'ignored', until_events: Number(count) })}
  />
)

const Summary = ({ issue }: { readonly issue: IssueDetails }) => {
  const { timezone } = useProject()
  const time = (at: string) => (
    <time dateTime={at} title={formatDateTime(at, timezone)}>
      {formatAgo(at)}
    </time>
  )
  return (
    <p class={`row small ${styles.facts}`}>
      <StateBadge issue={issue} />
      <span>
        {formatWhole(issue.count)} {issue.count === 1 ? 'event' : 'events'}
      </span>
      <span>
        {formatWhole(issue.people)} {issue.people === 1 ? 'person' : 'people'}
      </span>
      <span>First seen {time(issue.first_seen)}</span>
      <span>Last seen {time(issue.last_seen)}</span>
      {issue.ignored_events !== null && <span>Ignored for {formatWhole(issue.ignored_events)} more events</span>}
      {issue.culprit && (
        <code class="clip">
          <bdi>{issue.culprit}</bdi>
        </code>
      )}
    </p>
  )
}
