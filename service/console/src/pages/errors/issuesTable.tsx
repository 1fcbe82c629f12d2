import { formatAgo, formatDateTime, formatWhole } from '../../lib/format.ts'
import { useLink, useProject } from '../../project.ts'
import { type Column, Table } from '../../ui/table.tsx'
import styles from './errors.module.css'
import type { Issue } from './issueApi.ts'
import { StateBadge } from './stateBadge.tsx'

/** A table of issues. Checked issues can be merged. */
export const IssuesTable = ({
  issues,
  checked,
  onCheck,
}: {
  readonly issues: readonly Issue[]
  readonly checked: readonly string[]
  readonly onCheck: (id: string, isChecked: boolean) => void
}) => {
  const { timezone } = useProject()
  const link = useLink()
  const time = (at: string) => (
    <time dateTime={at} title={formatDateTime(at, timezone)}>
      {formatAgo(at)}
    </time>
  )
  const columns: readonly Column<Issue>[] = [
    {
      key: 'check',
      title: <span class="visually-hidden">Select</span>,
      cell: ({ id, type, value }) => (
        <input
          type="checkbox"
          aria-label={`Select ${type}: ${value}`}
          checked={checked.includes(id)}
          onChange={(event) => onCheck(id, event.currentTarget.checked)}
        />
      ),
    },
    {
      key: 'issue',
      title: 'Issue',
      cell: ({ id, type, value, culprit }) => (
        <div class={styles.issue}>
          <a class="clip" href={link(`errors/${id}`)}>
            <bdi>{type}</bdi>
          </a>
          <span class="clip">
            <bdi>{value}</bdi>
          </span>
          <span class="clip small muted">
            <bdi>{culprit}</bdi>
          </span>
        </div>
      ),
    },
    { key: 'state', title: 'State', cell: (issue) => <StateBadge issue={issue} /> },
    { key: 'count', title: 'Events', isNumber: true, cell: ({ count }) => formatWhole(count) },
    { key: 'people', title: 'People', isNumber: true, cell: ({ people }) => formatWhole(people) },
    { key: 'release', title: 'Newest release', cell: ({ releases }) => <bdi>{releases[0]?.release || '–'}</bdi> },
    { key: 'first', title: 'First seen', cell: ({ first_seen }) => time(first_seen) },
    { key: 'last', title: 'Last seen', cell: ({ last_seen }) => time(last_seen) },
  ]
  return <Table caption="Issues" columns={columns} rows={issues} rowKey={({ id }) => id} />
}
