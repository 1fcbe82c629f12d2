import { api, dataOf } from '../../api/client.ts'
import { inProject } from '../../api/inProject.ts'
import { isBuilt } from '../../insights/kinds.ts'
import { useLoad } from '../../lib/useLoad.ts'
import { useLink, useProject } from '../../project.ts'
import { Menu } from '../../ui/menu.tsx'

/** The saved insights, which are endpoints, by their names. */
export const SavedMenu = () => {
  const { id } = useProject()
  const link = useLink()
  const { data } = useLoad(`saved insights ${id}`, async ({ signal }) => {
    const { results } = await dataOf(api.GET('/api/projects/{projectId}/endpoints', { params: inProject(id), signal }))
    return results.flatMap(({ name, query }) => (isBuilt(query) ? [name] : []))
  })
  return (
    <Menu button="Saved insights">
      {(close) => (
        <>
          {data?.map((name) => (
            <a key={name} href={link('insights', { insight: name })} onClick={close}>
              {name}
            </a>
          ))}
          {data?.length === 0 && <span class="muted small">None yet. Save an insight as an endpoint.</span>}
        </>
      )}
    </Menu>
  )
}
