import { useEffect, useState } from 'preact/hooks'
import { readStored, writeStored } from '../../lib/stored.ts'
import { useLink, useProject } from '../../project.ts'
import { search, setSearch } from '../../router.ts'
import { PageHead } from '../../ui/pageHead.tsx'
import { SaveEndpoint } from '../../ui/saveEndpoint.tsx'
import { SqlWorkbench } from '../../ui/sqlEditor/sqlWorkbench.tsx'

const EXAMPLE = `SELECT event, count() AS events, uniq(person_id) AS people
FROM events
WHERE timestamp >= now() - INTERVAL 7 DAY
GROUP BY event
ORDER BY events DESC
LIMIT 100`

/** Longer queries are not stored in the URL. */
const MAX_URL_TEXT = 4_000

/** Edited SQL, and the URL's query at that time. A link with another query shows that query instead. */
interface Draft {
  readonly sql: string
  readonly ofUrl: string | null
}

/** An editor of SQL. The last query that ran is in the URL; what was written since survives reloads. */
export const SqlPage = () => {
  const { id } = useProject()
  const link = useLink()
  const name = `sql:${id}`
  const ofUrl = search.value.get('q')
  const [sql, setSql] = useState(() => {
    const draft = readStored<Draft>(name)
    return draft && (ofUrl === null || draft.ofUrl === ofUrl) ? draft.sql : (ofUrl ?? EXAMPLE)
  })
  // Back and Forward walk through the queries that ran.
  useEffect(() => {
    if (ofUrl !== null && readStored<Draft>(name)?.ofUrl !== ofUrl) setSql(ofUrl)
  }, [ofUrl])
  const [isSaving, setSaving] = useState(false)
  const change = (text: string) => {
    setSql(text)
    writeStored(name, { sql: text, ofUrl } satisfies Draft)
  }
  const showRun = (text: string) => {
    const inUrl = text.length <= MAX_URL_TEXT ? text : null
    writeStored(name, { sql: text, ofUrl: inUrl } satisfies Draft)
    setSearch({ q: inUrl ?? undefined })
  }
  return (
    <div class="stack">
      <PageHead title="SQL">
        <a class="button" href={link('insights')}>
          Insights
        </a>
        <button type="button" class="button" disabled={sql.trim() === ''} onClick={() => setSaving(true)}>
          Save as endpoint
        </button>
      </PageHead>
      <SqlWorkbench label="SQL query" sql={sql} onChange={change} onRun={showRun} />
      {isSaving && <SaveEndpoint query={{ kind: 'HogQLQuery', query: sql }} onClose={() => setSaving(false)} />}
    </div>
  )
}
