import { api, dataOf } from '../api/client.ts'
import { useLoad } from '../lib/useLoad.ts'
import { useLink, useProject } from '../project.ts'
import { Icon } from './icon.tsx'
import { pathPart } from '../lib/pathPart.ts'

/** The recording starts this long before the event, to show what led to it. */
const LEAD_MS = 3_000

/** A link to the moment of an event in the recording of its session. Without a recording, a link to the reason. */
export const RecordingLink = ({
  sessionId,
  timestamp,
  isAsked,
}: {
  readonly sessionId: string
  /** ISO 8601. */
  readonly timestamp: string
  /** Whether the page asked whether the session is recorded. */
  readonly isAsked: boolean
}) => {
  const { id } = useProject()
  const link = useLink()
  // Without the right to see recordings, or when this fails, there is no link.
  const { data } = useLoad(`recording of session ${id} ${sessionId}`, async ({ signal }) => {
    const query = { session_id: [sessionId], limit: 1 }
    const params = { path: { projectId: String(id) }, query }
    return (
      (await dataOf(api.GET('/api/projects/{projectId}/session_recordings', { params, signal }))).results[0] ?? null
    )
  })
  if (data === null && isAsked)
    return (
      <a class="button" href={link(`recordings/${pathPart(sessionId)}`)}>
        Why there is no recording
      </a>
    )
  if (!data) return null
  const t = Math.max(0, Date.parse(timestamp) - Date.parse(data.started_at) - LEAD_MS)
  return (
    <a class="button" href={link(`recordings/${pathPart(sessionId)}`, { t: String(t) })}>
      <Icon name="recordings" size={16} /> Watch this moment
    </a>
  )
}
