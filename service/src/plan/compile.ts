import { setImmediate } from 'node:timers/promises'
import { Ajv2020, type ErrorObject, type ValidateFunction } from 'ajv/dist/2020.js'
import { RE2JS } from 're2js'
import { ApiError } from '../lib/apiError.ts'
import type { Fields } from '../lib/fields.ts'
import { own } from '../lib/own.ts'
import type { Plan, Schema } from './checkPlan.ts'

/** Returns the defect of an event, such as `amount must be number`. The SDK's own events need no plan. */
export type FindViolations = (event: string, properties: Fields) => readonly string[]

export const NOT_IN_PLAN = 'is not in the plan'
const MAX_VIOLATIONS = 20
const MAX_LENGTH = 200

// Patterns take linear time.
const engine = Object.assign(
  (pattern: string) => {
    const compiled = RE2JS.compile(pattern)
    return { test: (text: string) => compiled.matcher(text).find() }
  },
  { code: 'RE2JS' },
)

/** Properties that SDKs add to events, besides those that begin with `$`. */
const SENT = new Set(
  'token distinct_id title utm_source utm_medium utm_campaign utm_content utm_term gad_source mc_cid gclid gclsrc dclid gbraid wbraid fbclid msclkid twclid li_fat_id igshid ttclid rdt_cid epik qclid sccid irclid _kx'.split(
    ' ',
  ),
)
const isSent = (name: string) => name.startsWith('$') || SENT.has(name)

/** Returns the properties of an event without those that SDKs add, unless its schema has them. */
const planned = (schema: Schema | undefined, properties: Fields): Fields => {
  const inPlan = (typeof schema === 'object' && (schema.properties as Fields | undefined)) || {}
  return Object.fromEntries(
    Object.entries(properties).filter(([name]) => !isSent(name) || own(inPlan, name) !== undefined),
  )
}

/** Returns the message of an error. */
const describe = ({ instancePath, keyword, params, message }: ErrorObject): string => {
  const { additionalProperty, missingProperty, allowedValues } = params as Record<string, unknown>
  const path = instancePath.slice(1).replace(/\//g, '.')
  const inside = (name: unknown) => (path ? `${path}.${String(name)}` : String(name))
  if (keyword === 'additionalProperties') return `${inside(additionalProperty)} ${NOT_IN_PLAN}`
  if (keyword === 'required') return `${inside(missingProperty)} is missing`
  if (keyword === 'enum') return `${path} must be one of ${JSON.stringify(allowedValues)}`
  return `${path || 'properties'} ${message ?? keyword}`
}

/**
 * Maximum values of an event for which all errors are collected, because each takes memory. For larger events, only the
 * first error is collected.
 */
const MAX_VALUES = 200

/** Returns the rest of the budget `left` after counting the values in `value`. */
const countDown = (value: unknown, left: number): number => {
  left -= 1
  if (typeof value !== 'object' || value === null) return left
  for (const inner of Object.values(value)) if ((left = countDown(inner, left)) < 0) break
  return left
}

/** Compiles a plan. Each event is compiled when it first arrives. */
export const compilePlan = (plan: Plan): FindViolations => {
  const [small, large] = [compileWith(plan, true), compileWith(plan, false)]
  return (event, properties) => {
    const values = planned(own(plan.events, event), properties)
    const validate = (countDown(values, MAX_VALUES) < 0 ? large : small)(event)
    if (!validate) return event.startsWith('$') ? [] : [NOT_IN_PLAN]
    if (validate(values)) return []
    const messages = (validate.errors ?? []).map((error) => describe(error).slice(0, MAX_LENGTH))
    return [...new Set(messages)].slice(0, MAX_VIOLATIONS)
  }
}

const compileWith = (plan: Plan, allErrors: boolean) => {
  const ajv = new Ajv2020({
    strict: false,
    allErrors,
    ownProperties: true,
    validateSchema: false,
    validateFormats: false,
    inlineRefs: false,
    logger: false,
    code: { regExp: engine },
  })
  const compiled = new Map<string, ValidateFunction>()
  return (event: string): ValidateFunction | undefined => {
    const schema = own(plan.events, event)
    if (schema === undefined) return undefined
    const known = compiled.get(event)
    if (known) return known
    const validate = ajv.compile(typeof schema === 'boolean' ? schema : { ...schema, $defs: plan.$defs ?? {} })
    compiled.set(event, validate)
    return validate
  }
}

/** Compiles every event once, in turns with other work. Rejects with `ApiError` if a schema cannot be compiled. */
export const assertCompiles = async (plan: Plan): Promise<void> => {
  const find = compilePlan(plan)
  for (const event of Object.keys(plan.events)) {
    await setImmediate()
    try {
      find(event, {})
    } catch (error) {
      throw new ApiError('invalid_input', {
        attr: `events.${event}`,
        detail: `The schema of "${event}" is not valid: ${(error as Error).message.slice(0, 300)}`,
      })
    }
  }
}
