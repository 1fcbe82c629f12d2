import { SMALL_READ, type Storage } from '../storage.ts'
import { type Layout, ONE_SERVER } from './layout.ts'
import type { Migration } from './schema.ts'

/**
 * Runs the missing migrations of the event store. Returns their names. Rejects if a newer release has migrated the store:
 * this one could store rows that the newer one reads wrongly.
 */
export const migrate = async (
  storage: Pick<Storage, 'rows' | 'insert' | 'command'>,
  migrations: readonly Migration[],
  layout: Layout = ONE_SERVER,
): Promise<string[]> => {
  for (const statement of layout.prepare) await storage.command(statement)
  const completed = await storage.rows<{ id: number; name: string }>(
    { text: `SELECT id, name FROM ${layout.ledger}` },
    SMALL_READ,
  )
  const newest = Math.max(...migrations.map(({ id }) => id))
  const newer = completed.find(({ id }) => id > newest)
  if (newer)
    throw new Error(
      `The event store was migrated by a newer release of Trailmark ("${newer.name}"): start that release, or use another data folder or database.`,
    )
  const done = new Set(completed.map(({ id }) => id))
  const taken: string[] = []
  for (const { id, name, statements } of migrations) {
    if (done.has(id)) continue
    for (const statement of statements) await storage.command(layout.toStatement(statement))
    await storage.insert(layout.ledger, [JSON.stringify({ id, name })])
    taken.push(name)
  }
  for (const statement of layout.complete) await storage.command(statement)
  return taken
}
