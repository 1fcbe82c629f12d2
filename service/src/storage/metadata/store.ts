import { createClient } from '@libsql/client/sqlite3'
import { type Dialect, type Kysely, sql, type Transaction } from 'kysely'
import Database from 'libsql'
import { pause } from '../../lib/wait.ts'
import { libsqlDialect } from './libsql.ts'
import type { Tables } from './tables.ts'

/** Names of the locks between processes. */
export type LockName = 'change' | 'start' | 'events'

/** Everything in which SQLite and Postgres differ. The queries are the same. */
export interface Store {
  readonly dialect: Dialect
  /** Translates a statement of `MIGRATIONS` into the database's dialect. */
  toSql(statement: string): string
  /** Whether the table of migrations exists. */
  hasMigrations(db: Kysely<Tables>): Promise<boolean>
  /** Whether an error is the violation of a unique constraint. */
  isUniqueViolation(error: unknown): boolean
  /** Waits for the lock, which is held across processes until the transaction ends. */
  acquireLock(transaction: Transaction<Tables>, name: LockName): Promise<void>
  /** Whether several processes may use the same metadata store. */
  readonly isShared: boolean
  /** Watches for changes. Absent: watching would cost as much as reading. */
  watch?(): Watch
  /** Turns an error of opening the store into one that says what the operator should do. */
  toStartError(error: unknown): unknown
}

export interface Watch {
  /** Returns a value that differs after each change by any process. */
  version(): unknown
  close(): void
}

// Another program that reads the file, such as a backup, locks it only briefly.
const BUSY_MS = 2_000

const codeOf = (error: unknown): string => {
  const { code } = error as { code?: unknown }
  return typeof code === 'string' ? code : ''
}

/** Opens a client of the SQLite file. */
export const openFile = (file: string) => createClient({ url: `file:${file}`, timeout: BUSY_MS })

/** Watches a file. `forget` must be called after each statement of this process. */
const createFileWatch = (file: string): { readonly watch: () => Watch; readonly forget: () => void } => {
  let known: number | undefined
  const forget = () => {
    known = undefined
  }
  const watch = () => {
    // A separate connection: data_version changes with commits of other connections only.
    const connection = new Database(file)
    const statement = connection.prepare('PRAGMA data_version').raw()
    return {
      version() {
        // Read once per turn of the event loop: a request that follows a change by another process arrives in a later turn.
        if (known === undefined) {
          known = (statement.get() as [number])[0]
          setImmediate(forget)
        }
        return known
      },
      close: () => void connection.close(),
    }
  }
  return { watch, forget }
}

const sqliteStore = async (file: string): Promise<Store> => {
  const client = openFile(file)
  // Readers and the writer do not block each other, and a killed process loses nothing.
  await client.execute('PRAGMA journal_mode = WAL')
  const { watch, forget } = createFileWatch(file)
  return {
    dialect: libsqlDialect(client, forget),
    toSql: (statement) => statement,
    hasMigrations: async (db) =>
      (await sql`SELECT 1 FROM sqlite_master WHERE name = 'steps'`.execute(db)).rows.length > 0,
    isUniqueViolation: (error) => codeOf(error).startsWith('SQLITE_CONSTRAINT'),
    // SQLite runs one write transaction at a time, and one process owns the data folder.
    acquireLock: async () => {},
    isShared: false,
    watch,
    toStartError: (error) => error,
  }
}

// "tra" in ASCII: keeps our advisory locks apart from those of other applications in the same database.
export const LOCK_NAMESPACE = 0x747261
const LOCK_IDS: Readonly<Record<LockName, number>> = { change: 1, start: 2, events: 3 }
/** Locks that a process holds while it runs. */
export const SESSION_LOCKS = { eventStore: 4 } as const
const START_RETRY_MS = 200

const postgresStore = async (url: string, onWait: () => void): Promise<Store> => {
  // Loaded only if it is used: reading the driver takes a tenth of the start.
  const { postgresDialect, toStartError } = await import('./postgres.ts')
  return {
    dialect: postgresDialect(url),
    // As in SQLite: 64-bit integers, and strings compared by bytes.
    toSql: (statement) => statement.replace(/\bINTEGER\b/g, 'BIGINT').replace(/\bTEXT\b/g, 'TEXT COLLATE "C"'),
    hasMigrations: async (db) =>
      (await sql<{ found: boolean }>`SELECT to_regclass('steps') IS NOT NULL AS found`.execute(db)).rows[0]!.found,
    isUniqueViolation: (error) => codeOf(error) === '23505',
    async acquireLock(transaction, name) {
      const lock = sql`(${LOCK_NAMESPACE}::int, ${LOCK_IDS[name]}::int)`
      if (name !== 'start') return void (await sql`SELECT pg_advisory_xact_lock${lock}`.execute(transaction))
      // A process that starts may hold its lock for minutes, while it migrates a cluster. One statement would time out.
      const take = sql<{ taken: boolean }>`SELECT pg_try_advisory_xact_lock${lock} AS taken`
      const isTaken = async () => (await take.execute(transaction)).rows[0]!.taken
      if (await isTaken()) return
      onWait()
      do await pause(START_RETRY_MS)
      while (!(await isTaken()))
    },
    isShared: true,
    toStartError: (error) => toStartError(error, url),
  }
}

/** Whether a location is the URL of a Postgres database. Otherwise it is the path of a SQLite file. */
export const isPostgres = (location: string): boolean => /^postgres(ql)?:\/\//.test(location)

/** Opens the store at `location`. `onWait` is called when another process holds the lock 'start'. */
export const openStore = async (location: string, onWait: () => void): Promise<Store> =>
  isPostgres(location) ? postgresStore(location, onWait) : sqliteStore(location)
