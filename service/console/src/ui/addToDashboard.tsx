import { useState } from 'preact/hooks'
import { createDashboard, type Dashboard, type TileChoice } from '../api/dashboards.ts'
import { api, dataOf } from '../api/client.ts'
import { inProject } from '../api/inProject.ts'
import { addTile } from '../lib/addTile.ts'
import { useLoad } from '../lib/useLoad.ts'
import { useMutation } from '../lib/useMutation.ts'
import { useLink, useProject } from '../project.ts'
import { navigate } from '../router.ts'
import { Dialog } from './dialog.tsx'
import { Icon } from './icon.tsx'
import { TextInput } from './inputs.tsx'
import { Rows } from './rows.tsx'
import { Failed, Load } from './states.tsx'
import { toast } from './toast.tsx'

/** Asks for a dashboard, or the name of a new one, and adds a tile to it. Then shows the dashboard. */
export const AddToDashboard = ({ tile, onClose }: { readonly tile: TileChoice; readonly onClose: () => void }) => {
  const { id } = useProject()
  const link = useLink()
  const [name, setName] = useState('')
  const dashboards = useLoad(`dashboards ${id}`, ({ signal }) =>
    dataOf(api.GET('/api/projects/{projectId}/dashboards', { params: inProject(id), signal })),
  )
  const { run, isRunning, error } = useMutation(async (chosen: Dashboard | undefined) =>
    addTile(id, (chosen ?? (await createDashboard(id, name.trim() || name))).id, tile),
  )
  const add = async (chosen?: Dashboard) => {
    const changed = await run(chosen)
    if (!changed) return
    onClose()
    toast(`Added to ${changed.name}.`)
    navigate(link(`dashboards/${changed.id}`))
  }
  return (
    <Dialog title="Add to dashboard" onClose={onClose}>
      <div class="stack">
        {error && <Failed error={error} />}
        <Load of={dashboards}>
          {({ results }) => (
            <ul class="stack" aria-label="Dashboards">
              <Rows of={results} keyOf={(each) => each.id}>
                {(each) => (
                  <li>
                    <button type="button" class="button" disabled={isRunning} onClick={() => void add(each)}>
                      <Icon name="dashboards" size={16} /> <bdi>{each.name}</bdi>
                    </button>
                  </li>
                )}
              </Rows>
            </ul>
          )}
        </Load>
        <form
          class="stack"
          onSubmit={(event) => {
            event.preventDefault()
            void add()
          }}
        >
          <TextInput label="New dashboard" isRequired maxLength={200} value={name} onChange={setName} />
          <div class="row">
            <button type="submit" class="button" disabled={isRunning}>
              Create and add
            </button>
          </div>
        </form>
      </div>
    </Dialog>
  )
}
