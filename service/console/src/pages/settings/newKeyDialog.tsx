import { useState } from 'preact/hooks'
import { api, dataOf } from '../../api/client.ts'
import { useMutation } from '../../lib/useMutation.ts'
import { useProject } from '../../project.ts'
import { Dialog } from '../../ui/dialog.tsx'
import { TextInput } from '../../ui/inputs.tsx'
import { Failed } from '../../ui/states.tsx'
import { AGENT_SCOPES, AgentAccess } from './agentAccess.tsx'
import { SecretDialog } from './secretDialog.tsx'
import styles from './settings.module.css'

const isRead = (scope: string) => scope.endsWith(':read')

/** Creates a key with a label and scopes, and shows its secret once. */
export const NewKeyDialog = ({
  scopes,
  ownProjects,
  onCreated,
  onClose,
}: {
  /** Scopes of the key of this session, which it can pass on. */
  readonly scopes: readonly string[]
  readonly ownProjects: readonly number[] | null
  readonly onCreated: () => void
  readonly onClose: () => void
}) => {
  const project = useProject()
  const [label, setLabel] = useState('')
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set())
  const [isForAll, setForAll] = useState(false)
  const { run, isRunning, error } = useMutation(() =>
    dataOf(
      api.POST('/api/personal_api_keys', {
        body: { label: label.trim(), scopes: [...chosen], scoped_teams: isForAll ? null : [project.id] },
      }),
    ),
  )
  const [secret, setSecret] = useState<string>()
  const submit = async (event: Event) => {
    event.preventDefault()
    const created = await run()
    if (!created) return
    setSecret(created.value)
    onCreated()
  }
  const toggle = (scope: string) => {
    const next = new Set(chosen)
    if (!next.delete(scope)) next.add(scope)
    setChosen(next)
  }
  if (secret)
    return (
      <SecretDialog title={`The key ${label}`} secret={secret} onClose={onClose}>
        {AGENT_SCOPES.some((scope) => chosen.has(scope)) && (
          <details>
            <summary>Connect an agent with this key</summary>
            <AgentAccess secret={secret} projectId={isForAll ? project.id : undefined} />
          </details>
        )}
      </SecretDialog>
    )
  return (
    <Dialog title="New key" onClose={onClose}>
      <form class="stack" onSubmit={(event) => void submit(event)}>
        <TextInput
          label="Label"
          hint="Who or what uses the key, such as “Ada” or “billing job”."
          isRequired
          value={label}
          onChange={setLabel}
        />
        <fieldset class={styles.scopes}>
          <legend>Scopes</legend>
          <div class="row">
            <button type="button" class="button" onClick={() => setChosen(new Set(scopes))}>
              All
            </button>
            <button type="button" class="button" onClick={() => setChosen(new Set(scopes.filter(isRead)))}>
              Reading only
            </button>
            <button
              type="button"
              class="button"
              onClick={() => setChosen(new Set(scopes.filter((scope) => AGENT_SCOPES.includes(scope))))}
            >
              For an agent
            </button>
            <button type="button" class="button" onClick={() => setChosen(new Set())}>
              None
            </button>
          </div>
          <div class={styles.checks}>
            {scopes.map((scope) => (
              <label key={scope} class="mono">
                <input type="checkbox" checked={chosen.has(scope)} onChange={() => toggle(scope)} /> {scope}
              </label>
            ))}
          </div>
        </fieldset>
        {ownProjects === null && (
          <label>
            <input type="checkbox" checked={isForAll} onChange={(event) => setForAll(event.currentTarget.checked)} />{' '}
            For all projects, not only {project.name}
          </label>
        )}
        {error && <Failed error={error} />}
        <div class="row">
          <button type="submit" class="button primary" disabled={isRunning || chosen.size === 0}>
            Create the key
          </button>
          {chosen.size === 0 && <span class="small muted">Choose at least one scope.</span>}
        </div>
      </form>
    </Dialog>
  )
}
