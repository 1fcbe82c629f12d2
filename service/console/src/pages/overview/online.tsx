import { useEffect } from 'preact/hooks'
import { formatWhole } from '../../lib/format.ts'
import { useLoad } from '../../lib/useLoad.ts'
import { api, ask } from '../../api/client.ts'
import { useLink, useProject } from '../../project.ts'

const EVERY_MS = 15_000

/** How many people were on the sites within five minutes. */
export const Online = () => {
  const { id } = useProject()
  const link = useLink()
  const { data, reload } = useLoad(`online ${id}`, ({ signal }) =>
    ask(api.GET('/api/projects/{projectId}/web/online', { params: { path: { projectId: String(id) } }, signal })),
  )
  useEffect(() => {
    const timer = setInterval(() => document.visibilityState === 'visible' && reload(), EVERY_MS)
    return () => clearInterval(timer)
  }, [reload])
  if (!data) return null
  return (
    <a class="button plain" href={link('live')} title="People with an event in the last five minutes">
      <span aria-hidden="true" style={{ color: data.online > 0 ? 'var(--good)' : 'var(--muted)' }}>
        ●
      </span>
      {formatWhole(data.online)} online
    </a>
  )
}
