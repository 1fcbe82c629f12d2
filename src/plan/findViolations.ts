import { isObject, isSent, own, type Plan, referred, type Schema, type SchemaObject } from './plan'

/** A violation of the schema by a property. */
export interface Violation {
  /** Name of the property, with a path for nested values, such as `items[0].price`. Empty: the properties themselves. */
  property: string
  /** Description of the violation, such as "must be number, is string". */
  message: string
}

// Schemas that refer to each other can take exponential time. Real schemas stay far below this limit.
const MAX_STEPS = 20_000

interface Walk {
  readonly plan: Pick<Plan, '$defs'>
  readonly found: Violation[]
  steps: number
}

const typeOf = (value: unknown): string =>
  value === null ? 'null' : Array.isArray(value) ? 'array' : value === undefined ? 'missing' : typeof value

const isOfType = (value: unknown, type: string) =>
  type === 'integer' ? Number.isInteger(value) : typeOf(value) === type

const isEqual = (a: unknown, b: unknown) =>
  a === b || (typeof a === 'object' && JSON.stringify(a) === JSON.stringify(b))

const listed = (values: readonly unknown[]) => values.map((value) => JSON.stringify(value)).join(', ')

type Rule = readonly [keyof SchemaObject, (value: never, limit: never) => boolean, string]
/** Keywords that compare a value with a limit, by type of the value. */
const LIMITS: Record<string, readonly Rule[]> = {
  number: [
    ['minimum', (value: number, limit: number) => value >= limit, 'must be at least'],
    ['maximum', (value: number, limit: number) => value <= limit, 'must be at most'],
    ['exclusiveMinimum', (value: number, limit: number) => value > limit, 'must be more than'],
    ['exclusiveMaximum', (value: number, limit: number) => value < limit, 'must be less than'],
    ['multipleOf', (value: number, limit: number) => Number.isInteger(value / limit), 'must be a multiple of'],
  ],
  string: [
    ['minLength', (value: string, limit: number) => [...value].length >= limit, 'must have a length of at least'],
    ['maxLength', (value: string, limit: number) => [...value].length <= limit, 'must have a length of at most'],
    ['pattern', (value: string, limit: string) => RegExp(limit, 'u').test(value), 'must match'],
  ],
  array: [
    ['minItems', (value: unknown[], limit: number) => value.length >= limit, 'must have a length of at least'],
    ['maxItems', (value: unknown[], limit: number) => value.length <= limit, 'must have a length of at most'],
  ],
}

/** Whether a value matches. Reports nothing. */
const matches = (walk: Walk, schema: Schema, value: unknown): boolean => {
  const inner = { ...walk, found: [] }
  check(inner, schema, value, '')
  walk.steps = inner.steps
  return !inner.found.length
}

const checkMembers = (walk: Walk, schema: SchemaObject, value: Record<string, unknown>, path: string) => {
  const inside = (name: string) => (path ? `${path}.${name}` : name)
  for (const name of schema.required ?? [])
    if (own(value, name) === undefined) walk.found.push({ property: inside(name), message: 'is missing' })
  for (const [name, member] of Object.entries(value)) {
    // JSON has no undefined.
    const planned = own(schema.properties, name) ?? (!path && isSent(name) ? true : schema.additionalProperties)
    if (planned === false && member !== undefined)
      walk.found.push({ property: inside(name), message: 'is not in the plan' })
    else if (planned !== undefined && member !== undefined) check(walk, planned, member, inside(name))
  }
}

const checkItems = (walk: Walk, { prefixItems = [], items }: SchemaObject, value: unknown[], path: string) =>
  value.forEach((item, index) => {
    const schema = prefixItems[index] ?? items
    if (schema !== undefined) check(walk, schema, item, `${path}[${index}]`)
  })

const checkChoices = (walk: Walk, { anyOf, oneOf, allOf = [] }: SchemaObject, value: unknown, property: string) => {
  for (const schema of allOf) check(walk, schema, value, property)
  if (anyOf && !anyOf.some((schema) => matches(walk, schema, value)))
    walk.found.push({ property, message: 'matches none of the schemas in anyOf' })
  const matching = oneOf?.filter((schema) => matches(walk, schema, value)).length
  if (matching !== undefined && matching !== 1)
    walk.found.push({ property, message: `matches ${matching || 'none'} of the schemas in oneOf` })
}

const check = (walk: Walk, schema: Schema, value: unknown, property: string): void => {
  const report = (message: string) => void walk.found.push({ property, message })
  walk.steps += 1
  if (walk.steps > MAX_STEPS || schema === true) return
  if (schema === false) return report('is not allowed')
  if (schema.$ref !== undefined) check(walk, referred(walk.plan, schema.$ref) ?? true, value, property)
  const types = schema.type === undefined ? undefined : [schema.type].flat()
  if (types && !types.some((type) => isOfType(value, type)))
    return report(`must be ${types.join(' or ')}, is ${typeOf(value)}`)
  if (schema.enum && !schema.enum.some((each) => isEqual(each, value))) report(`must be one of ${listed(schema.enum)}`)
  if ('const' in schema && !isEqual(schema.const, value)) report(`must be ${listed([schema.const])}`)
  for (const [keyword, isWithin, message] of LIMITS[typeOf(value)] ?? [])
    if (schema[keyword] !== undefined && !isWithin(value as never, schema[keyword] as never))
      report(`${message} ${JSON.stringify(schema[keyword])}`)
  if (isObject(value)) checkMembers(walk, schema, value, property)
  if (Array.isArray(value)) checkItems(walk, schema, value, property)
  checkChoices(walk, schema, value, property)
}

/** Returns the violations in the properties of an event, by its schema in the plan. */
export const findViolations = (plan: Pick<Plan, '$defs'>, schema: Schema, properties: unknown): Violation[] => {
  const walk: Walk = { plan, found: [], steps: 0 }
  check(walk, schema, properties, '')
  if (walk.steps > MAX_STEPS) walk.found.push({ property: '', message: 'takes too long to check' })
  return walk.found
}
