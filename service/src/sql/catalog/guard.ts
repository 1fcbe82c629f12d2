import { infix, name, type QuerySql, type SelectSql, type Sql } from './physical.ts'
import type { Stored } from './tables.ts'

/**
 * Returns the project's rows of a table, with the requested columns. It is a subquery, so no join around it can return
 * other rows. The engine still pushes outer conditions into it and reads by primary key.
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

/** Throws on a select that reads storage without the project's condition, which would be a bug of the compiler. */
export const assertGuarded = (select: QuerySql): void => {
  if (select.kind !== 'select' || select.from?.kind !== 'storage') return
  if (!isOwnerTest(select.where, select.from.owner))
    throw new Error(`Compiler bug: ${select.from.table} would be read without its project`)
}
