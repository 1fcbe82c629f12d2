import {
  FlagNotFoundError,
  type ResolutionDetails,
  StandardResolutionReasons,
  TypeMismatchError,
} from '@openfeature/core'

/** The value of a flag. */
export interface Found {
  value: boolean | string
  payload: unknown
}

/** Types of OpenFeature, and what they are of a flag. `undefined`: the flag has no value of the type. */
const VALUES = {
  boolean: ({ value }: Found) => value !== false,
  string: ({ value }: Found) => (typeof value === 'string' ? value : undefined),
  number: ({ value }: Found) =>
    typeof value === 'string' && value.trim() && Number.isFinite(Number(value)) ? Number(value) : undefined,
  object: ({ payload }: Found) => (typeof payload === 'object' && payload !== null ? payload : undefined),
}

/**
 * Returns a flag as a type of OpenFeature: whether it is on, its variant, its variant as a number, or its payload. A flag that
 * is off has the default value of all types but boolean. Throws if the flag is unknown or has another type.
 */
export const resolve = <Value>(
  key: string,
  type: keyof typeof VALUES,
  defaultValue: Value,
  found: Found | undefined,
): ResolutionDetails<Value> => {
  const { DEFAULT, SPLIT, TARGETING_MATCH } = StandardResolutionReasons
  if (!found) throw new FlagNotFoundError(`The flag "${key}" has no value.`)
  if (found.value === false)
    return { value: type === 'boolean' ? (false as Value) : defaultValue, reason: DEFAULT, variant: 'false' }
  const value = VALUES[type](found) as Value | undefined
  if (value === undefined)
    throw new TypeMismatchError(`The flag "${key}" has no ${type}: its value is ${String(found.value)}.`)
  const isVariant = typeof found.value === 'string'
  return { value, reason: isVariant ? SPLIT : TARGETING_MATCH, variant: String(found.value) }
}
