import { guarded } from '../lib/guard'
import { createListeners } from '../lib/listeners'
import { own } from '../lib/objects'
import type {
  Bootstrap,
  Config,
  FlagDetails,
  FlagListener,
  FlagOptions,
  FlagResult,
  FlagValue,
  JsonType,
  Properties,
  Stop,
} from '../types'
import { createFlagCalls } from './flagCalls'
import type { FlagsResponse } from './flagRequester'
import { mergeFlags, readFlags, readPayload } from './flagSet'
import {
  createKnownFlags,
  enabledKeys,
  type FlagOverrides,
  type FlagStore,
  type Payloads,
  toFlagSet,
  type Values,
} from './knownFlags'

interface Inputs {
  config: Config
  store: FlagStore
  capture(event: string, properties: Properties): unknown
  sessionId(): string
  /** Requests flags from the service. */
  reload(): void
  /** Receives the names of the malformed items of a response. */
  onMalformed(names: string[]): void
  /** Called once for each key that the site has asked for and the service does not know. */
  onMissing(key: string): void
}

const QUIET: FlagOptions = { send_event: false }

/** Creates the methods that read and override the visitor's flags and report their use (docs/reference/protocol.md#13). */
export const createFlags = (inputs: Inputs) => {
  const { config, store, reload, onMalformed, onMissing } = inputs
  const known = createKnownFlags(config, store)
  const { values, payloads } = known
  const reportCall = createFlagCalls(inputs, known)
  const listeners = createListeners<Parameters<FlagListener>>()
  /** Whether there has been a response, an error, or bootstrapped flags. */
  let isLoaded = known.isBootstrapped()
  /** Whether a response has brought flags on this page. */
  let isFetched = false
  let loadError: string | undefined
  const missing = new Set<string>()
  /** Fetch time of the stale flags that were last requested again, so that one set is requested once. */
  let reloadedAt: number | undefined

  const notify = (context?: { errorsLoading: boolean }, listener: FlagListener = listeners.emit) =>
    listener(enabledKeys(values()), values(), context)

  const result = (key: string, { send_event = true, fresh = false }: FlagOptions = {}): FlagResult | undefined => {
    if (fresh && !isFetched) return undefined
    // Another tab may have changed the person.
    store.sync()
    if (known.isStale()) {
      if (reloadedAt !== known.fetchedAt()) reload()
      reloadedAt = known.fetchedAt()
      if (own(known.overrides('flags') ?? {}, key) === undefined) return undefined
    }
    const all = values()
    // Before the first response, a missing flag is not reported.
    if (!isLoaded && !Object.keys(all).length) return undefined
    const value = own(all, key)
    if (send_event) reportCall(key, value, isFetched, loadError)
    // Reports each key once. A response with errors may lack flags.
    if (send_event && value === undefined && isFetched && !loadError && !missing.has(key)) {
      missing.add(key)
      onMissing(key)
    }
    if (value === undefined) return undefined
    return {
      key,
      enabled: !!value,
      variant: typeof value === 'string' ? value : undefined,
      payload: readPayload(own(payloads(), key)) as JsonType,
    }
  }

  const override = (overrides: FlagOverrides): void => {
    known.override(overrides)
    notify()
  }

  return {
    /** Applies a response of `/flags`, or the reason there is none. Flags count as loaded in both cases. */
    apply: ({ body = {}, error }: FlagsResponse): void => {
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
        isFetched = true
        known.store(
          isPartial || config.advanced_only_evaluate_survey_feature_flags ? mergeFlags(known.current(), set) : set,
        )
      }
      isLoaded = true
      notify({ errorsLoading: !!loadError })
    },
    /** Whether flags were loaded on this page: by a response, by `bootstrap` or by `updateFlags`. */
    hasLoaded: (): boolean => isLoaded,
    properties: known.properties,
    /** Lets `$feature_flag_called` be captured again for another id, unless it is captured once per session. */
    forgetReported: (): void => {
      if (!config.advanced_feature_flags_dedup_per_session) store.set({ $flag_call_reported: undefined })
    },
    /** Removes all flags but those of `bootstrap`. */
    forget: (bootstrap: Bootstrap): void => {
      known.bootstrap(bootstrap)
      isLoaded = known.isBootstrapped()
      isFetched = false
    },

    api: {
      getFeatureFlag: (key: string, options?: FlagOptions): FlagValue | undefined => {
        const found = result(key, options)
        return found && (found.variant ?? found.enabled)
      },
      isFeatureEnabled: <D extends boolean | undefined = undefined>(
        key: string,
        options?: FlagOptions & { defaultValue?: D },
      ): boolean | D => result(key, options)?.enabled ?? (options?.defaultValue as D),
      getFeatureFlagPayload: (key: string): JsonType => result(key, QUIET)?.payload,
      getFeatureFlagResult: result,
      getAllFeatureFlags: (): FlagResult[] => Object.keys(values()).flatMap((key) => result(key, QUIET) ?? []),
      reloadFeatureFlags: reload,
      onFeatureFlags: (listener: FlagListener): Stop => {
        if (isLoaded) guarded(() => notify(loadError ? { errorsLoading: true } : undefined, listener))
        return listeners.add(listener)
      },
      updateFlags: (flags: Values, payloads?: Payloads, { merge }: { merge?: boolean } = {}): void => {
        const set = toFlagSet({ featureFlags: flags, featureFlagPayloads: payloads })
        known.store(merge ? mergeFlags(known.current(), set) : set)
        isLoaded = true
        notify()
      },
    },
    featureFlags: {
      getFlags: (): string[] => Object.keys(values()),
      getFlagVariants: values,
      getFlagPayloads: payloads,
      getFlagsWithDetails: (): Record<string, FlagDetails> => known.current().details,
      ensureFlagsLoaded: (): void => {
        if (!isLoaded) reload()
      },
      getFeatureFlagDetails: (key: string): FlagDetails | undefined => own(known.current().details, key),
      override,
      overrideFeatureFlags: override,
    },
  }
}
