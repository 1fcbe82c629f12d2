import type { Sql } from '../../sql/catalog/physical.ts'

/** Returns the direct parts of an expression. Subqueries have none. */
export const childrenOf = (sql: Sql): readonly Sql[] => {
  const found: Sql[] = []
  mapChildren(sql, (each) => {
    found.push(each)
    return each
  })
  return found
}

/** Returns an expression with changed parts. Subqueries and the parameters of aggregates are unchanged. */
export const mapChildren = (sql: Sql, change: (part: Sql) => Sql): Sql => {
  switch (sql.kind) {
    case 'call':
      return {
        ...sql,
        args: sql.args.map(change),
        ...(sql.over && {
          over: {
            ...sql.over,
            partitionBy: sql.over.partitionBy.map(change),
            orderBy: sql.over.orderBy.map((each) => ({ ...each, by: change(each.by) })),
          },
        }),
      }
    case 'infix':
      return {
        ...sql,
        first: change(sql.first),
        rest: sql.rest.map(({ operator, right }) => ({ operator, right: change(right) })),
      }
    case 'in':
      return { ...sql, left: change(sql.left), right: change(sql.right) }
    case 'lambda':
      return { ...sql, body: change(sql.body) }
    case 'subColumn':
    case 'subObject':
      return { ...sql, of: change(sql.of) }
    default:
      return sql
  }
}

/** Whether an expression or any part of it passes a test. */
export const some = (sql: Sql, test: (node: Sql) => boolean): boolean =>
  test(sql) || childrenOf(sql).some((each) => some(each, test))

/** Whether an expression uses an argument of an enclosing lambda. */
export const isOpen = (sql: Sql, bound: readonly string[] = []): boolean => {
  if (sql.kind === 'name') return sql.path.length === 1 && !bound.includes(sql.path[0]!)
  const within = sql.kind === 'lambda' ? [...bound, ...sql.names] : bound
  return childrenOf(sql).some((each) => isOpen(each, within))
}

export const isColumn = (node: Sql): boolean => node.kind === 'name' && node.path.length === 2
export const isQuery = (node: Sql): boolean => node.kind === 'query'
export const isClock = (node: Sql): boolean => node.kind === 'call' && node.name === 'now64'
