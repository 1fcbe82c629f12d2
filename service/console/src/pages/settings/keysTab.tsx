import { useState } from 'preact/hooks'
import { api, dataOf } from '../../api/client.ts'
import type { ResponseOf } from '../../api/inProject.ts'
import { formatAgo, formatDate, formatDateTime } from '../../lib/format.ts'
import { type Loaded, useLoad } from '../../lib/useLoad.ts'
import { useProject } from '../../project.ts'
import { Icon } from '../../ui/icon.tsx'
import { Card } from '../../ui/pageHead.tsx'
import { Load } from '../../ui/states.tsx'
import { type Column, Table } from '../../ui/table.tsx'
import { AgentAccess } from './agentAccess.tsx'
import { KeyActions } from './keyActions.tsx'
import { NewKeyDialog } from './newKeyDialog.tsx'
import { RunTokens } from './runTokens.tsx'
import type { Key } from './key.ts'

export type Session = ResponseOf<'/api/console/session', 'get'>

/** Personal API keys, and the revocation of run tokens. */
export const KeysTab = () => {
  const keys = useLoad('keys', ({ signal }) => dataOf(api.GET('/api/personal_api_keys', { signal })))
  const session = useLoad('own session', ({ signal }) => dataOf(api.GET('/api/console/session', { signal })))
  const [isAdding, setAdding] = useState(false)
  return (
    <div class="stack">
      <Card
        title="Personal API keys"
        actions={
          <button type="button" class="button primary" disabled={!session.data} onClick={() => setAdding(true)}>
            <Icon name="plus" size={16} /> New key
          </button>
        }
      >
        <p class="muted" style={{ marginBottom: '0.75rem' }}>
          Backends use the API with a key, and people sign in to this console with one. A key is a secret: give each
          person and each program its own, with no more scopes than it needs.
        </p>
        <Load of={keys}>
          {({ results }) => <KeyTable keys={results} session={session} onChanged={() => keys.reload()} />}
        </Load>
      </Card>
      <Card title="Agents">
        <p class="muted" style={{ marginBottom: '0.75rem' }}>
          Claude, Cursor, VS Code and other agents read this project with a key. Its scopes decide which tools they
          have. They count people and do not list them, and change nothing unless the key was made for it.
        </p>
        <AgentAccess />
      </Card>
      <RunTokens />
      {isAdding && session.data && (
        <NewKeyDialog
          scopes={session.data.key.scopes}
          ownProjects={session.data.key.scoped_teams}
          onCreated={() => keys.reload()}
          onClose={() => setAdding(false)}
        />
      )}
    </div>
  )
}

const KeyTable = ({
  keys,
  session,
  onChanged,
}: {
  readonly keys: readonly Key[]
  readonly session: Loaded<Session>
  readonly onChanged: () => void
}) => {
  const { timezone } = useProject()
  const own = session.data?.key
  const columns: readonly Column<Key>[] = [
    {
      key: 'label',
      title: 'Label',
      cell: ({ id, label }) => (
        <>
          <strong>{label}</strong> {id === own?.id && <span class="badge">Signed in here</span>}
        </>
      ),
    },
    { key: 'value', title: 'Key', cell: ({ mask_value: mask }) => <code>{mask}</code> },
    {
      key: 'scopes',
      title: 'Scopes',
      cell: ({ scopes }) => (
        <details>
          <summary>{scopes.length === 1 ? scopes[0] : `${scopes.length} scopes`}</summary>
          <ul class="small mono">
            {scopes.map((scope) => (
              <li key={scope}>{scope}</li>
            ))}
          </ul>
        </details>
      ),
    },
    {
      key: 'projects',
      title: 'Projects',
      cell: ({ scoped_teams: projects }) => (projects ? projects.join(', ') : 'All'),
    },
    {
      key: 'used',
      title: 'Last used',
      cell: ({ last_used_at: at }) =>
        at ? <span title={formatDateTime(at, timezone)}>{formatAgo(at)}</span> : <span class="muted">never</span>,
    },
    {
      key: 'created',
      title: 'Created',
      cell: ({ created_at: at, previous_value_until: until }) => (
        <>
          {formatDate(at, timezone)}
          {until && <span class="small muted"> · the old secret works until {formatDateTime(until, timezone)}</span>}
        </>
      ),
    },
    {
      key: 'actions',
      title: <span class="visually-hidden">Actions</span>,
      cell: (key) => <KeyActions apiKey={key} isOwn={key.id === own?.id} onChanged={onChanged} />,
    },
  ]
  return <Table caption="Personal API keys" columns={columns} rows={keys} rowKey={({ id }) => id} />
}
