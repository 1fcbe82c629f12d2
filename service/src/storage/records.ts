import { createHash, randomUUID } from 'node:crypto'
import { createClient } from '@libsql/client'
import { Kysely, type Selectable, sql } from 'kysely'
import { libsqlDialect } from './records/dialect.ts'
import { STEPS, type Tables } from './records/tables.ts'

export interface Project {
  readonly id: number
  readonly name: string
  /** What browsers send with their events. Public. */
  readonly token: string
  /** IANA name. Its days are those of its insights. */
  readonly timezone: string
}

export interface ApiKey {
  readonly id: string
  readonly projectId: number
  readonly label: string
  readonly scopes: readonly string[]
}

export interface Variable {
  /** UUID. */
  readonly id: string
  readonly name: string
  /** What `{variables.X}` calls it; unique within its project. */
  readonly codeName: string
  readonly type: string
  readonly defaultValue: unknown
  /** What a variable of type List chooses from; empty: anything. */
  readonly values: readonly string[]
  /** What it takes beyond its type. Absent: anything of the type. */
  readonly schema: VariableSchema | undefined
  readonly createdAt: string
}

/** What a variable takes beyond its type, in JSON Schema's words. For dates, `minimum` and `maximum` are dates. */
export interface VariableSchema {
  readonly type: 'integer' | 'number' | 'string' | 'boolean' | 'date' | 'datetime' | 'uuid' | 'list'
  readonly minimum?: number | string
  readonly maximum?: number | string
  readonly minLength?: number
  readonly maxLength?: number
  /** A regular expression that some part of the text matches; ^ and $ bind it to the whole. */
  readonly pattern?: string
  readonly enum?: readonly (string | number)[]
  readonly minItems?: number
  readonly maxItems?: number
}

export interface Endpoint {
  readonly id: string
  readonly name: string
  readonly description: string
  readonly isActive: boolean
  readonly currentVersion: number
  readonly createdAt: string
  readonly updatedAt: string
  /** Absent: never run. */
  readonly lastExecutedAt: string | undefined
}

export interface EndpointVersion {
  readonly id: string
  readonly version: number
  readonly query: unknown
  /** Of its answers. Absent: not known before a run. */
  readonly columns: readonly { readonly name: string; readonly type: string }[] | undefined
  /** How old an answer from the cache may be. */
  readonly dataFreshnessSeconds: number
  readonly isActive: boolean
  readonly createdAt: string
  readonly updatedAt: string
}

export type NewVersion = Pick<EndpointVersion, 'query' | 'columns' | 'dataFreshnessSeconds'>

export interface FlagRecord {
  readonly id: number
  readonly key: string
  readonly name: string
  readonly isActive: boolean
  /** Conditions, variants, payloads. */
  readonly filters: unknown
  /** Where the flag is evaluated; none: everywhere. */
  readonly contexts: readonly string[]
  /** 1, and one more with each change. */
  readonly version: number
  readonly createdAt: string
  readonly updatedAt: string
}

type FlagFields = Pick<FlagRecord, 'key' | 'name' | 'isActive' | 'filters' | 'contexts'>

/** What is defined rather than captured: projects, keys, variables, endpoints, flags. Every call is about one project. */
export interface Records {
  readonly projects: {
    all(): Promise<Project[]>
    byToken(token: string): Promise<Project | undefined>
    byId(id: number): Promise<Project | undefined>
    /** `timezone` is UTC unless given. */
    create(project: { name: string; token: string; timezone?: string }): Promise<Project>
    change(id: number, changes: { timezone?: string }): Promise<void>
    setToken(id: number, token: string): Promise<void>
  }
  readonly keys: {
    /** The key that `secret` is. Only its hash is stored. */
    bySecret(secret: string): Promise<ApiKey | undefined>
    /** Creates the key named `label`, or gives the one that exists this secret and these scopes. */
    put(key: { projectId: number; label: string; secret: string; scopes: readonly string[] }): Promise<void>
    remove(label: string): Promise<void>
  }
  readonly variables: {
    list(projectId: number): Promise<Variable[]>
    get(projectId: number, id: string): Promise<Variable | undefined>
    /** `undefined` if the project has a variable of that code name. */
    create(projectId: number, variable: Omit<Variable, 'id' | 'createdAt'>): Promise<Variable | undefined>
    update(projectId: number, id: string, changes: Partial<Pick<Variable, 'name' | 'type' | 'defaultValue' | 'values'>> & { schema?: VariableSchema | null }): Promise<Variable | undefined>
    remove(projectId: number, id: string): Promise<boolean>
  }
  readonly endpoints: {
    list(projectId: number): Promise<Endpoint[]>
    get(projectId: number, name: string): Promise<Endpoint | undefined>
    /** With its version 1. `undefined` if the name is taken. */
    create(projectId: number, endpoint: { name: string; description: string; isActive: boolean } & NewVersion): Promise<Endpoint | undefined>
    /** A given `next` becomes the next version. `'taken'` if another endpoint has the new name. */
    update(id: string, changes: { name?: string; description?: string; isActive?: boolean; next?: NewVersion }): Promise<'done' | 'taken'>
    remove(id: string): Promise<void>
    version(endpointId: string, version: number): Promise<EndpointVersion | undefined>
    /** Newest first. */
    versions(endpointId: string): Promise<EndpointVersion[]>
    changeVersion(endpointId: string, version: number, changes: { isActive?: boolean; dataFreshnessSeconds?: number }): Promise<void>
    touch(id: string, executedAt: string): Promise<void>
  }
  readonly flags: {
    /** In the order in which they were made. */
    list(projectId: number): Promise<FlagRecord[]>
    /** `undefined` if the key is taken. */
    create(projectId: number, flag: FlagFields): Promise<FlagRecord | undefined>
    /** `undefined` if another flag has the new key. */
    update(projectId: number, id: number, changes: Partial<FlagFields>): Promise<FlagRecord | undefined>
    remove(projectId: number, id: number): Promise<void>
  }
  /** Values that a project has set, by name. */
  readonly settings: {
    get(projectId: number, name: string): Promise<unknown>
    set(projectId: number, name: string, value: unknown): Promise<void>
  }
  close(): Promise<void>
}

