import { useEffect, useState } from 'preact/hooks'
import { api, dataOf } from '../../api/client.ts'
import { inProject, inProjectWithId, type ResponseOf } from '../../api/inProject.ts'
import { formatAgo, formatDateTime, formatWhole } from '../../lib/format.ts'
import { useLoad } from '../../lib/useLoad.ts'
import { useMutation } from '../../lib/useMutation.ts'
import { useProject } from '../../project.ts'
import { Dialog } from '../../ui/dialog.tsx'
import { Card } from '../../ui/pageHead.tsx'
import { Empty, Failed, Load } from '../../ui/states.tsx'
import { SimpleTable } from '../../ui/simpleTable.tsx'
import { type Column, Table } from '../../ui/table.tsx'
import { toast } from '../../ui/toast.tsx'

const PATH = '/api/projects/{projectId}/imports'
type Import = ResponseOf<typeof PATH, 'get'>['results'][number]

const REFRESH_MS = 2_000

const STATES: Readonly<Record<Import['state'], string>> = {
  running: 'Running',
  stopped: 'Stopped',
  done: 'Done',
  undone: 'Undone',
}

const refusedIn = ({ refused }: Import): number => Object.values(refused).reduce((sum, each) => sum + each, 0)

/** Imports with their progress. They run by a command, because their files are on its machine. */
export const ImportsCard = () => {
  const { id } = useProject()
  const imports = useLoad(`imports ${id}`, ({ signal }) => dataOf(api.GET(PATH, { params: inProject(id), signal })))
  const { reload } = imports
  const isRunning = imports.data?.results.some(({ state }) => state === 'running') ?? false
  useEffect(() => {
    if (!isRunning) return undefined
    const timer = setInterval(() => reload(), REFRESH_MS)
    return () => clearInterval(timer)
  }, [isRunning, reload])
  const stop = useMutation((of: Import) =>
    dataOf(api.POST(`${PATH}/{id}/stop`, { params: inProjectWithId(id, of.id) })).then(() => reload()),
  )
  const undo = useMutation((of: Import) =>
    dataOf(api.POST(`${PATH}/{id}/undo`, { params: inProjectWithId(id, of.id) })).then(() => {
      toast('Its events are being deleted. See Retention.')
      reload()
    }),
  )
  const error = stop.error ?? undo.error
  const [shown, setShown] = useState<Import>()
  return (
    <Card title="Imports">
      {error && <Failed error={error} />}
      <Load of={imports}>
        {({ results }) =>
          results.length ? (
            <ImportTable
              imports={results}
              onStop={(of) => void stop.run(of)}
              onUndo={(of) => void undo.run(of)}
              onSheet={setShown}
            />
          ) : (
            <Empty title="Nothing was imported">
              <p>
                Run <code>trailmark import FILE --source posthog</code> on the machine of the service, for files of
                PostHog, Mixpanel, Amplitude, GA4, Umami, Matomo, exports of Trailmark, and any JSON lines or CSV. Its
                progress is here.
              </p>
            </Empty>
          )
        }
      </Load>
      {shown && <SheetDialog of={shown} onClose={() => setShown(undefined)} />}
    </Card>
  )
}

const SHEET = ['Day', 'Event', 'Read', 'Moved by zone', 'Refused', 'Repeated', 'Stored', 'Unexplained']

/** Compares the rows of an import with its stored events. */
const SheetDialog = ({ of, onClose }: { readonly of: Import; readonly onClose: () => void }) => {
  const { id } = useProject()
  const sheet = useLoad(`import sheet ${id} ${of.id}`, ({ signal }) =>
    dataOf(api.GET(`${PATH}/{id}/sheet`, { params: inProjectWithId(id, of.id), signal })),
  )
  return (
    <Dialog title={`Sheet of the import from ${of.source}`} isWide onClose={onClose}>
      <Load of={sheet}>
        {({ read, stored, repeated, refused, days, others }) => (
          <div class="stack">
            <p>
              {formatWhole(read)} rows read, {formatWhole(stored)} stored, {formatWhole(repeated)} repeated or deleted
              since
              {Object.entries(refused).map(([code, rows]) => `, ${formatWhole(rows)} refused as ${code}`)}. Days are
              UTC.
            </p>
            <SimpleTable
              caption="Counts by day and event"
              head={SHEET}
              rows={[...days, ...(others ? [{ day: 'Others', event: '', ...others }] : [])].map((each) => [
                each.day,
                each.event,
                each.read,
                each.moved,
                each.refused,
                each.repeated,
                each.stored,
                each.unexplained,
              ])}
            />
          </div>
        )}
      </Load>
    </Dialog>
  )
}

const ImportTable = ({
  imports,
  onStop,
  onUndo,
  onSheet,
}: {
  readonly imports: readonly Import[]
  readonly onStop: (of: Import) => void
  readonly onUndo: (of: Import) => void
  readonly onSheet: (of: Import) => void
}) => {
  const { timezone } = useProject()
  const columns: readonly Column<Import>[] = [
    { key: 'source', title: 'Source', cell: ({ source }) => source },
    {
      key: 'state',
      title: 'State',
      cell: ({ state, error }) => (
        <>
          {STATES[state]}
          {error && <div class="small">{error}</div>}
        </>
      ),
    },
    { key: 'read', title: 'Rows read', isNumber: true, cell: ({ read }) => formatWhole(read) },
    { key: 'accepted', title: 'Accepted', isNumber: true, cell: ({ accepted }) => formatWhole(accepted) },
    {
      key: 'refused',
      title: 'Refused',
      isNumber: true,
      cell: (of) => (
        <span
          title={Object.entries(of.refused)
            .map(([code, rows]) => `${code}: ${rows}`)
            .join(', ')}
        >
          {formatWhole(refusedIn(of))}
        </span>
      ),
    },
    {
      key: 'began',
      title: 'Began',
      cell: ({ created_at }) => <span title={formatDateTime(created_at, timezone)}>{formatAgo(created_at)}</span>,
    },
    {
      key: 'actions',
      title: <span class="visually-hidden">Actions</span>,
      cell: (of) => (
        <div class="row">
          {of.state !== 'running' && (
            <button type="button" class="button" onClick={() => onSheet(of)}>
              Sheet
            </button>
          )}
          {of.state === 'running' && (
            <button type="button" class="button" onClick={() => onStop(of)}>
              Stop
            </button>
          )}
          {of.state !== 'undone' && (
            <button type="button" class="button danger" onClick={() => onUndo(of)}>
              Undo
            </button>
          )}
        </div>
      ),
    },
  ]
  return <Table caption="Imports" columns={columns} rows={imports} rowKey={({ id }) => id} />
}
