import { isDeepStrictEqual } from 'node:util'
import { call, infix, name, type OrderSql, type SelectSql, type Sql, text } from '../catalog/physical.ts'
import { QueryError } from '../parse/queryError.ts'
import type { ResolvedQuery } from './resolverContext.ts'

/** The last row of a page: its keys as strings, and the number of rows with the same keys returned so far. */
export interface After {
  readonly keys: readonly (string | null)[]
  readonly skip: number
}

interface Key {
  readonly by: Sql
  readonly isDescending: boolean
  readonly nullsFirst: boolean
}

const PAGE = '__page'

const logic = (operator: 'AND' | 'OR', first: Sql, right: Sql): Sql =>
  call(operator === 'AND' ? 'and' : 'or', first, right)

// NaN sorts like NULL but, unlike NULL, cannot be compared.
const comparable = (column: Sql, kind: string): Sql =>
  kind === 'number' ? call('if', infix(call('toString', column), '=', text('nan')), { kind: 'null' }, column) : column

/** Returns the keys of a page: what the query is ordered by, then the whole row, so that the order is total. */
const keysOf = ({ query, columns }: ResolvedQuery): readonly Key[] => {
  const items = query.kind === 'select' ? query.items : []
  const ordering: readonly OrderSql[] = (query.kind === 'select' && query.orderBy) || []
  const own = ordering.map(({ by, isDescending, nulls }): Key => {
    const at = items.findIndex(
      (item) =>
        isDeepStrictEqual(by, item.value) || (by.kind === 'name' && by.path.length === 1 && by.path[0] === item.name),
    )
    const column = columns[at]
    if (!column)
      throw new QueryError(
        'not_supported',
        'Pagination by cursor requires every ORDER BY expression in SELECT',
        undefined,
        'Add the ORDER BY expressions to SELECT',
      )
    return { by: comparable(name(PAGE, column.name), column.kind), isDescending, nullsFirst: nulls === 'first' }
  })
  const row = call('tuple', ...columns.map((column) => name(PAGE, column.name)))
  return [
    ...own,
    { by: call('hex', call('sipHash128', call('toString', row))), isDescending: false, nullsFirst: false },
  ]
}

const typed = (key: Sql, keyText: string): Sql =>
  call('cast', { kind: 'parameter', type: 'String', value: keyText }, call('toTypeName', key))

const isAfter = ({ by, isDescending, nullsFirst }: Key, key: string | null): Sql => {
  const isNull = call('isNull', by)
  if (key === null) return nullsFirst ? call('not', isNull) : { kind: 'boolean', value: false }
  const beyond = infix(by, isDescending ? '<' : '>', typed(by, key))
  return nullsFirst ? beyond : logic('OR', beyond, isNull)
}

const isSame = ({ by }: Key, key: string | null): Sql =>
  key === null ? call('isNull', by) : infix(by, '=', typed(by, key))

const from = (keys: readonly Key[], values: After['keys']): Sql =>
  keys.reduceRight<Sql>(
    (rest, key, at) => logic('OR', isAfter(key, values[at]!), logic('AND', isSame(key, values[at]!), rest)),
    { kind: 'boolean', value: true },
  )

/** Returns the query's rows after a position, in an order without ties. Each row ends in its keys as strings. */
export const keysetPage = (
  resolved: ResolvedQuery,
  limit: number | undefined,
  after: After | undefined,
): { query: SelectSql; keyCount: number } => {
  const keys = keysOf(resolved)
  if (after && after.keys.length !== keys.length)
    throw new QueryError('limit_invalid', 'The cursor does not belong to this query')
  const count = (value: number): Sql => ({ kind: 'parameter', type: 'UInt64', value })
  const query: SelectSql = {
    kind: 'select',
    items: [
      ...resolved.columns.map((column) => ({ value: name(PAGE, column.name), name: column.name })),
      ...keys.map(({ by }, at) => ({
        value: call('if', call('isNull', by), { kind: 'null' }, call('toString', by)),
        name: `__key${at + 1}`,
      })),
    ],
    from: { kind: 'named', query: resolved.query, name: PAGE },
    where: after && from(keys, after.keys),
    orderBy: keys.map(({ by, isDescending, nullsFirst }) => ({
      by,
      isDescending,
      nulls: nullsFirst ? 'first' : 'last',
    })),
    limit: limit === undefined ? undefined : count(limit),
    offset: after && after.skip > 0 ? count(after.skip) : undefined,
  }
  return { query, keyCount: keys.length }
}
