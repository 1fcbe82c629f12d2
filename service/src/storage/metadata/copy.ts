import { openDatabase } from './open.ts'
import { isPostgres, openFile } from './store.ts'
import { TABLES_IN_BACKUPS } from './tables.ts'

// Small enough for the maximum number of values in one statement.
const ROWS_PER_INSERT = 500

const copyFile = async (from: string, target: string) => {
  const client = openFile(from)
  try {
    await client.execute({ sql: 'VACUUM INTO ?', args: [target] })
  } finally {
    client.close()
  }
}

/**
 * Writes a consistent copy of the metadata at `from`, which may be in use, to `target`, a new file or an empty database.
 * Migrates a file of an older release at `from` first.
 */
export const copyMetadata = async (from: string, target: string): Promise<void> => {
  if (!isPostgres(from) && !isPostgres(target)) return copyFile(from, target)
  const source = await openDatabase(from, !isPostgres(from))
  try {
    const destination = await openDatabase(target, true)
    try {
      // Repeatable read: the rows of all tables are from the same moment.
      await source.db
        .transaction()
        .setIsolationLevel('repeatable read')
        .execute((read) =>
          destination.transact(async (transaction) => {
            for (const table of TABLES_IN_BACKUPS) {
              const rows = await read.selectFrom(table).selectAll().execute()
              for (let start = 0; start < rows.length; start += ROWS_PER_INSERT) {
                const chunk = rows.slice(start, start + ROWS_PER_INSERT)
                await transaction.insertInto(table).values(chunk).execute()
              }
            }
          }),
        )
    } finally {
      await destination.db.destroy()
    }
  } finally {
    await source.db.destroy()
  }
}
