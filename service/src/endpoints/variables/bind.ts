import { type ValidationIssue, ApiError } from '../../lib/apiError.ts'
import type { BoundValue } from '../../sql/compile.ts'
import { bindValue, type Takes } from './bindValue.ts'
import { own } from '../../lib/own.ts'

/** A variable that a query needs. */
export interface NeededVariable extends Takes {
  readonly codeName: string
}

const FAULTS = {
  missing: 'is required',
  null: 'is required and may not be null',
  unknown: 'is not a variable of this endpoint',
} as const

/**
 * Returns the values to bind, one per variable of the query. Throws an `ApiError` that lists every variable that is
 * missing, null, unknown, of another type or out of range. All variables are required: a query never runs with fewer
 * filters than it was written with.
 */
export const bindVariables = (
  needed: readonly NeededVariable[],
  given: Readonly<Record<string, unknown>>,
): Record<string, BoundValue> => {
  const faults: ValidationIssue[] = []
  const reject = (path: string, code: string, message: string) =>
    faults.push({ path, code, message: `"${path}" ${message}` })
  const bound = needed.flatMap(({ codeName, ...takes }): [string, BoundValue][] => {
    const value = own(given, codeName)
    if (value === undefined || value === null) {
      reject(codeName, 'required', FAULTS[value === null ? 'null' : 'missing'])
      return []
    }
    const { bound, fault } = bindValue(takes, value)
    if (fault) reject(codeName, fault.code, fault.message)
    return bound ? [[codeName, bound]] : []
  })
  const names = new Set(needed.map(({ codeName }) => codeName))
  for (const name of Object.keys(given).sort()) if (!names.has(name)) reject(name, 'unknown', FAULTS.unknown)
  if (faults.length) {
    throw new ApiError('invalid_variables', {
      detail: `${faults.map(({ message }) => message).join('; ')}.`,
      attr: 'variables',
      errors: faults,
    })
  }
  return Object.fromEntries(bound)
}
