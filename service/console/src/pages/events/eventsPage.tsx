import { useMemo } from 'preact/hooks'
import type { ApiEvent } from '../../api/events.ts'
import { api, dataOf } from '../../api/client.ts'
import { downloadCsv } from '../../lib/csv.ts'
import { type Filter, filtersOf, toApiFilter, toggleFilter } from '../../lib/filters.ts'
import { periodOf, PERIODS } from '../../lib/period.ts'
import { useShortcuts } from '../../lib/shortcuts.ts'
import { usePages } from '../../lib/usePages.ts'
import { useLink, useProject } from '../../project.ts'
import { search, setSearch } from '../../router.ts'
import { EventDialog, openEvent } from '../../ui/eventDialog.tsx'
import { EventMenu } from '../../ui/eventMenu.tsx'
import { FilterBar, showFilters } from '../../ui/filterBar.tsx'
import { Icon } from '../../ui/icon.tsx'
import { PagedList } from '../../ui/pagedList.tsx'
import { PageHead } from '../../ui/pageHead.tsx'
import { choosePeriod, PeriodMenu } from '../../ui/periodMenu.tsx'
import { Empty } from '../../ui/states.tsx'
import { ColumnMenu } from './columnMenu.tsx'
import { columnsOf, columnTitle, exportedValue, type Column } from './columns.ts'
import { boundsOf } from './dates.ts'
import { eventsSql } from './eventsSql.ts'
import { EventsTable } from './eventsTable.tsx'

const PAGE_SIZE = 100

const SHORTCUTS = [
  ...PERIODS.map(({ name, label, shortcut }) => ({ key: shortcut, about: label, run: () => choosePeriod(name) })),
  { key: 'Escape', about: 'Remove all filters', run: () => showFilters([]) },
]

/** All events as a table. Period, events, filters, columns and the open event are in the URL. */
export const EventsPage = () => {
  const { id, timezone } = useProject()
  const link = useLink()
  const parameters = search.value
  const period = periodOf(parameters)
  const filters = filtersOf(parameters)
  const names = parameters.getAll('event')
  const columns = columnsOf(parameters)
  const openId = parameters.get('open') ?? undefined
  useShortcuts(SHORTCUTS)
  const query = useMemo(
    () => ({
      limit: PAGE_SIZE,
      ...boundsOf(period),
      ...(names.length ? { event: names } : {}),
      ...(filters.length ? { properties: JSON.stringify(filters.map(toApiFilter)) } : {}),
    }),
    [period.name, period.label, names.join('\n'), JSON.stringify(filters)],
  )
  const events = usePages<ApiEvent>(`events ${id} ${JSON.stringify(query)}`, (cursor, signal) =>
    dataOf(
      api.GET('/api/projects/{projectId}/events', {
        params: { path: { projectId: String(id) }, query: { ...query, ...(cursor ? { cursor } : {}) } },
        signal,
      }),
    ),
  )
  const onFilter = (filter: Filter) => showFilters(toggleFilter(filters, filter))
  const sql = eventsSql({ columns, names, filters, period, timeZone: timezone })
  return (
    <div class="stack">
      <PageHead title="Events">
        <a class="button" href={link('insights/sql', { q: sql })}>
          Open as SQL
        </a>
        <CsvButton columns={columns} events={events.items} />
        <ColumnMenu columns={columns} />
        <PeriodMenu period={period} />
      </PageHead>
      <div class="row">
        <EventMenu names={names} isMany onChange={(event) => setSearch({ event })} />
        <FilterBar filters={filters} />
      </div>
      <PagedList
        pages={events}
        noun={['event', 'events']}
        empty={<Nothing isFiltered={filters.length > 0 || names.length > 0} />}
      >
        {(items) => <EventsTable events={items} columns={columns} />}
      </PagedList>
      {openId && (
        <EventDialog
          uuid={openId}
          list={events.items ?? []}
          event={events.items?.find(({ uuid }) => uuid === openId)}
          onFilter={(filter) => {
            openEvent(undefined, { replace: true })
            onFilter(filter)
          }}
        />
      )}
    </div>
  )
}

const CsvButton = ({
  columns,
  events = [],
}: {
  readonly columns: readonly Column[]
  readonly events: readonly ApiEvent[] | undefined
}) => {
  const save = () =>
    downloadCsv(
      'events',
      columns.map(columnTitle),
      events.map((event) => columns.map((column) => exportedValue(column, event))),
    )
  return (
    <button
      type="button"
      class="button"
      disabled={events.length === 0}
      title="The loaded rows. Sensitive values stay masked."
      onClick={save}
    >
      <Icon name="download" size={16} /> CSV
    </button>
  )
}

const Nothing = ({ isFiltered }: { readonly isFiltered: boolean }) => {
  const link = useLink()
  return (
    <Empty title="No events in this period">
      <p>
        {isFiltered
          ? 'Choose a longer period, or remove a filter.'
          : 'Choose a longer period, or see whether events arrive at all.'}
      </p>
      <a class="button" href={link('live')}>
        See events live
      </a>
    </Empty>
  )
}
