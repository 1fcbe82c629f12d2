import { isPlainObject } from '../lib/json'
import { memo } from '../lib/memo'
import { has, objectOf, own, pick } from '../lib/objects'
import { serialize } from '../lib/serialize'
import type { Bootstrap, Config, FlagOverride, FlagValue, Properties } from '../types'
import { type FlagSet, readFlags } from './flagSet'

export type Values = Record<string, FlagValue>
export type Payloads = Record<string, unknown>

/** Argument of `override`. */
export type FlagOverrides = FlagOverride | { flags?: FlagOverride; payloads?: false | Payloads }

export interface FlagStore {
  get<T>(name: string): T | undefined
  set(values: Properties): void
  /** Reads changes from other tabs. */
  sync(): void
}

export type KnownFlags = ReturnType<typeof createKnownFlags>

/** Returns a copy of an object that the site passed; {} for anything else. */
const toObject = (value: unknown): Payloads => {
  const copy = serialize(value)
  return isPlainObject(copy) ? copy : {}
}

/** Returns a copy of the flags that the site passed, safe to store. Malformed input counts as no flags. */
export const toFlagSet = (input: Bootstrap): FlagSet => {
  const { featureFlags = {}, featureFlagPayloads = {} } = (serialize(input) ?? {}) as Bootstrap
  return readFlags({ featureFlags, featureFlagPayloads }) ?? { values: {}, payloads: {}, details: {} }
}

/** Returns the keys of flags that are on. */
export const enabledKeys = (values: Values) => Object.keys(values).filter((key) => values[key])

// One object, so that caches by identity work.
const NONE = {}

/** Creates access to the visitor's flags: bootstrapped or stored ones, and overrides, which win. */
export const createKnownFlags = (config: Config, store: FlagStore, now = () => Date.now()) => {
  let bootstrapped!: FlagSet
  /** Whether bootstrapped flags are used. They are not stored. The first stored flags replace them. */
  let isBootstrapped!: boolean
  const bootstrap = (flags: Bootstrap): void => {
    bootstrapped = toFlagSet(flags)
    isBootstrapped = Object.keys(bootstrapped.values).length > 0
  }
  bootstrap(config.bootstrap)

  const current = (): FlagSet =>
    isBootstrapped
      ? bootstrapped
      : {
          values: store.get('$enabled_feature_flags') ?? NONE,
          payloads: store.get('$feature_flag_payloads') ?? {},
          details: store.get('$feature_flag_details') ?? {},
          requestId: store.get('$feature_flag_request_id'),
          evaluatedAt: store.get('$feature_flag_evaluated_at'),
        }
  const overrides = (name: 'flags' | 'flag_payloads') => store.get<Values>(`$override_feature_${name}`)
  const values = (): Values => ({ ...current().values, ...overrides('flags') })
  const fetchedAt = () => store.get<number>('$feature_flag_fetched_at') ?? current().evaluatedAt ?? 0
  const isStale = () =>
    config.feature_flag_cache_ttl_ms > 0 && !isBootstrapped && now() - fetchedAt() > config.feature_flag_cache_ttl_ms
  const override = (name: 'flags' | 'flag_payloads', values: false | Payloads | undefined) => {
    if (values !== undefined) store.set({ [`$override_feature_${name}`]: values ? toObject(values) : undefined })
  }
  const propertiesOf = memo(
    (
      values: Values,
      $override_feature_flags?: Values,
      $feature_flag_request_id?: string,
      isStale?: boolean,
    ): Properties => {
      const all = { ...values, ...$override_feature_flags }
      const keys = Object.keys(all)
      if (!keys.length) return {}
      return {
        $active_feature_flags: enabledKeys(all),
        $feature_flag_request_id,
        $override_feature_flags,
        ...objectOf(
          keys.filter((key) => !isStale || has($override_feature_flags ?? {}, key)).map((key) => `$feature/${key}`),
          (name) => all[name.slice(9)],
        ),
      }
    },
  )
  return {
    bootstrap,
    bootstrapped: () => bootstrapped,
    isBootstrapped: () => isBootstrapped,
    /** Returns the flags without overrides. */
    current,
    overrides,
    /** Returns the flags with overrides. */
    values,
    /** Returns payloads with overrides. A flag that is off has none. */
    payloads: (): Payloads => {
      const all = values()
      return pick({ ...current().payloads, ...overrides('flag_payloads') }, (key) => own(all, key))
    },
    /** Fetch time of the stored flags, ms since the epoch; 0 if unknown. */
    fetchedAt,
    /** Whether the stored flags are older than `feature_flag_cache_ttl_ms`. */
    isStale,
    /**
     * Returns properties of every event: which flags are on, and each flag's value (docs/reference/protocol.md#5.6). The
     * same object until something changes.
     */
    properties: (): Properties => {
      const { values, requestId } = current()
      return propertiesOf(values, overrides('flags'), requestId, isStale())
    },
    store: (set: FlagSet): void => {
      isBootstrapped = false
      store.set({
        $enabled_feature_flags: set.values,
        $active_feature_flags: enabledKeys(set.values),
        $feature_flag_payloads: set.payloads,
        $feature_flag_details: set.details,
        $feature_flag_request_id: set.requestId,
        $feature_flag_evaluated_at: set.evaluatedAt,
        $feature_flag_fetched_at: now(),
      })
    },
    /** Overrides values, or values and payloads, of the service. false removes the overrides, undefined changes nothing. */
    override: (input: FlagOverrides): void => {
      const { flags, payloads } = (
        isPlainObject(input) && ('flags' in input || 'payloads' in input)
          ? input
          : { flags: input, payloads: input && undefined }
      ) as { flags?: FlagOverride; payloads?: false | Payloads }
      override('flags', Array.isArray(flags) ? objectOf(flags, () => true) : flags)
      override('flag_payloads', payloads)
    },
  }
}
