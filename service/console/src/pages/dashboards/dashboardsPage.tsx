import { useState } from 'preact/hooks'
import { api, dataOf } from '../../api/client.ts'
import { createDashboard } from '../../api/dashboards.ts'
import { inProject } from '../../api/inProject.ts'
import { formatAgo } from '../../lib/format.ts'
import { useLoad } from '../../lib/useLoad.ts'
import { useMutation } from '../../lib/useMutation.ts'
import { useLink, useProject } from '../../project.ts'
import { navigate } from '../../router.ts'
import { Dialog } from '../../ui/dialog.tsx'
import { TextInput } from '../../ui/inputs.tsx'
import { Icon } from '../../ui/icon.tsx'
import { PageHead } from '../../ui/pageHead.tsx'
import { Empty, Load } from '../../ui/states.tsx'
import styles from './dashboards.module.css'
import { Rows } from '../../ui/rows.tsx'

/** The dashboards of a project. The service creates the first one. */
export const DashboardsPage = () => {
  const { id } = useProject()
  const link = useLink()
  const [isAdding, setAdding] = useState(false)
  const dashboards = useLoad(`dashboards ${id}`, ({ signal }) =>
    dataOf(api.GET('/api/projects/{projectId}/dashboards', { params: inProject(id), signal })),
  )
  return (
    <>
      <PageHead title="Dashboards" about="Charts, numbers and tables of what you watch, on one page.">
        <button type="button" class="button primary" onClick={() => setAdding(true)}>
          <Icon name="plus" size={16} /> New dashboard
        </button>
      </PageHead>
      <Load of={dashboards}>
        {({ results }) =>
          results.length ? (
            <ul class={styles.list}>
              <Rows of={results} keyOf={(each) => each.id}>
                {(each) => (
                  <li>
                    <a class={styles.entry} href={link(`dashboards/${each.id}`)}>
                      <h2>{each.name}</h2>
                      {each.description && <span class="muted">{each.description}</span>}
                      <span class="small muted">
                        {each.tiles.length === 1 ? '1 tile' : `${each.tiles.length} tiles`}, changed{' '}
                        {formatAgo(each.updated_at)}
                      </span>
                    </a>
                  </li>
                )}
              </Rows>
            </ul>
          ) : (
            <Empty title="No dashboards">
              <p>A dashboard shows endpoints and queries as charts, numbers and tables, for the dates you choose.</p>
              <button type="button" class="button primary" onClick={() => setAdding(true)}>
                Create a dashboard
              </button>
            </Empty>
          )
        }
      </Load>
      {isAdding && <NewDialog onClose={() => setAdding(false)} />}
    </>
  )
}

const NewDialog = ({ onClose }: { readonly onClose: () => void }) => {
  const { id } = useProject()
  const link = useLink()
  const [name, setName] = useState('')
  const { run, isRunning, error } = useMutation(() => createDashboard(id, name.trim() || name))
  const submit = async (event: Event) => {
    event.preventDefault()
    const created = await run()
    if (created) navigate(link(`dashboards/${created.id}`, { edit: '1' }))
  }
  return (
    <Dialog title="New dashboard" onClose={onClose}>
      <form class="stack" onSubmit={(event) => void submit(event)}>
        <TextInput label="Name" error={error?.message} isRequired maxLength={200} value={name} onChange={setName} />
        <div class="row">
          <button type="submit" class="button primary" disabled={isRunning}>
            Create
          </button>
          <button type="button" class="button" onClick={onClose}>
            Cancel
          </button>
        </div>
      </form>
    </Dialog>
  )
}
