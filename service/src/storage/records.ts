import { createHash, randomUUID } from 'node:crypto'
import { Kysely, type Selectable, sql, type Transaction } from 'kysely'
import { within } from '../lib/wait.ts'
import { RecordsMismatch, RecordsUnavailable, TokenTaken } from './records/errors.ts'
import { createMemory } from './records/memory.ts'
import { isPostgres, openFile, openStore, type Store, type Task } from './records/store.ts'
import { DEFINED, STEPS, type Tables } from './records/tables.ts'

export { isPostgres, RecordsMismatch, RecordsUnavailable, TokenTaken }

export interface Project {
  readonly id: number
  readonly name: string
  /** What browsers send with their events. Public. */
  readonly token: string
  /** IANA name. */
  readonly timezone: string
  readonly createdAt: string
  /** Until when the token before this one is taken as well. Absent: it is not. */
  readonly previousTokenUntil: string | undefined
}

export interface ApiKey {
  readonly id: string
  /** Absent: of every project. */
  readonly projectId: number | undefined
  readonly label: string
  readonly scopes: readonly string[]
  /** What may be shown of the secret. */
  readonly mask: string
  readonly createdAt: string
  /** When it got another secret. */
  readonly rotatedAt: string | undefined
  /** Until when the secret before this one is taken as well. Absent: it is not. */
  readonly previousUntil: string | undefined
  readonly lastUsedAt: string | undefined
}

