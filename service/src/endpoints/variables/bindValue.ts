import type { VariableSchema } from '../../storage/metadata/metadata.ts'
import type { BoundValue } from '../../sql/compile.ts'
import { brokenRules, SCHEMA_TYPES } from './schema.ts'
import { VARIABLE_TYPES, type VariableType, type VariableTypeName } from './types.ts'

/** What decides which values a variable takes. */
export interface Takes {
  readonly type: string
  /** What a variable of type List chooses from; empty: anything. */
  readonly values: readonly string[]
  readonly schema?: VariableSchema | undefined
}

/** Either the value as it is bound, or why it is not taken. */
export interface BoundOrFault {
  readonly bound?: BoundValue
  readonly fault?: { readonly code: 'wrong_type' | 'out_of_range'; readonly message: string }
}

/** Checks `value`, which is neither missing nor null, against what a variable takes. */
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
