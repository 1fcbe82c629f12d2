import type { Variable } from '../../storage/metadata/metadata.ts'
import type { Takes } from './bindValue.ts'
import type { SchemaTypeName } from './schema.ts'
import type { VariableTypeName } from './types.ts'

export type JsonSchema = Readonly<Record<string, unknown>>

const TEXT = { type: 'string', maxLength: 10_000 }

const TYPES: Readonly<Record<VariableTypeName, (values: readonly string[]) => JsonSchema>> = {
  String: () => TEXT,
  Number: () => ({ type: 'number' }),
  Boolean: () => ({ type: 'boolean' }),
  Date: () => ({ type: 'string', anyOf: [{ format: 'date' }, { format: 'date-time' }] }),
  List: (values) => {
    const item = values.length ? { type: 'string', enum: values } : TEXT
    return { anyOf: [item, { type: 'array', items: item, maxItems: 1_000 }] }
  },
}

const SCHEMA_TYPES: Readonly<Record<SchemaTypeName, JsonSchema>> = {
  integer: { type: 'integer' },
  number: { type: 'number' },
  string: TEXT,
  boolean: { type: 'boolean' },
  date: { type: 'string', format: 'date' },
  datetime: { type: 'string', format: 'date-time' },
  uuid: { type: 'string', format: 'uuid' },
  list: { type: 'array', items: TEXT, maxItems: 1_000 },
}

const fromSchema = ({ schema, values }: Takes): JsonSchema => {
  const { type, minimum, maximum, enum: choices, ...rules } = schema!
  // JSON Schema has no bounds for strings. These are keywords of ajv-formats.
  const bounds =
    typeof (minimum ?? maximum) === 'string' ? { formatMinimum: minimum, formatMaximum: maximum } : { minimum, maximum }
  if (type !== 'list') return { ...SCHEMA_TYPES[type], ...bounds, ...rules, ...(choices ? { enum: choices } : {}) }
  const offered = (choices ?? values).filter((each) => !values.length || values.includes(String(each)))
  return { ...SCHEMA_TYPES.list, ...rules, ...(offered.length ? { items: { type: 'string', enum: offered } } : {}) }
}

/** Returns the JSON Schema of the values that a variable accepts. */
export const toJsonSchema = (variable: Pick<Variable, 'type' | 'values' | 'schema'>): JsonSchema =>
  variable.schema ? fromSchema(variable) : TYPES[variable.type as VariableTypeName](variable.values)
