import type { Properties } from '../../types'
import { attempt } from './page'

/** A condition on a property, as the service sends it. Without an operator: `exact`. */
export interface PropertyCondition {
  key?: unknown
  operator?: unknown
  value?: unknown
}

const OPERATORS: Record<string, (actual: unknown, wanted: string) => boolean> = {
  exact: (actual, wanted) => String(actual) === wanted,
  icontains: (actual, wanted) => String(actual).toLowerCase().includes(wanted.toLowerCase()),
  regex: (actual, wanted) => new RegExp(wanted).test(String(actual)),
  gt: (actual, wanted) => Number(actual) > Number(wanted),
  gte: (actual, wanted) => Number(actual) >= Number(wanted),
  lt: (actual, wanted) => Number(actual) < Number(wanted),
  lte: (actual, wanted) => Number(actual) <= Number(wanted),
  set: () => true,
}

/** Operators that are the opposite of another one. */
const OPPOSITES: Record<string, string> = {
  is_not: 'exact',
  not_icontains: 'icontains',
  not_regex: 'regex',
  is_not_set: 'set',
}

/** Whether properties meet a condition. One with an unknown operator or an invalid regular expression is not met. */
const isMet = ({ key, operator = 'exact', value }: PropertyCondition, properties: Properties): boolean => {
  const name = String(operator)
  const opposite = OPPOSITES[name]
  const test = OPERATORS[opposite ?? name.replace('is_set', 'set')]
  if (!test) return false
  const actual = properties[String(key)]
  const isThere = actual !== undefined && actual !== null
  const result = attempt(() => isThere && [value].flat().some((each) => test(actual, String(each))))
  return opposite ? result === false : result === true
}

/** Whether properties meet all conditions. */
export const meets = (conditions: readonly PropertyCondition[] | undefined, properties: Properties): boolean =>
  (conditions ?? []).every((each) => isMet(each, properties))
