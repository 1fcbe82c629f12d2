import { useState } from 'preact/hooks'
import { api, dataOf } from '../../api/client.ts'
import { formatAgo, formatDuration, formatShare, formatWhole } from '../../lib/format.ts'
import { useLoad } from '../../lib/useLoad.ts'
import { useLink, useProject } from '../../project.ts'
import { Icon } from '../../ui/icon.tsx'
import { Card, PageHead } from '../../ui/pageHead.tsx'
import { SaveEndpoint } from '../../ui/saveEndpoint.tsx'
import { Empty, Load } from '../../ui/states.tsx'
import { type Column, Table } from '../../ui/table.tsx'
import { type Endpoint, freshnessLabel } from './endpointApi.ts'
import { pathPart } from '../../lib/pathPart.ts'

const FIRST_QUERY = {
  kind: 'HogQLQuery',
  query: 'SELECT event, count() AS events\nFROM events\nGROUP BY event\nORDER BY events DESC',
}

interface Row {
  readonly endpoint: Omit<Endpoint, 'version'>
  readonly stats?: {
    readonly runs_24h: number
    readonly errors_24h: number
    readonly p95_ms: number | null
    readonly cached_share: number | null
    readonly last_run_at: string | null
  }
}

/** The endpoints of the project with their use in the last 24 hours. */
export const EndpointsPage = () => {
  const { id } = useProject()
  const [isNew, setNew] = useState(false)
  const params = { path: { projectId: String(id) } }
  const loaded = useLoad(`endpoints ${id}`, async ({ signal }): Promise<readonly Row[]> => {
    const [endpoints, stats] = await Promise.all([
      dataOf(api.GET('/api/projects/{projectId}/endpoints', { params, signal })),
      dataOf(api.GET('/api/projects/{projectId}/endpoint_stats', { params, signal })),
    ])
    const statsOf = new Map(stats.results.map((each) => [each.id, each]))
    return endpoints.results.map((endpoint) => {
      const found = statsOf.get(endpoint.id)
      return { endpoint, ...(found ? { stats: found } : {}) }
    })
  })
  return (
    <div class="stack">
      <PageHead title="Endpoints" about="Stored queries that programs run by their names.">
        <button type="button" class="button primary" onClick={() => setNew(true)}>
          <Icon name="plus" size={16} /> New endpoint
        </button>
      </PageHead>
      <Card>
        <Load of={loaded}>{(rows) => <List rows={rows} />}</Load>
      </Card>
      {isNew && <SaveEndpoint query={FIRST_QUERY} mustBeNew onClose={() => setNew(false)} />}
    </div>
  )
}

const COLUMNS: readonly Column<Row>[] = [
  { key: 'name', title: 'Name', cell: ({ endpoint }) => <NameCell endpoint={endpoint} /> },
  { key: 'state', title: 'State', cell: ({ endpoint }) => <StateBadges endpoint={endpoint} /> },
  { key: 'runs', title: 'Runs (24 h)', isNumber: true, cell: ({ stats }) => formatWhole(stats?.runs_24h ?? 0) },
  {
    key: 'errors',
    title: 'Errors',
    isNumber: true,
    cell: ({ stats }) =>
      stats?.errors_24h ? <span class="badge bad">{formatWhole(stats.errors_24h)}</span> : formatWhole(0),
  },
  {
    key: 'p95',
    title: 'p95',
    isNumber: true,
    cell: ({ stats }) => (typeof stats?.p95_ms === 'number' ? formatDuration(stats.p95_ms / 1000) : '–'),
  },
  {
    key: 'cached',
    title: 'Cached',
    isNumber: true,
    cell: ({ stats }) => (typeof stats?.cached_share === 'number' ? formatShare(stats.cached_share) : '–'),
  },
  { key: 'freshness', title: 'Freshness', cell: ({ endpoint }) => freshnessLabel(endpoint.data_freshness_seconds) },
  {
    key: 'last',
    title: 'Last run',
    cell: ({ endpoint, stats }) => {
      const at = stats?.last_run_at ?? endpoint.last_executed_at
      return at ? formatAgo(at) : 'Never'
    },
  },
]

const List = ({ rows }: { readonly rows: readonly Row[] }) =>
  rows.length === 0 ? (
    <Empty title="No endpoint yet">
      <p>
        An endpoint gives your programs the rows of a query, such as the most viewed pages. Create one, or save an
        insight.
      </p>
    </Empty>
  ) : (
    <Table caption="Endpoints" columns={COLUMNS} rows={rows} rowKey={({ endpoint }) => endpoint.id} />
  )

const NameCell = ({ endpoint: { name, description } }: { readonly endpoint: Row['endpoint'] }) => {
  const link = useLink()
  return (
    <>
      <a href={link(`endpoints/${pathPart(name)}`)} class="mono">
        {name}
      </a>
      {description && <div class="small muted">{description}</div>}
    </>
  )
}

/** Whether an endpoint answers, and what it reads. */
export const StateBadges = ({ endpoint }: { readonly endpoint: Row['endpoint'] }) => (
  <span class="row">
    <span class={endpoint.is_active ? 'badge good' : 'badge warning'}>
      {endpoint.is_active ? 'Active' : 'Deactivated'}
    </span>
    {endpoint.is_materialized && <span class="badge">Materialized</span>}
  </span>
)
