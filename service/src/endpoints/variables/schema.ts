import { isUuid } from '../../lib/uuid.ts'
import type { VariableSchema } from '../../storage/metadata/metadata.ts'
import type { BoundValue } from '../../sql/compile.ts'
import { isPattern, matches } from './pattern.ts'
import { VARIABLE_TYPES, type VariableType, type VariableTypeName } from './types.ts'

export type SchemaTypeName = VariableSchema['type']

interface SchemaType extends VariableType {
  /** The variable type that this one narrows. */
  readonly of: VariableTypeName
}

const onlyAs =
  (type: BoundValue['type'], bind: VariableType['bind']): VariableType['bind'] =>
  (value, choices) => {
    const bound = bind(value, choices)
    return bound?.type === type ? bound : undefined
  }

const { String: TEXT, Number: NUMBER, Boolean: BOOLEAN, Date: DATE, List: LIST } = VARIABLE_TYPES

export const SCHEMA_TYPES: Readonly<Record<SchemaTypeName, SchemaType>> = {
  integer: {
    of: 'Number',
    takes: 'a whole number',
    bind: (value) => (Number.isSafeInteger(value) ? { type: 'Int64', value: (value as number) + 0 } : undefined),
  },
  number: { of: 'Number', ...NUMBER },
  string: { of: 'String', ...TEXT },
  boolean: { of: 'Boolean', ...BOOLEAN },
  date: { of: 'Date', takes: 'a date YYYY-MM-DD', bind: onlyAs('Date', DATE.bind) },
  datetime: { of: 'Date', takes: 'a time YYYY-MM-DDTHH:MM:SS', bind: onlyAs("DateTime64(3, 'UTC')", DATE.bind) },
  uuid: { of: 'String', takes: 'a UUID', bind: (value) => (isUuid(value) ? { type: 'String', value } : undefined) },
  list: { of: 'List', takes: 'a list of strings', bind: onlyAs('Array(String)', LIST.bind) },
}

type Value = string | number | boolean | readonly string[]

interface Rule<Limit> {
  readonly types: readonly SchemaTypeName[]
  isBroken(value: Value, limit: Limit): boolean
  /** Returns what a value must be, for example `must be 3 or more`. */
  words(limit: Limit): string
}

// JSON Schema counts a string's length in characters, not in UTF-16 units.
const lengthOf = (value: Value) => (typeof value === 'string' ? [...value].length : (value as readonly string[]).length)
const itemsOf = (value: Value) => (Array.isArray(value) ? (value as readonly string[]) : [value as string | number])

// Bound dates and times are strings of one format each, so they compare as strings.
const isLess = (a: Value, b: Value) => (typeof a === typeof b ? a < b : false)

const ORDERED: readonly SchemaTypeName[] = ['integer', 'number', 'date', 'datetime']
const TEXTS: readonly SchemaTypeName[] = ['string']

const RULES: { readonly [Name in Exclude<keyof VariableSchema, 'type'>]: Rule<NonNullable<VariableSchema[Name]>> } = {
  minimum: {
    types: ORDERED,
    isBroken: (value, limit) => isLess(value, limit),
    words: (limit) => `must be ${limit} or more`,
  },
  maximum: {
    types: ORDERED,
    isBroken: (value, limit) => isLess(limit, value),
    words: (limit) => `must be ${limit} or less`,
  },
  minLength: {
    types: TEXTS,
    isBroken: (value, limit) => lengthOf(value) < limit,
    words: (limit) => `must have ${limit} or more characters`,
  },
  maxLength: {
    types: TEXTS,
    isBroken: (value, limit) => lengthOf(value) > limit,
    words: (limit) => `must have ${limit} or fewer characters`,
  },
  pattern: {
    types: TEXTS,
    isBroken: (value, limit) => !matches(limit, value as string),
    words: (limit) => `must match the pattern ${limit}`,
  },
  enum: {
    types: ['integer', 'number', 'string', 'date', 'datetime', 'uuid', 'list'],
    isBroken: (value, limit) => itemsOf(value).some((item) => !limit.includes(item)),
    words: (limit) => `must be one of ${limit.map((item) => JSON.stringify(item)).join(', ')}`,
  },
  minItems: {
    types: ['list'],
    isBroken: (value, limit) => lengthOf(value) < limit,
    words: (limit) => `must have ${limit} or more items`,
  },
  maxItems: {
    types: ['list'],
    isBroken: (value, limit) => lengthOf(value) > limit,
    words: (limit) => `must have ${limit} or fewer items`,
  },
}

const RULE_NAMES = Object.keys(RULES) as (keyof typeof RULES)[]

// Limits that are dates are converted to the format of the values that they are compared with.
const limitOf = (schema: VariableSchema, name: keyof typeof RULES): unknown => {
  const limit = schema[name]
  const asValue = (each: unknown) =>
    ORDERED.includes(schema.type) && typeof each === 'string'
      ? (SCHEMA_TYPES[schema.type].bind(each, [])?.value ?? each)
      : each
  return Array.isArray(limit) ? limit.map(asValue) : asValue(limit)
}

/** Returns a message for each rule of `schema` that a value of its type breaks. */
export const brokenRules = (schema: VariableSchema, value: Value): string[] =>
  RULE_NAMES.filter((name) => schema[name] !== undefined)
    .map((name): { rule: Rule<unknown>; limit: unknown } => ({ rule: RULES[name], limit: limitOf(schema, name) }))
    .filter(({ rule, limit }) => rule.isBroken(value, limit))
    .map(({ rule, limit }) => rule.words(limit))

const isOfType = (schema: VariableSchema, value: unknown): boolean =>
  SCHEMA_TYPES[schema.type].bind(schema.type === 'list' ? [value] : value, []) !== undefined

const PAIRS = [
  ['minimum', 'maximum'],
  ['minLength', 'maxLength'],
  ['minItems', 'maxItems'],
] as const

/** Returns the defect of a schema for a variable of type `of`, as the end of a sentence that begins with "schema". */
export const schemaFault = (schema: VariableSchema, of: string): string | undefined => {
  if (SCHEMA_TYPES[schema.type].of !== of) {
    const fitting = Object.entries(SCHEMA_TYPES).filter(([, row]) => row.of === of)
    return `of a variable of type ${of} has the type ${fitting.map(([name]) => `"${name}"`).join(' or ')}`
  }
  const misplaced = RULE_NAMES.find((name) => schema[name] !== undefined && !RULES[name].types.includes(schema.type))
  if (misplaced) return `of type "${schema.type}" has no "${misplaced}"`
  const limits = [
    ['minimum', schema.minimum],
    ['maximum', schema.maximum],
    ...(schema.enum ?? []).map((each) => ['enum', each]),
  ] as const
  const mistyped = limits.find(([, limit]) => limit !== undefined && !isOfType(schema, limit))
  if (mistyped)
    return `takes for "${mistyped[0]}" ${schema.type === 'list' ? 'strings' : SCHEMA_TYPES[schema.type].takes}`
  if (schema.pattern !== undefined && !isPattern(schema.pattern))
    return 'has a "pattern" that is not a regular expression, or has a lookaround or backreference'
  const crossed = PAIRS.find(
    ([low, high]) =>
      schema[low] !== undefined &&
      schema[high] !== undefined &&
      isLess(limitOf(schema, high) as Value, limitOf(schema, low) as Value),
  )
  return crossed ? `has a "${crossed[0]}" above its "${crossed[1]}", so no value is valid` : undefined
}
