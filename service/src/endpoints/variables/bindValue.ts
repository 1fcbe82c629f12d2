import type { VariableSchema } from '../../storage/metadata/metadata.ts'
import type { BoundValue } from '../../sql/compile.ts'
import { brokenRules, SCHEMA_TYPES } from './schema.ts'
import { VARIABLE_TYPES, type VariableType, type VariableTypeName } from './types.ts'

/** Fields that determine the values that a variable accepts. */
export interface Takes {
  readonly type: string
  /** The choices of a variable of type List. Empty: any value. */
  readonly values: readonly string[]
  readonly schema?: VariableSchema | undefined
}

/** The value to bind, or why it is rejected. */
export interface BoundOrFault {
  readonly bound?: BoundValue
  readonly fault?: { readonly code: 'wrong_type' | 'out_of_range'; readonly message: string }
}

/** Checks a value, which must not be missing or null, against a variable's type, choices and schema. */
export const bindValue = ({ type, values, schema }: Takes, value: unknown): BoundOrFault => {
  const row: VariableType = schema ? SCHEMA_TYPES[schema.type] : VARIABLE_TYPES[type as VariableTypeName]
  const bound = row.bind(value, values)
  if (!bound)
    return {
      fault: {
        code: 'wrong_type',
        message: `takes ${row.takes}${values.length ? `: ${values.map((choice) => `"${choice}"`).join(', ')}` : ''}`,
      },
    }
  const broken = schema ? brokenRules(schema, bound.value as Parameters<typeof brokenRules>[1]) : []
  return broken.length ? { fault: { code: 'out_of_range', message: broken.join(' and ') } } : { bound }
}
