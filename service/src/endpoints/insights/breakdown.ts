import { call, infix, name, type QuerySql, type Sql, text } from '../../sql/catalog/physical.ts'
import { column, from } from './select.ts'
import { breakdownLimitOf, breakdownsOf, type SharedQuery } from './shared.ts'
import { bound, some, type Source } from './source.ts'

/** The key of all values beyond the breakdown limit. */
export const OTHER = ''

/** Returns a breakdown's values as one string: a JSON list, with null for a missing or empty value. */
export const keyOf = (source: Source, query: SharedQuery): Sql => {
  const names = breakdownsOf(query)
  return names.length
    ? call('toJSONString', call('array', ...names.map((each) => call('nullIf', source.property(each), text('')))))
    : text('[]')
}

/** Returns the key of events without any of the properties. */
export const missingKeyOf = (query: SharedQuery): string => JSON.stringify(breakdownsOf(query).map(() => null))

// Returns the keys with the most rows. Ties are sorted by key.
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

/**
 * Returns a key, or `OTHER` if it is not among the keys with the most `rows`, which have a column `key`. `weight`:
 * their column of weights, if any.
 */
export const shownKeyOf = (key: Sql, rows: () => QuerySql, query: SharedQuery, weight?: string): Sql => {
  if (!breakdownsOf(query).length) return key
  const count = weight === undefined ? call('count') : call('sum', name('t', weight))
  return call('if', { kind: 'in', isNot: false, left: key, right: topKeysOf(rows(), query, count) }, key, text(OTHER))
}

/** Returns the condition that a key is one of `values`, which have the form of responses. */
export const isKeyOf = (key: Sql, values: readonly (string | null)[]): Sql => {
  const given = call(
    'toJSONString',
    call('array', ...values.map((each) => call('nullIf', bound('String', each ?? ''), text('')))),
  )
  const isGiven = infix(key, '=', given)
  return values.length === 1 && values[0] === 'Other' ? some([isGiven, infix(key, '=', text(OTHER))]) : isGiven
}

const NULLS = /^\[null(,null)*\]$/

/** Returns the position of a key in the sort order: values, then other, then the missing value. */
export const rankOf = (key: string): number => (key === OTHER ? 1 : NULLS.test(key) ? 2 : 0)

/** Returns the values of a key, one per breakdown. A missing value is null. */
export const valuesOf = (key: string): readonly (string | null)[] =>
  key === OTHER ? ['Other'] : (JSON.parse(key) as (string | null)[])

/** Returns a key's values in the form of the response: a list if the query has a list of breakdowns. */
export const valueOf = (key: string, { breakdownFilter }: SharedQuery): string | null | readonly (string | null)[] =>
  breakdownFilter?.breakdowns?.length ? valuesOf(key) : valuesOf(key)[0]!
