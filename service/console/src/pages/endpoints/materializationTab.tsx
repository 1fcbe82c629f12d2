import { useEffect, useMemo } from 'preact/hooks'
import { api, dataOf } from '../../api/client.ts'
import { formatAgo, formatNumber, formatWhole } from '../../lib/format.ts'
import { useLoad } from '../../lib/useLoad.ts'
import { useMutation } from '../../lib/useMutation.ts'
import { useProject } from '../../project.ts'
import { Card } from '../../ui/pageHead.tsx'
import { SqlEditor } from '../../ui/sqlEditor/sqlEditor.tsx'
import type { SqlProblem } from '../../ui/sqlEditor/problem.ts'
import { Failed, Load } from '../../ui/states.tsx'
import { changeEndpoint, endpointPath, isSql, type Materialization, textOfQuery, type TabProps } from './endpointApi.ts'
import { MaterializationPreview } from './materializationPreview.tsx'

const BYTES_PER_MB = 1_000_000
const POLL_MS = 2_000

/** Whether runs of the endpoint read a table that is kept up to date, or why they cannot. */
export const MaterializationTab = ({ endpoint, onChanged }: TabProps) => {
  const { id } = useProject()
  const version = endpoint.version ?? endpoint.current_version
  const isCurrent = version === endpoint.current_version
  const key = `materialization ${id} ${endpoint.name} ${version}`
  const params = { ...endpointPath(id, endpoint.name), query: { version } }
  const loaded = useLoad(key, ({ signal }) =>
    dataOf(api.GET('/api/projects/{projectId}/endpoints/{name}/materialization_status', { params, signal })),
  )
  const isBuilding = loaded.data?.enabled === true && loaded.data.status === 'Running'
  const { reload } = loaded
  useEffect(() => {
    if (!isBuilding) return
    const timer = setInterval(reload, POLL_MS)
    return () => clearInterval(timer)
  }, [isBuilding, reload])
  const { run, isRunning, error } = useMutation((isOn: boolean) =>
    changeEndpoint(id, endpoint.name, { is_materialized: isOn }),
  )
  const change = async (isOn: boolean) => {
    if (!(await run(isOn))) return
    loaded.reload()
    onChanged()
  }
  return (
    <Load of={loaded}>
      {(status) => (
        <div class="stack">
          <Card
            title={titleOf(status)}
            actions={
              <>
                <button type="button" class="button" onClick={() => loaded.reload()}>
                  Refresh
                </button>
                {isCurrent && (status.enabled || status.can_materialize) && (
                  <button
                    type="button"
                    class={status.enabled ? 'button' : 'button primary'}
                    disabled={isRunning}
                    onClick={() => void change(!status.enabled)}
                  >
                    {status.enabled ? 'Stop materializing' : 'Materialize'}
                  </button>
                )}
              </>
            }
          >
            <div class="stack">
              <Facts status={status} />
              {error && <Failed error={error} />}
              {!status.enabled && status.can_materialize && (
                <MaterializationPreview name={endpoint.name} version={version} />
              )}
            </div>
          </Card>
          {status.obstacles && status.obstacles.length > 0 && (
            <Obstacles endpoint={endpoint} obstacles={status.obstacles} onChanged={onChanged} />
          )}
        </div>
      )}
    </Load>
  )
}

const titleOf = ({ enabled, ready, status, can_materialize }: Materialization): string => {
  if (!enabled) return can_materialize ? 'Not materialized' : 'This query cannot be materialized'
  if (status === 'Failed') return 'Building the table failed'
  return ready ? 'Materialized' : 'The table is being built'
}

const Facts = ({ status }: { readonly status: Materialization }) => (
  <>
    <p class="muted">
      A materialized endpoint reads a table that the service keeps up to date, which is faster than reading all events.
    </p>
    {status.error && <p class="notice bad">{status.error}</p>}
    {status.reason && !status.obstacles?.length && <p>{status.reason}</p>}
    {status.enabled && (
      <p>
        {status.rows === undefined ? '' : `${formatWhole(status.rows)} rows`}
        {status.bytes === undefined ? '' : `, ${formatNumber(status.bytes / BYTES_PER_MB)} MB`}
        {status.last_materialized_at ? `, up to date ${formatAgo(status.last_materialized_at)}` : ''}
      </p>
    )}
  </>
)

type Obstacle = NonNullable<Materialization['obstacles']>[number]

const Obstacles = ({ endpoint, obstacles }: TabProps & { readonly obstacles: readonly Obstacle[] }) => {
  const problems = useMemo(
    () =>
      obstacles.flatMap(({ position, message, fix }): SqlProblem[] =>
        position ? [{ start: position.start, end: position.end, message: `${message}. ${fix}` }] : [],
      ),
    [obstacles],
  )
  return (
    <Card title="Why it cannot be materialized">
      <div class="stack">
        <ul class="stack">
          {obstacles.map(({ code, message, fix, position, field }, index) => (
            <li key={index} class="notice warning">
              <p>
                <strong>
                  {position ? `Line ${position.line}, column ${position.column}: ` : field ? `${field}: ` : ''}
                </strong>
                {message}
              </p>
              <p>{fix}</p>
              <p class="small muted mono">{code}</p>
            </li>
          ))}
        </ul>
        {isSql(endpoint) && (
          <SqlEditor
            label={`Query of ${endpoint.name} with the problems marked`}
            value={textOfQuery(endpoint.query)}
            problems={problems}
            isReadOnly
          />
        )}
      </div>
    </Card>
  )
}
