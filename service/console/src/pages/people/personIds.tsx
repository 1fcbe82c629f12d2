import { api, dataOf } from '../../api/client.ts'
import type { Person } from '../../api/events.ts'
import { formatDateTime } from '../../lib/format.ts'
import { cutText } from '../../lib/propertyText.ts'
import { useLoad } from '../../lib/useLoad.ts'
import { useLink, useProject } from '../../project.ts'
import { CopyButton } from '../../ui/copy.tsx'
import { Card } from '../../ui/pageHead.tsx'
import { Load } from '../../ui/states.tsx'
import { type Column, Table } from '../../ui/table.tsx'
import styles from './people.module.css'
import { Rows } from '../../ui/rows.tsx'

const MAX_IDS = 50
const MAX_TEXT = 200

interface Merge {
  readonly at: string
  readonly kind: string
  readonly from: string
  readonly into: string
  readonly event_uuid: string
  readonly is_applied: boolean
}

/** Display texts for the reasons why two ids became one person. */
const KINDS: Readonly<Record<string, string>> = {
  identify: 'identify named an anonymous visitor',
  alias: 'alias joined two ids',
  merge: '$merge_dangerously joined two ids',
}

/** The distinct ids of a person, and how they were merged. */
export const PersonIds = ({ person }: { readonly person: Person }) => {
  const { id: projectId } = useProject()
  const merges = useLoad(`merges ${projectId} ${person.id}`, ({ signal }) =>
    dataOf(
      api.GET('/api/projects/{projectId}/persons/{id}/merges', {
        params: { path: { projectId: String(projectId), id: person.id } },
        signal,
      }),
    ),
  )
  return (
    <div class="stack">
      <Card title="Distinct IDs">
        <ul class={styles.ids}>
          <Rows of={person.distinct_ids.slice(0, MAX_IDS)} keyOf={(each) => each}>
            {(each) => (
              <li>
                <bdi class={`mono ${styles.break}`}>{cutText(each, MAX_TEXT)}</bdi>
                <CopyButton text={each} />
              </li>
            )}
          </Rows>
        </ul>
        {person.distinct_ids.length > MAX_IDS && <p class="muted">and {person.distinct_ids.length - MAX_IDS} more</p>}
      </Card>
      <Card title="Merges">
        <Load of={merges}>{({ results }) => <Merges merges={results} />}</Load>
      </Card>
    </div>
  )
}

const Merges = ({ merges }: { readonly merges: readonly Merge[] }) => {
  const { timezone } = useProject()
  const link = useLink()
  if (!merges.length) return <p class="muted">Nothing was merged: this person has always had the same ids.</p>
  const idCell = (id: string) => <bdi class={`mono ${styles.break}`}>{cutText(id, MAX_TEXT)}</bdi>
  const columns: readonly Column<Merge>[] = [
    {
      key: 'at',
      title: 'Time',
      cell: ({ at, event_uuid }) => <a href={link('events', { open: event_uuid })}>{formatDateTime(at, timezone)}</a>,
    },
    { key: 'from', title: 'ID', cell: ({ from }) => idCell(from) },
    { key: 'into', title: 'Merged into', cell: ({ into }) => idCell(into) },
    {
      key: 'why',
      title: 'Why',
      cell: ({ kind, is_applied }) => (
        <>
          {KINDS[kind] ?? kind} {!is_applied && <span class="badge warning">Not applied</span>}
        </>
      ),
    },
  ]
  return <Table caption="Merges" columns={columns} rows={merges} rowKey={({ event_uuid, from }) => event_uuid + from} />
}
