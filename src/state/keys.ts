import { isPlainObject } from '../lib/json'
import { has, objectOf, own, pick } from '../lib/objects'
import type { Properties } from '../types'

/**
 * How a stored value behaves, as words. `rides`: it is a property of every event. `cookie`: it is in the cookie too, so
 * that subdomains share it; ids only, because a cookie is sent with every request. `browser`: it belongs to the browser,
 * so `reset` keeps it; all other values belong to the person. `map` and `list`: it is an object, or an array; anything
 * else, which another release may have stored, is not read.
 */
type Key =
  | ''
  | 'rides'
  | 'cookie'
  | 'browser'
  | 'rides cookie'
  | 'rides browser'
  | 'rides cookie browser'
  | 'map'
  | 'list'
  | 'rides map'

/**
 * Everything the SDK stores about a visitor. A stored name without a row is a super property, which is added to events
 * and belongs to the person. Names and formats are the protocol's (docs/reference/protocol.md#8.4), so that a site
 * that migrates from another SDK keeps its visitors.
 */
export const KEYS = {
  distinct_id: 'rides cookie',
  $device_id: 'rides cookie browser',
  $user_id: 'rides',
  $user_state: 'cookie',
  /**
   * When `distinct_id` was last decided, ms. If two stores disagree, the newer one is right. An id generated for a new
   * visitor is not a decision, so tabs that start without storage agree on the id that is stored first.
   */
  $identity_at: 'cookie',
  /** [last activity, session id, start], ms. */
  $sesid: 'cookie',
  /** Set once events create a person profile; stays set until `reset`. */
  $epp: 'cookie',
  $groups: 'rides map',
  __alias: '',
  /** The anonymous id of a `$identify` that was dropped because the visitor opted out. */
  $unlinked_id: '',
  $had_persisted_distinct_id: 'rides',
  /** Time of the last reset, ISO 8601. A stored copy with a later time belongs to the next person. */
  $last_posthog_reset: 'rides cookie browser',
  /** Latest values of flags from the service, and overrides, which win (docs/reference/protocol.md#13.7). */
  $enabled_feature_flags: 'map',
  $active_feature_flags: '',
  $feature_flag_payloads: 'map',
  $feature_flag_details: 'map',
  $feature_flag_request_id: '',
  $feature_flag_evaluated_at: '',
  $override_feature_flags: 'map',
  $override_feature_flag_payloads: 'map',
  /** When the flags were received, ms by the visitor's clock. */
  $feature_flag_fetched_at: '',
  /** Values that `$feature_flag_called` has reported, by flag, and the session they were reported in. */
  $flag_call_reported: 'map',
  $flag_call_reported_session_id: '',
  /** Properties sent with flag requests. */
  $stored_person_properties: 'map',
  $stored_group_properties: 'map',
  $early_access_features: 'list',
  /** Whether the service has turned autocapture off. */
  $autocapture_disabled_server_side: 'browser',
  /** Whether the service has turned exception capture on. */
  $exception_capture_enabled_server_side: 'rides browser',
  /** The project's recording settings, and when they were received: `cache_timestamp`, ms. */
  $session_recording_remote_config: 'browser',
  /** Surveys whose event has happened, the session it happened in, and when: ms since the epoch by survey. */
  $surveys_activated: 'rides',
  $surveys_activated_session: '',
  $surveys_activated_timestamps: 'map',
  /** Where the visitor first came from: { r: referrer, u: url }. */
  $initial_person_info: 'map',
  /** Where the session came from: { sessionId, props: { r, u } }. */
  $client_session_props: 'map',
} as const satisfies Record<string, Key>

/** Whether a stored name behaves this way. */
export const isKey = (name: string, word: 'rides' | 'cookie' | 'browser' | 'map' | 'list'): boolean =>
  (has(KEYS, name) ? KEYS[name as keyof typeof KEYS] : 'rides').includes(word)

/** Returns the values that the cookie has too, in the order of the table, so that all subdomains write equal text. */
export const idsOf = (values: Properties): Properties =>
  pick(
    objectOf(Object.keys(KEYS), (name) => values[name]),
    (name, value) => isKey(name, 'cookie') && value !== undefined,
  )

/** Whether a stored value has the type of its name. */
export const isOfKey = (name: string, value: unknown): boolean => {
  const key: Key | undefined = own(KEYS, name)
  return key?.endsWith('map') ? isPlainObject(value) : key !== 'list' || Array.isArray(value)
}
