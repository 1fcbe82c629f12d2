import { SMALL_READ, type Storage } from '../storage.ts'
import { type Layout, ONE_SERVER } from './layout.ts'
import type { Migration } from './schema.ts'

/** Runs the missing migrations of the event store. Returns their names. */
export const migrate = async (
  storage: Pick<Storage, 'rows' | 'insert' | 'command'>,
  migrations: readonly Migration[],
  layout: Layout = ONE_SERVER,
): Promise<string[]> => {
  for (const statement of layout.prepare) await storage.command(statement)
  const done = new Set(
    (await storage.rows<{ id: number }>({ text: `SELECT id FROM ${layout.ledger}` }, SMALL_READ)).map(({ id }) => id),
  )
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
