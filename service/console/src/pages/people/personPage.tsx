import { useState } from 'preact/hooks'
import { api, dataOf } from '../../api/client.ts'
import type { Person } from '../../api/events.ts'
import { formatDate } from '../../lib/format.ts'
import { type Filter, formatFilter } from '../../lib/filters.ts'
import { useLoad } from '../../lib/useLoad.ts'
import type { PageProps } from '../../lib/pageProps.ts'
import { useLink, useProject } from '../../project.ts'
import { navigate, search, setSearch } from '../../router.ts'
import { PageHead } from '../../ui/pageHead.tsx'
import { PropertyList } from '../../ui/propertyList.tsx'
import { Empty, Failed, Skeleton } from '../../ui/states.tsx'
import { Tabs } from '../../ui/tabs.tsx'
import { EraseDialog } from './eraseDialog.tsx'
import { personName } from '../../lib/personName.ts'
import { PersonFlags } from './personFlags.tsx'
import { PersonIds } from './personIds.tsx'
import { Timeline } from './timeline.tsx'

const TABS = [
  { name: 'timeline', label: 'Timeline' },
  { name: 'properties', label: 'Properties' },
  { name: 'flags', label: 'Flags' },
  { name: 'ids', label: 'IDs and merges' },
] as const

/** One person: what they did, their properties, flags and ids. The tab is in the URL. */
export const PersonPage = ({ params }: PageProps) => {
  const { id: projectId } = useProject()
  const id = params.id!
  const {
    data: person,
    error,
    reload,
  } = useLoad(`person ${projectId} ${id}`, ({ signal }) =>
    dataOf(
      api.GET('/api/projects/{projectId}/persons/{id}', {
        params: { path: { projectId: String(projectId), id } },
        signal,
      }),
    ),
  )
  if (error?.code === 'not_found') return <NotFound />
  return (
    <div class="stack">
      {error && <Failed error={error} onRetry={() => reload()} />}
      {person ? (
        <Found person={person} />
      ) : (
        !error && (
          <>
            <PageHead title="Person" />
            <Skeleton lines={12} />
          </>
        )
      )}
    </div>
  )
}

const NotFound = () => {
  const link = useLink()
  return (
    <>
      <PageHead title="Person" />
      <Empty title="There is no person with this id">
        <p>The person may have been erased, or merged into another one.</p>
        <a class="button" href={link('people')}>
          Search people
        </a>
      </Empty>
    </>
  )
}

const Found = ({ person }: { readonly person: Person }) => {
  const { timezone } = useProject()
  const link = useLink()
  const [isErasing, setErasing] = useState(false)
  const tab = TABS.find(({ name }) => name === search.value.get('tab')) ?? TABS[0]
  const showEvents = (filter: Filter) => navigate(link('events', { f: formatFilter(filter) }))
  return (
    <>
      <PageHead
        title={personName(person)}
        about={
          <>
            {person.is_identified ? 'Identified' : 'Anonymous'} · first seen {formatDate(person.created_at, timezone)}
          </>
        }
      >
        <button type="button" class="button danger" onClick={() => setErasing(true)}>
          Erase
        </button>
      </PageHead>
      <Tabs
        label="About this person"
        tabs={TABS}
        current={tab.name}
        onChange={(name) => setSearch({ tab: name === TABS[0].name ? undefined : name })}
      >
        {tab.name === 'timeline' && <Timeline personId={person.id} onFilter={showEvents} />}
        {tab.name === 'properties' && (
          <>
            {person.is_truncated && (
              <p class="notice">
                This person has more than is shown here: query <code>person.properties</code> to read all of it.
              </p>
            )}
            <PropertyList type="person" properties={person.properties} onFilter={showEvents} />
          </>
        )}
        {tab.name === 'flags' && <PersonFlags personId={person.id} />}
        {tab.name === 'ids' && <PersonIds person={person} />}
      </Tabs>
      {isErasing && <EraseDialog person={person} onClose={() => setErasing(false)} />}
    </>
  )
}
