import type { Client, InArgs, Transaction } from '@libsql/client'
import {
  type CompiledQuery,
  type DatabaseConnection,
  type Dialect,
  type Driver,
  type QueryResult,
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
} from 'kysely'

interface LibsqlConnection extends DatabaseConnection {
  begin(): Promise<void>
  end(how: 'commit' | 'rollback'): Promise<void>
}

const createConnection = (client: Client, onStatement: () => void): LibsqlConnection => {
  let transaction: Transaction | undefined
  const executeQuery = async <Row>({ sql, parameters }: CompiledQuery): Promise<QueryResult<Row>> => {
    const result = await (transaction ?? client).execute({ sql, args: [...parameters] as InArgs })
    onStatement()
    return { rows: result.rows as Row[], numAffectedRows: BigInt(result.rowsAffected) }
  }
  return {
    executeQuery,
    // The client returns whole results only.
    async *streamQuery<Row>(query: CompiledQuery) {
      yield await executeQuery<Row>(query)
    },
    async begin() {
      transaction = await client.transaction('write')
    },
    async end(how) {
      await transaction?.[how]()
      onStatement()
      transaction = undefined
    },
  }
}

// SQLite allows one writer at a time and rejects a second one, so connections queue here.
const createMutex = () => {
  let last: Promise<void> = Promise.resolve()
  let release = () => {}
  return {
    async acquire() {
      const previous = last
      let done = () => {}
      last = new Promise((resolve) => (done = resolve))
      await previous
      release = done
    },
    release: () => release(),
  }
}

const createDriver = (client: Client, onStatement: () => void): Driver => {
  const mutex = createMutex()
  return {
    init: async () => {},
    async acquireConnection() {
      await mutex.acquire()
      return createConnection(client, onStatement)
    },
    beginTransaction: (connection) => (connection as LibsqlConnection).begin(),
    commitTransaction: (connection) => (connection as LibsqlConnection).end('commit'),
    rollbackTransaction: (connection) => (connection as LibsqlConnection).end('rollback'),
    releaseConnection: async () => mutex.release(),
    destroy: async () => client.close(),
  }
}

/** Returns Kysely's SQLite dialect over the connections of a libSQL client. `onStatement` is called after each statement and transaction. */
export const libsqlDialect = (client: Client, onStatement: () => void): Dialect => ({
  createAdapter: () => new SqliteAdapter(),
  createDriver: () => createDriver(client, onStatement),
  createIntrospector: (db) => new SqliteIntrospector(db),
  createQueryCompiler: () => new SqliteQueryCompiler(),
})
