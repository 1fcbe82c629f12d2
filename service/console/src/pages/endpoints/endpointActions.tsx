import { useState } from 'preact/hooks'
import { api, dataOf } from '../../api/client.ts'
import { displayOf, isBuilt } from '../../insights/kinds.ts'
import { useMutation } from '../../lib/useMutation.ts'
import { useLink, useProject } from '../../project.ts'
import { navigate } from '../../router.ts'
import { ShareButton } from '../../shares/shareDialog.tsx'
import { AddToDashboard } from '../../ui/addToDashboard.tsx'
import { DeleteDialog } from '../../ui/deleteDialog.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { Field } from '../../ui/field.tsx'
import { TextArea } from '../../ui/inputs.tsx'
import { Failed } from '../../ui/states.tsx'
import { changeEndpoint, type Endpoint, endpointPath, FRESHNESS, type TabProps } from './endpointApi.ts'

/** Opens the endpoint's insight, adds it to a dashboard, changes, deactivates or deletes the endpoint. */
export const EndpointActions = ({ endpoint, onChanged }: TabProps) => {
  const { id } = useProject()
  const link = useLink()
  const [open, setOpen] = useState<'dashboard' | 'edit' | 'delete'>()
  const isActive = endpoint.endpoint_is_active ?? endpoint.is_active
  const { run, isRunning, error } = useMutation(() => changeEndpoint(id, endpoint.name, { is_active: !isActive }))
  const close = () => setOpen(undefined)
  return (
    <>
      {isBuilt(endpoint.query) && (
        <a class="button" href={link('insights', { insight: endpoint.name })}>
          Open in Insights
        </a>
      )}
      <button type="button" class="button" onClick={() => setOpen('dashboard')}>
        Add to dashboard
      </button>
      <ShareButton
        shared={{
          endpoint: endpoint.name,
          name: endpoint.name,
          version: endpoint.current_version,
          display: displayOf(endpoint.query),
        }}
      />
      <button type="button" class="button" onClick={() => setOpen('edit')}>
        Edit
      </button>
      <button
        type="button"
        class="button"
        disabled={isRunning}
        onClick={() => void run().then((changed) => changed && onChanged())}
      >
        {isActive ? 'Deactivate' : 'Activate'}
      </button>
      <button type="button" class="button danger" onClick={() => setOpen('delete')}>
        Delete
      </button>
      {error && <Failed error={error} />}
      {open === 'dashboard' && (
        <AddToDashboard
          tile={{ title: endpoint.name, display: displayOf(endpoint.query), endpoint: endpoint.name }}
          onClose={close}
        />
      )}
      {open === 'edit' && <EditDialog endpoint={endpoint} onChanged={onChanged} onClose={close} />}
      {open === 'delete' && <DeleteEndpoint endpoint={endpoint} onClose={close} />}
    </>
  )
}

const EditDialog = ({ endpoint, onChanged, onClose }: TabProps & { readonly onClose: () => void }) => {
  const { id } = useProject()
  const [description, setDescription] = useState(endpoint.description)
  const [freshness, setFreshness] = useState(endpoint.data_freshness_seconds)
  const { run, isRunning, error } = useMutation(() =>
    changeEndpoint(id, endpoint.name, { description, data_freshness_seconds: freshness }),
  )
  const submit = async (event: Event) => {
    event.preventDefault()
    if (!(await run())) return
    onChanged()
    onClose()
  }
  return (
    <Dialog title={`Edit ${endpoint.name}`} onClose={onClose}>
      <form class="stack" onSubmit={(event) => void submit(event)}>
        <TextArea label="Description" value={description} onChange={setDescription} />
        <Field label="Freshness" hint="A response may be cached this long, but not beyond the next event.">
          {(attributes) => (
            <select
              {...attributes}
              class="input"
              value={freshness}
              onChange={(event) => setFreshness(Number(event.currentTarget.value))}
            >
              {FRESHNESS.map(({ seconds, label }) => (
                <option key={seconds} value={seconds}>
                  {label}
                </option>
              ))}
            </select>
          )}
        </Field>
        {error && <Failed error={error} />}
        <div class="row">
          <button type="submit" class="button primary" disabled={isRunning}>
            Save
          </button>
          <button type="button" class="button" onClick={onClose}>
            Cancel
          </button>
        </div>
      </form>
    </Dialog>
  )
}

const DeleteEndpoint = ({ endpoint, onClose }: { readonly endpoint: Endpoint; readonly onClose: () => void }) => {
  const { id } = useProject()
  const link = useLink()
  return (
    <DeleteDialog
      name={endpoint.name}
      action="Delete"
      remove={() =>
        dataOf(api.DELETE('/api/projects/{projectId}/endpoints/{name}', { params: endpointPath(id, endpoint.name) }))
      }
      onDeleted={() => navigate(link('endpoints'))}
      onClose={onClose}
    >
      Its {endpoint.versions_count} versions are deleted too, and programs that run it get an error. Events stay.
    </DeleteDialog>
  )
}
