import type { Evaluation } from './evaluate.ts'
import type { FlagsRequest } from './subject.ts'

// The OpenFeature Remote Evaluation Protocol, version 0.3.0 (https://github.com/open-feature/protocol).

/** The unvalidated context of a request. */
type Context = Readonly<Record<string, unknown>>

/** A flag that could not be evaluated, or a request that is wrong. */
export interface OfrepFailure {
  readonly key?: string
  readonly errorCode: 'PARSE_ERROR' | 'TARGETING_KEY_MISSING' | 'FLAG_NOT_FOUND' | 'GENERAL'
  readonly errorDetails: string
}

/** The value of a flag: its variant, or whether it is on. */
export interface OfrepFlag {
  readonly key: string
  readonly value: boolean | string
  readonly variant: string
  readonly reason: 'TARGETING_MATCH' | 'SPLIT' | 'DEFAULT'
  /** `payload`: JSON text. */
  readonly metadata: Readonly<Record<string, string | number>>
}

/**
 * Returns the `/flags` request of a context: `targetingKey` is the distinct id, `groups` and `groupProperties` are reserved, all
 * other fields are properties of the person. `undefined`: the context has no targeting key.
 */
export const toFlagsRequest = (context: Context): FlagsRequest | undefined => {
  const { targetingKey, groups, groupProperties, ...personProperties } = context
  if (typeof targetingKey !== 'string' || !targetingKey.trim()) return undefined
  return {
    distinct_id: targetingKey,
    groups,
    group_properties: groupProperties,
    person_properties: personProperties,
  }
}

/** Returns an evaluated flag in the form of the protocol. */
export const toOfrepFlag = ({
  key,
  enabled,
  variant,
  reason,
  metadata,
  failed,
}: Evaluation): OfrepFlag | OfrepFailure => {
  if (failed) return { key, errorCode: 'GENERAL', errorDetails: reason.description }
  const { id, version, payload } = metadata
  return {
    key,
    value: variant ?? enabled,
    variant: variant ?? String(enabled),
    reason: enabled ? (variant === null ? 'TARGETING_MATCH' : 'SPLIT') : 'DEFAULT',
    metadata: { id, version, ...(payload === null ? {} : { payload }) },
  }
}
