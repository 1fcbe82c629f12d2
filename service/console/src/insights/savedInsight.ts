import type { Query } from '../api/query.ts'
import { type Filter, formatFilter, type OperatorName, OPERATORS, PROPERTY_TYPES } from '../lib/filters.ts'
import { PERIODS } from '../lib/period.ts'
import { type Fields, fieldsOf, isFields, listOf, textOf } from './fields.ts'
import type { Parameter } from './kind.ts'
import { builtKindOf } from './kinds.ts'

const periodParameters = (range: Fields): readonly Parameter[] => {
  const [from, to] = [range.date_from, range.date_to ?? undefined]
  const period = PERIODS.find(({ dateFrom, dateTo }) => dateFrom === from && dateTo === to)
  return period
    ? [['period', period.name]]
    : from === undefined
      ? []
      : [
          ['from', textOf(from)],
          ['to', textOf(to)],
        ]
}

const filterParameter = ({ key, type, operator, value }: Fields): Parameter => {
  const found = (Object.keys(OPERATORS) as OperatorName[]).find((name) => OPERATORS[name].wire === operator) ?? 'is'
  const filter: Filter = {
    operator: found,
    type: PROPERTY_TYPES.find((each) => each === type) ?? 'event',
    key: textOf(key),
    values: [value ?? []].flat().map(textOf),
  }
  return ['f', formatFilter(filter)]
}

/** Empty ones are those that the API leaves out. */
const isEmpty = (value: unknown): boolean =>
  value === undefined || value === null || (Array.isArray(value) && value.length === 0)

/** Returns whether `built` contains everything in `saved`. Additional fields have the defaults of the API. */
const contains = (built: unknown, saved: unknown): boolean => {
  if (isEmpty(saved)) return isEmpty(built)
  if (Array.isArray(saved))
    return Array.isArray(built) && built.length === saved.length && saved.every((each, at) => contains(built[at], each))
  if (!isFields(saved)) return built === saved
  return Object.entries(saved).every(([name, value]) => contains(fieldsOf(built)[name], value))
}

/**
 * Returns the settings of the builder for a saved insight, as query parameters. `undefined`: the insight has settings that
 * the builder does not have, and would lose.
 */
export const settingsOf = (query: Query): [name: string, value: string][] | undefined => {
  const kind = builtKindOf(query)
  if (!kind) return undefined
  const { property, type } = listOf(fieldsOf(query.breakdownFilter).breakdowns)[0] ?? {}
  const parameters = [
    ...kind.parametersOf(query),
    ...(kind.hasPeriod ? periodParameters(fieldsOf(query.dateRange)) : []),
    ...listOf(query.properties).map(filterParameter),
    [
      'by',
      property === undefined
        ? undefined
        : (type === undefined || type === 'event' ? '' : `${textOf(type)}.`) + textOf(property),
    ] as const,
  ].flatMap(([name, value]): [string, string][] => (value === undefined ? [] : [[name, value]]))
  return contains(kind.toQuery(new URLSearchParams(parameters)), query) ? parameters : undefined
}