// Another program that looks at the file, such as a backup, holds it for a moment at most.
const BUSY_MS = 2_000

const hashOf = (secret: string) => createHash('sha256').update(secret).digest('hex')
const now = () => new Date().toISOString()

const isTaken = (error: unknown) => (error as { code?: string }).code?.startsWith('SQLITE_CONSTRAINT') ?? false

const toProject = ({ id, name, token, timezone }: Selectable<Tables['projects']>): Project => ({ id, name, token, timezone })

const toVariable = (row: Selectable<Tables['variables']>): Variable => ({
  id: row.id,
  name: row.name,
  codeName: row.code_name,
  type: row.type,
  defaultValue: JSON.parse(row.default_json),
  values: JSON.parse(row.values_json),
  schema: JSON.parse(row.schema_json) ?? undefined,
  createdAt: row.created_at,
})

const toEndpoint = (row: Selectable<Tables['endpoints']>): Endpoint => ({
  id: row.id,
  name: row.name,
  description: row.description,
  isActive: row.is_active === 1,
  currentVersion: row.current_version,
  createdAt: row.created_at,
  updatedAt: row.updated_at,
  lastExecutedAt: row.last_executed_at ?? undefined,
})

const toVersion = (row: Selectable<Tables['endpoint_versions']>): EndpointVersion => ({
  id: row.id,
  version: row.version,
  query: JSON.parse(row.query_json),
  columns: JSON.parse(row.columns_json) ?? undefined,
  dataFreshnessSeconds: row.data_freshness_seconds,
  isActive: row.is_active === 1,
  createdAt: row.created_at,
  updatedAt: row.updated_at,
})

const toVersionRow = (endpointId: string, version: number, { query, columns, dataFreshnessSeconds }: NewVersion, at: string): Tables['endpoint_versions'] => ({
  id: randomUUID(),
  endpoint_id: endpointId,
  version,
  query_json: JSON.stringify(query),
  columns_json: JSON.stringify(columns ?? null),
  data_freshness_seconds: dataFreshnessSeconds,
  is_active: 1,
  created_at: at,
  updated_at: at,
})

const toFlag = (row: Selectable<Tables['flags']>): FlagRecord => ({
  id: row.id,
  key: row.key,
  name: row.name,
  isActive: row.is_active === 1,
  filters: JSON.parse(row.filters_json),
  contexts: JSON.parse(row.contexts_json),
  version: row.version,
  createdAt: row.created_at,
  updatedAt: row.updated_at,
})

const toFlagColumns = ({ key, name, isActive, filters, contexts }: Partial<FlagFields>) => ({
  ...(key === undefined ? {} : { key }),
  ...(name === undefined ? {} : { name }),
  ...(isActive === undefined ? {} : { is_active: Number(isActive) }),
  ...(filters === undefined ? {} : { filters_json: JSON.stringify(filters) }),
  ...(contexts === undefined ? {} : { contexts_json: JSON.stringify(contexts) }),
})

const bring = async (db: Kysely<Tables>) => {
  await sql`CREATE TABLE IF NOT EXISTS steps (id INTEGER PRIMARY KEY)`.execute(db)
  const { last } = await db.selectFrom('steps').select(({ fn }) => fn.max('id').as('last')).executeTakeFirstOrThrow()
  for (let id = (last ?? 0) + 1; id <= STEPS.length; id += 1) {
    await db.transaction().execute(async (step) => {
      for (const statement of STEPS[id - 1]!) await sql.raw(statement).execute(step)
      await step.insertInto('steps').values({ id }).execute()
    })
  }
}

