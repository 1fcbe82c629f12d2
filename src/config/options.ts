import type { Config } from '../types'
import { DEFAULT_API_HOST } from './defaultHost'

/**
 * One option: its default (before the dated defaults) and its type. The type is both the check and the text of error
 * messages: names of `typeof`, names in `CHECKS`, and 'literals'. `INIT`: only `init` reads it.
 */
export type Row<V = unknown> = readonly [fallback: V, takes: string, when?: typeof INIT]

/** Marks options that cannot change: names of what is stored, and what happens once. */
export const INIT = 'init'

export const ON = [true, 'boolean'] as const
export const OFF = [false, 'boolean'] as const
export const STRINGS = 'array of strings'
export const TEN_STRINGS = 'array of at most 10 strings'

/** Rows of options. */
export type OptionRows = { readonly [K in keyof Config]?: Row<Config[K]> }

/** The options of the core. Features bring theirs. */
export const OPTIONS = {
  api_host: [DEFAULT_API_HOST, 'string'],
  ui_host: [undefined, 'string | null'],
  before_send: [(event) => event, 'function | array'],
  bootstrap: [{}, 'object', INIT],
  defaults: ['unset', "'unset' | 'latest' | YYYY-MM-DD"],
  disable_persistence: OFF,
  external_scripts_inject_target: ['body', "'body' | 'head'"],
  loaded: [() => {}, 'function', INIT],
  opt_out_useragent_filter: OFF,
  persistence: [
    'localStorage+cookie',
    "'localStorage' | 'sessionStorage' | 'cookie' | 'memory' | 'localStorage+cookie'",
  ],
  property_denylist: [[], STRINGS],
  property_blacklist: [[], STRINGS],
  sanitize_properties: [undefined, 'function | null'],
  mask_personal_data_properties: OFF,
  custom_personal_data_properties: [[], STRINGS],
  person_profiles: ['identified_only', "'always' | 'identified_only' | 'never'"],
  rate_limiting: [{ events_per_second: 10, events_burst_limit: 100 }, 'object'],
  session_idle_timeout_seconds: [1800, 'integer'],
  xhr_headers: [{}, 'object'],

  advanced_disable_flags: OFF,
  advanced_disable_feature_flags: OFF,
  advanced_disable_feature_flags_on_first_load: OFF,
  fetch_options: [{}, 'object'],
  on_request_error: [
    ({ statusCode, text }) => console.error('[trailmark] request failed', statusCode, text),
    'function',
  ],

  enabled: [true, 'boolean', INIT],
  debug: OFF,
  persistence_name: ['', 'string', INIT],
  request_batching: ON,
  request_queue_config: [{}, 'object'],
  // Some 5,000 events, or 1,000 with long properties.
  outbox_max_bytes: [10_000_000, 'number'],
  // Safari keeps what scripts store for 7 days. https://webkit.org/tracking-prevention/
  outbox_max_age_ms: [7 * 86_400_000, 'number'],
  disable_compression: OFF,
  disable_beacon: OFF,
  properties_string_max_length: [65_535, 'number'],
  disable_scroll_properties: OFF,
  disable_capture_url_hashes: OFF,
  get_device_id: [(uuid) => uuid, 'function'],
} as const satisfies OptionRows

/** Types of members, or their members. '': the code that uses the member checks it. */
export type Members = { readonly [name: string]: string | Members }

/** The types of the members of object options. */
export type OptionMembers = {
  readonly [K in keyof Config]?: Record<keyof Exclude<Config[K], string | boolean | undefined>, string | Members>
}

/** The members of the core's options. Features define their own. */
export const MEMBERS: OptionMembers = {
  bootstrap: { distinctID: 'string', isIdentifiedID: 'boolean', featureFlags: 'object', featureFlagPayloads: 'object' },
  request_queue_config: { flush_interval_ms: 'number' },
  rate_limiting: { events_per_second: 'number', events_burst_limit: 'number' },
  // fetch throws for all other values; for 'only-if-cached', on cross-origin requests.
  fetch_options: { cache: "'default' | 'no-store' | 'reload' | 'no-cache' | 'force-cache'", next_options: 'object' },
}
