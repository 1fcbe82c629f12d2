import { useEffect } from 'preact/hooks'
import { api, dataOf } from '../../api/client.ts'
import { formatTime } from '../../lib/format.ts'
import { useLoad } from '../../lib/useLoad.ts'
import { useProject } from '../../project.ts'
import { Card } from '../../ui/pageHead.tsx'
import { Skeleton } from '../../ui/states.tsx'
import { Table } from '../../ui/table.tsx'

const EVERY_MS = 10_000

interface Limit {
  readonly what: string
  readonly byDefault: string
  readonly beyond: string
  /** Environment variable of the service that changes it. */
  readonly variable?: string
}

/** Limits that users can reach, with their defaults (docs/operate/security.md, docs/reference/service-configuration.md). */
const LIMITS: readonly Limit[] = [
  { what: 'Query duration', byDefault: '10 s', beyond: 'The query is canceled', variable: 'TRAILMARK_RUN_SECONDS' },
  {
    what: 'Memory per query',
    byDefault: '1,000 MB',
    beyond: 'The query is canceled',
    variable: 'TRAILMARK_RUN_MEMORY_MB',
  },
  {
    what: 'Rows per JSON response',
    byDefault: '50,000',
    beyond: 'Cursors return the rest',
    variable: 'TRAILMARK_RUN_ROWS',
  },
  {
    what: 'Runs per key and minute',
    byDefault: '6,000',
    beyond: '429 rate_limited',
    variable: 'TRAILMARK_RUNS_PER_MINUTE',
  },
  {
    what: 'Concurrent runs per key',
    byDefault: '20',
    beyond: '429 too_many_at_once',
    variable: 'TRAILMARK_RUNS_AT_ONCE',
  },
  {
    what: 'Memory for waiting deliveries',
    byDefault: '64 MB',
    beyond: '429, and the SDK sends them again',
    variable: 'TRAILMARK_INGEST_MEMORY_MB',
  },
  {
    what: 'Reserved disk space',
    byDefault: '500 MB',
    beyond: '507, and the SDK sends them again',
    variable: 'TRAILMARK_DISK_RESERVE_MB',
  },
  { what: 'Size of a delivery', byDefault: '20 MB, 10,000 events', beyond: '413 body_too_large' },
  { what: 'Size of an event', byDefault: '2 MB, 16,000 values', beyond: 'The event is rejected' },
  { what: 'Dashboards, tiles per dashboard', byDefault: '100, 50', beyond: 'The change is rejected' },
]

/** Whether the service is ready, and which limits it has. */
export const HealthTab = () => (
  <div class="stack">
    <Health />
    <Card title="Limits">
      <p class="muted" style={{ marginBottom: '0.75rem' }}>
        These are the defaults. This service may run with others, set by its environment variables.
      </p>
      <Table
        caption="Limits"
        rows={LIMITS}
        rowKey={({ what }) => what}
        columns={[
          { key: 'what', title: 'What', cell: ({ what }) => what },
          { key: 'default', title: 'Default', cell: ({ byDefault }) => byDefault },
          { key: 'beyond', title: 'When exceeded', cell: ({ beyond }) => beyond },
          {
            key: 'variable',
            title: 'Changed by',
            cell: ({ variable }) => (variable ? <code>{variable}</code> : <span class="muted">fixed</span>),
          },
        ]}
      />
    </Card>
  </div>
)

const Health = () => {
  const { timezone } = useProject()
  const { data, error, loadedAt, reload } = useLoad('readiness', async ({ signal }) => {
    await dataOf(api.GET('/_readiness', { signal }))
    return true
  })
  useEffect(() => {
    const timer = setInterval(() => document.visibilityState === 'visible' && reload(), EVERY_MS)
    return () => clearInterval(timer)
  }, [reload])
  return (
    <Card title="Health">
      {error ? (
        <p class="notice bad" role="alert">
          {error.message}
        </p>
      ) : data ? (
        <p class="notice good" role="status">
          <span>
            The service is ready: it stores events and answers queries.{' '}
            {loadedAt !== undefined && <span class="muted">Checked at {formatTime(loadedAt, timezone)}.</span>}
          </span>
        </p>
      ) : (
        <Skeleton lines={1} />
      )}
    </Card>
  )
}
