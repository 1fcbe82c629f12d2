import { useMemo } from 'preact/hooks'
import { api, dataOf } from '../../api/client.ts'
import type { Person } from '../../api/events.ts'
import { formatDateTime, formatWhole } from '../../lib/format.ts'
import { cutText } from '../../lib/propertyText.ts'
import { usePages } from '../../lib/usePages.ts'
import { useLink, useProject } from '../../project.ts'
import { search } from '../../router.ts'
import { PagedList } from '../../ui/pagedList.tsx'
import { PageHead } from '../../ui/pageHead.tsx'
import { SearchInput } from '../../ui/searchInput.tsx'
import { Empty } from '../../ui/states.tsx'
import { type Column, Table } from '../../ui/table.tsx'
import styles from './people.module.css'
import { personName } from '../../lib/personName.ts'

const PAGE_SIZE = 100
const MAX_CELL = 100

/** The people of the project, which can be searched. The search is in the URL. */
export const PeoplePage = () => {
  const { id } = useProject()
  const wanted = search.value.get('search') ?? ''
  const people = usePages<Person>(`people ${id} ${wanted}`, async (cursor, signal) => {
    const query = { limit: PAGE_SIZE, offset: Number(cursor ?? 0), ...(wanted ? { search: wanted } : {}) }
    const page = await dataOf(
      api.GET('/api/projects/{projectId}/persons', { params: { path: { projectId: String(id) }, query }, signal }),
    )
    return { results: page.results, next: page.next === null ? null : String(query.offset + PAGE_SIZE) }
  })
  return (
    <div class="stack">
      <PageHead title="People" />
      <SearchInput label="Search people" placeholder="Name, email or distinct ID" />
      <PagedList pages={people} noun={['person', 'people']} empty={<Nobody wanted={wanted} />}>
        {(items) => <PeopleTable people={items} />}
      </PagedList>
    </div>
  )
}

const Nobody = ({ wanted }: { readonly wanted: string }) => {
  const link = useLink()
  return wanted ? (
    <Empty title="Nobody found">
      <p>
        The search finds people whose name or email contains “<bdi>{cutText(wanted, MAX_CELL)}</bdi>”, or with a
        distinct ID that begins with it.
      </p>
    </Empty>
  ) : (
    <Empty title="No people yet">
      <p>
        People appear with their first event. Call <code>identify</code> when someone signs in, so that they have a name
        here.
      </p>
      <a class="button primary" href={link('setup')}>
        Set up your site
      </a>
    </Empty>
  )
}

const PeopleTable = ({ people }: { readonly people: readonly Person[] }) => {
  const { timezone } = useProject()
  const link = useLink()
  const columns: readonly Column<Person>[] = useMemo(
    () => [
      {
        key: 'name',
        title: 'Person',
        cell: (person) => (
          <a class={`clip ${styles.person}`} href={link(`people/${person.id}`)}>
            <bdi>{personName(person)}</bdi>
          </a>
        ),
      },
      { key: 'email', title: 'Email', cell: ({ properties }) => <EmailCell email={properties.email} /> },
      { key: 'ids', title: 'IDs', isNumber: true, cell: (person) => formatWhole(person.distinct_ids.length) },
      {
        key: 'identified',
        title: 'Identified',
        cell: ({ is_identified }) =>
          is_identified ? <span class="badge good">Identified</span> : <span class="badge">Anonymous</span>,
      },
      {
        key: 'seen',
        title: 'First seen',
        cell: (person) => <time dateTime={person.created_at}>{formatDateTime(person.created_at, timezone)}</time>,
      },
    ],
    [timezone],
  )
  return <Table caption="People" columns={columns} rows={people} rowKey={({ id }) => id} />
}

const EmailCell = ({ email }: { readonly email: unknown }) =>
  typeof email === 'string' ? <bdi>{cutText(email, MAX_CELL)}</bdi> : <span class="muted">–</span>
