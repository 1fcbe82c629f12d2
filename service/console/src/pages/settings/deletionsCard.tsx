import { useEffect, useState } from 'preact/hooks'
import { api, dataOf } from '../../api/client.ts'
import { inProject, inProjectWithId, type ResponseOf } from '../../api/inProject.ts'
import { formatAgo, formatCount, formatDateTime } from '../../lib/format.ts'
import { useLoad } from '../../lib/useLoad.ts'
import { useMutation } from '../../lib/useMutation.ts'
import { useProject } from '../../project.ts'
import { Card } from '../../ui/pageHead.tsx'
import { Empty, Failed, Load } from '../../ui/states.tsx'
import { type Column, Table } from '../../ui/table.tsx'
import { ConfirmDialog } from './confirmDialog.tsx'
import { NewDeletionDialog } from './newDeletionDialog.tsx'

const PATH = '/api/projects/{projectId}/deletions'
type Deletion = ResponseOf<typeof PATH, 'get'>['results'][number]

const REFRESH_MS = 1_000
const WORKING: readonly Deletion['state'][] = ['counting', 'queued', 'deleting']

const sumOf = (counts: Deletion['found']): number => Object.values(counts ?? {}).reduce((sum, each) => sum + each, 0)

const rowsIn = (counts: Deletion['found']): string => formatCount(sumOf(counts), 'row')

/** Describes the state of a deletion. */
const STATES: Readonly<Record<Deletion['state'], (of: Deletion) => string>> = {
  counting: () => 'Counting …',
  counted: ({ found, people }) =>
    `${rowsIn(found)} of ${formatCount(people ?? 0, 'person', 'people')}. Nothing is deleted yet.`,
  queued: () => 'Waiting …',
  deleting: ({ table, parts_left }) =>
    `Deleting from ${table ?? 'the tables'} …${parts_left ? ` ${formatCount(parts_left, 'file')} left.` : ''}`,
  done: ({ deleted, kind }) => (kind === 'policy' ? 'Changed.' : `Deleted ${rowsIn(deleted)}.`),
  failed: () => 'Failed.',
  canceled: ({ deleted }) => (deleted ? `Canceled after ${rowsIn(deleted)}.` : 'Canceled. Nothing was deleted.'),
}

const describeTarget = ({ kind, target }: Deletion): string => {
  if (kind === 'policy') return 'How long data is kept'
  if (kind === 'retention') return 'What was too old'
  const { events, properties, from, until } = target as {
    events?: string[]
    properties?: { key: string; value: string }[]
    from?: string
    until: string
  }
  return [
    events ? events.join(', ') : 'All events',
    ...(properties ?? []).map(({ key, value }) => `${key} = ${value}`),
    ...(from ? [`from ${from}`] : []),
    `before ${until}`,
  ].join(', ')
}

/** Deletions of events, with their dry runs, progress and receipts. */
export const DeletionsCard = () => {
  const { id } = useProject()
  const [isNew, setIsNew] = useState(false)
  const [started, setStarted] = useState<Deletion>()
  const deletions = useLoad(`deletions ${id}`, ({ signal }) => dataOf(api.GET(PATH, { params: inProject(id), signal })))
  const isWorking = deletions.data?.results.some(({ state }) => WORKING.includes(state)) ?? false
  const { reload } = deletions
  useEffect(() => {
    if (!isWorking) return undefined
    const timer = setInterval(() => reload(), REFRESH_MS)
    return () => clearInterval(timer)
  }, [isWorking, reload])
  const cancel = useMutation((deletion: Deletion) =>
    dataOf(api.POST(`${PATH}/{id}/cancel`, { params: inProjectWithId(id, deletion.id) })),
  )
  return (
    <Card
      title="Deletions"
      actions={
        <button type="button" class="button" onClick={() => setIsNew(true)}>
          Delete events …
        </button>
      }
    >
      {cancel.error && <Failed error={cancel.error} />}
      <Load of={deletions}>
        {({ results }) =>
          results.length ? (
            <DeletionTable
              deletions={results}
              onStart={setStarted}
              onCancel={(deletion) => void cancel.run(deletion).then(() => reload())}
            />
          ) : (
            <Empty title="Nothing was deleted">
              <p>Events can be deleted by name, property and time. A dry run counts them first.</p>
            </Empty>
          )
        }
      </Load>
      {isNew && (
        <NewDeletionDialog
          onRequested={() => {
            setIsNew(false)
            reload()
          }}
          onClose={() => setIsNew(false)}
        />
      )}
      {started && (
        <ConfirmDialog
          title={`Delete ${rowsIn(started.found)}?`}
          action="Delete them"
          act={() => dataOf(api.POST(`${PATH}/{id}/start`, { params: inProjectWithId(id, started.id) }))}
          onDone={() => {
            setStarted(undefined)
            reload()
          }}
          onClose={() => setStarted(undefined)}
        >
          <p>
            {describeTarget(started)}. This cannot be undone, except by restoring a backup without the list of erasures.
          </p>
        </ConfirmDialog>
      )}
    </Card>
  )
}

const DeletionTable = ({
  deletions,
  onStart,
  onCancel,
}: {
  readonly deletions: readonly Deletion[]
  readonly onStart: (deletion: Deletion) => void
  readonly onCancel: (deletion: Deletion) => void
}) => {
  const { timezone } = useProject()
  const columns: readonly Column<Deletion>[] = [
    { key: 'what', title: 'What', cell: describeTarget },
    {
      key: 'state',
      title: 'State',
      cell: (deletion) => (
        <>
          {STATES[deletion.state](deletion)}
          {deletion.error && <div class="small">{deletion.error}</div>}
        </>
      ),
    },
    {
      key: 'when',
      title: 'Requested',
      cell: ({ created_at, created_by }) => (
        <>
          <span title={formatDateTime(created_at, timezone)}>{formatAgo(created_at)}</span> by {created_by}
        </>
      ),
    },
    {
      key: 'actions',
      title: <span class="visually-hidden">Actions</span>,
      cell: (deletion) => (
        <div class="row">
          {deletion.state === 'counted' && sumOf(deletion.found) > 0 && (
            <button type="button" class="button danger" onClick={() => onStart(deletion)}>
              Delete …
            </button>
          )}
          {['counted', ...WORKING].includes(deletion.state) && (
            <button type="button" class="button" onClick={() => onCancel(deletion)}>
              Cancel
            </button>
          )}
        </div>
      ),
    },
  ]
  return <Table caption="Deletions" columns={columns} rows={deletions} rowKey={({ id }) => id} />
}
