import { useState } from 'preact/hooks'
import { api, dataOf } from '../../api/client.ts'
import { inProjectWithId } from '../../api/inProject.ts'
import { useLink, useProject } from '../../project.ts'
import { navigate } from '../../router.ts'
import { DeleteDialog } from '../../ui/deleteDialog.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { TextArea, TextInput } from '../../ui/inputs.tsx'
import { Icon } from '../../ui/icon.tsx'
import { Menu } from '../../ui/menu.tsx'
import type { Dashboard } from '../../api/dashboards.ts'
import type { DashboardDraft } from './dashboard.ts'

/** Renames and deletes a dashboard. */
export const DashboardMenu = ({
  dashboard,
  draft,
  onChange,
}: {
  readonly dashboard: Dashboard
  readonly draft: DashboardDraft
  readonly onChange: (changes: Partial<DashboardDraft>) => void
}) => {
  const link = useLink()
  const [dialog, setDialog] = useState<'rename' | 'delete'>()
  const open = (name: 'rename' | 'delete', close: () => void) => () => {
    close()
    setDialog(name)
  }
  return (
    <>
      <Menu label="More" buttonClass="button icon" button={<Icon name="more" />}>
        {(close) => (
          <>
            <button type="button" onClick={open('rename', close)}>
              Name and description
            </button>
            <a href={link('dashboards')}>All dashboards</a>
            <button type="button" onClick={open('delete', close)}>
              Delete
            </button>
          </>
        )}
      </Menu>
      {dialog === 'rename' && <RenameDialog draft={draft} onChange={onChange} onClose={() => setDialog(undefined)} />}
      {dialog === 'delete' && <DeleteDashboard dashboard={dashboard} onClose={() => setDialog(undefined)} />}
    </>
  )
}

const RenameDialog = ({
  draft,
  onChange,
  onClose,
}: {
  readonly draft: DashboardDraft
  readonly onChange: (changes: Partial<DashboardDraft>) => void
  readonly onClose: () => void
}) => {
  const [name, setName] = useState(draft.name)
  const [description, setDescription] = useState(draft.description)
  const submit = (event: Event) => {
    event.preventDefault()
    onChange({ name, description })
    onClose()
  }
  return (
    <Dialog title="Name and description" onClose={onClose}>
      <form class="stack" onSubmit={submit}>
        <TextInput label="Name" isRequired maxLength={200} value={name} onChange={setName} />
        <TextArea label="Description" maxLength={10_000} value={description} onChange={setDescription} />
        <div class="row">
          <button type="submit" class="button primary">
            Apply
          </button>
          <button type="button" class="button" onClick={onClose}>
            Cancel
          </button>
        </div>
      </form>
    </Dialog>
  )
}

const DeleteDashboard = ({ dashboard, onClose }: { readonly dashboard: Dashboard; readonly onClose: () => void }) => {
  const { id } = useProject()
  const link = useLink()
  return (
    <DeleteDialog
      name={dashboard.name}
      action="Delete the dashboard"
      remove={() =>
        dataOf(api.DELETE('/api/projects/{projectId}/dashboards/{id}', { params: inProjectWithId(id, dashboard.id) }))
      }
      onDeleted={() => navigate(link('dashboards'))}
      onClose={onClose}
    >
      Its tiles are deleted with it, for everyone. Endpoints and events stay.
    </DeleteDialog>
  )
}
