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
