import type { Storage } from '../storage.ts'
import { MIGRATIONS, type Migration } from './migrations.ts'

const PREPARE = [
  'CREATE DATABASE IF NOT EXISTS db ENGINE = Atomic',
  "CREATE TABLE IF NOT EXISTS db.migrations (id UInt32, name String, applied_at DateTime64(3, 'UTC') DEFAULT now64(3, 'UTC')) ENGINE = MergeTree ORDER BY id",
]

/** Brings the events' schema up to date. Returns the names of the steps it took; none if it was up to date. */
export const migrate = async (storage: Pick<Storage, 'rows' | 'insert' | 'command'>, migrations: readonly Migration[] = MIGRATIONS): Promise<string[]> => {
  for (const statement of PREPARE) await storage.command(statement)
  const done = new Set((await storage.rows<{ id: number }>({ text: 'SELECT id FROM db.migrations' })).map(({ id }) => id))
  const taken: string[] = []
  for (const { id, name, statements } of migrations) {
    if (done.has(id)) continue
    for (const statement of statements) await storage.command(statement)
    await storage.insert('db.migrations', [JSON.stringify({ id, name })])
    taken.push(name)
  }
  return taken
}
