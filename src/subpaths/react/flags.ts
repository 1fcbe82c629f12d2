import type {
  Analytics,
  Bootstrap,
  FlagResult,
  FlagValue,
  JsonType,
  PlannedFlag,
  PlannedPayload,
  PlannedValue,
} from 'trailmark'
import { useCallback, useMemo } from 'react'
import { useStore } from './hooks'

const QUIET = { send_event: false }

const onFlags = (client: Analytics, listener: () => void) => client.onFeatureFlags(listener)

/** The payloads and lists that hooks have returned, and what they were made of, by their owner: the same object until flags change. */
const kept = new WeakMap<object, Record<string, { source: unknown; value: unknown }>>()

/** Returns `make()`, or the earlier value of this key if its source is the same. */
const keep = <T>(owner: object, key: string, source: unknown, make: () => T): T => {
  const values = kept.get(owner) ?? {}
  kept.set(owner, values)
  if (values[key]?.source !== source || !values[key]) values[key] = { source, value: make() }
  return values[key].value as T
}

const parse = (payload: unknown): JsonType => {
  if (typeof payload !== 'string') return payload as JsonType
  try {
    return JSON.parse(payload) as JsonType
  } catch {
    return payload
  }
}

const serverFlag = ({ featureFlags }: Bootstrap, key: string): FlagValue | undefined =>
  featureFlags && Object.prototype.hasOwnProperty.call(featureFlags, key) ? featureFlags[key] : undefined

const serverPayload = (bootstrap: Bootstrap, key: string): JsonType => {
  const payload = serverFlag(bootstrap, key) ? bootstrap.featureFlagPayloads?.[key] : undefined
  return keep(bootstrap, key, payload, () => parse(payload))
}

const payloadOf = (client: Analytics, key: string): JsonType =>
  keep(client, key, client.featureFlags.getFlagPayloads()[key], () => client.getFeatureFlagPayload(key))

/** Reads a flag. In the browser, `$feature_flag_called` is captured once per value. */
const useFlag = (hook: string, key: string): FlagValue | undefined =>
  useStore(
    hook,
    useCallback(
      (client: Analytics, listener: () => void) =>
        client.onFeatureFlags(() => {
          client.getFeatureFlag(key)
          listener()
        }),
      [key],
    ),
    (client) => client.getFeatureFlag(key, QUIET),
    (bootstrap) => serverFlag(bootstrap, key),
  )

/** Returns whether the flag is on; `fallback`, or undefined, while it has no value. */
export const useFeatureFlagEnabled = <D extends boolean | undefined = undefined>(
  flag: PlannedFlag,
  fallback?: D,
): boolean | D => {
  const value = useFlag('useFeatureFlagEnabled()', flag)
  return value === undefined ? (fallback as D) : !!value
}

/** Returns the flag's value: true, false or the variant's name; `fallback`, or undefined, while it has none. */
export const useFeatureFlagVariantKey = <K extends PlannedFlag, D extends PlannedValue<K> | undefined = undefined>(
  flag: K,
  fallback?: D,
): PlannedValue<K> | D =>
  (useFlag('useFeatureFlagVariantKey()', flag) as PlannedValue<K> | undefined) ?? (fallback as D)

/** Returns the parsed payload of the flag's value: the same object until it changes. Captures nothing. */
export const useFeatureFlagPayload = <K extends PlannedFlag>(flag: K): PlannedPayload<K> =>
  useStore(
    'useFeatureFlagPayload()',
    onFlags,
    (client) => payloadOf(client, flag) as PlannedPayload<K>,
    (bootstrap) => serverPayload(bootstrap, flag) as PlannedPayload<K>,
  )

/** Returns value and payload of a flag: the same object until it changes. */
export const useFeatureFlagResult = <K extends PlannedFlag>(flag: K): FlagResult<K> | undefined => {
  const value = useFlag('useFeatureFlagResult()', flag)
  const payload = useFeatureFlagPayload(flag)
  return useMemo(
    () =>
      value === undefined
        ? undefined
        : ({
            key: flag,
            enabled: !!value,
            variant: typeof value === 'string' ? value : undefined,
            payload,
          } as FlagResult<K>),
    [flag, value, payload],
  )
}

const enabled = (owner: object, flags: Record<string, FlagValue> = {}): string[] => {
  const keys = Object.keys(flags).filter((key) => flags[key])
  return keep(owner, '', JSON.stringify(keys), () => keys)
}

/** Returns the keys of the flags that are on: the same array until one changes. */
export const useActiveFeatureFlags = (): string[] =>
  useStore(
    'useActiveFeatureFlags()',
    onFlags,
    (client) => enabled(client, client.featureFlags.getFlagVariants()),
    (bootstrap) => enabled(bootstrap, bootstrap.featureFlags),
  )
