import type { Variable } from '../../storage/metadata/metadata.ts'
import type { BoundValue } from '../../sql/compile.ts'
import { bindValue } from './bindValue.ts'
import type { VariableTypeName } from './types.ts'

// A string may represent a number, a timestamp or an id, depending on the query. A list may have one value or several.
const SAMPLES: Readonly<Record<VariableTypeName, readonly unknown[]>> = {
  String: ['1', '2026-01-01', '00000000-0000-4000-8000-000000000000', 'text'],
  Number: [1, 0.5],
  Boolean: [true],
  Date: ['2026-01-01', '2026-01-01T00:00:00Z'],
  List: ['1', ['1'], 'text', ['text']],
}

/** Returns sample values of a variable, to try a query with. Its default and choices come first. */
export const samplesOf = ({
  type,
  values,
  schema,
  defaultValue,
}: Pick<Variable, 'type' | 'values' | 'schema' | 'defaultValue'>): readonly BoundValue[] => {
  const general = SAMPLES[type as VariableTypeName]
  const own = [defaultValue, ...(schema?.enum ?? []).slice(0, 1), ...(values.length ? [values[0], [values[0]]] : [])]
  const bound = [...own, ...general].flatMap((value) => bindValue({ type, values, schema }, value).bound ?? [])
  // Bounds or a pattern may exclude every sample. Then the type alone determines the samples.
  return bound.length
    ? bound
    : general.flatMap(
        (value) => bindValue({ type, values: [], schema: schema && { type: schema.type } }, value).bound ?? [],
      )
}
