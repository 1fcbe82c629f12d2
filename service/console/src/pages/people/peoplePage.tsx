import { useMemo } from 'preact/hooks'
import { api, ask } from '../../api/client.ts'
import type { Person } from '../../api/events.ts'
import { formatDateTime, formatWhole } from '../../lib/format.ts'
import { cutText } from '../../lib/propertyText.ts'
import { type Pages, usePages } from '../../lib/usePages.ts'
import { useSearchText } from '../../lib/useSearchText.ts'
import { useLink, useProject } from '../../project.ts'
import { search } from '../../router.ts'
import { PageHead } from '../../ui/pageHead.tsx'
import { Empty, Failed, Progress, Skeleton } from '../../ui/states.tsx'
import { type Column, Table } from '../../ui/table.tsx'
import styles from './people.module.css'
import { personName } from './personName.ts'

const PAGE_SIZE = 100
const MAX_CELL = 100

/** The people of the project, which can be searched. The search is in the URL. */
export const PeoplePage = () => {
  const { id } = useProject()
  const wanted = search.value.get('search') ?? ''
  const [text, setText] = useSearchText('search')
  const people = usePages<Person>(`people ${id} ${wanted}`, async (cursor, signal) => {
    const query = { limit: PAGE_SIZE, offset: Number(cursor ?? 0), ...(wanted ? { search: wanted } : {}) }
    const page = await ask(
      api.GET('/api/projects/{projectId}/persons', { params: { path: { projectId: String(id) }, query }, signal }),
    )
    return { results: page.results, next: page.next === null ? null : String(query.offset + PAGE_SIZE) }
  })
  return (
    <div class="stack">
      <PageHead title="People" />
      <input
        class={`input ${styles.search}`}
        type="search"
        aria-label="Search people"
        placeholder="Name, email or distinct ID"
        autocomplete="off"
        maxLength={200}
        value={text}
        onInput={(event) => setText(event.currentTarget.value)}
      />
      <Results people={people} wanted={wanted} />
    </div>
  )
}

const Results = ({
  people: { items, error, hasMore, isLoading, more },
  wanted,
}: {
  readonly people: Pages<Person>
  readonly wanted: string
}) => (
  <>
    <Progress isActive={isLoading} />
    {error && <Failed error={error} onRetry={more} />}
    {!items && !error && <Skeleton lines={12} />}
    {items?.length === 0 && !isLoading && <Nobody wanted={wanted} />}
    {items && items.length > 0 && (
      <div class={isLoading && !hasMore ? 'stack is-reloading' : 'stack'} aria-busy={isLoading}>
        <PeopleTable people={items} />
        <div class="row">
          {hasMore && (
            <button type="button" class="button" disabled={isLoading} onClick={more}>
              {isLoading ? 'Loading …' : 'Load more'}
            </button>
          )}
          <span class="muted small" role="status">
            {formatWhole(items.length)} {items.length === 1 ? 'person' : 'people'}
            {hasMore ? ' so far' : ''}
          </span>
        </div>
      </div>
    )}
  </>
)

const Nobody = ({ wanted }: { readonly wanted: string }) =>
  wanted ? (
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
    </Empty>
  )

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
