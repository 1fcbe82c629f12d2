import type { Connection } from '../clickhouseClients.ts'
import { READER_SLOTS } from '../gate.ts'

export interface EngineConfig {
  /** Path of the configuration file. The engine reads its users from the same file. */
  readonly file: string
  readonly port: number
  /** Key that every request sends. Requests without it get a 404. */
  readonly key: string
  readonly writerPassword: string
  readonly readerPassword: string
  readonly memoryBytes: number
  /** Whether to use fewer threads, and less memory for merges. */
  readonly isSmall: boolean
  /** Disk space that inserts leave free. Merges and the metadata need some even when inserts fail. */
  readonly diskReserveBytes: number
  /** Names of the tables whose rows belong to projects. */
  readonly tables: readonly string[]
}

/** Returns the maximum memory for one query of a project, in an engine of `memoryBytes`. */
export const readerMemoryBytes = (memoryBytes: number): number => Math.floor(memoryBytes / 2)

/** Returns the maximum memory for all queries of projects together. The rest is reserved for inserts. */
const allReadersMemoryBytes = (memoryBytes: number): number => Math.floor(memoryBytes * 0.75)

/** Maximum memory of merges together, beyond which further ones wait. */
const mergesMemoryBytes = (memoryBytes: number): number => Math.min(250_000_000, Math.floor(memoryBytes / 4))
/** Bytes of a block of rows in a merge. By default 10 MB, of which a merge has several at a time. */
const MERGE_BLOCK_BYTES = 2_000_000

/**
 * Minimum parts of a merge. The engine regards parts of less than 5 MB as equally large, so by default it rewrites one
 * together with the next four small inserts. Each unmerged part costs a query a fraction of a millisecond.
 */
const MIN_PARTS_OF_MERGE = { min_parts_to_merge_at_once: 8 }

/**
 * The engine keeps the parts of a merge for a while, because it does not sync the merged one: 8 minutes by default, and
 * 100 to 500 kB of memory each. Synced, they can go at once.
 */
const AFTER_MERGE = { min_rows_to_fsync_after_merge: 1, old_parts_lifetime: 10 }

/** Settings of the engine by name. `merge_tree` has those of tables. */
interface Tuning {
  readonly server: Readonly<Record<string, number>>
  readonly merge_tree: Readonly<Record<string, number>>
}

/** Tuning of a small service. Fewer concurrent merges need less memory, but more parts wait for a merge. */
const SMALL: Tuning = {
  server: {
    background_pool_size: 2,
    background_merges_mutations_concurrency_ratio: 1,
    background_common_pool_size: 2,
    background_schedule_pool_size: 4,
  },
  merge_tree: {
    // A merge has buffers for every property of each part, in total some 40 MB a part if there are 250 properties.
    max_parts_to_merge_at_once: 10,
    // Defaults for a pool of 16. With a pool of 2 they would allow small merges only.
    number_of_free_entries_in_pool_to_lower_max_size_of_merge: 1,
    number_of_free_entries_in_pool_to_execute_mutation: 1,
    number_of_free_entries_in_pool_to_execute_optimize_entire_partition: 1,
  },
}

const elements = (settings: Readonly<Record<string, number>>): string =>
  Object.entries(settings)
    .map(([name, value]) => `<${name}>${value}</${name}>`)
    .join('')

const escape = (text: string) => text.replace(/[&<>]/g, (sign) => `&#${sign.charCodeAt(0)};`)

/**
 * Returns the engine's configuration file. It contains passwords, so only its owner may read it.
 *
 * - `writer` is the service itself.
 * - `reader` runs the projects' queries. It can only read tables of `db`, and in `tables` only rows of the
 *   project whose id is in the request's `log_comment`. A query cannot change this setting under `readonly = 1`, and
 *   without it no rows match. Unlike `additional_table_filters`, this also applies to table functions such as
 *   `merge()`.
 * - Inserts are synced to disk before they succeed, so they survive a power failure. This takes a few milliseconds per
 *   batch.
 * - The engine compares its count of allocated memory with the process's once a second. By default, it does so 20 times
 *   a second, which is half of what an idle engine does.
 * - Backups may use any folder. Only the writer can make them, which is the service and its commands.
 * - `default` runs the engine's startup statement, without a password. It may only open the port.
 */
