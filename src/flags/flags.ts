import { guarded } from '../lib/guard'
import { isPlainObject } from '../lib/json'
import { createListeners } from '../lib/listeners'
import { has, objectOf, own, pick } from '../lib/objects'
import { serialize } from '../lib/serialize'
import type {
  Bootstrap,
  Config,
  FlagDetails,
  FlagListener,
  FlagOptions,
  FlagOverride,
  FlagResult,
  FlagValue,
  Properties,
  Stop,
} from '../types'
import { type FlagSet, mergeFlags, readFlags, readPayload } from './answers'
import type { FlagsAnswer } from './askFlags'

type Values = Record<string, FlagValue>
type Payloads = Record<string, unknown>

interface Inputs {
  config: Config
  store: { get<T>(name: string): T | undefined; set(values: Properties): void }
  capture(event: string, properties: Properties): unknown
  sessionId(): string
  /** Asks the service for flags. */
  ask(): void
  /** Receives the names of the malformed items of a response. */
  onMalformed(names: string[]): void
  now?: () => number
}

const QUIET: FlagOptions = { send_event: false }

/** A copy of an object that the site passed; {} for anything else. */
const toObject = (value: unknown): Payloads => {
  const copy = serialize(value)
  return isPlainObject(copy) ? copy : {}
}

const keysOn = (values: Values) => Object.keys(values).filter((key) => values[key])
const valuesOf = (flags: FlagOverride | undefined): false | Values | undefined =>
  Array.isArray(flags) ? objectOf(flags, () => true) : flags