/** A secret that takes another's place; the other is taken until `previousUntil`, or not at all. */
export interface Rotation {
  readonly secret: string
  readonly previousUntil: string | undefined
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
  /** What is known of its materialization, which the room of that name alone reads. Absent: it is not materialized. */
  readonly materialization: unknown
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

export interface MaterializedVersion {
  readonly projectId: number
  readonly endpointId: string
  readonly version: EndpointVersion
}

type FlagFields = Pick<FlagRecord, 'key' | 'name' | 'isActive' | 'filters' | 'contexts'>

export interface NewKey {
  /** Absent: of every project. */
  readonly projectId: number | undefined
  readonly label: string
  readonly secret: string
  readonly scopes: readonly string[]
}

/**
 * What is defined rather than captured: projects, keys, variables, endpoints, flags. Every call is about one project.
 * Everything may reject with `RecordsUnavailable`, after which the same call may succeed later.
 */
export interface Records {
  readonly projects: {
    all(): Promise<Project[]>
    /** The project whose token this is, or was until a moment that is still to come. */
    byToken(token: string): Promise<Project | undefined>
    byId(id: number): Promise<Project | undefined>
    /** Rejects with `TokenTaken` if another project has the token. */
    create(project: { name: string; token: string; timezone?: string }): Promise<Project>
    change(id: number, changes: { name?: string; timezone?: string }): Promise<void>
    /** The token before it is taken until `previousUntil`, or not at all. */
    setToken(id: number, token: string, previousUntil?: string): Promise<void>
  }
  readonly keys: {
    /** The key whose secret this is, or was until a moment that is still to come. Only hashes are stored. */
    bySecret(secret: string): Promise<ApiKey | undefined>
    /** In the order in which they were made. */
    list(): Promise<ApiKey[]>
    get(id: string): Promise<ApiKey | undefined>
    /** `undefined` if the project, or every project, has a key of this label. */
    create(key: NewKey): Promise<ApiKey | undefined>
    /** Creates the key named `label`, or gives the one that exists this secret and these scopes. */
    put(key: NewKey): Promise<void>
    rotate(id: string, rotation: Rotation): Promise<void>
    touch(id: string, usedAt: string): Promise<void>
    /** By its id or its label. */
    remove(idOrLabel: string): Promise<void>
  }
  readonly variables: {
    list(projectId: number): Promise<readonly Variable[]>
    get(projectId: number, id: string): Promise<Variable | undefined>
    /** `undefined` if the project has a variable of that code name. */
    create(projectId: number, variable: Omit<Variable, 'id' | 'createdAt'>): Promise<Variable | undefined>
    update(
      projectId: number,
      id: string,
      changes: Partial<Pick<Variable, 'name' | 'type' | 'defaultValue' | 'values'>> & {
        schema?: VariableSchema | null
      },
    ): Promise<Variable | undefined>
    remove(projectId: number, id: string): Promise<boolean>
  }
  readonly endpoints: {
    list(projectId: number): Promise<Endpoint[]>
    get(projectId: number, name: string): Promise<Endpoint | undefined>
    /** With its version 1. `undefined` if the name is taken. */
    create(
      projectId: number,
      endpoint: { name: string; description: string; isActive: boolean } & NewVersion,
    ): Promise<Endpoint | undefined>
    /** A given `next` becomes the next version. `'taken'` if another endpoint has the new name. */
    update(
      id: string,
      changes: { name?: string; description?: string; isActive?: boolean; next?: NewVersion },
    ): Promise<'done' | 'taken'>
    remove(id: string): Promise<void>
    version(endpointId: string, version: number): Promise<EndpointVersion | undefined>
    /** Newest first. */
    versions(endpointId: string): Promise<EndpointVersion[]>
    changeVersion(
      endpointId: string,
      version: number,
      changes: { isActive?: boolean; dataFreshnessSeconds?: number },
    ): Promise<void>
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
  /** Types of groups, such as company, in the order in which they were added. */
  readonly groupTypes: {
    list(projectId: number): Promise<string[]>
    /** Those that are missing, as long as there are no more than `most`. Answers all. */
    add(projectId: number, types: readonly string[], most: number): Promise<string[]>
  }
  /** Versions of endpoints that are materialized. */
  readonly materializations: {
    /** Of endpoints that are not deleted. */
    all(): Promise<MaterializedVersion[]>
    /** With this state, unless it has one. */
    add(materialized: MaterializedVersion, state: unknown): Promise<void>
    /** Gives it the state that `next` makes of the one it has, which nobody changes meanwhile. Answers the new one; `undefined`: there is none. */
    change(versionId: string, next: (state: unknown) => unknown): Promise<unknown>
    remove(versionId: string): Promise<void>
  }
  readonly runTokens: {
    /** What signs a project's run tokens; `fresh` becomes it if there is none. */
    secret(projectId: number): Promise<string | undefined>
    secret(projectId: number, fresh: string): Promise<string>
    setSecret(projectId: number, secret: string): Promise<void>
    /** `until`: when it may be forgotten, because the token has expired. */
    revoke(projectId: number, id: string, until: string): Promise<void>
    isRevoked(projectId: number, id: string): Promise<boolean>
  }
  /** Values that a project has set, by name. */
  readonly settings: {
    get(projectId: number, name: string): Promise<unknown>
    set(projectId: number, name: string, value: unknown): Promise<void>
  }
  /** A number for each project that grows when its events may have changed, for all processes. */
  readonly epochs: {
    of(projectId: number): Promise<number>
    advance(projectId: number): Promise<void>
  }
  /** Whether other processes may work with the same definitions. */
  readonly isShared: boolean
  /** Does `work` while no other process does work of this task; those that come meanwhile wait. */
  alone<Value>(task: Task, work: () => Promise<Value>): Promise<Value>
  /** Whether the store answers within so many milliseconds. */
  ready(withinMs: number): Promise<boolean>
  close(): Promise<void>
}

const hashOf = (secret: string) => createHash('sha256').update(secret).digest('hex')
const now = () => new Date().toISOString()

const stillTo = (until: string | null): string | undefined => (until !== null && until > now() ? until : undefined)

const toProject = (row: Selectable<Tables['projects']>): Project => ({
  id: row.id,
  name: row.name,
  token: row.token,
  timezone: row.timezone,
  createdAt: row.created_at,
  previousTokenUntil: stillTo(row.previous_token_until),
})

const ALL_PROJECTS = 0

const toKey = (row: Selectable<Tables['api_keys']>): ApiKey => ({
  id: row.id,
  projectId: row.project_id === ALL_PROJECTS ? undefined : row.project_id,
  label: row.label,
  scopes: JSON.parse(row.scopes_json),
  mask: row.mask,
  createdAt: row.created_at,
  rotatedAt: row.rotated_at ?? undefined,
  previousUntil: stillTo(row.previous_until),
  lastUsedAt: row.last_used_at ?? undefined,
})

const maskOf = (secret: string) => `${secret.slice(0, 4)}…${secret.slice(-4)}`

const toKeyRow = ({ projectId, label, secret, scopes }: NewKey): Tables['api_keys'] => ({
  id: randomUUID(),
  project_id: projectId ?? ALL_PROJECTS,
  label,
  hash: hashOf(secret),
  scopes_json: JSON.stringify(scopes),
  created_at: now(),
  mask: maskOf(secret),
  previous_hash: null,
  previous_until: null,
  rotated_at: null,
  last_used_at: null,
})

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

const toVersion = (row: Selectable<Tables['endpoint_versions']> & { state_json: string | null }): EndpointVersion => ({
  id: row.id,
  version: row.version,
  query: JSON.parse(row.query_json),
  columns: JSON.parse(row.columns_json) ?? undefined,
  dataFreshnessSeconds: row.data_freshness_seconds,
  isActive: row.is_active === 1,
  createdAt: row.created_at,
  updatedAt: row.updated_at,
  materialization: row.state_json === null ? undefined : JSON.parse(row.state_json),
})

/** Versions with what is stored for them. */
const versionsIn = (db: Kysely<Tables>) =>
  db
    .selectFrom('endpoint_versions')
    .leftJoin('materializations', 'materializations.version_id', 'endpoint_versions.id')
    .selectAll('endpoint_versions')
    .select('materializations.state_json')

const toVersionRow = (
  endpointId: string,
  version: number,
  { query, columns, dataFreshnessSeconds }: NewVersion,
  at: string,
): Tables['endpoint_versions'] => ({
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

const groupTypesIn = async (db: Kysely<Tables>, projectId: number): Promise<string[]> =>
  (
    await db.selectFrom('group_types').select('type').where('project_id', '=', projectId).orderBy('place').execute()
  ).map(({ type }) => type)

interface Opened {
  readonly store: Store
  readonly db: Kysely<Tables>
  /** All of `work` or nothing of it, and meanwhile no other change that several queries make. */
  change<Value>(work: (step: Transaction<Tables>) => Promise<Value>, task?: Task): Promise<Value>
}

const stepsDone = async ({ hasSteps }: Store, db: Kysely<Tables>): Promise<number> => {
  if (!(await hasSteps(db))) return 0
  const { last } = await db
    .selectFrom('steps')
    .select(({ fn }) => fn.max('id').as('last'))
    .executeTakeFirstOrThrow()
  return last ?? 0
}

const assertKnown = ({ isShared }: Store, done: number, mayUpgrade: boolean) => {
  if (done > STEPS.length)
    throw new RecordsMismatch(
      `the definitions were written by a newer release of Trailmark: use that release, or a ${isShared ? 'database' : 'data folder'} of its own.`,
    )
  // One without any step is used by nobody.
  if (done > 0 && done < STEPS.length && !mayUpgrade)
    throw new RecordsMismatch(
      'the running service is an older release than this command: restart the service with this release first.',
    )
}

// All in one transaction: of two processes that open a store at the same time, the second finds the work done.
const bring = async ({ store, db, change }: Opened, mayUpgrade: boolean) => {
  const done = await stepsDone(store, db)
  assertKnown(store, done, mayUpgrade)
  // Whoever may not create tables can still work with those that there are.
  if (done === STEPS.length) return
  await change(async (step) => {
    await sql.raw(store.toStep('CREATE TABLE IF NOT EXISTS steps (id INTEGER PRIMARY KEY)')).execute(step)
    for (let id = (await stepsDone(store, step)) + 1; id <= STEPS.length; id += 1) {
      for (const statement of STEPS[id - 1]!) await sql.raw(store.toStep(statement)).execute(step)
      await step.insertInto('steps').values({ id }).execute()
    }
  }, 'start')
}

const open = async (place: string, mayUpgrade: boolean): Promise<Opened> => {
  const store = await openStore(place)
  const db = new Kysely<Tables>({ dialect: store.dialect })
  const opened: Opened = {
    store,
    db,
    // Read committed: what was done by those who were waited for is seen.
    change: (work, task = 'change') =>
      db
        .transaction()
        .setIsolationLevel('read committed')
        .execute(async (step) => {
          await store.enter(step, task)
          return work(step)
        }),
  }
  try {
    await bring(opened, mayUpgrade)
    return opened
  } catch (error) {
    await db.destroy()
    throw store.toStartError(error)
  }
}

/**
 * Opens, and where needed creates, the store: in the SQLite file `place`, or in the Postgres database whose address it is.
 * Several processes may have it open. Throws `RecordsMismatch` if it cannot be used, or belongs to another release and may
 * not be brought up to this one.
 */
export const openRecords = async (
  place: string,
  { mayUpgrade = true }: { mayUpgrade?: boolean } = {},
): Promise<Records> => {
  const { store, db, change } = await open(place, mayUpgrade)
  const { isTaken, isShared } = store

  const watch = store.watch?.()
  const remember = createMemory(watch?.version)

  const isFormer = (column: 'previous_token_until' | 'previous_until') => sql<boolean>`${sql.ref(column)} > ${now()}`

  const keyByHash = remember(
    'key by hash',
    async (hash: string) => {
      const row = await db
        .selectFrom('api_keys')
        .selectAll()
        .where((or) =>
          or.or([or('hash', '=', hash), or.and([or('previous_hash', '=', hash), isFormer('previous_until')])]),
        )
        .executeTakeFirst()
      return row && toKey(row)
    },
    ({ previousUntil }) => previousUntil === undefined,
  )
  const variablesOf = remember('variables', async (projectId: number) =>
    (
      await db
        .selectFrom('variables')
        .selectAll()
        .where('project_id', '=', projectId)
        .orderBy('created_at')
        .orderBy('id')
        .execute()
    ).map(toVariable),
  )

  return {
    projects: {
      all: async () => (await db.selectFrom('projects').selectAll().orderBy('id').execute()).map(toProject),
      byToken: remember(
        'project by token',
        async (token: string) => {
          const row = await db
            .selectFrom('projects')
            .selectAll()
            .where((or) =>
              or.or([
                or('token', '=', token),
                or.and([or('previous_token', '=', token), isFormer('previous_token_until')]),
              ]),
            )
            .executeTakeFirst()
          return row && toProject(row)
        },
        ({ previousTokenUntil }) => previousTokenUntil === undefined,
      ),
      byId: remember(
        'project',
        async (id: number) => {
          const row = await db.selectFrom('projects').selectAll().where('id', '=', id).executeTakeFirst()
          return row && toProject(row)
        },
        ({ previousTokenUntil }) => previousTokenUntil === undefined,
      ),
      async create(project) {
        try {
          return await change(async (step) => {
            const { last } = await step
              .selectFrom('projects')
              .select(({ fn }) => fn.max('id').as('last'))
              .executeTakeFirstOrThrow()
            const row = {
              id: (last ?? 0) + 1,
              timezone: 'UTC',
              ...project,
              created_at: now(),
              previous_token: null,
              previous_token_until: null,
            }
            await step.insertInto('projects').values(row).execute()
            return toProject(row)
          })
        } catch (error) {
          throw isTaken(error) ? new TokenTaken() : error
        }
      },
      async change(id, changes) {
        if (Object.keys(changes).length) await db.updateTable('projects').set(changes).where('id', '=', id).execute()
      },
      async setToken(id, token, previousUntil) {
        await db
          .updateTable('projects')
          .set(({ ref }) => ({
            token,
            previous_token: previousUntil ? ref('token') : null,
            previous_token_until: previousUntil ?? null,
          }))
          .where('id', '=', id)
          .execute()
      },
    },

    keys: {
      bySecret: (secret) => keyByHash(hashOf(secret)),
      list: async () =>
        (await db.selectFrom('api_keys').selectAll().orderBy('created_at').orderBy('id').execute()).map(toKey),
      async get(id) {
        const row = await db.selectFrom('api_keys').selectAll().where('id', '=', id).executeTakeFirst()
        return row && toKey(row)
      },
      async create(key) {
        return change(async (step) => {
          const row = toKeyRow(key)
          const other = await step
            .selectFrom('api_keys')
            .select('id')
            .where('project_id', '=', row.project_id)
            .where('label', '=', row.label)
            .executeTakeFirst()
          if (other) return undefined
          await step.insertInto('api_keys').values(row).execute()
          return toKey(row)
        })
      },
      async put(key) {
        await change(async (step) => {
          const row = toKeyRow(key)
          const { project_id, label, scopes_json, hash, mask } = row
          const kept = await step
            .selectFrom('api_keys')
            .select('id')
            .where('label', '=', label)
            .where('hash', '=', hash)
            .executeTakeFirst()
          if (kept)
            return void (await step
              .updateTable('api_keys')
              .set({ project_id, scopes_json, mask })
              .where('id', '=', kept.id)
              .execute())
          await step
            .deleteFrom('api_keys')
            .where((or) => or.or([or('label', '=', label), or('hash', '=', hash)]))
            .execute()
          await step.insertInto('api_keys').values(row).execute()
        })
      },
      async rotate(id, { secret, previousUntil }) {
        await db
          .updateTable('api_keys')
          .set(({ ref }) => ({
            hash: hashOf(secret),
            mask: maskOf(secret),
            rotated_at: now(),
            previous_hash: previousUntil ? ref('hash') : null,
            previous_until: previousUntil ?? null,
          }))
          .where('id', '=', id)
          .execute()
      },
      async touch(id, usedAt) {
        await db.updateTable('api_keys').set({ last_used_at: usedAt }).where('id', '=', id).execute()
      },
      async remove(idOrLabel) {
        await db
          .deleteFrom('api_keys')
          .where((or) => or.or([or('id', '=', idOrLabel), or('label', '=', idOrLabel)]))
          .execute()
      },
    },

    variables: {
      list: async (projectId) => (await variablesOf(projectId))!,
      async get(projectId, id) {
        const row = await db
          .selectFrom('variables')
          .selectAll()
          .where('project_id', '=', projectId)
          .where('id', '=', id)
          .executeTakeFirst()
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
        if (Object.keys(changes).length)
          await db
            .updateTable('variables')
            .set(changes)
            .where('project_id', '=', projectId)
            .where('id', '=', id)
            .execute()
        return this.get(projectId, id)
      },
      async remove(projectId, id) {
        const { numDeletedRows } = await db
          .deleteFrom('variables')
          .where('project_id', '=', projectId)
          .where('id', '=', id)
          .executeTakeFirstOrThrow()
        return numDeletedRows > 0n
      },
    },

    endpoints: {
      async list(projectId) {
        const rows = await db
          .selectFrom('endpoints')
          .selectAll()
          .where('project_id', '=', projectId)
          .where('deleted_at', 'is', null)
          .orderBy('created_at')
          .orderBy('id')
          .execute()
        return rows.map(toEndpoint)
      },
      get: remember('endpoint', async (projectId: number, name: string) => {
        const row = await db
          .selectFrom('endpoints')
          .selectAll()
          .where('project_id', '=', projectId)
          .where('name', '=', name)
          .where('deleted_at', 'is', null)
          .executeTakeFirst()
        return row && toEndpoint(row)
      }),
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
          await change(async (step) => {
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
          await change(async (step) => {
            const { current_version: last } = await step
              .selectFrom('endpoints')
              .select('current_version')
              .where('id', '=', id)
              .executeTakeFirstOrThrow()
            const version = next === undefined ? last : last + 1
            if (next)
              await step
                .insertInto('endpoint_versions')
                .values(toVersionRow(id, version, next, at))
                .execute()
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
      version: remember('version', async (endpointId: string, version: number) => {
        const row = await versionsIn(db)
          .where('endpoint_versions.endpoint_id', '=', endpointId)
          .where('endpoint_versions.version', '=', version)
          .executeTakeFirst()
        return row && toVersion(row)
      }),
      async versions(endpointId) {
        return (
          await versionsIn(db)
            .where('endpoint_versions.endpoint_id', '=', endpointId)
            .orderBy('endpoint_versions.version', 'desc')
            .execute()
        ).map(toVersion)
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
        (
          await db
            .selectFrom('flags')
            .selectAll()
            .where('project_id', '=', projectId)
            .where('deleted_at', 'is', null)
            .orderBy('id')
            .execute()
        ).map(toFlag),
      async create(projectId, flag) {
        const at = now()
        try {
          return await change(async (step) => {
            const { last } = await step
              .selectFrom('flags')
              .select(({ fn }) => fn.max('id').as('last'))
              .executeTakeFirstOrThrow()
            const row = {
              id: (last ?? 0) + 1,
              project_id: projectId,
              ...(toFlagColumns(flag) as Required<ReturnType<typeof toFlagColumns>>),
              version: 1,
              created_at: at,
              updated_at: at,
              deleted_at: null,
            }
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
        await db
          .updateTable('flags')
          .set({ deleted_at: now() })
          .where('project_id', '=', projectId)
          .where('id', '=', id)
          .execute()
      },
    },

    groupTypes: {
      list: (projectId) => groupTypesIn(db, projectId),
      add: (projectId, types, most) =>
        change(async (step) => {
          const known = await groupTypesIn(step, projectId)
          const added = types.filter((type) => !known.includes(type)).slice(0, Math.max(0, most - known.length))
          for (const [place, type] of added.entries())
            await step
              .insertInto('group_types')
              .values({ project_id: projectId, type, place: known.length + place })
              .execute()
          return [...known, ...added]
        }),
    },

    materializations: {
      async all() {
        const rows = await versionsIn(db)
          .innerJoin('endpoints', 'endpoints.id', 'endpoint_versions.endpoint_id')
          .select('endpoints.project_id')
          .where('materializations.state_json', 'is not', null)
          .where('endpoints.deleted_at', 'is', null)
          .execute()
        return rows.map((row) => ({ projectId: row.project_id, endpointId: row.endpoint_id, version: toVersion(row) }))
      },
      async add({ projectId, endpointId, version }, state) {
        const row = {
          version_id: version.id,
          project_id: projectId,
          endpoint_id: endpointId,
          version: version.version,
          state_json: JSON.stringify(state),
        }
        await change((step) =>
          step
            .insertInto('materializations')
            .values(row)
            .onConflict((conflict) => conflict.column('version_id').doNothing())
            .execute(),
        )
      },
      change: (versionId, next) =>
        change(async (step) => {
          const row = await step
            .selectFrom('materializations')
            .select('state_json')
            .where('version_id', '=', versionId)
            .executeTakeFirst()
          if (!row) return undefined
          const state = next(JSON.parse(row.state_json))
          const state_json = JSON.stringify(state)
          if (state_json !== row.state_json)
            await step.updateTable('materializations').set({ state_json }).where('version_id', '=', versionId).execute()
          return state
        }),
      async remove(versionId) {
        await change((step) => step.deleteFrom('materializations').where('version_id', '=', versionId).execute())
      },
    },

    runTokens: {
      async secret(projectId: number, fresh?: string) {
        if (fresh !== undefined)
          await db
            .insertInto('run_token_secrets')
            .values({ project_id: projectId, secret: fresh })
            .onConflict((conflict) => conflict.column('project_id').doNothing())
            .execute()
        const row = await db
          .selectFrom('run_token_secrets')
          .select('secret')
          .where('project_id', '=', projectId)
          .executeTakeFirst()
        return row?.secret as string
      },
      async setSecret(projectId, secret) {
        await db
          .insertInto('run_token_secrets')
          .values({ project_id: projectId, secret })
          .onConflict((conflict) => conflict.column('project_id').doUpdateSet({ secret }))
          .execute()
      },
      async revoke(projectId, id, until) {
        await db.deleteFrom('revoked_run_tokens').where('until', '<', now()).execute()
        await db
          .insertInto('revoked_run_tokens')
          .values({ project_id: projectId, id, until })
          .onConflict((conflict) => conflict.columns(['project_id', 'id']).doNothing())
          .execute()
      },
      async isRevoked(projectId, id) {
        return (
          (await db
            .selectFrom('revoked_run_tokens')
            .select('id')
            .where('project_id', '=', projectId)
            .where('id', '=', id)
            .executeTakeFirst()) !== undefined
        )
      },
    },

    settings: {
      async get(projectId, name) {
        const row = await db
          .selectFrom('settings')
          .select('value_json')
          .where('project_id', '=', projectId)
          .where('name', '=', name)
          .executeTakeFirst()
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

    epochs: {
      async of(projectId) {
        const row = await db.selectFrom('epochs').select('epoch').where('project_id', '=', projectId).executeTakeFirst()
        return row?.epoch ?? 0
      },
      async advance(projectId) {
        await db
          .insertInto('epochs')
          .values({ project_id: projectId, epoch: 1 })
          .onConflict((conflict) =>
            conflict.column('project_id').doUpdateSet((column) => ({ epoch: column('epochs.epoch', '+', 1) })),
          )
          .execute()
      },
    },

    isShared,
    alone: (task, work) => (isShared ? change(work, task) : work()),
    ready: (withinMs) =>
      within(
        db
          .selectFrom('steps')
          .select('id')
          .limit(1)
          .execute()
          .then(() => true),
        withinMs,
        false,
      ).catch(() => false),
    async close() {
      watch?.close()
      await db.destroy()
    },
  }
}

// Few enough for the most values that one statement may have.
const ROWS_AT_ONCE = 500

/**
 * Writes the definitions at `from`, as they are at this moment, to `target`, a new file or an empty database; they may be
 * in use. A file at `from` that an older release wrote is brought up to this one first.
 */
export const copyRecords = async (from: string, target: string): Promise<void> => {
  if (!isPostgres(from) && !isPostgres(target)) {
    const client = openFile(from)
    try {
      await client.execute({ sql: 'VACUUM INTO ?', args: [target] })
    } finally {
      client.close()
    }
    return
  }
  const source = await open(from, !isPostgres(from))
  try {
    const sink = await open(target, true)
    try {
      // One moment's rows of all tables.
      await source.db
        .transaction()
        .setIsolationLevel('repeatable read')
        .execute((read) =>
          sink.change(async (step) => {
            for (const table of DEFINED) {
              const rows = await read.selectFrom(table).selectAll().execute()
              for (let at = 0; at < rows.length; at += ROWS_AT_ONCE)
                await step
                  .insertInto(table)
                  .values(rows.slice(at, at + ROWS_AT_ONCE))
                  .execute()
            }
          }),
        )
    } finally {
      await sink.db.destroy()
    }
  } finally {
    await source.db.destroy()
  }
}
