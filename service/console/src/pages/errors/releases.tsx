import { formatDateTime, formatWhole } from '../../lib/format.ts'
import { useProject } from '../../project.ts'
import { Table } from '../../ui/table.tsx'
import type { Issue } from './issueApi.ts'

/** The releases that threw an error, newest first. */
export const Releases = ({ releases }: { readonly releases: Issue['releases'] }) => {
  const { timezone } = useProject()
  const time = (at: string) => <time dateTime={at}>{formatDateTime(at, timezone)}</time>
  return (
    <Table
      caption="Releases"
      rows={releases}
      rowKey={({ release }) => release}
      columns={[
        {
          key: 'release',
          title: 'Release',
          cell: ({ release }) => (release ? <bdi>{release}</bdi> : <span class="muted">none</span>),
        },
        { key: 'count', title: 'Events', isNumber: true, cell: ({ count }) => formatWhole(count) },
        { key: 'first', title: 'First seen', cell: ({ first_seen }) => time(first_seen) },
        { key: 'last', title: 'Last seen', cell: ({ last_seen }) => time(last_seen) },
      ]}
    />
  )
}
