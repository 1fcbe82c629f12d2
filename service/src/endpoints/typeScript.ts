import type { JsonSchema } from './variables/jsonSchema.ts'

/** The schemas of one endpoint. */
export interface EndpointShape {
  readonly name: string
  readonly description: string
  /** The schema of its variables, an object. */
  readonly variables: JsonSchema
  /** The schema of each column by name. Absent if the rows depend on the variables. */
  readonly columns?: readonly (readonly [name: string, schema: JsonSchema])[]
}

const NAMES: Readonly<Record<string, string>> = {
  string: 'string',
  integer: 'number',
  number: 'number',
  boolean: 'boolean',
  null: 'null',
  object: 'Record<string, unknown>',
}

const typeOf = (schema: JsonSchema): string => {
  if (Array.isArray(schema.enum)) return schema.enum.map((each) => JSON.stringify(each)).join(' | ')
  if (Array.isArray(schema.anyOf) && !schema.type)
    return [...new Set((schema.anyOf as JsonSchema[]).map(typeOf))].join(' | ')
  const types = [schema.type ?? []].flat() as string[]
  if (!types.length) return 'unknown'
  const words = types.map((type) =>
    type === 'array'
      ? `readonly (${schema.items ? typeOf(schema.items as JsonSchema) : 'unknown'})[]`
      : (NAMES[type] ?? 'unknown'),
  )
  return [...new Set(words)].join(' | ')
}

const memberName = (name: string) => (/^[A-Za-z_$][\w$]*$/.test(name) ? name : JSON.stringify(name))

const objectOf = (
  members: readonly (readonly [string, JsonSchema])[],
  isOptional: (name: string) => boolean = () => false,
) =>
  `{ ${members.map(([name, schema]) => `${memberName(name)}${isOptional(name) ? '?' : ''}: ${typeOf(schema)}`).join('; ')} }`

const variablesType = ({ properties, required }: JsonSchema) => {
  if (!properties) return 'Record<string, unknown>'
  const members = Object.entries(properties as Record<string, JsonSchema>)
  return members.length ? objectOf(members, (name) => !(required as readonly string[]).includes(name)) : '{}'
}

const comment = (text: string) => (text ? [`  /** ${text.replace(/\s+/g, ' ').replaceAll('*/', '*\\/')} */`] : [])

/** Returns a TypeScript file with the variables and rows of endpoints, for `trailmark/endpoints`. */
export const toTypeScript = (projectId: number, shapes: readonly EndpointShape[]): string =>
  [
    `/** Endpoints of project ${projectId}, written by the service: fetch this file again when they change. */`,
    'export type Endpoints = {',
    ...shapes.flatMap(({ name, description, variables, columns }) => [
      ...comment(description),
      `  ${memberName(name)}: {`,
      `    variables: ${variablesType(variables)}`,
      // If columns have the same name, the last one wins.
      `    row: ${columns ? objectOf([...new Map(columns)]) : 'unknown'}`,
      '  }',
    ]),
    '}',
    '',
  ].join('\n')
