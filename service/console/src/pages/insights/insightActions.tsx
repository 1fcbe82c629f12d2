import { useState } from 'preact/hooks'
import type { Query } from '../../api/query.ts'
import { displayOf } from '../../insights/kinds.ts'
import { useQuery } from '../../lib/useQuery.ts'
import { useLink } from '../../project.ts'
import { AddToDashboard } from '../../ui/addToDashboard.tsx'
import { Code } from '../../ui/copy.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { Load } from '../../ui/states.tsx'
import { SaveEndpoint } from '../../ui/saveEndpoint.tsx'
import { titleOf } from '../../insights/kinds.ts'

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '')

/** Actions for the shown insight: show its SQL, open the SQL editor, add it to a dashboard, save it as an endpoint. */
export const InsightActions = ({
  query,
  saved,
}: {
  readonly query: Query | undefined
  /** Name of the endpoint that the insight was opened from. */
  readonly saved: string | undefined
}) => {
  const link = useLink()
  const [open, setOpen] = useState<'sql' | 'dashboard' | 'save'>()
  const close = () => setOpen(undefined)
  return (
    <>
      <a class="button" href={link('insights/sql')}>
        SQL editor
      </a>
      <button type="button" class="button" disabled={!query} onClick={() => setOpen('sql')}>
        Show SQL
      </button>
      <button type="button" class="button" disabled={!query} onClick={() => setOpen('dashboard')}>
        Add to dashboard
      </button>
      <button type="button" class="button primary" disabled={!query} onClick={() => setOpen('save')}>
        Save as endpoint
      </button>
      {query && open === 'sql' && <SqlOf query={query} onClose={close} />}
      {query && open === 'save' && <SaveEndpoint query={query} initialName={saved} onClose={close} />}
      {query && open === 'dashboard' && (
        <AddToDashboard
          tile={{ title: saved ?? titleOf(query), display: displayOf(query), query: { ...query } }}
          onClose={close}
        />
      )}
    </>
  )
}

const SqlOf = ({ query, onClose }: { readonly query: Query; readonly onClose: () => void }) => {
  const loaded = useQuery(query, { debug: true })
  return (
    <Dialog title="SQL of this insight" isWide onClose={onClose}>
      <p class="muted">
        The engine runs this statement. The query below it is what the API takes: save it as an endpoint, or send it to
        the query route.
      </p>
      <Load of={loaded}>
        {(data) => <Code label="SQL of the engine" text={textOf(data.hogql ?? data.clickhouse)} wraps />}
      </Load>
      <Code label="Query of the API" text={JSON.stringify(query, undefined, 2)} />
    </Dialog>
  )
}