/** Opens, and where needed creates, the store in the SQLite file `file`. */
export const openRecords = async (file: string): Promise<Records> => {
  const client = createClient({ url: `file:${file}`, timeout: BUSY_MS })
  // Readers and the writer do not wait for each other; survives a killed process.
  await client.execute('PRAGMA journal_mode = WAL')
  const db = new Kysely<Tables>({ dialect: libsqlDialect(client) })
  await bring(db)

  return {
    projects: {
      all: async () => (await db.selectFrom('projects').selectAll().orderBy('id').execute()).map(toProject),
      async byToken(token) {
        const row = await db.selectFrom('projects').selectAll().where('token', '=', token).executeTakeFirst()
        return row && toProject(row)
      },
      async byId(id) {
        const row = await db.selectFrom('projects').selectAll().where('id', '=', id).executeTakeFirst()
        return row && toProject(row)
      },
      async create(project) {
        return db.transaction().execute(async (step) => {
          const { last } = await step.selectFrom('projects').select(({ fn }) => fn.max('id').as('last')).executeTakeFirstOrThrow()
          const row = { id: (last ?? 0) + 1, timezone: 'UTC', ...project, created_at: now() }
          await step.insertInto('projects').values(row).execute()
          return toProject(row)
        })
      },
      async change(id, { timezone }) {
        if (timezone !== undefined) await db.updateTable('projects').set({ timezone }).where('id', '=', id).execute()
      },
      async setToken(id, token) {
        await db.updateTable('projects').set({ token }).where('id', '=', id).execute()
      },
    },

    keys: {
      async bySecret(secret) {
        const row = await db.selectFrom('api_keys').selectAll().where('hash', '=', hashOf(secret)).executeTakeFirst()
        return row && { id: row.id, projectId: row.project_id, label: row.label, scopes: JSON.parse(row.scopes_json) }
      },
      async put({ projectId, label, secret, scopes }) {
        await db.transaction().execute(async (step) => {
          await step.deleteFrom('api_keys').where((or) => or.or([or('label', '=', label), or('hash', '=', hashOf(secret))])).execute()
          await step
            .insertInto('api_keys')
            .values({ id: randomUUID(), project_id: projectId, label, hash: hashOf(secret), scopes_json: JSON.stringify(scopes), created_at: now() })
            .execute()
        })
      },
      async remove(label) {
        await db.deleteFrom('api_keys').where('label', '=', label).execute()
      },
    },

    variables: {
      list: async (projectId) => (await db.selectFrom('variables').selectAll().where('project_id', '=', projectId).orderBy('created_at').orderBy('id').execute()).map(toVariable),
      async get(projectId, id) {
        const row = await db.selectFrom('variables').selectAll().where('project_id', '=', projectId).where('id', '=', id).executeTakeFirst()
        return row && toVariable(row)
      },
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
        try {
          await db.insertInto('variables').values(row).execute()
          return toVariable(row)
        } catch (error) {
          if (isTaken(error)) return undefined
          throw error
        }
      },
      async update(projectId, id, { name, type, defaultValue, values, schema }) {
        const changes = {
          ...(name === undefined ? {} : { name }),
          ...(type === undefined ? {} : { type }),
          ...(defaultValue === undefined ? {} : { default_json: JSON.stringify(defaultValue) }),
          ...(values === undefined ? {} : { values_json: JSON.stringify(values) }),
          ...(schema === undefined ? {} : { schema_json: JSON.stringify(schema) }),
        }
        if (Object.keys(changes).length) await db.updateTable('variables').set(changes).where('project_id', '=', projectId).where('id', '=', id).execute()
        return this.get(projectId, id)
      },
      async remove(projectId, id) {
        const { numDeletedRows } = await db.deleteFrom('variables').where('project_id', '=', projectId).where('id', '=', id).executeTakeFirstOrThrow()
        return numDeletedRows > 0n
      },
    },

    endpoints: {
      async list(projectId) {
        const rows = await db.selectFrom('endpoints').selectAll().where('project_id', '=', projectId).where('deleted_at', 'is', null).orderBy('created_at').orderBy('id').execute()
        return rows.map(toEndpoint)
      },
      async get(projectId, name) {
        const row = await db.selectFrom('endpoints').selectAll().where('project_id', '=', projectId).where('name', '=', name).where('deleted_at', 'is', null).executeTakeFirst()
        return row && toEndpoint(row)
      },
      async create(projectId, { name, description, isActive, ...first }) {
        const at = now()
        const row = {
          id: randomUUID(),
          project_id: projectId,
          name,
          description,
          is_active: Number(isActive),
          current_version: 1,
          created_at: at,
          updated_at: at,
          deleted_at: null,
          last_executed_at: null,
        }
        try {
          await db.transaction().execute(async (step) => {
            await step.insertInto('endpoints').values(row).execute()
            await step
              .insertInto('endpoint_versions')
              .values(toVersionRow(row.id, 1, first, at))
              .execute()
          })
          return toEndpoint(row)
        } catch (error) {
          if (isTaken(error)) return undefined
          throw error
        }
      },
      async update(id, { name, description, isActive, next }) {
        const at = now()
        try {
          await db.transaction().execute(async (step) => {
            const { current_version: last } = await step.selectFrom('endpoints').select('current_version').where('id', '=', id).executeTakeFirstOrThrow()
            const version = next === undefined ? last : last + 1
            if (next) await step.insertInto('endpoint_versions').values(toVersionRow(id, version, next, at)).execute()
            await step
              .updateTable('endpoints')
              .set({
                updated_at: at,
                current_version: version,
                ...(name === undefined ? {} : { name }),
                ...(description === undefined ? {} : { description }),
                ...(isActive === undefined ? {} : { is_active: Number(isActive) }),
              })
              .where('id', '=', id)
              .execute()
          })
          return 'done'
        } catch (error) {
          if (isTaken(error)) return 'taken'
          throw error
        }
      },
      async remove(id) {
        await db.updateTable('endpoints').set({ deleted_at: now() }).where('id', '=', id).execute()
      },
      async version(endpointId, version) {
        const row = await db.selectFrom('endpoint_versions').selectAll().where('endpoint_id', '=', endpointId).where('version', '=', version).executeTakeFirst()
        return row && toVersion(row)
      },
      async versions(endpointId) {
        return (await db.selectFrom('endpoint_versions').selectAll().where('endpoint_id', '=', endpointId).orderBy('version', 'desc').execute()).map(toVersion)
      },
      async changeVersion(endpointId, version, { isActive, dataFreshnessSeconds }) {
        await db
          .updateTable('endpoint_versions')
          .set({
            updated_at: now(),
            ...(isActive === undefined ? {} : { is_active: Number(isActive) }),
            ...(dataFreshnessSeconds === undefined ? {} : { data_freshness_seconds: dataFreshnessSeconds }),
          })
          .where('endpoint_id', '=', endpointId)
          .where('version', '=', version)
          .execute()
      },
      async touch(id, executedAt) {
        await db.updateTable('endpoints').set({ last_executed_at: executedAt }).where('id', '=', id).execute()
      },
    },

    flags: {
      list: async (projectId) =>
        (await db.selectFrom('flags').selectAll().where('project_id', '=', projectId).where('deleted_at', 'is', null).orderBy('id').execute()).map(toFlag),
      async create(projectId, flag) {
        const at = now()
        try {
          return await db.transaction().execute(async (step) => {
            const { last } = await step.selectFrom('flags').select(({ fn }) => fn.max('id').as('last')).executeTakeFirstOrThrow()
            const row = { id: (last ?? 0) + 1, project_id: projectId, ...(toFlagColumns(flag) as Required<ReturnType<typeof toFlagColumns>>), version: 1, created_at: at, updated_at: at, deleted_at: null }
            await step.insertInto('flags').values(row).execute()
            return toFlag(row)
          })
        } catch (error) {
          if (isTaken(error)) return undefined
          throw error
        }
      },
      async update(projectId, id, changes) {
        try {
          const row = await db
            .updateTable('flags')
            .set((column) => ({ ...toFlagColumns(changes), version: column('version', '+', 1), updated_at: now() }))
            .where('project_id', '=', projectId)
            .where('id', '=', id)
            .returningAll()
            .executeTakeFirstOrThrow()
          return toFlag(row)
        } catch (error) {
          if (isTaken(error)) return undefined
          throw error
        }
      },
      async remove(projectId, id) {
        await db.updateTable('flags').set({ deleted_at: now() }).where('project_id', '=', projectId).where('id', '=', id).execute()
      },
    },

    settings: {
      async get(projectId, name) {
        const row = await db.selectFrom('settings').select('value_json').where('project_id', '=', projectId).where('name', '=', name).executeTakeFirst()
        return row && JSON.parse(row.value_json)
      },
      async set(projectId, name, value) {
        const value_json = JSON.stringify(value)
        await db
          .insertInto('settings')
          .values({ project_id: projectId, name, value_json })
          .onConflict((conflict) => conflict.columns(['project_id', 'name']).doUpdateSet({ value_json }))
          .execute()
      },
    },

    close: () => db.destroy(),
  }
}
