interface Schema {
  readonly $ref?: string
  readonly const?: unknown
  readonly enum?: readonly unknown[]
  readonly anyOf?: readonly Schema[]
  readonly allOf?: readonly Schema[]
  readonly type?: string | readonly string[]
  readonly properties?: Readonly<Record<string, Schema>>
  readonly required?: readonly string[]
  readonly patternProperties?: Readonly<Record<string, Schema>>
  readonly additionalProperties?: boolean | Schema
  readonly items?: Schema
}

const MAX_DEPTH = 4
const SCALARS: Readonly<Record<string, string>> = { integer: 'number', array: 'unknown[]', object: 'object' }

const union = (types: readonly string[]): string => [...new Set(types)].join(' | ')

const propertiesOf = ({ properties = {}, required = [] }: Schema, depth: number): string => {
  const indent = '  '.repeat(depth + 1)
  const lines = Object.entries(properties).map(([name, schema]) => {
    const key = /^\w+$/.test(name) ? name : JSON.stringify(name)
    return `${indent}${key}${required.includes(name) ? '' : '?'}: ${printSchema(schema, depth + 1)}`
  })
  return `{\n${lines.join('\n')}\n${'  '.repeat(depth)}}`
}

const objectOf = (schema: Schema, depth: number): string => {
  if (Object.keys(schema.properties ?? {}).length) return depth >= MAX_DEPTH ? '{ … }' : propertiesOf(schema, depth)
  const { additionalProperties, patternProperties = {} } = schema
  const [values = additionalProperties] = Object.values(patternProperties)
  return typeof values === 'object' ? `Record<string, ${printSchema(values, depth)}>` : 'object'
}

const arrayOf = ({ items }: Schema, depth: number): string => {
  const type = items ? printSchema(items, depth) : 'unknown'
  return / \| /.test(type) && !type.startsWith('{') ? `(${type})[]` : `${type}[]`
}

/** Returns the type that a JSON Schema describes, as people who write TypeScript read it. */
export const printSchema = (schema: Schema, depth = 0): string => {
  const { $ref, type, anyOf, allOf } = schema
  if ($ref) return $ref.split('/').pop()!
  if ('const' in schema) return JSON.stringify(schema.const)
  if (schema.enum) return union(schema.enum.map((value) => JSON.stringify(value)))
  if (anyOf) return union(anyOf.map((each) => printSchema(each, depth)))
  if (allOf) return allOf.map((each) => printSchema(each, depth)).join(' & ')
  if (Array.isArray(type)) return union(type.map((each: string) => printSchema({ ...schema, type: each }, depth)))
  if (type === 'object') return objectOf(schema, depth)
  if (type === 'array') return arrayOf(schema, depth)
  return SCALARS[type as string] ?? (type as string | undefined) ?? 'unknown'
}
