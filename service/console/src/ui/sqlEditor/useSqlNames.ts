import { useMemo } from 'preact/hooks'
import { api, dataOf } from '../../api/client.ts'
import { useLoad } from '../../lib/useLoad.ts'
import { useProject } from '../../project.ts'
import { usePropertyNames } from '../propertySelect.tsx'
import type { SqlNames } from './completions.ts'
import { useVariables } from './useVariables.ts'

/** Everything that SQL of the current project can name. `undefined` until the tables are loaded. */
export const useSqlNames = (): SqlNames | undefined => {
  const { id } = useProject()
  const params = { path: { projectId: String(id) } }
  const { data: schema } = useLoad(`schema ${id}`, ({ signal }) =>
    dataOf(api.GET('/api/projects/{projectId}/schema', { params, signal })),
  )
  const eventProperties = usePropertyNames('event')
  const personProperties = usePropertyNames('person')
  const { data: variables } = useVariables()
  return useMemo(
    () =>
      schema && {
        ...schema,
        eventProperties,
        personProperties,
        variables: variables?.map(({ code_name }) => code_name) ?? [],
      },
    [schema, eventProperties.length, personProperties.length, variables],
  )
}
