import { ApiError } from '../../lib/apiError.ts'
import { parse, type SqlQuery } from '../definitions/check.ts'
import { exposureOfInsight, exposureOfSql, namesIn } from '../definitions/exposure.ts'
import { type InsightQuery, isInsight } from '../insights/insights.ts'
import { breakdownsOf } from '../insights/shared.ts'

/** Names of properties of people that identify them. */
const OF_PERSON =
  /(?:^|[^a-z])(?:(?:first|last|full|user|given|family|display|sur)?[^a-z]?name|phone|mobile|address|birth\w*)$/i
const OF_ANYTHING = /^\$?ip$/i

const identifies = (name: string, isOfPerson: boolean) =>
  OF_ANYTHING.test(name) || (isOfPerson && OF_PERSON.test(name.replace(/([a-z])([A-Z])/g, '$1_$2')))

const identifyingInSql = (text: string): string | undefined => {
  const names = namesIn(parse(text).query)
  return [...names].find((name) => identifies(name, names.has('person')))
}

const identifyingInInsight = (query: InsightQuery): string | undefined =>
  breakdownsOf(query).find(({ key, type }) => identifies(key, type === 'person'))?.key

// A version's query never changes, and remains the same object while the version is cached.
const exposures = new WeakMap<object, { readonly exposure: string | undefined }>()

const read = (query: SqlQuery | InsightQuery): string | undefined => {
  const exposure = isInsight(query) ? exposureOfInsight(query) : exposureOfSql(parse(query.query).query)
  if (exposure) return exposure
  const name = isInsight(query) ? identifyingInInsight(query) : identifyingInSql(query.query)
  return name === undefined ? undefined : `reads "${name}", which identifies people.`
}

/** Returns why the rows of a query are about single people. Stricter than for a share, whose owner chose the query. */
export const exposureOf = (query: SqlQuery | InsightQuery): string | undefined => {
  const known = exposures.get(query) ?? { exposure: read(query) }
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