export const engineConfig = ({
  file,
  port,
  key,
  writerPassword,
  readerPassword,
  memoryBytes,
  isSmall,
  diskReserveBytes,
  tables,
}: EngineConfig): string => `<clickhouse>
  <users_config>${escape(file)}</users_config>
  <listen_host>127.0.0.1</listen_host>
  <http_port>${port}</http_port>
  <http_handlers>
    <rule><url>/ping</url><handler><type>ping</type></handler></rule>
    <rule>
      <url>/</url><headers><x-engine-key>${key}</x-engine-key></headers>
      <handler><type>dynamic_query_handler</type><query_param_name>query</query_param_name></handler>
    </rule>
  </http_handlers>
  <users>
    <default>
      <password></password><networks><ip>::1</ip></networks><profile>default</profile><quota>default</quota>
      <grants><query>GRANT SYSTEM LISTEN ON *.*</query></grants>
    </default>
    <writer>
      <password>${writerPassword}</password><networks><ip>127.0.0.1</ip></networks><profile>default</profile><quota>default</quota>
      <grants><query>GRANT ALL ON db.*</query><query>GRANT SELECT ON system.*</query><query>GRANT KILL QUERY ON *.*</query><query>GRANT TABLE ENGINE ON *</query></grants>
    </writer>
    <reader>
      <password>${readerPassword}</password><networks><ip>127.0.0.1</ip></networks><profile>reader</profile><quota>default</quota>
      <grants><query>GRANT SELECT ON db.*</query></grants>
      <databases><db>${tables.map((table) => `<${table}><filter>project_id = toUInt32OrZero(getSetting('log_comment'))</filter></${table}>`).join('')}</db></databases>
    </reader>
  </users>
  <profiles>
    <default/>
    <reader>
      <max_execution_time>60</max_execution_time>
      <max_memory_usage>${readerMemoryBytes(memoryBytes)}</max_memory_usage>
      <max_memory_usage_for_user>${allReadersMemoryBytes(memoryBytes)}</max_memory_usage_for_user>
      <max_concurrent_queries_for_user>${READER_SLOTS}</max_concurrent_queries_for_user>
      <allow_ddl>0</allow_ddl>
      <allow_introspection_functions>0</allow_introspection_functions>
      <constraints>
        <max_execution_time><max>60</max></max_execution_time>
        <max_memory_usage><max>${readerMemoryBytes(memoryBytes)}</max></max_memory_usage>
        <allow_ddl><readonly/></allow_ddl>
        <allow_introspection_functions><readonly/></allow_introspection_functions>
      </constraints>
    </reader>
  </profiles>
  <quotas><default/></quotas>
  <max_server_memory_usage>${memoryBytes}</max_server_memory_usage>
  <mark_cache_size>268435456</mark_cache_size>
  <memory_worker_period_ms>1000</memory_worker_period_ms>
  <merges_mutations_memory_usage_soft_limit>${mergesMemoryBytes(memoryBytes)}</merges_mutations_memory_usage_soft_limit>
  ${isSmall ? elements(SMALL.server) : ''}
  <merge_tree>
    <min_free_disk_bytes_to_perform_insert>${diskReserveBytes}</min_free_disk_bytes_to_perform_insert>
    <merge_max_block_size_bytes>${MERGE_BLOCK_BYTES}</merge_max_block_size_bytes>
    ${elements({ ...AFTER_MERGE, ...(isSmall ? SMALL.merge_tree : MIN_PARTS_OF_MERGE) })}
    <fsync_after_insert>1</fsync_after_insert><fsync_part_directory>1</fsync_part_directory>
  </merge_tree>
  <backups><allowed_path>/</allowed_path></backups>
</clickhouse>
`

const between = (text: string, before: string, after: string): string => text.split(before)[1]?.split(after)[0] ?? ''

/** Returns the URL and the credentials of the engine with the configuration `text`. */
export const readEngineConfig = (text: string): Connection => {
  const account = (username: 'writer' | 'reader') => ({
    username,
    password: between(between(text, `<${username}>`, `</${username}>`), '<password>', '</password>'),
  })
  return {
    url: `http://127.0.0.1:${between(text, '<http_port>', '</http_port>')}`,
    writer: account('writer'),
    reader: account('reader'),
    headers: { 'x-engine-key': between(text, '<x-engine-key>', '</x-engine-key>') },
  }
}
