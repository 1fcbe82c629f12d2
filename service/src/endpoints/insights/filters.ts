import { type Static, Type } from '@sinclair/typebox'
import { call, infix, type Sql, text } from '../../sql/catalog/physical.ts'
import { timeOfText } from '../../sql/resolve/coerce.ts'
import { DATE_FORMS, readDate } from './period.ts'
import { bound, every, faultOfProperty, not, some, type Source } from './source.ts'
import type { Zone } from './zone.ts'
import { own } from '../../lib/own.ts'

const Scalar = Type.Union([Type.String(), Type.Number(), Type.Boolean()])

export const FILTER = Type.Object(
  {
    key: Type.String({ minLength: 1, maxLength: 1_000 }),
    type: Type.Optional(Type.String()),
    group_type_index: Type.Optional(Type.Union([Type.Integer(), Type.Null()])),
    operator: Type.Optional(Type.String()),
    value: Type.Optional(Type.Union([Scalar, Type.Array(Scalar), Type.Null()])),
    label: Type.Optional(Type.Unknown()),
  },
  { additionalProperties: false },
)

export type Filter = Static<typeof FILTER>

/** Filters joined by AND or OR. */
export interface FilterGroup {
  readonly type: 'AND' | 'OR'
  readonly values: readonly (Filter | FilterGroup)[]
}

export interface FilterContext {
  readonly zone: Zone
  readonly now: number
}

type Takes = 'values' | 'text' | 'number' | 'range' | 'date' | 'nothing'

interface Operator {
  readonly takes: Takes
  /** Never NULL: a negated operator matches events without the property too. */
  readonly test: (property: Sql, value: Filter['value'], context: FilterContext) => Sql
}

const listOf = (value: Filter['value']): string[] => (Array.isArray(value) ? value : [value]).map(String)

const orFalse = (test: Sql): Sql => call('ifNull', test, { kind: 'boolean', value: false })
const isAny: Operator['test'] = (property, value) =>
  orFalse(
    every([
      call('isNotNull', property),
      call('has', bound('Array(String)', listOf(value)), call('ifNull', property, text(''))),
    ]),
  )
const escapeLike = (value: string) => value.replace(/[\\%_]/g, '\\$&')
const contains: Operator['test'] = (property, value) =>
  some(listOf(value).map((each) => orFalse(call('ilike', property, bound('String', `%${escapeLike(each)}%`)))))
const matches: Operator['test'] = (property, value) => orFalse(call('match', property, bound('String', String(value))))
const isSet: Operator['test'] = (property) => call('isNotNull', property)

/** Parses a string as a finite number. NULL: not a number. */
export const finiteNumber = (property: Sql): Sql => {
  const number = call('toFloat64OrNull', property)
  return call('if', call('isFinite', call('ifNull', number, { kind: 'number', digits: '0' })), number, { kind: 'null' })
}

const compares =
  (operator: '<' | '<=' | '>' | '>='): Operator['test'] =>
  (property, value) =>
    orFalse(infix(finiteNumber(property), operator, bound('Float64', Number(value))))
const isBetween: Operator['test'] = (property, value) => {
  const [low, high] = value as readonly (string | number)[]
  return every([compares('>=')(property, low, {} as never), compares('<=')(property, high, {} as never)])
}

const dateTest =
  (accepts: (time: Sql, from: Sql, until: Sql) => Sql): Operator['test'] =>
  (property, value, { zone, now }) => {
    const { from, until } = readDate(String(value), zone, now)!
    const millis = call('toUnixTimestamp64Milli', timeOfText(property, text(zone.name)))
    return orFalse(accepts(millis, bound('Int64', from), bound('Int64', until)))
  }

const negated =
  (test: Operator['test']): Operator['test'] =>
  (...args) =>
    not(test(...args))

const OPERATORS: Readonly<Record<string, Operator>> = {
  exact: { takes: 'values', test: isAny },
  is_not: { takes: 'values', test: negated(isAny) },
  in: { takes: 'values', test: isAny },
  not_in: { takes: 'values', test: negated(isAny) },
  icontains: { takes: 'text', test: contains },
  not_icontains: { takes: 'text', test: negated(contains) },
  icontains_multi: { takes: 'values', test: contains },
  not_icontains_multi: { takes: 'values', test: negated(contains) },
  regex: { takes: 'text', test: matches },
  not_regex: { takes: 'text', test: negated(matches) },
  gt: { takes: 'number', test: compares('>') },
  gte: { takes: 'number', test: compares('>=') },
  lt: { takes: 'number', test: compares('<') },
  lte: { takes: 'number', test: compares('<=') },
  min: { takes: 'number', test: compares('>=') },
  max: { takes: 'number', test: compares('<=') },
  between: { takes: 'range', test: isBetween },
  not_between: { takes: 'range', test: negated(isBetween) },
  is_set: { takes: 'nothing', test: isSet },
  is_not_set: { takes: 'nothing', test: negated(isSet) },
  is_date_exact: {
    takes: 'date',
    test: dateTest((time, from, until) => every([infix(time, '>=', from), infix(time, '<', until)])),
  },
  is_date_before: { takes: 'date', test: dateTest((time, from) => infix(time, '<', from)) },
  is_date_after: { takes: 'date', test: dateTest((time, _, until) => infix(time, '>=', until)) },
}

const isNumber = (value: unknown) =>
  (typeof value === 'number' && Number.isFinite(value)) ||
  (typeof value === 'string' &&
    /^\s*[+-]?(\d+(?:\.\d*)?|\.\d+)([eE][+-]?\d+)?\s*$/.test(value) &&
    Number.isFinite(Number(value)))
const isScalar = (value: unknown) => ['string', 'number', 'boolean'].includes(typeof value)

const TAKES: Readonly<
  Record<Takes, { readonly words: string; readonly accepts: (value: unknown, context: FilterContext) => boolean }>
> = {
  values: {
    words: 'a string, number, boolean, or a non-empty list of them',
    accepts: (value) => isScalar(value) || (Array.isArray(value) && value.length > 0),
  },
  text: { words: 'a string, number or boolean', accepts: isScalar },
  number: { words: 'a number', accepts: isNumber },
  range: {
    words: 'a list of two numbers',
    accepts: (value) => Array.isArray(value) && value.length === 2 && value.every(isNumber),
  },
  date: {
    words: DATE_FORMS,
    accepts: (value, { zone, now }) => typeof value === 'string' && readDate(value, zone, now) !== undefined,
  },
  nothing: { words: 'nothing', accepts: () => true },
}

/** Returns the invalid field of a filter and what it should be, or `undefined` if the filter is valid. */
export const faultOfFilter = (
  filter: Filter,
  context: FilterContext,
): { readonly field: string; readonly message: string } | undefined => {
  const { operator = 'exact', value } = filter
  const fault = faultOfProperty(filter)
  if (fault) return fault
  if (!Object.hasOwn(OPERATORS, operator))
    return { field: 'operator', message: `must be one of ${Object.keys(OPERATORS).join(', ')}` }
  const { words, accepts } = TAKES[own(OPERATORS, operator)!.takes]
  return accepts(value, context)
    ? undefined
    : { field: 'value', message: `must be ${words} with the operator "${operator}"` }
}

/** Returns the condition that an event matches the filters, which must have been checked. */
export const passes = (source: Pick<Source, 'property'>, { type, values }: FilterGroup, context: FilterContext): Sql =>
  (type === 'AND' ? every : some)(
    values.map((each) =>
      'values' in each
        ? passes(source, each, context)
        : own(OPERATORS, each.operator ?? 'exact')!.test(source.property(each), each.value, context),
    ),
  )