/** The flags of this visitor: what is known, what is told of their use (docs/reference/protocol.md#13). */
export const createFlags = ({
  config,
  store,
  capture,
  sessionId,
  ask,
  onMalformed,
  now = () => Date.now(),
}: Inputs) => {
  /** A set of what the site passed: a copy, safe to store. What is malformed counts as no flags. */
  const setOf = (input: Bootstrap): FlagSet => {
    const { featureFlags = {}, featureFlagPayloads = {} } = (serialize(input) ?? {}) as Bootstrap
    return readFlags({ featureFlags, featureFlagPayloads }) ?? { values: {}, payloads: {}, details: {} }
  }
  /** Bootstrapped flags hold, unstored, until something better comes. */
  let given = setOf(config.bootstrap)
  let holdsGiven = Object.keys(given.values).length > 0
  let settled = holdsGiven
  let answered = false
  let loadError: string | undefined
  let staleAt: number | undefined
  const listeners = createListeners<Parameters<FlagListener>>()

  const known = (): FlagSet =>
    holdsGiven
      ? given
      : {
          values: store.get('$enabled_feature_flags') ?? {},
          payloads: store.get('$feature_flag_payloads') ?? {},
          details: store.get('$feature_flag_details') ?? {},
          requestId: store.get('$feature_flag_request_id'),
          evaluatedAt: store.get('$feature_flag_evaluated_at'),
        }
  const overrides = (name: 'flags' | 'flag_payloads') => store.get<Values>(`$override_feature_${name}`)
  const values = (): Values => ({ ...known().values, ...overrides('flags') })
  /** A flag that is off has no payload. */
  const payloads = (): Payloads => {
    const all = values()
    return pick({ ...known().payloads, ...overrides('flag_payloads') }, (key) => own(all, key))
  }
  const fetchedAt = () => store.get<number>('$feature_flag_fetched_at') ?? known().evaluatedAt ?? 0
  const isStale = () =>
    config.feature_flag_cache_ttl_ms > 0 && !holdsGiven && now() - fetchedAt() > config.feature_flag_cache_ttl_ms

  const tell = (context?: { errorsLoading: boolean }, to = listeners.tell) => to(keysOn(values()), values(), context)
  const remember = (set: FlagSet) => {
    holdsGiven = false
    settled = true
    store.set({
      $enabled_feature_flags: set.values,
      $active_feature_flags: keysOn(set.values),
      $feature_flag_payloads: set.payloads,
      $feature_flag_details: set.details,
      $feature_flag_request_id: set.requestId,
      $feature_flag_evaluated_at: set.evaluatedAt,
      $feature_flag_fetched_at: now(),
    })
  }

  /** `$feature_flag_called`, once for each value of a flag: per identity, or per session. */
  const expose = (key: string, value: FlagValue | undefined) => {
    const scope = config.advanced_feature_flags_dedup_per_session ? sessionId() : undefined
    const told =
      (store.get('$flag_call_reported_session_id') === scope &&
        store.get<Record<string, string[]>>('$flag_call_reported')) ||
      {}
    const word = String(value)
    const before = own(told, key) ?? []
    if (before.includes(word)) return
    // Noted first: a before_send that looks at the flag itself would go round in circles.
    store.set({ $flag_call_reported: { ...told, [key]: [...before, word] }, $flag_call_reported_session_id: scope })

    const { details, requestId, evaluatedAt } = known()
    const { metadata, reason }: Partial<FlagDetails> = own(details, key) ?? {}
    const isOverridden = (name: 'flags' | 'flag_payloads') => has(overrides(name) ?? {}, key)
    const captured = capture('$feature_flag_called', {
      $feature_flag: key,
      $feature_flag_response: value,
      $feature_flag_payload: own(payloads(), key) ?? null,
      $feature_flag_request_id: requestId,
      $feature_flag_evaluated_at: evaluatedAt,
      $feature_flag_bootstrapped_response: own(given.values, key) ?? null,
      $feature_flag_bootstrapped_payload: own(given.payloads, key) ?? null,
      $used_bootstrap_value: !answered,
      $feature_flag_has_experiment: metadata?.has_experiment,
      $feature_flag_version: metadata?.version,
      $feature_flag_id: metadata?.id,
      $feature_flag_reason: reason?.description ?? reason?.code,
      $feature_flag_original_response: isOverridden('flags') ? known().values[key] : undefined,
      $feature_flag_original_payload: isOverridden('flag_payloads') ? known().payloads[key] : undefined,
      $feature_flag_error: [loadError ?? [], value === undefined ? 'flag_missing' : []].flat().join() || undefined,
    })
    // What could not be told now is told another time.
    if (!captured) store.set({ $flag_call_reported: { ...told, [key]: before } })
  }

  const result = (key: string, { send_event = true, fresh = false }: FlagOptions = {}): FlagResult | undefined => {
    if (fresh && !answered) return undefined
    if (isStale()) {
      if (staleAt !== fetchedAt()) ask()
      staleAt = fetchedAt()
      return undefined
    }
    const all = values()
    // Nothing has been said of any flag yet: that this one is missing would be no news.
    if (!settled && !Object.keys(all).length) return undefined
    const value = own(all, key)
    if (send_event) expose(key, value)
    if (value === undefined) return undefined
    return {
      key,
      enabled: !!value,
      variant: typeof value === 'string' ? value : undefined,
      payload: readPayload(own(payloads(), key)),
    }
  }
  /** Lays values over the service's under `name`: none of them for false, no change for undefined. */
  const override = (name: 'flags' | 'flag_payloads', values: false | Payloads | undefined): void => {
    if (values !== undefined) store.set({ [`$override_feature_${name}`]: values ? toObject(values) : undefined })
  }

  return {
    /** Applies a response of `/flags`, or the reason why there is none: flags count as loaded in either case. */
    apply: ({ body = {}, error }: FlagsAnswer): void => {
      const malformed: string[] = []
      const set = readFlags(body, malformed)
      const isQuotaLimited = [body.quotaLimited].flat().includes('feature_flags')
      const isPartial = body.errorsWhileComputingFlags || malformed.length
      if (malformed.length) onMalformed(malformed)
      loadError =
        error ??
        ((malformed.length && 'unknown_error') ||
          (isPartial && 'errors_while_computing_flags') ||
          (isQuotaLimited && 'quota_limited') ||
          undefined)
      if (set && !isQuotaLimited) {
        answered = true
        remember(isPartial || config.advanced_only_evaluate_survey_feature_flags ? mergeFlags(known(), set) : set)
      }
      settled = true
      tell({ errorsLoading: !!loadError })
    },
    /** Whether anything is known of flags that this page was told. */
    hasLoaded: (): boolean => settled,
    /** Properties of every event: which flags are on, and each flag's value (docs/reference/protocol.md#5.6). */
    properties: (): Properties => {
      const all = values()
      const keys = Object.keys(all)
      if (!keys.length) return {}
      return {
        $active_feature_flags: keysOn(all),
        $feature_flag_request_id: known().requestId,
        $override_feature_flags: overrides('flags'),
        ...(isStale()
          ? {}
          : objectOf(
              keys.map((key) => `$feature/${key}`),
              (name) => all[name.slice(9)],
            )),
      }
    },
    /** The visitor is another: what was told of the one before is told anew, unless it is told once a session whoever it is. */
    forgetTold: (): void => {
      if (!config.advanced_feature_flags_dedup_per_session) store.set({ $flag_call_reported: undefined })
    },
    /** Nothing is known any more, or what `bootstrap` says. */
    forget: (bootstrap: Bootstrap): void => {
      given = setOf(bootstrap)
      holdsGiven = settled = Object.keys(given.values).length > 0
      answered = false
    },

    api: {
      getFeatureFlag: (key: string, options?: FlagOptions): FlagValue | undefined => {
        const found = result(key, options)
        return found && (found.variant ?? found.enabled)
      },
      isFeatureEnabled: (key: string, options?: FlagOptions & { defaultValue?: boolean }): boolean | undefined =>
        result(key, options)?.enabled ?? options?.defaultValue,
      getFeatureFlagPayload: (key: string): unknown => result(key, QUIET)?.payload,
      getFeatureFlagResult: result,
      getAllFeatureFlags: (): FlagResult[] => Object.keys(values()).flatMap((key) => result(key, QUIET) ?? []),
      reloadFeatureFlags: ask,
      onFeatureFlags: (listener: FlagListener): Stop => {
        if (settled) guarded(() => tell(loadError ? { errorsLoading: true } : undefined, listener))
        return listeners.add(listener)
      },
      updateFlags: (flags: Values, withPayloads?: Payloads, { merge }: { merge?: boolean } = {}): void => {
        const set = setOf({ featureFlags: flags, featureFlagPayloads: withPayloads })
        remember(merge ? mergeFlags(known(), set) : set)
        tell()
      },
    },
    more: {
      getFlags: (): string[] => Object.keys(values()),
      getFlagVariants: values,
      getFlagPayloads: payloads,
      getFlagsWithDetails: (): Record<string, FlagDetails> => known().details,
      ensureFlagsLoaded: (): void => {
        if (!settled) ask()
      },
      getFeatureFlagDetails: (key: string): FlagDetails | undefined => own(known().details, key),
      overrideFeatureFlags: (given: FlagOverride | { flags?: FlagOverride; payloads?: false | Payloads }): void => {
        const { flags, payloads } = (
          isPlainObject(given) && ('flags' in given || 'payloads' in given)
            ? given
            : { flags: given, payloads: given && undefined }
        ) as { flags?: FlagOverride; payloads?: false | Payloads }
        override('flags', valuesOf(flags))
        override('flag_payloads', payloads)
        tell()
      },
    },
  }
}
