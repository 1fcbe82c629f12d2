import { RE2JS } from 're2js'
import { ApiError } from '../lib/apiError.ts'
import { own } from '../lib/own.ts'

type Fields = Readonly<Record<string, unknown>>
/** A JSON Schema. */
export type Schema = boolean | Fields

/** A stored plan. Its other members are for the SDK's types. */
export interface Plan {
  readonly events: Readonly<Record<string, Schema>>
  readonly $defs?: Readonly<Record<string, Schema>>
}

const MAX_BYTES = 200_000
const MAX_EVENTS = 1_000
const MAX_NAME = 200
const MAX_DEPTH = 20
const MAX_PATTERN = 256
/** Maximum schemas that an event may be compared with, with each reference replaced by its schema. */
const MAX_SCHEMAS = 500
const MAX_CHOICES = 1_000

const PLAIN = [
  'title',
  'description',
  '$comment',
  'default',
  'examples',
  'format',
  'deprecated',
  'type',
  'enum',
  'const',
  'required',
]
const LIMITS = [
  'minimum',
  'maximum',
  'exclusiveMinimum',
  'exclusiveMaximum',
  'multipleOf',
  'minLength',
  'maxLength',
  'minItems',
  'maxItems',
]
const ONE = ['additionalProperties', 'items']
const LISTS = ['prefixItems', 'anyOf', 'oneOf', 'allOf']
const MAPS = ['properties', '$defs']
const KEYWORDS = [...PLAIN, ...LIMITS, ...ONE, ...LISTS, ...MAPS, 'pattern', '$ref']

const MEMBERS = ['$schema', '$defs', 'description', 'events', 'flags', 'strict']

const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const refuse = (at: string, detail: string): never => {
  throw new ApiError('invalid_input', { attr: at.slice(0, 300), detail: `"${at.slice(0, 300)}" ${detail}` })
}

const REF = /^#\/\$defs\/([^/~]+)$/

const checkPattern = (pattern: unknown, at: string): void => {
  if (typeof pattern !== 'string' || pattern.length > MAX_PATTERN)
    return refuse(at, `must be a string of at most ${MAX_PATTERN} characters.`)
  try {
    RE2JS.compile(pattern)
  } catch {
    refuse(at, 'is not a regular expression of RE2, which has neither lookarounds nor backreferences.')
  }
}

const childrenOf = (schema: Fields, at: string): (readonly [unknown, string])[] => {
  const children: (readonly [unknown, string])[] = []
  for (const [keyword, value] of Object.entries(schema)) {
    const inner = `${at}.${keyword}`
    if (ONE.includes(keyword)) children.push([value, inner])
    if (LISTS.includes(keyword) && !Array.isArray(value)) refuse(inner, 'must be a list of schemas.')
    if (MAPS.includes(keyword) && !isFields(value)) refuse(inner, 'must be an object of schemas.')
    if (LISTS.includes(keyword) || MAPS.includes(keyword))
      for (const [name, each] of Object.entries(value as object)) children.push([each, `${inner}.${name}`])
  }
  return children
}

/**
 * Checks a schema. Returns how many schemas a value may be compared with. References are followed, because a few that refer to
 * each other twice would take exponential time.
 */
const sizeOf = (plan: Plan, schema: unknown, at: string, path: readonly string[], left: { schemas: number }): void => {
  left.schemas -= 1
  if (left.schemas < 0)
    refuse(at.split('.').slice(0, 2).join('.'), `has more than ${MAX_SCHEMAS} schemas, with those that it refers to.`)
  if (typeof schema === 'boolean') return
  if (!isFields(schema)) return refuse(at, 'must be a JSON Schema: an object, true or false.')
  if (path.length > MAX_DEPTH) refuse(at, `is nested more than ${MAX_DEPTH} levels deep.`)
  const other = Object.keys(schema).find((keyword) => !KEYWORDS.includes(keyword))
  if (other !== undefined) refuse(`${at}.${other.slice(0, 60)}`, `is not supported. Supported: ${KEYWORDS.join(', ')}.`)
  if (Array.isArray(schema.enum) && schema.enum.length > MAX_CHOICES)
    refuse(`${at}.enum`, `may have at most ${MAX_CHOICES} values.`)
  if (schema.pattern !== undefined) checkPattern(schema.pattern, `${at}.pattern`)
  for (const [child, inner] of childrenOf(schema, at)) sizeOf(plan, child, inner, [...path, ''], left)
  if (schema.$ref === undefined) return
  const [, name] = (typeof schema.$ref === 'string' && REF.exec(schema.$ref)) || []
  const target = name === undefined ? undefined : own(plan.$defs ?? {}, name)
  if (target === undefined) return refuse(`${at}.$ref`, 'must name a schema of the plan, as #/$defs/<name>.')
  if (path.includes(name!)) return refuse(`${at}.$ref`, 'refers to a schema that contains it.')
  sizeOf(plan, target, `$defs.${name!}`, [...path, name!], left)
}

/** Returns a value as a plan. Throws `ApiError` if it is not a plan, or could take long to check. */
export const checkPlan = (value: unknown): Plan => {
  if (!isFields(value) || !isFields(value.events)) return refuse('plan', 'must be an object with "events".')
  if (Buffer.byteLength(JSON.stringify(value)) > MAX_BYTES)
    refuse('plan', `may have at most ${MAX_BYTES} bytes as JSON.`)
  const other = Object.keys(value).find((name) => !MEMBERS.includes(name))
  if (other !== undefined) refuse(other, `is not known. A plan has ${MEMBERS.join(', ')}.`)
  if (value.$defs !== undefined && !isFields(value.$defs)) refuse('$defs', 'must be an object of schemas.')
  const plan = value as unknown as Plan
  const events = Object.entries(plan.events)
  if (events.length > MAX_EVENTS) refuse('events', `may have at most ${MAX_EVENTS} events.`)
  for (const [name, schema] of events) {
    if (!name.trim() || name.length > MAX_NAME)
      refuse('events', `has a name that is blank or longer than ${MAX_NAME} characters.`)
    sizeOf(plan, schema, `events.${name}`, [], { schemas: MAX_SCHEMAS })
  }
  return plan
}
