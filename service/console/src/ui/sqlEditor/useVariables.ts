import { api, dataOf } from '../../api/client.ts'
import { type Loaded, useLoad } from '../../lib/useLoad.ts'
import { useProject } from '../../project.ts'

export const VARIABLE_TYPES = ['String', 'Number', 'Boolean', 'Date', 'List'] as const
export type VariableTypeName = (typeof VARIABLE_TYPES)[number]

/** A variable of queries. */
export interface Variable {
  readonly code_name: string
  readonly type: string
  readonly default_value?: unknown
  /** Choices of a List. */
  readonly values: readonly string[]
}

/** The variables of the current project. */
export const useVariables = (): Loaded<readonly Variable[]> => {
  const { id } = useProject()
  return useLoad(`variables ${id}`, async ({ signal }) => {
    const params = { path: { projectId: String(id) } }
    const { results } = await dataOf(api.GET('/api/projects/{projectId}/insight_variables', { params, signal }))
    return results
  })
}

/**
 * Returns a variable's value from what was typed. A value of another type stays a string, and the API responds with the
 * expected type.
 */
export const toVariableValue = (type: string, text: string): unknown => {
  if (type === 'Number') return text.trim() === '' || Number.isNaN(Number(text)) ? text : Number(text)
  if (type === 'Boolean') return text === 'true' ? true : text === 'false' ? false : text
  return text
}

/** Returns what a variable's input shows at first. */
export const initialText = (variable: Variable | undefined): string => {
  const value = variable?.default_value
  if (value === null || value === undefined) return variable?.type === 'Boolean' ? 'true' : (variable?.values[0] ?? '')
  return typeof value === 'string' ? value : JSON.stringify(value)
}
