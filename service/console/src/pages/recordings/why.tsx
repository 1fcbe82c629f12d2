import { api, dataOf } from '../../api/client.ts'
import { useLoad } from '../../lib/useLoad.ts'
import { useProject } from '../../project.ts'
import { whyOf } from '../../lib/recordingReasons.ts'

const EVENTS = 100
const DAY_MS = 24 * 3_600_000

/** Returns a time range that includes all events of a session, if the session's id contains a time. */
const periodOf = (sessionId: string) => {
  const start = /^[\da-f]{8}-[\da-f]{4}-7/i.test(sessionId)
    ? parseInt(sessionId.replace('-', '').slice(0, 12), 16)
    : NaN
  if (!(start < Date.now() + DAY_MS)) return {}
  const time = (shift: number) => new Date(start + shift).toISOString()
  return { after: time(-DAY_MS), before: time(2 * DAY_MS) }
}

/** Says why a session has no recording, by what its latest events say. */
export const WhyNot = ({ sessionId }: { readonly sessionId: string }) => {
  const { id } = useProject()
  const { data } = useLoad(`why no recording ${id} ${sessionId}`, async ({ signal }) => {
    const properties = JSON.stringify([{ key: '$session_id', operator: 'exact', value: [sessionId], type: 'event' }])
    const query = { limit: EVENTS, properties, ...periodOf(sessionId) }
    const params = { path: { projectId: String(id) }, query }
    return (await dataOf(api.GET('/api/projects/{projectId}/events', { params, signal }))).results
  })
  const why =
    data &&
    whyOf(
      data.map(({ properties }) => properties),
      false,
    )
  return <p>{why ?? 'It may have been deleted or have expired, or the session was not recorded.'}</p>
}
