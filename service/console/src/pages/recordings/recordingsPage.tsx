import { useMemo } from 'preact/hooks'
import { api, dataOf } from '../../api/client.ts'
import type { Recording } from '../../api/recordings.ts'
import { formatDateTime, formatDuration, formatWhole } from '../../lib/format.ts'
import { periodOf } from '../../lib/period.ts'
import { cutText } from '../../lib/propertyText.ts'
import { usePages } from '../../lib/usePages.ts'
import { useLink, useProject } from '../../project.ts'
import { search, setSearch } from '../../router.ts'
import { EventMenu } from '../../ui/eventMenu.tsx'
import { Select } from '../../ui/field.tsx'
import { PageHead } from '../../ui/pageHead.tsx'
import { PagedList } from '../../ui/pagedList.tsx'
import { PeriodMenu } from '../../ui/periodMenu.tsx'
import { SearchInput } from '../../ui/searchInput.tsx'
import { Empty } from '../../ui/states.tsx'
import { type Column, Table } from '../../ui/table.tsx'
import { filtersOf, listSearch } from './filters.ts'
import styles from './recordings.module.css'
import { pathPart } from '../../lib/pathPart.ts'

const PAGE_SIZE = 50
const MAX_CELL = 100

const ERRORS = [
  { value: '', label: 'With or without errors' },
  { value: 'true', label: 'With errors' },
  { value: 'false', label: 'Without errors' },
] as const

const DURATIONS = [
  { value: '', label: 'Any duration' },
  { value: '10', label: '10 s or longer' },
  { value: '60', label: '1 min or longer' },
  { value: '600', label: '10 min or longer' },
] as const

/** The recordings of the project. Its filters are in the URL. */
export const RecordingsPage = () => {
  const { id } = useProject()
  const filters = filtersOf(search.value)
  const recordings = usePages<Recording>(`recordings ${id} ${JSON.stringify(filters)}`, (cursor, signal) => {
    const query = { limit: PAGE_SIZE, ...filters, ...(cursor ? { cursor } : {}) }
    const params = { path: { projectId: String(id) }, query }
    return dataOf(api.GET('/api/projects/{projectId}/session_recordings', { params, signal }))
  })
  return (
    <div class="stack">
      <PageHead title="Recordings">
        <PeriodMenu period={periodOf(search.value)} />
      </PageHead>
      <Filters />
      <PagedList pages={recordings} noun={['recording', 'recordings']} empty={<Nothing />}>
        {(items) => <RecordingsTable recordings={items} />}
      </PagedList>
    </div>
  )
}

const Filters = () => {
  const parameters = search.value
  const person = parameters.get('person')
  return (
    <div class="row">
      <SearchInput
        label="Part of the URL of a page"
        placeholder="Part of a page's URL"
        parameter="page"
        maxLength={1_000}
      />
      <EventMenu names={parameters.getAll('event')} isMany onChange={(event) => setSearch({ event })} />
      <Select
        label="Errors"
        value={ERRORS.find(({ value }) => value === parameters.get('errors'))?.value ?? ''}
        options={ERRORS}
        onChange={(errors) => setSearch({ errors: errors || undefined })}
      />
      <Select
        label="Duration"
        value={DURATIONS.find(({ value }) => value === parameters.get('longer'))?.value ?? ''}
        options={DURATIONS}
        onChange={(longer) => setSearch({ longer: longer || undefined })}
      />
      {person && (
        <button type="button" class="button" onClick={() => setSearch({ person: undefined })}>
          Show everybody
        </button>
      )}
    </div>
  )
}

const Nothing = () => {
  const link = useLink()
  const isFiltered = ['page', 'event', 'errors', 'longer', 'person'].some((name) => search.value.has(name))
  return isFiltered ? (
    <Empty title="No recordings match">
      <p>Change the filters or the period above.</p>
    </Empty>
  ) : (
    <Empty title="No recordings in this period">
      <p>A recording shows what a visitor saw and did. Turn recording on for the sites of this project.</p>
      <a class="button primary" href={link('settings', { tab: 'recording' })}>
        Record sessions
      </a>
    </Empty>
  )
}

const placeOf = (url: string): string => {
  try {
    const { host, pathname } = new URL(url)
    return host + pathname
  } catch {
    return url
  }
}

const RecordingsTable = ({ recordings }: { readonly recordings: readonly Recording[] }) => {
  const { timezone } = useProject()
  const link = useLink()
  const columns: readonly Column<Recording>[] = useMemo(
    () => [
      {
        key: 'start',
        title: 'Start',
        cell: ({ id, started_at, is_playable }) => (
          <>
            <a href={link(`recordings/${pathPart(id)}`, listSearch(search.value))}>
              {formatDateTime(started_at, timezone)}
            </a>
            {!is_playable && <span class="badge warning">Incomplete</span>}
          </>
        ),
      },
      {
        key: 'person',
        title: 'Person',
        cell: ({ person_id, distinct_id }) => (
          <a class={`clip ${styles.person}`} href={link(`people/${person_id}`)}>
            <bdi>{cutText(distinct_id, MAX_CELL)}</bdi>
          </a>
        ),
      },
      {
        key: 'page',
        title: 'First page',
        cell: ({ start_url }) => (
          <bdi class={`clip muted ${styles.place}`}>{start_url ? cutText(placeOf(start_url), MAX_CELL) : '–'}</bdi>
        ),
      },
      { key: 'pages', title: 'Pages', isNumber: true, cell: ({ pages }) => formatWhole(pages) },
      {
        key: 'duration',
        title: 'Duration',
        isNumber: true,
        cell: ({ duration_ms }) => formatDuration(duration_ms / 1_000),
      },
      { key: 'active', title: 'Active', isNumber: true, cell: ({ active_ms }) => formatDuration(active_ms / 1_000) },
      { key: 'clicks', title: 'Clicks', isNumber: true, cell: ({ clicks }) => formatWhole(clicks) },
      { key: 'keys', title: 'Inputs', isNumber: true, cell: ({ keypresses }) => formatWhole(keypresses) },
      {
        key: 'errors',
        title: 'Errors',
        isNumber: true,
        cell: ({ console_errors, exceptions }) =>
          console_errors + exceptions > 0 ? (
            <span class="badge bad">{formatWhole(console_errors + exceptions)}</span>
          ) : (
            '0'
          ),
      },
    ],
    [timezone],
  )
  return <Table caption="Recordings" columns={columns} rows={recordings} rowKey={({ id }) => id} />
}
