import { PROJECT_TABLES } from '../projectTables.ts'

type ProjectTable = (typeof PROJECT_TABLES)[number]

/** Where the tables of the schema stand: on one server, or cut into shards. */
export interface Layout {
  /** Run before the first step, each time. */
  readonly prepare: readonly string[]
  /** A statement of a migration as this layout runs it. */
  readonly toStatement: (statement: string) => string
  /** Run after the last step, each time. */
  readonly complete: readonly string[]
  /** The table of the steps that were taken. */
  readonly ledger: string
}

const createDatabase = (name: string) => `CREATE DATABASE IF NOT EXISTS ${name} ENGINE = Atomic`
const createLedger = (table: string) =>
  `CREATE TABLE IF NOT EXISTS ${table} (id UInt32, name String, applied_at DateTime64(3, 'UTC') DEFAULT now64(3, 'UTC')) ENGINE = MergeTree ORDER BY id`

export const ONE_SERVER: Layout = {
  prepare: [createDatabase('db'), createLedger('db.migrations')],
  toStatement: (statement) => statement,
  complete: [],
  ledger: 'db.migrations',
}

/** The database of each node's own part of the tables; `db` has the tables of the whole cluster under the names that every query uses. */
export const SHARD = 'db_shard'

const PERSON_KEY = 'cityHash64(project_id, distinct_id)'

/**
 * What rows go to a shard by. Nothing depends on it but the load: every statement reads all shards, so rows may also stand
 * elsewhere, as they do after a shard was added. What is said of one person, or one group, stands together and becomes one row there.
 */
const SHARDED_BY: Readonly<Record<ProjectTable, string>> = {
  events: PERSON_KEY,
  person_properties: PERSON_KEY,
  person_merges: PERSON_KEY,
  person_distinct_ids: PERSON_KEY,
  group_properties: 'cityHash64(project_id, group_type_index, group_key)',
  refused_events: 'cityHash64(project_id, id)',
}

export interface NodeState {
  /** Name of the cluster in `remote_servers`. */
  readonly cluster: string
  /** Whether the node has a Keeper, which lets replicas of a shard follow each other. */
  readonly isReplicated: boolean
  /** Tables with rows that stand in `db`, from when this node was a server alone. */
  readonly alone: readonly string[]
}

// The path is written out, because {uuid} would be another on each replica of a schema that is made node by node.
const replicated = (statement: string): string =>
  statement.replace(/ENGINE = (\w*MergeTree)(?:\((\w+)\))?/, (_, engine: string, column?: string) => {
    const table = /CREATE TABLE IF NOT EXISTS (\S+)/.exec(statement)![1]!
    return `ENGINE = Replicated${engine}('/trailmark/{shard}/${table}', '{replica}'${column ? `, ${column}` : ''})`
  })

/**
 * One node of a cluster. It writes down for itself which steps it has taken, so a node that was away takes them when it is back;
 * that works with a Keeper and without, where `ON CLUSTER` needs one.
 */
export const nodeLayout = ({ cluster, isReplicated, alone }: NodeState): Layout => ({
  prepare: [
    createDatabase('db'),
    createDatabase(SHARD),
    ...alone.map((table) => `RENAME TABLE db.${table} TO ${SHARD}.${table}`),
    createLedger(`${SHARD}.migrations`),
  ],
  toStatement(statement) {
    const local = statement.replace(/\bdb\.(?=\w)/g, `${SHARD}.`)
    return isReplicated ? replicated(local) : local
  },
  complete: PROJECT_TABLES.map(
    (table) =>
      `CREATE OR REPLACE TABLE db.${table} AS ${SHARD}.${table} ENGINE = Distributed('${cluster}', '${SHARD}', '${table}', ${SHARDED_BY[table]})`,
  ),
  ledger: `${SHARD}.migrations`,
})
