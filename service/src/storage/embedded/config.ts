import type { Connection } from '../clickhouse.ts'
import { READER_PLACES } from '../gate.ts'
import { PROJECT_TABLES } from '../projectTables.ts'

export interface EngineConfig {
  /** Where the configuration is written; the engine reads its users from the same file. */
  readonly file: string
  readonly port: number
  /** Sent with every request; a request without it finds nothing at the engine's address. */
  readonly key: string
  readonly writerPassword: string
  readonly readerPassword: string
  readonly memoryBytes: number
  /** Space on the disk that inserts leave free: merges and the definitions need some, also when nothing more is taken. */
  readonly diskReserveBytes: number
}

/** Most memory that one query of a project may take in an engine of `memoryBytes`. */
export const readerMemoryBytes = (memoryBytes: number): number => Math.floor(memoryBytes / 2)

/** Most memory that all queries of projects may take together: inserts always find the rest. */
const allReadersMemoryBytes = (memoryBytes: number): number => Math.floor(memoryBytes * 0.75)

const escape = (text: string) => text.replace(/[&<>]/g, (sign) => `&#${sign.charCodeAt(0)};`)

/**
 * The engine's configuration file. It holds passwords: keep it readable for its owner only.
 *
 * - `writer` is the service itself.
 * - `reader` runs the projects' queries. It can read tables of `db` and nothing else, and of `PROJECT_TABLES` it sees the rows
 *   of the project whose number is in the request's `log_comment`: the one text setting that every query has, that a query
 *   cannot set for itself under `readonly = 1`, and that selects nothing when it is left out. Unlike
 *   `additional_table_filters` this also holds for table functions such as `merge()`.
 * - what was inserted is on the disk when the insert is answered, so that it outlives a power cut too. A batch takes some
 *   milliseconds longer for it, whatever its size.
 * - backups may be written to and read from any folder: by the writer alone, which is the service and its commands.
 * - `default` is whom the engine's own start-up statement runs as, without a password; it may open the port and no more.
 */
export const engineConfig = ({
  file,
  port,
  key,
  writerPassword,
  readerPassword,
  memoryBytes,
  diskReserveBytes,
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
      <databases><db>${PROJECT_TABLES.map((table) => `<${table}><filter>project_id = toUInt32OrZero(getSetting('log_comment'))</filter></${table}>`).join('')}</db></databases>
    </reader>
  </users>
  <profiles>
    <default/>
    <reader>
      <max_execution_time>60</max_execution_time>
      <max_memory_usage>${readerMemoryBytes(memoryBytes)}</max_memory_usage>
      <max_memory_usage_for_user>${allReadersMemoryBytes(memoryBytes)}</max_memory_usage_for_user>
      <max_concurrent_queries_for_user>${READER_PLACES}</max_concurrent_queries_for_user>
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
  <merge_tree>
    <min_free_disk_bytes_to_perform_insert>${diskReserveBytes}</min_free_disk_bytes_to_perform_insert>
    <fsync_after_insert>1</fsync_after_insert><fsync_part_directory>1</fsync_part_directory>
  </merge_tree>
  <backups><allowed_path>/</allowed_path></backups>
</clickhouse>
`

const between = (text: string, before: string, after: string): string => text.split(before)[1]?.split(after)[0] ?? ''

/** Where the engine is that runs with the configuration `text`, and as whom to speak to it. */
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
