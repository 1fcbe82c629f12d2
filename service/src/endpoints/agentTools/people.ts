import { ApiError } from '../../lib/apiError.ts'
import { parse, type SqlQuery } from '../definitions/check.ts'
import { exposureOfInsight, exposureOfSql } from '../definitions/exposure.ts'
import { type InsightQuery, isInsight } from '../insights/insights.ts'

// A version's query never changes, and remains the same object while the version is cached.
const exposures = new WeakMap<object, { readonly exposure: string | undefined }>()

const read = (query: SqlQuery | InsightQuery) => ({
  exposure: isInsight(query) ? exposureOfInsight(query) : exposureOfSql(parse(query.query).query),
})

/** Returns why the rows of a query are about single people. */
export const exposureOf = (query: SqlQuery | InsightQuery): string | undefined => {
  const known = exposures.get(query) ?? read(query)
  exposures.set(query, known)
  return known.exposure
}

/** Throws `ApiError` if the rows of a query are about single people. */
export const assertNoPeople = (query: SqlQuery | InsightQuery): void => {
  const exposure = exposureOf(query)?.split('. ')[0]?.replace(/\.$/, '')
  if (exposure)
    throw new ApiError('permission_denied', {
      attr: 'query',
      detail: `This query ${exposure}. Agents count people and do not list them, unless the key was made for it with the scopes mcp:people and person:read.`,
    })
}
