import { has } from '../lib/objects'

/**
 * How a stored value behaves, in words. `rides`: it is a property of every event. `cookie`: the cookie carries it too,
 * so that subdomains share it; ids only, since a cookie travels with every request. `browser`: `reset` leaves it, since
 * it is the browser's; everything else belongs to the person.
 */
type Key = '' | 'rides' | 'cookie' | 'browser' | 'rides cookie' | 'rides browser' | 'rides cookie browser'

/**
 * Everything the SDK remembers about a visitor. A stored name without a row is a super property: it rides on events
 * and belongs to the person. Names and formats are the protocol's (docs/reference/protocol.md#8.4), so that a site that comes from
 * another SDK of that protocol keeps its visitors.
 */
export const KEYS = {
  distinct_id: 'rides cookie',
  $device_id: 'rides cookie browser',
  $user_id: 'rides',
  $user_state: 'cookie',
  /**
   * When `distinct_id` was last decided, ms: of two stores that disagree, the newer one is right. An id that the SDK made
   * up for a new visitor is no decision, so tabs that start without storage agree on the id that is stored first.
   */
  $identity_at: 'cookie',
  /** [last activity, session id, start], ms. */
  $sesid: 'cookie',
  /** Whether events make a person profile although nobody identified: sticks once it was so. */
  $epp: 'cookie',
  $groups: 'rides',
  __alias: '',
  $had_persisted_distinct_id: 'rides',
  /** When the visitor last became another, ISO time. A stored copy with a later time belongs to the next person. */
  $last_posthog_reset: 'rides cookie browser',
  /** The service's latest say on each flag, and the overrides that stand above it (docs/reference/protocol.md#13.7). */
  $enabled_feature_flags: '',
  $active_feature_flags: '',
  $feature_flag_payloads: '',
  $feature_flag_details: '',
  $feature_flag_request_id: '',
  $feature_flag_evaluated_at: '',
  $override_feature_flags: '',
  $override_feature_flag_payloads: '',
  /** When the flags came, ms by the visitor's own clock. */
  $feature_flag_fetched_at: '',
  /** Values of flags that `$feature_flag_called` has told, by flag, and the session they were told in. */
  $flag_call_reported: '',
  $flag_call_reported_session_id: '',
  /** What flags are evaluated on, beyond what the service knows. */
  $stored_person_properties: '',
  $stored_group_properties: '',
  $early_access_features: '',
  /** Whether the service has turned autocapture off. */
  $autocapture_disabled_server_side: 'browser',
  /** Where the visitor first came from: { r: referrer, u: url }. */
  $initial_person_info: '',
  /** Where the session came from: { sessionId, props: { r, u } }. */
  $client_session_props: '',
} as const satisfies Record<string, Key>

/** Whether the row of a stored name says this. */
export const isKey = (name: string, word: 'rides' | 'cookie' | 'browser'): boolean =>
  (has(KEYS, name) ? KEYS[name as keyof typeof KEYS] : 'rides').includes(word)
