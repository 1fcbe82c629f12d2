import { call, name, type QuerySql, type Sql, text } from '../../sql/catalog/physical.ts'
import { column, from } from './select.ts'
import { breakdownLimitOf, breakdownsOf, type SharedQuery } from './shared.ts'
import { bound, type Source } from './source.ts'

/** The key of all values that are not shown. */
export const OTHER = ''

/** A breakdown's values as one text: a JSON list, in which a missing value is null. What is empty counts as missing. */
export const keyOf = (source: Source, query: SharedQuery): Sql => {
  const names = breakdownsOf(query)
  return names.length
    ? call('toJSONString', call('array', ...names.map((each) => call('nullIf', source.property(each), text('')))))
    : text('[]')
}

/** The key of events without any of the values. */
export const missingKeyOf = (query: SharedQuery): string => JSON.stringify(breakdownsOf(query).map(() => null))

// The keys to show: those of the most rows, ties by their text.
const topKeysOf = (rows: QuerySql, query: SharedQuery, count: Sql): Sql => ({
  kind: 'query',
  query: {
    kind: 'select',
    items: [column(name('t', 'key'), 'key')],
    from: from(rows, 't'),
    groupBy: [name('t', 'key')],
    orderBy: [
      { by: count, isDescending: true },
      { by: name('t', 'key'), isDescending: false },
    ],
    limit: bound('UInt64', breakdownLimitOf(query)),
  },
})

/** A key, or `OTHER` if it is not among those to show: of the most `rows`, which have a column `key` and may have the weights `weight`. */
export const shownKeyOf = (key: Sql, rows: () => QuerySql, query: SharedQuery, weight?: string): Sql => {
  if (!breakdownsOf(query).length) return key
  const count = weight === undefined ? call('count') : call('sum', name('t', weight))
  return call('if', { kind: 'in', isNot: false, left: key, right: topKeysOf(rows(), query, count) }, key, text(OTHER))
}

const NULLS = /^\[null(,null)*\]$/

/** The order of keys: other comes after every value, the missing value after that. */
export const rankOf = (key: string): number => (key === OTHER ? 1 : NULLS.test(key) ? 2 : 0)

/** Returns the values that a key stands for, one per breakdown. A missing value is null. */
export const valuesOf = (key: string): readonly (string | null)[] =>
  key === OTHER ? ['Other'] : (JSON.parse(key) as (string | null)[])

/** Returns a key's values as an answer has them: a list if the query has a list of breakdowns. */
export const valueOf = (key: string, { breakdownFilter }: SharedQuery): string | null | readonly (string | null)[] =>
  breakdownFilter?.breakdowns?.length ? valuesOf(key) : valuesOf(key)[0]!
