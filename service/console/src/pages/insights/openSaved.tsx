import { useEffect } from 'preact/hooks'
import { api, dataOf } from '../../api/client.ts'
import type { Query } from '../../api/query.ts'
import { pathPart } from '../../lib/pathPart.ts'
import { useLoad } from '../../lib/useLoad.ts'
import { useLink, useProject } from '../../project.ts'
import { navigate } from '../../router.ts'
import { PageHead } from '../../ui/pageHead.tsx'
import { Empty, Load } from '../../ui/states.tsx'
import { settingsOf } from '../../insights/savedInsight.ts'

/** Opens the insight of an endpoint in the builder, with all its settings. */
export const OpenSaved = ({ name }: { readonly name: string }) => {
  const { id } = useProject()
  const loaded = useLoad(`endpoint ${id} ${name} `, ({ signal }) =>
    dataOf(
      api.GET('/api/projects/{projectId}/endpoints/{name}', {
        params: { path: { projectId: String(id), name } },
        signal,
      }),
    ),
  )
  return (
    <>
      <PageHead title="Insights" />
      <Load of={loaded}>{({ query }) => <Opened name={name} query={query} />}</Load>
    </>
  )
}

const Opened = ({ name, query }: { readonly name: string; readonly query: Query }) => {
  const link = useLink()
  const settings = settingsOf(query)
  useEffect(() => {
    if (settings) navigate(link('insights', [...settings, ['saved', name]]), { replace: true })
  }, [])
  if (settings) return null
  return (
    <Empty title="The builder does not have all settings of this insight">
      <p>It would lose some of them. Edit the insight as JSON instead.</p>
      <a class="button" href={link(`endpoints/${pathPart(name)}`)}>
        Open {name}
      </a>
    </Empty>
  )
}
