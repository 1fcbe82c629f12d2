import { joinList, splitList } from './listText.ts'

/** How a filter compares a property. `wire`: the API's name. `takes`: the type of its values. */
export const OPERATORS = {
  is: { wire: 'exact', label: 'is', takes: 'values' },
  not: { wire: 'is_not', label: 'is not', takes: 'values' },
  has: { wire: 'icontains', label: 'contains', takes: 'text' },
  'has-not': { wire: 'not_icontains', label: 'does not contain', takes: 'text' },
  regex: { wire: 'regex', label: 'matches the regular expression', takes: 'text' },
  gt: { wire: 'gt', label: 'is greater than', takes: 'number' },
  lt: { wire: 'lt', label: 'is less than', takes: 'number' },
  set: { wire: 'is_set', label: 'is set', takes: 'nothing' },
  unset: { wire: 'is_not_set', label: 'is not set', takes: 'nothing' },
} as const

export type OperatorName = keyof typeof OPERATORS
export const PROPERTY_TYPES = ['event', 'person', 'session'] as const
export type PropertyType = (typeof PROPERTY_TYPES)[number]

/** A condition on a property. Several values are alternatives. */
export interface Filter {
  readonly operator: OperatorName
  readonly type: PropertyType
  readonly key: string
  readonly values: readonly string[]
}

/** A filter in the format of the API's insight queries. */
export interface ApiFilter {
  readonly key: string
  readonly type: PropertyType
  readonly operator: string
  readonly value?: string | readonly string[]
}

/** Writes a filter for the URL: `is,$pathname,/a,/b`, and `is,person.plan,pro` for properties of persons. */
export const formatFilter = ({ operator, type, key, values }: Filter): string =>
  joinList([operator, (type === 'event' ? '' : `${type}.`) + key, ...values])

/** Reads a filter of the URL. Returns `undefined` if it is invalid. */
export const parseFilter = (text: string): Filter | undefined => {
  const [operator = '', name = '', ...values] = splitList(text)
  if (!Object.hasOwn(OPERATORS, operator) || !name) return undefined
  const type = PROPERTY_TYPES.find((each) => each !== 'event' && name.startsWith(`${each}.`)) ?? 'event'
  const key = type === 'event' ? name : name.slice(type.length + 1)
  const needsValue = OPERATORS[operator as OperatorName].takes !== 'nothing'
  return key && (!needsValue || values.length) ? { operator: operator as OperatorName, type, key, values } : undefined
}

/** Returns the filters of the query parameter `f`. Broken ones are left out. */
export const filtersOf = (search: URLSearchParams): readonly Filter[] =>
  search.getAll('f').flatMap((text) => parseFilter(text) ?? [])

export const toApiFilter = ({ operator, type, key, values }: Filter): ApiFilter => {
  const { wire, takes } = OPERATORS[operator]
  return {
    key,
    type,
    operator: wire,
    ...(takes === 'nothing' ? {} : { value: takes === 'values' ? values : values[0]! }),
  }
}

const isSame = (a: Filter, b: Filter) => formatFilter(a) === formatFilter(b)

/** Returns the filters with one more, or without it if it is among them. */
export const toggleFilter = (filters: readonly Filter[], filter: Filter): readonly Filter[] =>
  filters.some((each) => isSame(each, filter)) ? filters.filter((each) => !isSame(each, filter)) : [...filters, filter]
