import { Kysely, sql } from 'kysely'
import type { MetadataContext } from './context.ts'
import { MetadataMismatch } from './errors.ts'
import { MIGRATIONS } from './migrations.ts'
import { openStore, type Store } from './store.ts'
import type { Tables } from './tables.ts'

export interface OpenDatabase extends Pick<MetadataContext, 'db' | 'transact'> {
  readonly store: Store
}

const lastMigration = async ({ hasMigrations }: Store, db: Kysely<Tables>): Promise<number> => {
  if (!(await hasMigrations(db))) return 0
  const { last } = await db
    .selectFrom('steps')
    .select(({ fn }) => fn.max('id').as('last'))
    .executeTakeFirstOrThrow()
  return last ?? 0
}

const assertSupported = ({ isShared }: Store, last: number, mayUpgrade: boolean) => {
  if (last > MIGRATIONS.length)
    throw new MetadataMismatch(
      `the metadata was written by a newer release of Trailmark: use that release, or another ${isShared ? 'database' : 'data folder'}.`,
    )
  // An empty database is not in use, so any release may create the tables.
  if (last > 0 && last < MIGRATIONS.length && !mayUpgrade)
    throw new MetadataMismatch(
      'the running service is an older release than this command: restart the service with this release first.',
    )
}

// One transaction under a lock: if two processes open the database at the same time, only the first migrates it.
const migrate = async ({ store, db, transact }: OpenDatabase, mayUpgrade: boolean) => {
  const last = await lastMigration(store, db)
  assertSupported(store, last, mayUpgrade)
  // A user without the right to create tables can still work with existing ones.
  if (last === MIGRATIONS.length) return
  await transact(async (transaction) => {
    await sql.raw(store.toSql('CREATE TABLE IF NOT EXISTS steps (id INTEGER PRIMARY KEY)')).execute(transaction)
    for (let id = (await lastMigration(store, transaction)) + 1; id <= MIGRATIONS.length; id += 1) {
      for (const statement of MIGRATIONS[id - 1]!) await sql.raw(store.toSql(statement)).execute(transaction)
      await transaction.insertInto('steps').values({ id }).execute()
    }
  }, 'start')
}

/**
 * Opens the database at `location`, creates it where needed, and runs the migrations it lacks. `onWait` is called when
 * it waits for another process that starts.
 */
export const openDatabase = async (
  location: string,
  mayUpgrade: boolean,
  onWait: () => void = () => {},
): Promise<OpenDatabase> => {
  const store = await openStore(location, onWait)
  const db = new Kysely<Tables>({ dialect: store.dialect })
  const database: OpenDatabase = {
    store,
    db,
    // Read committed: sees the changes of the transactions that it waited for.
    transact: (work, name = 'change') =>
      db
        .transaction()
        .setIsolationLevel('read committed')
        .execute(async (transaction) => {
          await store.acquireLock(transaction, name)
          return work(transaction)
        }),
  }
  try {
    await migrate(database, mayUpgrade)
    return database
  } catch (error) {
    await db.destroy()
    throw store.toStartError(error)
  }
}
