import { useEffect } from 'preact/hooks'
import { formatWhole } from '../../lib/format.ts'
import { useLoad } from '../../lib/useLoad.ts'
import { runQuery } from '../../api/query.ts'
import { useLink, useProject } from '../../project.ts'

const EVERY_MS = 15_000
const ONLINE = {
  kind: 'HogQLQuery',
  query: `SELECT count(DISTINCT person_id) AS online FROM events
WHERE timestamp > now() - INTERVAL 5 MINUTE AND event != '$pageleave'`,
}

/** How many people were on the sites within five minutes. */
export const Online = () => {
  const { id } = useProject()
  const link = useLink()
  const { data, reload } = useLoad(`online ${id}`, async ({ signal }) => {
    const { results } = await runQuery(id, ONLINE, { signal })
    return Number((results as readonly (readonly unknown[])[])[0]?.[0] ?? 0)
  })
  useEffect(() => {
    const timer = setInterval(() => document.visibilityState === 'visible' && reload(), EVERY_MS)
    return () => clearInterval(timer)
  }, [reload])
  if (data === undefined) return null
  return (
    <a class="button plain" href={link('live')} title="People with an event in the last five minutes">
      <span aria-hidden="true" style={{ color: data > 0 ? 'var(--good)' : 'var(--muted)' }}>
        ●
      </span>
      {formatWhole(data)} online
    </a>
  )
}
