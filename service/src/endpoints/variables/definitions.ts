import { ApiError } from '../../lib/apiError.ts'
import { isUuid } from '../../lib/uuid.ts'
import type { Endpoint, EndpointVersion, Metadata, Variable, VariableSchema } from '../../storage/metadata/metadata.ts'
import { parseQuery } from '../../sql/compile.ts'
import { bindValue, type Takes } from './bindValue.ts'
import { schemaFault } from './schema.ts'
import type { VariableTypeName } from './types.ts'

/** A variable definition as the API returns it. */
export interface VariableView {
  readonly id: string
  readonly name: string
  readonly code_name: string
  readonly type: string
  readonly default_value: unknown
  readonly values: readonly string[]
  readonly schema: VariableSchema | null
  readonly created_at: string
}

export interface VariableInput {
  readonly name: string
  readonly code_name?: string
  readonly type: VariableTypeName
  readonly default_value?: unknown
  readonly values?: readonly (string | number | boolean)[]
  /** Null removes the schema. */
  readonly schema?: VariableSchema | null
}

export interface VariableDefinitions {
  list(projectId: number): Promise<VariableView[]>
  get(projectId: number, id: string): Promise<VariableView>
  create(projectId: number, input: VariableInput): Promise<VariableView>
  update(projectId: number, id: string, changes: Partial<VariableInput>): Promise<VariableView>
  remove(projectId: number, id: string): Promise<void>
}

const CODE_NAME = /^[A-Za-z_][A-Za-z0-9_]{0,199}$/

/** Returns the default code name of a variable: `Plan name` becomes `plan_name`. */
export const codeNameOf = (name: string): string =>
  name
    .replace(/[^A-Za-z0-9 _]/g, '')
    .trim()
    .replace(/ /g, '_')
    .toLowerCase()

const toView = ({ id, name, codeName, type, defaultValue, values, schema, createdAt }: Variable): VariableView => ({
  id,
  name,
  code_name: codeName,
  type,
  default_value: defaultValue,
  values,
  schema: schema ?? null,
  created_at: createdAt,
})

/** Throws `ApiError` unless the type, values, schema and default of a variable are consistent. */
const checkTakes = (takes: Takes, defaultValue: unknown) => {
  const { type, values, schema } = takes
  if (values.length && type !== 'List')
    throw new ApiError('invalid_input', { detail: 'Only a variable of type List has "values".', attr: 'values' })
  const wrong = schema && schemaFault(schema, type)
  if (wrong) throw new ApiError('invalid_input', { detail: `"schema" ${wrong}.`, attr: 'schema' })
  if (defaultValue === undefined || defaultValue === null) return
  const { fault } = bindValue(takes, defaultValue)
  if (fault)
    throw new ApiError('invalid_input', {
      detail: `"default_value" of this ${type} ${fault.message}, or is null.`,
      attr: 'default_value',
    })
}

/**
 * Returns the code names of the variables in queries. Insights have none, nor has a query that does not parse in this
 * version of the service.
 */
const variablesOf = ({ query }: EndpointVersion): readonly string[] => {
  try {
    return parseQuery((query as { query: string }).query).variables
  } catch {
    return []
  }
}

export const createVariableDefinitions = ({
  variables,
  endpoints,
}: Pick<Metadata, 'variables' | 'endpoints'>): VariableDefinitions => {
  const find = async (projectId: number, id: string): Promise<Variable> => {
    const found = isUuid(id) ? await variables.get(projectId, id.toLowerCase()) : undefined
    if (!found) throw new ApiError('not_found', { detail: 'This project has no variable with this id.' })
    return found
  }

  const usersOf = async (projectId: number, codeName: string): Promise<Endpoint[]> => {
    const all = await endpoints.list(projectId)
    const uses = await Promise.all(
      all.map(async ({ id }) =>
        (await endpoints.versions(id)).some((version) => variablesOf(version).includes(codeName)),
      ),
    )
    return all.filter((_, index) => uses[index])
  }

  const rejectIfUsed = async (projectId: number, codeName: string, what: string) => {
    const users = await usersOf(projectId, codeName)
    if (users.length) {
      throw new ApiError('variable_in_use', {
        detail: `{variables.${codeName}} is used by these endpoints and cannot ${what}: ${users.map(({ name }) => name).join(', ')}.`,
        extra: { used_by: users.map(({ name }) => name) },
      })
    }
  }

  return {
    list: async (projectId) => (await variables.list(projectId)).map(toView),
    get: async (projectId, id) => toView(await find(projectId, id)),

    async create(projectId, { name, code_name, type, default_value, values = [], schema }) {
      const codeName = code_name ?? codeNameOf(name)
      if (!CODE_NAME.test(codeName)) {
        const attr = code_name === undefined ? 'name' : 'code_name'
        throw new ApiError('invalid_input', {
          detail: `"${codeName}" is not a valid code name. It must start with a letter or _, followed by letters, digits and _.`,
          attr,
        })
      }
      const takes = { type, values: values.map(String), schema: schema ?? undefined }
      checkTakes(takes, default_value)
      const created = await variables.create(projectId, {
        name,
        codeName,
        ...takes,
        defaultValue: default_value ?? null,
      })
      if (!created) {
        throw new ApiError('name_taken', {
          detail: `This project already has a variable with the code name "${codeName}".`,
          attr: code_name === undefined ? 'name' : 'code_name',
        })
      }
      return toView(created)
    },

    async update(projectId, id, changes) {
      const found = await find(projectId, id)
      if (changes.code_name !== undefined && changes.code_name !== found.codeName) {
        throw new ApiError('invalid_input', {
          detail: 'The code name of a variable cannot change, because queries refer to it.',
          attr: 'code_name',
        })
      }
      const type = changes.type ?? (found.type as VariableTypeName)
      const values = changes.values?.map(String) ?? (type === 'List' ? found.values : [])
      // A schema belongs to a type: changing the type removes it.
      const schema =
        changes.schema === undefined ? (type === found.type ? found.schema : undefined) : (changes.schema ?? undefined)
      if (type !== found.type) await rejectIfUsed(projectId, found.codeName, 'change its type')
      checkTakes(
        { type, values, schema },
        changes.default_value === undefined ? found.defaultValue : changes.default_value,
      )
      const updated = await variables.update(projectId, found.id, {
        name: changes.name,
        type,
        defaultValue: changes.default_value,
        values,
        schema: schema ?? null,
      })
      return toView(updated!)
    },

    async remove(projectId, id) {
      const found = await find(projectId, id)
      await rejectIfUsed(projectId, found.codeName, 'be deleted')
      await variables.remove(projectId, found.id)
    },
  }
}
