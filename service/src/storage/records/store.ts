import { createClient } from '@libsql/client'
import { type Dialect, type Kysely, sql, type Transaction } from 'kysely'
import Database from 'libsql'
import { libsqlDialect } from './libsql.ts'
import { postgresDialect, toStartError } from './postgres.ts'
import type { Tables } from './tables.ts'

/** What must not be done by two processes at a time. */
export type Task = 'change' | 'start' | 'events'

/** All in which the two databases differ. The queries are the same. */
export interface Store {
  readonly dialect: Dialect
  /** A statement of `STEPS`, which are in SQLite's words. */
  toStep(statement: string): string
  /** Whether there is a table of steps. */
  hasSteps(db: Kysely<Tables>): Promise<boolean>
  /** Whether an error says that what is unique is there already. */
  isTaken(error: unknown): boolean
  /** Ends when no other transaction, of any process, has entered for the same task. It is over with the transaction. */
  enter(step: Transaction<Tables>, task: Task): Promise<void>
  /** Whether several processes may work on the same definitions. */
  readonly isShared: boolean
  /** Looks out for changes. Absent: it would cost as much as what it spares. */
  watch?(): Watch
  /** An error of opening it, in words for who started the process. */
  toStartError(error: unknown): unknown
}

export interface Watch {
  /** Another value after each change, whoever made it. */
  version(): unknown
  close(): void
}

// Another program that looks at the file, such as a backup, holds it for a moment at most.
const BUSY_MS = 2_000

const codeOf = (error: unknown): string => String((error as { code?: unknown }).code ?? '')

/** A client of the SQLite file. */
export const openFile = (file: string) => createClient({ url: `file:${file}`, timeout: BUSY_MS })

const watchFile = (file: string): Watch => {
  // A connection of its own: a connection's version tells of the changes of all others, a command's as well as ours.
  const connection = new Database(file)
  const statement = connection.prepare('PRAGMA data_version').raw()
  return {
    version: () => (statement.get() as unknown as [number])[0],
    close: () => void connection.close(),
  }
}

const sqliteStore = async (file: string): Promise<Store> => {
  const client = openFile(file)
  // Readers and the writer do not wait for each other; survives a killed process.
  await client.execute('PRAGMA journal_mode = WAL')
  return {
    dialect: libsqlDialect(client),
    toStep: (statement) => statement,
    hasSteps: async (db) => (await sql`SELECT 1 FROM sqlite_master WHERE name = 'steps'`.execute(db)).rows.length > 0,
    isTaken: (error) => codeOf(error).startsWith('SQLITE_CONSTRAINT'),
    // Its transactions are one at a time anyway, and one process has the data folder.
    enter: async () => {},
    isShared: false,
    watch: () => watchFile(file),
    toStartError: (error) => error,
  }
}

// "tra" as a number: whoever else uses such locks in the same database has other ones.
const LOCKS = 0x747261
const LOCK: Readonly<Record<Task, number>> = { change: 1, start: 2, events: 3 }

const postgresStore = (url: string): Store => ({
  dialect: postgresDialect(url),
  // SQLite's integers have 64 bits, and its texts are compared by their bytes.
  toStep: (statement) => statement.replace(/\bINTEGER\b/g, 'BIGINT').replace(/\bTEXT\b/g, 'TEXT COLLATE "C"'),
  hasSteps: async (db) =>
    (await sql<{ found: boolean }>`SELECT to_regclass('steps') IS NOT NULL AS found`.execute(db)).rows[0]!.found,
  isTaken: (error) => codeOf(error) === '23505',
  async enter(step, task) {
    await sql`SELECT pg_advisory_xact_lock(${LOCKS}::int, ${LOCK[task]}::int)`.execute(step)
  },
  isShared: true,
  toStartError,
})

/** Whether a place of definitions is the address of a Postgres database; otherwise it is a file of SQLite. */
export const isPostgres = (place: string): boolean => /^postgres(ql)?:\/\//.test(place)

export const openStore = async (place: string): Promise<Store> =>
  isPostgres(place) ? postgresStore(place) : sqliteStore(place)
