import { api, dataOf } from '../../api/client.ts'
import { inProject } from '../../api/inProject.ts'
import { formatAgo, formatDateTime, formatWhole } from '../../lib/format.ts'
import { REMEDIES, type RejectedEvent, type RejectionCode } from '../../lib/rejectionRemedies.ts'
import { useLoad } from '../../lib/useLoad.ts'
import { useProject } from '../../project.ts'
import { Card } from '../../ui/pageHead.tsx'
import { Empty, Load } from '../../ui/states.tsx'
import { type Column, Table } from '../../ui/table.tsx'
import styles from './settings.module.css'

const LIMIT = 500

interface Group {
  readonly code: RejectionCode
  readonly count: number
  readonly last: RejectedEvent
}

/** Groups rejected events, newest first, by their reason. */
const groupByCode = (events: readonly RejectedEvent[]): readonly Group[] => {
  const groups = new Map<RejectionCode, Group>()
  for (const event of events) {
    const known = groups.get(event.code)
    groups.set(event.code, { code: event.code, count: (known?.count ?? 0) + 1, last: known?.last ?? event })
  }
  return [...groups.values()].sort((a, b) => b.count - a.count)
}

/** Why events were rejected lately, and what to do. */
export const RejectedTab = () => {
  const { id } = useProject()
  const events = useLoad(`rejected ${id}`, ({ signal }) =>
    dataOf(
      api.GET('/api/projects/{projectId}/refused_events', {
        params: { ...inProject(id), query: { limit: LIMIT } },
        signal,
      }),
    ),
  )
  return (
    <Card
      title="Rejected events"
      actions={
        <button type="button" class="button" onClick={() => events.reload()}>
          Refresh
        </button>
      }
    >
      <Load of={events}>
        {({ results, next }) =>
          results.length ? (
            <div class="stack">
              <p class="muted">
                {next === null
                  ? 'All rejected events that are stored, by reason.'
                  : `The latest ${formatWhole(results.length)}, by reason.`}
              </p>
              <Groups groups={groupByCode(results)} />
            </div>
          ) : (
            <Empty title="No event was rejected">
              <p>
                If an event is still missing, run analytics.explain('name of the event') in the browser console of the
                page.
              </p>
            </Empty>
          )
        }
      </Load>
    </Card>
  )
}

const Groups = ({ groups }: { readonly groups: readonly Group[] }) => {
  const { timezone } = useProject()
  const columns: readonly Column<Group>[] = [
    {
      key: 'reason',
      title: 'Reason',
      cell: ({ code, last }) => (
        <>
          {last.detail}
          <br />
          <code class="muted">{code}</code>
        </>
      ),
    },
    { key: 'remedy', title: 'What to do', cell: ({ code }) => REMEDIES[code] },
    { key: 'count', title: 'Events', isNumber: true, cell: ({ count }) => formatWhole(count) },
    {
      key: 'last',
      title: 'Latest',
      cell: ({ last }) => (
        <>
          <span title={formatDateTime(last.refused_at, timezone)}>{formatAgo(last.refused_at)}</span>
          {last.sample && (
            <details>
              <summary>Sample</summary>
              <pre class={`code wrap ${styles.sample}`} tabIndex={0} aria-label={`Sample of ${last.code}`}>
                {last.sample}
              </pre>
            </details>
          )}
        </>
      ),
    },
  ]
  return <Table caption="Rejected events by reason" columns={columns} rows={groups} rowKey={({ code }) => code} />
}
