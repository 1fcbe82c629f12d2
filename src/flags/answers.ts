import { parseJson } from '../lib/json'
import type { FlagDetails, FlagValue } from '../types'

/** What is known of all flags: what the service said of each, as it said it, and which answer that was. */
export interface FlagSet {
  values: Record<string, FlagValue>
  /** JSON text or a value, by flag. */
  payloads: Record<string, unknown>
  details: Record<string, FlagDetails>
  requestId?: string
  /** ms since the epoch, by the service's clock. */
  evaluatedAt?: number
}

/** The body of an answer of `/flags`, today's and older forms (protocol.md §4.6). */
export interface FlagsBody {
  flags?: Record<string, FlagDetails>
  featureFlags?: Record<string, FlagValue> | string[]
  featureFlagPayloads?: Record<string, unknown>
  errorsWhileComputingFlags?: boolean
  quotaLimited?: string[]
  requestId?: string
  evaluatedAt?: number
}

/** The flags that an answer tells of; undefined: of none, so what is known stays. */
export const readFlags = ({
  flags,
  featureFlags,
  featureFlagPayloads,
  quotaLimited,
  requestId,
  evaluatedAt,
}: FlagsBody): FlagSet | undefined => {
  if (quotaLimited?.includes('feature_flags') || (!flags && !featureFlags)) return undefined
  const set: FlagSet = { values: {}, payloads: {}, details: {}, requestId, evaluatedAt }
  for (const [key, flag] of Object.entries(flags ?? {})) {
    if (flag.failed) continue
    set.details[key] = flag
    set.values[key] = flag.variant ?? flag.enabled
    if (flag.enabled && flag.metadata?.payload) set.payloads[key] = flag.metadata.payload
  }
  if (!flags) {
    if (Array.isArray(featureFlags)) for (const key of featureFlags) set.values[key] = true
    else Object.assign(set.values, featureFlags)
    Object.assign(set.payloads, featureFlagPayloads)
  }
  return set
}

/** `known` with `set` laid over it, flag by flag. */
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

/** A payload as a value: JSON text is parsed, other text stays. */
export const readPayload = (payload: unknown): unknown =>
  typeof payload === 'string' ? (parseJson(payload) ?? payload) : payload
