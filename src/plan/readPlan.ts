import { isObject, own, type Plan, referred } from './plan'

/** An error in a plan. Its message names the place and the change to make. */
export class PlanError extends Error {
  override readonly name = 'PlanError'
}

const TYPES = ['string', 'number', 'integer', 'boolean', 'null', 'array', 'object']

type Kind = 'text' | 'number' | 'flag' | 'list' | 'schema' | 'schemas' | 'map' | 'type' | 'any' | 'names'
/** The supported keywords of JSON Schema and what they hold. */
const KEYWORDS: Readonly<Record<string, Kind>> = {
  $ref: 'text',
  $comment: 'text',
  $defs: 'map',
  title: 'text',
  description: 'text',
  deprecated: 'flag',
  format: 'text',
  default: 'any',
  examples: 'list',
  type: 'type',
  enum: 'list',
  const: 'any',
  properties: 'map',
  required: 'names',
  additionalProperties: 'schema',
  items: 'schema',
  prefixItems: 'schemas',
  anyOf: 'schemas',
  oneOf: 'schemas',
  allOf: 'schemas',
  minimum: 'number',
  maximum: 'number',
  exclusiveMinimum: 'number',
  exclusiveMaximum: 'number',
  multipleOf: 'number',
  minLength: 'number',
  maxLength: 'number',
  minItems: 'number',
  maxItems: 'number',
  pattern: 'text',
}

const isText = (value: unknown): value is string => typeof value === 'string'
const isList = (value: unknown): value is unknown[] => Array.isArray(value)
const isType = (value: unknown) => [value].flat().every((each) => isText(each) && TYPES.includes(each))
const KINDS: Record<Kind, readonly [(value: unknown) => boolean, string]> = {
  text: [isText, 'a string'],
  number: [Number.isFinite, 'a number'],
  flag: [(value) => typeof value === 'boolean', 'true or false'],
  list: [(value) => isList(value) && value.length > 0, 'a list with at least one value'],
  names: [(value) => isList(value) && value.every(isText), 'a list of strings'],
  schema: [(value) => isObject(value) || typeof value === 'boolean', 'a schema'],
  schemas: [(value) => isList(value) && value.length > 0, 'a list of schemas'],
  map: [isObject, 'an object of schemas'],
  type: [isType, `one of ${TYPES.join(', ')}, or a list of them`],
  any: [() => true, ''],
}

const fail = (at: string, message: string): never => {
  throw new PlanError(`${at}: ${message}`)
}

const RANGES = [
  ['minimum', 'maximum'],
  ['minLength', 'maxLength'],
  ['minItems', 'maxItems'],
] as const

/** Checks that a schema does not contradict itself. */
const checkSense = (schema: Record<string, unknown>, at: string) => {
  for (const [min, max] of RANGES)
    if (Number(schema[min]) > Number(schema[max])) fail(at, `"${min}" is larger than "${max}", so no value matches`)
  const { properties, required, additionalProperties, pattern, multipleOf } = schema
  if (additionalProperties === false)
    for (const name of (required as string[] | undefined) ?? [])
      if (own((properties ?? {}) as Record<string, unknown>, name) === undefined)
        fail(at, `"${name}" is required, but not in "properties", and "additionalProperties" is false`)
  if (typeof multipleOf === 'number' && multipleOf <= 0) fail(at, '"multipleOf" must be more than 0')
  if (!isText(pattern)) return
  try {
    RegExp(pattern, 'u')
  } catch {
    fail(at, `"pattern" is not a regular expression: ${pattern.slice(0, 80)}`)
  }
}

const MAX_DEPTH = 30

const checkSchema = (plan: Pick<Plan, '$defs'>, schema: unknown, at: string, depth = 0): void => {
  if (typeof schema === 'boolean') return
  if (depth > MAX_DEPTH) fail(at, `schemas may be nested at most ${MAX_DEPTH} levels deep`)
  if (!isObject(schema)) return fail(at, 'must be a JSON Schema')
  for (const [keyword, value] of Object.entries(schema)) {
    const kind = own(KEYWORDS, keyword)
    if (!kind) return fail(at, `"${keyword}" is not supported. Supported: ${Object.keys(KEYWORDS).join(', ')}`)
    const [isValid, expected] = KINDS[kind]
    if (!isValid(value)) fail(at, `"${keyword}" must be ${expected}`)
    const inner = `${at}.${keyword}`
    if (kind === 'schema') checkSchema(plan, value, inner, depth + 1)
    if (kind === 'schemas' || kind === 'map')
      for (const [name, each] of Object.entries(value as object)) checkSchema(plan, each, `${inner}.${name}`, depth + 1)
  }
  if (isText(schema.$ref) && referred(plan, schema.$ref) === undefined)
    fail(at, `"$ref" must name a schema of the plan, as #/$defs/<name>. There is no ${schema.$ref.slice(0, 80)}`)
  checkSense(schema, at)
}

const MEMBERS = ['$schema', '$defs', 'description', 'events', 'flags', 'strict']
const FLAG_MEMBERS = ['description', 'variants', 'payload']

const checkFlag = (plan: Plan, flag: unknown, at: string) => {
  if (!isObject(flag)) return fail(at, 'must be an object, such as { "variants": ["a", "b"] }')
  const other = Object.keys(flag).find((name) => !FLAG_MEMBERS.includes(name))
  if (other) fail(at, `"${other}" is not known. A flag has ${FLAG_MEMBERS.join(', ')}`)
  const { variants, payload } = flag
  if (variants !== undefined && !KINDS.list[0](variants)) fail(at, '"variants" must be a list of names')
  if (variants !== undefined && !KINDS.names[0](variants)) fail(at, '"variants" must be a list of names')
  if (payload !== undefined) checkSchema(plan, payload, `${at}.payload`)
}

/** Returns a value as a plan. Throws a `PlanError` that names the first thing to change. */
export const readPlan = (value: unknown): Plan => {
  if (!isObject(value) || !isObject(value.events))
    throw new PlanError('A plan is an object with "events", such as { "events": { "purchase": { "type": "object" } } }')
  const other = Object.keys(value).find((name) => !MEMBERS.includes(name))
  if (other) throw new PlanError(`"${other}" is not known. A plan has ${MEMBERS.join(', ')}`)
  const plan = value as unknown as Plan
  for (const part of ['$defs', 'flags'] as const)
    if (plan[part] !== undefined && !isObject(plan[part])) fail(part, 'must be an object')
  if (plan.strict !== undefined && typeof plan.strict !== 'boolean') fail('strict', 'must be true or false')
  for (const [name, schema] of Object.entries(plan.$defs ?? {})) checkSchema(plan, schema, `$defs.${name}`)
  for (const [name, schema] of Object.entries(plan.events)) {
    checkSchema(plan, schema, `events.${name}`)
    const { type } = Object(schema) as { type?: unknown }
    if (type !== undefined && type !== 'object')
      fail(`events.${name}`, '"type" must be object: it describes properties')
  }
  for (const [name, flag] of Object.entries(plan.flags ?? {})) checkFlag(plan, flag, `flags.${name}`)
  return plan
}

/** Reads the text of a plan file. */
export const parsePlan = (text: string): Plan => {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch (error) {
    throw new PlanError(`The plan is not JSON: ${(error as Error).message}`, { cause: error })
  }
  return readPlan(value)
}
