import { useEffect } from 'preact/hooks'
import { api, dataOf } from '../../api/client.ts'
import { inProject } from '../../api/inProject.ts'
import { formatAgo } from '../../lib/format.ts'
import { REMEDIES } from '../../lib/rejectionRemedies.ts'
import { useLoad } from '../../lib/useLoad.ts'
import { useLink, useProject } from '../../project.ts'

const EVERY_MS = 5_000

/** The latest rejected event: a likely reason why a new project still waits. */
export const LastRejection = () => {
  const { id } = useProject()
  const link = useLink()
  const { data, reload } = useLoad(`last rejection ${id}`, ({ signal }) =>
    dataOf(
      api.GET('/api/projects/{projectId}/refused_events', {
        params: { ...inProject(id), query: { limit: 1 } },
        signal,
      }),
    ),
  )
  useEffect(() => {
    const timer = setInterval(() => document.visibilityState === 'visible' && reload(), EVERY_MS)
    return () => clearInterval(timer)
  }, [reload])
  const last = data?.results[0]
  if (!last) return null
  return (
    <div class="notice warning" role="status">
      <p>
        An event arrived {formatAgo(last.refused_at)}, but was rejected: {last.detail} {REMEDIES[last.code]}
      </p>
      <div class="row">
        <a href={link('settings', { tab: 'rejected' })}>All rejected events</a>
      </div>
    </div>
  )
}
