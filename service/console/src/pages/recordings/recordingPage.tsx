import { useState } from 'preact/hooks'
import { api, ask } from '../../api/client.ts'
import type { RecordingDetails } from '../../api/recordings.ts'
import { formatDateTime, formatDuration, formatWhole } from '../../lib/format.ts'
import { cutText } from '../../lib/propertyText.ts'
import { useLoad } from '../../lib/useLoad.ts'
import type { PageProps } from '../../pages.ts'
import { useLink, useProject } from '../../project.ts'
import { navigate, search } from '../../router.ts'
import { DeleteDialog } from '../../ui/deleteDialog.tsx'
import { PageHead } from '../../ui/pageHead.tsx'
import { Empty, Load } from '../../ui/states.tsx'
import { Player } from './player.tsx'
import { playableOf } from './playable.ts'

const MAX_NAME = 100

/** One recording. The query parameter `t` is the moment to begin with, in ms since the start of the session. */
export const RecordingPage = ({ params }: PageProps) => {
  const { id } = useProject()
  const sessionId = params.sessionId!
  const recording = useLoad(`recording ${id} ${sessionId}`, ({ signal }) =>
    ask(
      api.GET('/api/projects/{projectId}/session_recordings/{session_id}', {
        params: { path: { projectId: String(id), session_id: sessionId } },
        signal,
      }),
    ),
  )
  if (recording.error?.code === 'not_found') return <NotFound />
  return (
    <div class="stack">
      {!recording.data && <PageHead title="Recording" />}
      <Load of={recording}>{(data) => <Found key={data.id} recording={data} />}</Load>
    </div>
  )
}

const NotFound = () => {
  const link = useLink()
  return (
    <>
      <PageHead title="Recording" />
      <Empty title="There is no recording of this session">
        <p>It may have been deleted or have expired, or the session was not recorded.</p>
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

/** Returns the window that shows a moment: the last one that began before it. */
const windowAt = (recording: RecordingDetails, time: number) => {
  const windows = recording.windows_list.filter((each) => playableOf(each).chunks.length)
  return (
    windows.findLast(({ started_at, ended_at }) => Date.parse(started_at) <= time && time <= Date.parse(ended_at)) ??
    windows[0]
  )
}

const Found = ({ recording }: { readonly recording: RecordingDetails }) => {
  const { timezone } = useProject()
  const [start] = useState(() => momentOf(recording))
  const [windowId, setWindowId] = useState(() => windowAt(recording, start)?.id)
  const window = recording.windows_list.find(({ id }) => id === windowId)
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
      {window ? (
        <Player key={window.id} recording={recording} window={window} start={start} onWindow={setWindowId} />
      ) : (
        <Empty title="This recording cannot be played">
          <p>No full snapshot of a page has arrived. It may still be on its way from the visitor’s browser.</p>
        </Empty>
      )}
    </div>
  )
}

const Actions = ({ recording: { id, person_id, started_at } }: { readonly recording: RecordingDetails }) => {
  const { id: projectId } = useProject()
  const link = useLink()
  const [isDeleting, setDeleting] = useState(false)
  const next = useLoad(`recording before ${projectId} ${started_at}`, async ({ signal }) => {
    const query = { limit: 1, date_to: new Date(Date.parse(started_at) - 1).toISOString() }
    const params = { path: { projectId: String(projectId) }, query }
    return (await ask(api.GET('/api/projects/{projectId}/session_recordings', { params, signal }))).results[0] ?? null
  })
  return (
    <>
      <a class="button" href={link(`people/${person_id}`)}>
        Person
      </a>
      {next.data && (
        <a class="button" href={link(`recordings/${encodeURIComponent(next.data.id)}`)}>
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
            ask(
              api.DELETE('/api/projects/{projectId}/session_recordings/{session_id}', {
                params: { path: { projectId: String(projectId), session_id: id } },
              }),
            )
          }
          onDeleted={() => navigate(link('recordings'))}
          onClose={() => setDeleting(false)}
        >
          It cannot be restored, and what still arrives of it is refused. The events of the session stay.
        </DeleteDialog>
      )}
    </>
  )
}
