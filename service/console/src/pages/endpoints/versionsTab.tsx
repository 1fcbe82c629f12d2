import { api, dataOf } from '../../api/client.ts'
import { formatDateTime } from '../../lib/format.ts'
import { useLoad } from '../../lib/useLoad.ts'
import { useMutation } from '../../lib/useMutation.ts'
import { useProject } from '../../project.ts'
import { search, setSearch } from '../../router.ts'
import { Card } from '../../ui/pageHead.tsx'
import { SqlDiff } from '../../ui/sqlEditor/sqlDiff.tsx'
import { Failed, Load } from '../../ui/states.tsx'
import { type Column, Table } from '../../ui/table.tsx'
import { toast } from '../../ui/toast.tsx'
import {
  changeEndpoint,
  type Endpoint,
  endpointPath,
  type EndpointVersion,
  textOfQuery,
  type TabProps,
} from './endpointApi.ts'

/** The versions of an endpoint, the difference of one from the current one, and the way back to it. */
export const VersionsTab = ({ endpoint, onChanged }: TabProps) => {
  const { id, timezone } = useProject()
  const loaded = useLoad(`versions ${id} ${endpoint.name} ${endpoint.current_version}`, async ({ signal }) => {
    const params = endpointPath(id, endpoint.name)
    const { results } = await dataOf(api.GET('/api/projects/{projectId}/endpoints/{name}/versions', { params, signal }))
    return results
  })
  return (
    <Load of={loaded}>
      {(versions) => {
        const current = versions.find(({ version }) => version === endpoint.current_version)
        const compared = versions.find(({ version }) => version === Number(search.value.get('compare')))
        return (
          <div class="stack">
            <Card>
              <Table
                caption="Versions"
                columns={columnsIn(timezone, endpoint)}
                rows={versions}
                rowKey={({ version }) => version}
              />
            </Card>
            {current && compared && compared !== current && (
              <Difference endpoint={endpoint} from={compared} to={current} onChanged={onChanged} />
            )}
          </div>
        )
      }}
    </Load>
  )
}

const columnsIn = (zone: string, endpoint: Endpoint): readonly Column<EndpointVersion>[] => [
  {
    key: 'version',
    title: 'Version',
    cell: ({ version }) => (
      <span class="row">
        {version}
        {version === endpoint.current_version && <span class="badge good">Current</span>}
      </span>
    ),
  },
  { key: 'created', title: 'Created', cell: ({ version_created_at }) => formatDateTime(version_created_at, zone) },
  {
    key: 'materialized',
    title: 'Materialized',
    cell: ({ is_materialized }) => (is_materialized ? 'Yes' : 'No'),
  },
  { key: 'active', title: 'Runs', cell: ({ is_active }) => (is_active ? 'Allowed' : 'Deactivated') },
  {
    key: 'actions',
    title: <span class="visually-hidden">Actions</span>,
    cell: ({ version }) =>
      version !== endpoint.current_version && (
        <span class="row">
          <button
            type="button"
            class="button"
            aria-pressed={search.value.get('compare') === String(version)}
            onClick={() => setSearch({ compare: String(version) })}
          >
            Difference
          </button>
          <button
            type="button"
            class="button plain"
            onClick={() => setSearch({ version: String(version), tab: undefined })}
          >
            Open
          </button>
        </span>
      ),
  },
]

const Difference = ({
  endpoint,
  from,
  to,
  onChanged,
}: TabProps & { readonly from: EndpointVersion; readonly to: EndpointVersion }) => {
  const { id } = useProject()
  const { run, isRunning, error } = useMutation(() => changeEndpoint(id, endpoint.name, { query: from.query }))
  const rollBack = async () => {
    const changed = await run()
    if (!changed) return
    toast(`Version ${changed.current_version} has the query of version ${from.version}.`)
    setSearch({ compare: undefined, version: undefined })
    onChanged()
  }
  return (
    <Card
      title={`From version ${from.version} to version ${to.version}`}
      actions={
        <button type="button" class="button primary" disabled={isRunning} onClick={() => void rollBack()}>
          Roll back to version {from.version}
        </button>
      }
    >
      <div class="stack">
        <SqlDiff
          label={`Changes from version ${from.version} to version ${to.version}`}
          original={textOfQuery(from.query)}
          changed={textOfQuery(to.query)}
        />
        <p class="small muted">Rolling back adds a version with the old query. No version is lost.</p>
        {error && <Failed error={error} />}
      </div>
    </Card>
  )
}
