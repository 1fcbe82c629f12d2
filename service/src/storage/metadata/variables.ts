import { randomUUID } from 'node:crypto'
import type { Selectable } from 'kysely'
import { type MetadataContext, now, unlessTaken } from './context.ts'
import type { Tables } from './tables.ts'

export interface Variable {
  /** UUID. */
  readonly id: string
  readonly name: string
  /** Name in `{variables.X}`, unique within the project. */
  readonly codeName: string
  readonly type: string
  readonly defaultValue: unknown
  /** Choices of a variable of type List. Empty: any value. */
  readonly values: readonly string[]
  /** Constraints beyond the type. Absent: any value of the type. */
  readonly schema: VariableSchema | undefined
  readonly createdAt: string
}

/** Constraints on a variable's values, as a subset of JSON Schema. For dates, `minimum` and `maximum` are dates. */
export interface VariableSchema {
  readonly type: 'integer' | 'number' | 'string' | 'boolean' | 'date' | 'datetime' | 'uuid' | 'list'
  readonly minimum?: number | string
  readonly maximum?: number | string
  readonly minLength?: number
  readonly maxLength?: number
  /** A regular expression that matches part of the string. ^ and $ anchor it to the whole string. */
  readonly pattern?: string
  readonly enum?: readonly (string | number)[]
  readonly minItems?: number
  readonly maxItems?: number
}

/** Fields that can change. `schema: null` removes the schema. */
type VariableChanges = Partial<Pick<Variable, 'name' | 'type' | 'defaultValue' | 'values'>> & {
  schema?: VariableSchema | null
}

export interface VariableStore {
  list(projectId: number): Promise<readonly Variable[]>
  get(projectId: number, id: string): Promise<Variable | undefined>
  /** Resolves with `undefined` if the project has a variable of that code name. */
  create(projectId: number, variable: Omit<Variable, 'id' | 'createdAt'>): Promise<Variable | undefined>
  /** Resolves with `undefined` if the project has no variable of that id. */
  update(projectId: number, id: string, changes: VariableChanges): Promise<Variable | undefined>
  /** Removes a variable. Resolves with whether it existed. */
  remove(projectId: number, id: string): Promise<boolean>
}

const toVariable = (row: Selectable<Tables['variables']>): Variable => ({
  id: row.id,
  name: row.name,
  codeName: row.code_name,
  type: row.type,
  defaultValue: JSON.parse(row.default_json) as unknown,
  values: JSON.parse(row.values_json) as string[],
  schema: (JSON.parse(row.schema_json) as VariableSchema | null) ?? undefined,
  createdAt: row.created_at,
})

const toColumns = ({ name, type, defaultValue, values, schema }: VariableChanges) => ({
  ...(name === undefined ? {} : { name }),
  ...(type === undefined ? {} : { type }),
  ...(defaultValue === undefined ? {} : { default_json: JSON.stringify(defaultValue) }),
  ...(values === undefined ? {} : { values_json: JSON.stringify(values) }),
  ...(schema === undefined ? {} : { schema_json: JSON.stringify(schema) }),
})

export const createVariableStore = (context: MetadataContext): VariableStore => {
  const { db, cacheReads } = context
  const list = cacheReads('variables', async (projectId: number) => {
    const ofProject = db.selectFrom('variables').selectAll().where('project_id', '=', projectId)
    return (await ofProject.orderBy('created_at').orderBy('id').execute()).map(toVariable)
  })
  const get = async (projectId: number, id: string) => {
    const row = await db
      .selectFrom('variables')
      .selectAll()
      .where('project_id', '=', projectId)
      .where('id', '=', id)
      .executeTakeFirst()
    return row && toVariable(row)
  }
  return {
    list: async (projectId) => (await list(projectId))!,
    get,
    async create(projectId, { name, codeName, type, defaultValue, values, schema }) {
      const row = {
        id: randomUUID(),
        project_id: projectId,
        name,
        code_name: codeName,
        type,
        default_json: JSON.stringify(defaultValue ?? null),
        values_json: JSON.stringify(values),
        schema_json: JSON.stringify(schema ?? null),
        created_at: now(),
      }
      return unlessTaken(context, async () => {
        await db.insertInto('variables').values(row).execute()
        return toVariable(row)
      })
    },
    async update(projectId, id, changes) {
      const columns = toColumns(changes)
      if (Object.keys(columns).length)
        await db
          .updateTable('variables')
          .set(columns)
          .where('project_id', '=', projectId)
          .where('id', '=', id)
          .execute()
      return get(projectId, id)
    },
    async remove(projectId, id) {
      const { numDeletedRows } = await db
        .deleteFrom('variables')
        .where('project_id', '=', projectId)
        .where('id', '=', id)
        .executeTakeFirstOrThrow()
      return numDeletedRows > 0n
    },
  }
}
