import { useState } from 'preact/hooks'
import { api, dataOf } from '../api/client.ts'
import type { Query } from '../api/query.ts'
import { useLoad } from '../lib/useLoad.ts'
import { useMutation } from '../lib/useMutation.ts'
import { useLink, useProject } from '../project.ts'
import { navigate } from '../router.ts'
import { Dialog } from './dialog.tsx'
import { TextArea, TextInput } from './inputs.tsx'
import { Failed } from './states.tsx'
import { toast } from './toast.tsx'
import { pathPart } from '../lib/pathPart.ts'

const useNames = (projectId: number): readonly string[] => {
  const { data } = useLoad(`endpoint names ${projectId}`, async ({ signal }) => {
    const path = { projectId: String(projectId) }
    const { results } = await dataOf(api.GET('/api/projects/{projectId}/endpoints', { params: { path }, signal }))
    return results.map(({ name }) => name)
  })
  return data ?? []
}

/**
 * Asks for a name and saves a query as an endpoint. With the name of an endpoint, the query becomes its next version, or
 * is rejected if the endpoint must be new.
 */
export const SaveEndpoint = ({
  query,
  mustBeNew = false,
  initialName = '',
  onClose,
}: {
  readonly query: Query
  readonly mustBeNew?: boolean
  readonly initialName?: string | undefined
  readonly onClose: () => void
}) => {
  const { id } = useProject()
  const link = useLink()
  const [name, setName] = useState(initialName)
  const [description, setDescription] = useState('')
  const isKnown = useNames(id).includes(name)
  const { run, isRunning, error } = useMutation(() => {
    const path = { projectId: String(id) }
    const fields = { query, ...(description ? { description } : {}) }
    return mustBeNew
      ? dataOf(api.POST('/api/projects/{projectId}/endpoints', { params: { path }, body: { name, ...fields } }))
      : dataOf(
          api.PUT('/api/projects/{projectId}/endpoints/{name}', { params: { path: { ...path, name } }, body: fields }),
        )
  })
  const submit = async (event: Event) => {
    event.preventDefault()
    const saved = await run()
    if (!saved) return
    onClose()
    toast(`Saved as ${saved.name}, version ${saved.current_version}.`)
    navigate(link(`endpoints/${pathPart(saved.name)}`))
  }
  return (
    <Dialog title={mustBeNew ? 'New endpoint' : 'Save as endpoint'} onClose={onClose}>
      <form class="stack" onSubmit={(event) => void submit(event)}>
        <p class="muted">Programs run an endpoint by its name, with values for its variables.</p>
        <TextInput
          label="Name"
          hint={
            !isKnown
              ? 'Letters, digits, - and _.'
              : mustBeNew
                ? 'This endpoint exists. Choose another name.'
                : 'This endpoint exists. The query becomes its next version.'
          }
          isCode
          isRequired
          value={name}
          onChange={setName}
        />
        <TextArea label="Description" value={description} onChange={setDescription} />
        {error && <Failed error={error} />}
        <div class="row">
          <button type="submit" class="button primary" disabled={isRunning || (isKnown && mustBeNew)}>
            {mustBeNew ? 'Create' : isKnown ? 'Save as next version' : 'Save'}
          </button>
          <button type="button" class="button" onClick={onClose}>
            Cancel
          </button>
        </div>
      </form>
    </Dialog>
  )
}
