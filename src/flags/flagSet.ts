import { isPlainObject, parseJson } from '../lib/json'
import { objectOf, own } from '../lib/objects'
import type { FlagDetails, FlagValue } from '../types'

/** Values, payloads and details of flags, and the response they came with. */
export interface FlagSet {
  values: Record<string, FlagValue>
  /** JSON text or a value, by flag. */
  payloads: Record<string, unknown>
  details: Record<string, FlagDetails>
  requestId?: string
  /** ms since the epoch, by the service's clock. */
  evaluatedAt?: number
}

/** The body of a `/flags` response, in the current and the older forms (docs/reference/protocol.md#4.6). Any item may be malformed. */
export interface FlagsBody {
  flags?: Record<string, Partial<FlagDetails> | null>
  featureFlags?: Record<string, FlagValue> | string[]
  featureFlagPayloads?: Record<string, unknown>
  errorsWhileComputingFlags?: boolean
  quotaLimited?: string[]
  requestId?: string
  evaluatedAt?: number
}

/** Returns the flags in a body; undefined if it has none. `malformed` receives the key of each flag without a usable value. */
export const readFlags = (
  { flags, featureFlags, featureFlagPayloads, requestId, evaluatedAt }: FlagsBody,
  malformed: string[] = [],
): FlagSet | undefined => {
  const all: unknown =
    flags ??
    (Array.isArray(featureFlags)
      ? objectOf(
          featureFlags.filter((key) => typeof key === 'string'),
          () => true,
        )
      : featureFlags)
  if (!isPlainObject(all)) {
    if (all) malformed.push('flags')
    return undefined
  }
  const set: FlagSet = { values: {}, payloads: {}, details: {}, requestId, evaluatedAt }
  for (const [key, each] of Object.entries(all)) {
    const flag = flags && (each as Partial<FlagDetails> | null)
    const value = flags ? (flag?.variant ?? flag?.enabled) : each
    const payload = flag ? flag.metadata?.payload : isPlainObject(featureFlagPayloads) && own(featureFlagPayloads, key)
    if (flag?.failed) continue
    // Assigning to the key `__proto__` would replace the prototype of the object.
    if (!/boolean|string/.test(typeof value) || key === '__proto__') malformed.push(key)
    else {
      set.values[key] = value as FlagValue
      if (flag) set.details[key] = flag as FlagDetails
      if (payload) set.payloads[key] = payload
    }
  }
  return set
}

/** Returns `known` with the flags of `set` added or replaced. */
export const mergeFlags = (known: FlagSet, set: FlagSet): FlagSet => {
  const payloads = { ...known.payloads }
  for (const key of Object.keys(set.values)) delete payloads[key]
  return {
    ...set,
    values: { ...known.values, ...set.values },
    payloads: { ...payloads, ...set.payloads },
    details: { ...known.details, ...set.details },
  }
}

/** Returns a payload as a value: JSON is parsed, any other string stays. */
export const readPayload = (payload: unknown): unknown =>
  typeof payload === 'string' ? (parseJson(payload) ?? payload) : payload
