import { isObject, type Plan, type PlanFlag, referred, type Schema, type SchemaObject } from './plan'

const quoted = (text: string) => `'${JSON.stringify(text).slice(1, -1).replaceAll('\\"', '"').replaceAll("'", "\\'")}'`

const nameOf = (name: string) => (/^[a-zA-Z_$][\w$]*$/.test(name) ? name : quoted(name))

/** Returns a doc comment, or nothing. */
const comment = (text: unknown, indent: string) =>
  typeof text === 'string' && text.trim()
    ? `${indent}/** ${text.trim().replace(/\s+/g, ' ').replaceAll('*/', '*\\/')} */\n`
    : ''

const literal = (value: unknown): string => {
  if (typeof value === 'string') return quoted(value)
  if (typeof value !== 'object' || value === null) return String(value)
  return isObject(value) ? 'Record<string, unknown>' : 'unknown[]'
}

const union = (types: readonly string[]) => {
  const unique = [...new Set(types)]
  return unique.includes('unknown') ? 'unknown' : unique.join(' | ') || 'never'
}

const wrapped = (type: string) => (/ [|&] /.test(type) ? `(${type})` : type)

/** Inputs for the types of schemas. `path`: the references around a schema, because a type cannot contain itself. */
interface Scope {
  readonly plan: Pick<Plan, '$defs'>
  readonly indent: string
  readonly path: readonly string[]
}

const deeper = (scope: Scope): Scope => ({ ...scope, indent: `${scope.indent}  ` })

/** Returns the members of an object type, in the order of their names. */
const membersOf = ({ properties = {}, required = [], additionalProperties }: SchemaObject, scope: Scope): string[] => {
  const members = Object.entries(properties)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, schema]) => {
      const mark = required.includes(name) ? '' : '?'
      const doc = comment(isObject(schema) && schema.description, scope.indent)
      return `${doc}${scope.indent}${nameOf(name)}${mark}: ${typeOf(schema, scope)}`
    })
  // A separate type for these members would have to fit the properties above too.
  if (additionalProperties) members.push(`${scope.indent}[name: string]: unknown`)
  return members
}

const objectType = (schema: SchemaObject, scope: Scope): string => {
  const { properties = {}, additionalProperties } = schema
  if (!Object.keys(properties).length && additionalProperties !== false)
    return `Record<string, ${additionalProperties ? typeOf(additionalProperties, scope) : 'unknown'}>`
  const members = membersOf(schema, deeper(scope))
  return members.length ? `{\n${members.join('\n')}\n${scope.indent}}` : '{}'
}

const arrayType = ({ prefixItems, items }: SchemaObject, scope: Scope): string => {
  const rest = items === undefined || items === true ? 'unknown' : typeOf(items, scope)
  if (!prefixItems) return `${wrapped(rest)}[]`
  const first = prefixItems.map((each) => `${wrapped(typeOf(each, scope))}?`)
  return `[${[...first, ...(items === false ? [] : [`...${wrapped(rest)}[]`])].join(', ')}]`
}

const SIMPLE: Record<string, string> = {
  string: 'string',
  number: 'number',
  integer: 'number',
  boolean: 'boolean',
  null: 'null',
}

const plainType = (schema: SchemaObject, scope: Scope): string => {
  if ('const' in schema) return literal(schema.const)
  if (schema.enum) return union(schema.enum.map(literal))
  const types = [schema.type ?? (schema.properties ? 'object' : [])].flat()
  const toType = (type: string) =>
    SIMPLE[type] ?? (type === 'array' ? arrayType(schema, scope) : objectType(schema, scope))
  return types.length ? union(types.map(toType)) : 'unknown'
}

/** Returns the TypeScript type of the values that match a schema. */
const typeOf = (schema: Schema, scope: Scope): string => {
  if (typeof schema === 'boolean') return schema ? 'unknown' : 'never'
  if (schema.$ref !== undefined) {
    const target = referred(scope.plan, schema.$ref)
    if (target === undefined || scope.path.includes(schema.$ref)) return 'unknown'
    return typeOf(target, { ...scope, path: [...scope.path, schema.$ref] })
  }
  const choice = schema.anyOf ?? schema.oneOf
  const types = [
    plainType(schema, scope),
    ...(choice ? [union(choice.map((each) => typeOf(each, scope)))] : []),
    ...(schema.allOf ?? []).map((each) => typeOf(each, scope)),
  ].filter((type) => type !== 'unknown')
  return types.length > 1 ? types.map(wrapped).join(' & ') : (types[0] ?? 'unknown')
}

/** Returns the type of the properties of an event. One that describes none has none. */
const eventType = (schema: Schema, scope: Scope): string => {
  if (typeof schema === 'boolean') return schema ? 'Record<string, unknown>' : '{}'
  const { properties = {}, additionalProperties, $ref, anyOf, oneOf, allOf } = schema
  const isEmpty = !Object.keys(properties).length && !additionalProperties && !($ref ?? anyOf ?? oneOf ?? allOf)
  return isEmpty ? '{}' : typeOf(schema, scope)
}

const flagType = ({ variants }: PlanFlag) => (variants ? union(variants.map(quoted)) : 'boolean')

/** Returns an interface of a plan, or nothing if it has no members. */
const interfaceOf = <Row>(
  name: string,
  rows: Readonly<Record<string, Row>>,
  toType: (row: Row) => string,
  describe: (row: Row) => unknown,
): string => {
  const members = Object.entries(rows)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, row]) => `${comment(describe(row), '    ')}    ${nameOf(key)}: ${toType(row)}\n`)
  return members.length ? `  interface ${name} {\n${members.join('')}  }\n` : ''
}

/** Returns declarations that make `capture` and the methods of flags check the plan. They add nothing to a page. */
export const toTypes = (plan: Plan, source: string): string => {
  const scope: Scope = { plan, indent: '    ', path: [] }
  const flags = plan.flags ?? {}
  const payloads = Object.fromEntries(Object.entries(flags).filter(([, { payload }]) => payload !== undefined))
  const strict = { ...(plan.strict && { events: 'true', ...(plan.flags && { flags: 'true' }) }) }
  const none = () => undefined
  return [
    `// Generated by \`trailmark types\` from ${source}. Do not edit.\n`,
    `import ${quoted('trailmark')}\n\n`,
    `declare module 'trailmark' {\n`,
    [
      interfaceOf(
        'Events',
        plan.events,
        (schema) => eventType(schema, scope),
        (schema) => isObject(schema) && schema.description,
      ),
      interfaceOf('FeatureFlags', flags, flagType, ({ description }) => description),
      interfaceOf('FeatureFlagPayloads', payloads, ({ payload }) => typeOf(payload!, scope), none),
      interfaceOf('StrictPlan', strict, String, none),
    ]
      .filter(Boolean)
      .join('\n'),
    `}\n`,
  ].join('')
}
