import { useMemo, useState } from 'preact/hooks'
import { api, dataOf } from '../../api/client.ts'
import type { RecordingDetails } from '../../api/recordings.ts'
import { formatDateTime, formatDuration, formatWhole } from '../../lib/format.ts'
import { cutText } from '../../lib/propertyText.ts'
import { useLoad } from '../../lib/useLoad.ts'
import type { PageProps } from '../../lib/pageProps.ts'
import { useLink, useProject } from '../../project.ts'
import { navigate, search } from '../../router.ts'
import { DeleteDialog } from '../../ui/deleteDialog.tsx'
import { Select } from '../../ui/field.tsx'
import { PageHead } from '../../ui/pageHead.tsx'
import { Empty, Load } from '../../ui/states.tsx'
import { filtersOf, listSearch } from './filters.ts'
import { LeftOut, Player } from './player.tsx'
import { playableOf } from './playable.ts'
import { timelineOf } from './timeline.ts'
import { WhyNot } from './why.tsx'
import { pathPart } from '../../lib/pathPart.ts'

const MAX_NAME = 100

/** One recording. The query parameter `t` is the moment to begin with, in ms since the start of the session. */
export const RecordingPage = ({ params }: PageProps) => {
  const { id } = useProject()
  const sessionId = params.sessionId!
  const recording = useLoad(`recording ${id} ${sessionId}`, ({ signal }) =>
    dataOf(
      api.GET('/api/projects/{projectId}/session_recordings/{session_id}', {
        params: { path: { projectId: String(id), session_id: sessionId } },
        signal,
      }),
    ),
  )
  if (recording.error?.code === 'not_found') return <NotFound sessionId={sessionId} />
  return (
    <div class="stack">
      {!recording.data && <PageHead title="Recording" />}
      <Load of={recording}>{(data) => <Found key={data.id} recording={data} />}</Load>
    </div>
  )
}

const NotFound = ({ sessionId }: { readonly sessionId: string }) => {
  const link = useLink()
  return (
    <>
      <PageHead title="Recording" />
      <Empty title="There is no recording of this session">
        <WhyNot sessionId={sessionId} />
        <a class="button" href={link('recordings')}>
          All recordings
        </a>
      </Empty>
    </>
  )
}

const momentOf = ({ started_at }: RecordingDetails): number => {
  const t = Number(search.value.get('t') ?? 0)
  return Date.parse(started_at) + (Number.isFinite(t) && t > 0 ? t : 0)
}

const Found = ({ recording }: { readonly recording: RecordingDetails }) => {
  const { timezone } = useProject()
  const [start] = useState(() => momentOf(recording))
  const [windowId, setWindowId] = useState('')
  const timeline = useMemo(
    () => timelineOf(recording.windows_list.filter(({ id }) => !windowId || id === windowId)),
    [recording, windowId],
  )
  return (
    <div class="stack">
      <PageHead
        title={`Recording of ${cutText(recording.distinct_id, MAX_NAME)}`}
        about={
          <>
            {formatDateTime(recording.started_at, timezone)} · {formatDuration(recording.duration_ms / 1_000)} ·{' '}
            {formatWhole(recording.pages)} {recording.pages === 1 ? 'page' : 'pages'}
          </>
        }
      >
        <Actions recording={recording} />
      </PageHead>
      {timeline ? (
        <Player
          key={windowId}
          recording={recording}
          timeline={timeline}
          start={start}
          windows={<WindowSelect recording={recording} value={windowId} onChange={setWindowId} />}
        />
      ) : (
        <Empty title="This recording cannot be played">
          <p>No full snapshot of a page has arrived. It may still be on its way from the visitor’s browser.</p>
          <LeftOut recording={recording} />
        </Empty>
      )}
    </div>
  )
}

/** The choice between the window that is active at a moment and one window, if several can be played. */
const WindowSelect = ({
  recording: { windows_list },
  value,
  onChange,
}: {
  readonly recording: RecordingDetails
  readonly value: string
  readonly onChange: (id: string) => void
}) => {
  const windows = windows_list.filter((each) => playableOf(each).chunks.length)
  if (windows.length < 2) return null
  const options = [
    { value: '', label: 'Active window' },
    ...windows.map(({ id }, index) => ({ value: id, label: `Window ${index + 1} only` })),
  ]
  return <Select label="Windows" value={value} options={options} onChange={onChange} />
}

const Actions = ({ recording: { id, person_id, started_at } }: { readonly recording: RecordingDetails }) => {
  const { id: projectId } = useProject()
  const link = useLink()
  const [isDeleting, setDeleting] = useState(false)
  // The next recording in the list from which this one was opened, or else of all recordings.
  const parameters = listSearch(search.value)
  const isOfList = search.value.has('period') || search.value.has('from')
  const filters = isOfList ? filtersOf(search.value) : {}
  const next = useLoad(`recording before ${projectId} ${started_at} ${JSON.stringify(filters)}`, async ({ signal }) => {
    const query = { ...filters, limit: 1, date_to: new Date(Date.parse(started_at) - 1).toISOString() }
    const params = { path: { projectId: String(projectId) }, query }
    return (
      (await dataOf(api.GET('/api/projects/{projectId}/session_recordings', { params, signal }))).results[0] ?? null
    )
  })
  return (
    <>
      <a class="button" href={link(`people/${person_id}`)}>
        Person
      </a>
      {next.data && (
        <a class="button" href={link(`recordings/${pathPart(next.data.id)}`, isOfList ? parameters : [])}>
          Next recording
        </a>
      )}
      <button type="button" class="button danger" onClick={() => setDeleting(true)}>
        Delete
      </button>
      {isDeleting && (
        <DeleteDialog
          name="this recording"
          action="Delete the recording"
          remove={() =>
            dataOf(
              api.DELETE('/api/projects/{projectId}/session_recordings/{session_id}', {
                params: { path: { projectId: String(projectId), session_id: id } },
              }),
            )
          }
          onDeleted={() => navigate(link('recordings'))}
          onClose={() => setDeleting(false)}
        >
          It cannot be restored, and later chunks of it are rejected. The events of the session are kept.
        </DeleteDialog>
      )}
    </>
  )
}
