import { CAMPAIGN } from '../lib/campaign'

/** Keywords of JSON Schema 2020-12 that a plan supports. Types ignore other keywords, and `readPlan` refuses them. */
export interface SchemaObject {
  description?: string
  type?: string | readonly string[]
  enum?: readonly unknown[]
  const?: unknown
  properties?: Readonly<Record<string, Schema>>
  required?: readonly string[]
  additionalProperties?: Schema
  items?: Schema
  prefixItems?: readonly Schema[]
  anyOf?: readonly Schema[]
  oneOf?: readonly Schema[]
  allOf?: readonly Schema[]
  minimum?: number
  maximum?: number
  exclusiveMinimum?: number
  exclusiveMaximum?: number
  multipleOf?: number
  minLength?: number
  maxLength?: number
  minItems?: number
  maxItems?: number
  pattern?: string
  $ref?: string
  [other: string]: unknown
}

export type Schema = boolean | SchemaObject

/** A feature flag of a plan. */
export interface PlanFlag {
  description?: string
  /** The names of its variants. Unset: the flag is on or off. */
  variants?: readonly string[]
  /** The schema of its payload. */
  payload?: Schema
}

/** A plan: which events a site captures, and the JSON Schema of their properties. */
export interface Plan {
  $schema?: string
  /** Schemas of properties, by name of the event. */
  events: Readonly<Record<string, Schema>>
  flags?: Readonly<Record<string, PlanFlag>>
  /** Whether code may name only events and flags of the plan. */
  strict?: boolean
  /** Schemas that others refer to as `#/$defs/<name>`. */
  $defs?: Readonly<Record<string, Schema>>
}

/** Returns an own member, so that names such as `constructor` are not found in a prototype. */
export const own = <Value>(object: Readonly<Record<string, Value>> | undefined, name: string): Value | undefined =>
  object && Object.hasOwn(object, name) ? object[name] : undefined

export const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const REF = /^#\/\$defs\/([^/]+)$/

/** Returns the schema that a reference names, or `undefined`. */
export const referred = (plan: Pick<Plan, '$defs'>, ref: string): Schema | undefined => {
  const [, name] = REF.exec(ref) ?? []
  return name === undefined ? undefined : own(plan.$defs, name.replace(/~1/g, '/').replace(/~0/g, '~'))
}

const SENT: readonly string[] = ['token', 'distinct_id', 'title', ...CAMPAIGN]

/** Whether SDKs add a property of this name to events, so that a plan need not have it. */
export const isSent = (name: string): boolean => name.startsWith('$') || SENT.includes(name)
