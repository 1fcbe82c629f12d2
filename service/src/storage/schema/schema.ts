/** One migration of the event store. A released migration never changes. */
export interface Migration {
  readonly id: number
  readonly name: string
  /** Statements of the migration. One may run again after a crash between two of them. */
  readonly statements: readonly string[]
}

/** A table whose rows belong to projects, by `project_id`. Queries can only read rows of their own project. */
export interface ProjectTable {
  readonly name: string
  /**
   * Sharding key. It only balances the load: every statement reads all shards, so rows may be on other shards, such as
   * after adding one. Rows that replace each other or are merged must be on the same shard.
   */
  readonly shardedBy: string
  /** Whether rows belong to a person's events, by `distinct_id`. They are erased with these events. */
  readonly hasEvents?: true
}

/** Tables of the event store, and the migrations that create them. */
export interface Schema {
  readonly tables: readonly ProjectTable[]
  readonly migrations: readonly Migration[]
}

/** Sharding key for rows about persons. */
export const BY_PERSON = 'cityHash64(project_id, distinct_id)'

/** Combines schemas. Migrations run in order of `id`. Throws if two of them share an id, or two tables a name. */
export const combineSchemas = (schemas: readonly Partial<Schema>[]): Schema => {
  const tables = schemas.flatMap(({ tables: own = [] }) => own)
  const migrations = schemas.flatMap(({ migrations: own = [] }) => own).sort((a, b) => a.id - b.id)
  for (const keys of [tables.map(({ name }) => name), migrations.map(({ id }) => `migration ${id}`)]) {
    const repeated = keys.find((key, index) => keys.indexOf(key) !== index)
    if (repeated) throw new Error(`Two modules define ${repeated}.`)
  }
  return { tables, migrations }
}
