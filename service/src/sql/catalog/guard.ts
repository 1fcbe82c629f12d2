import { infix, name, type QuerySql, type SelectSql, type Sql } from './physical.ts'
import type { Stored } from './tables.ts'

/**
 * The rows of a table that belong to the project, with the columns that are wanted of them. A query of its own, so that no join around it
 * can bring other rows back; the engine still moves the outer conditions into it and reads by primary key.
 */
export const guarded = (table: Stored, items: SelectSql['items']): SelectSql => ({
  kind: 'select',
  items,
  from: { kind: 'storage', database: table.database, table: table.name, owner: table.owner },
  where: infix(name(table.owner), '=', { kind: 'project' }),
})

const isOwnerTest = (where: Sql | undefined, owner: string): boolean =>
  where?.kind === 'infix' &&
  where.first.kind === 'name' &&
  where.first.path.length === 1 &&
  where.first.path[0] === owner &&
  where.rest.length === 1 &&
  where.rest[0]!.operator === '=' &&
  where.rest[0]!.right.kind === 'project'

/** Throws on a select that reads storage without its project. A query cannot bring that about: it would be a fault of the compiler. */
export const assertGuarded = (select: QuerySql): void => {
  if (select.kind !== 'select' || select.from?.kind !== 'storage') return
  if (!isOwnerTest(select.where, select.from.owner))
    throw new Error(`Compiler fault: ${select.from.table} would be read without its project`)
}
