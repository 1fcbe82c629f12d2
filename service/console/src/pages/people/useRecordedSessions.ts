import { api, dataOf } from '../../api/client.ts'
import { useLoad } from '../../lib/useLoad.ts'
import { useProject } from '../../project.ts'

const MAX_RECORDINGS = 200
const NONE: ReadonlySet<string> = new Set()

/** Returns the sessions of a person that have a recording, of the last 200. Empty until they are loaded. */
export const useRecordedSessions = (personId: string): ReadonlySet<string> => {
  const { id } = useProject()
  const { data } = useLoad(`recorded sessions ${id} ${personId}`, async ({ signal }) => {
    const params = { path: { projectId: String(id) }, query: { person_id: [personId], limit: MAX_RECORDINGS } }
    const { results } = await dataOf(api.GET('/api/projects/{projectId}/session_recordings', { params, signal }))
    return new Set(results.map((recording) => recording.id))
  })
  return data ?? NONE
}
