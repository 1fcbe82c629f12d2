import { has, own } from '../lib/objects'
import type { Config, FlagDetails, FlagValue, Properties } from '../types'
import type { FlagStore, KnownFlags } from './knownFlags'

interface Inputs {
  config: Config
  store: FlagStore
  capture(event: string, properties: Properties): unknown
  sessionId(): string
}

/**
 * Returns a function that captures `$feature_flag_called`, once for each value of a flag: per identity, or per session.
 * `isFetched`: whether a response has replaced the bootstrapped flags. `loadError`: the error of the last request.
 */
export const createFlagCalls =
  ({ config, store, capture, sessionId }: Inputs, known: KnownFlags) =>
  (key: string, value: FlagValue | undefined, isFetched: boolean, loadError: string | undefined): void => {
    const scope = config.advanced_feature_flags_dedup_per_session ? sessionId() : undefined
    const reported =
      (store.get('$flag_call_reported_session_id') === scope &&
        store.get<Record<string, string[]>>('$flag_call_reported')) ||
      {}
    // An older release may have stored another type.
    const before = [own(reported, key) ?? []].flat()
    if (before.includes(String(value))) return
    // Stored before capturing, because a before_send that reads the flag would recurse endlessly.
    store.set({
      $flag_call_reported: { ...reported, [key]: [...before, String(value)] },
      $flag_call_reported_session_id: scope,
    })

    const { details, requestId, evaluatedAt, values, payloads } = known.current()
    const { metadata, reason }: Partial<FlagDetails> = own(details, key) ?? {}
    const { values: bootValues, payloads: bootPayloads } = known.bootstrapped()
    const isOverridden = (name: 'flags' | 'flag_payloads') => has(known.overrides(name) ?? {}, key)
    const captured = capture('$feature_flag_called', {
      $feature_flag: key,
      $feature_flag_response: value,
      $feature_flag_payload: own(known.payloads(), key) ?? null,
      $feature_flag_request_id: requestId,
      $feature_flag_evaluated_at: evaluatedAt,
      $feature_flag_bootstrapped_response: own(bootValues, key) ?? null,
      $feature_flag_bootstrapped_payload: own(bootPayloads, key) ?? null,
      $used_bootstrap_value: !isFetched,
      $feature_flag_has_experiment: metadata?.has_experiment,
      $feature_flag_version: metadata?.version,
      $feature_flag_id: metadata?.id,
      $feature_flag_reason: reason?.description ?? reason?.code,
      $feature_flag_original_response: isOverridden('flags') ? values[key] : undefined,
      $feature_flag_original_payload: isOverridden('flag_payloads') ? payloads[key] : undefined,
      $feature_flag_error: [loadError ?? [], value === undefined ? 'flag_missing' : []].flat().join() || undefined,
    })
    // A dropped event is captured at the next call.
    if (!captured) store.set({ $flag_call_reported: { ...reported, [key]: before } })
  }
