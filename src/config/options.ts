import { isPlainObject } from '../lib/json'
import type { Config } from '../types'
import { isDate } from './datedDefaults'
import { DEFAULT_API_HOST } from './defaultHost'

/**
 * One option: its default (before the dated defaults) and its type. The type is both the check and the text of error
 * messages: names of `typeof`, names in `CHECKS`, and 'literals'. `INIT`: only `init` reads it.
 */
export type Row<V = unknown> = readonly [fallback: V, takes: string, when?: typeof INIT]

/** Marks options that cannot change: names of what is stored, and what happens once. */
export const INIT = 'init'

const ON = [true, 'boolean'] as const
const OFF = [false, 'boolean'] as const
export const STRINGS = 'array of strings'
export const TEN_STRINGS = 'array of at most 10 strings'
const areStrings = (value: unknown): value is string[] =>
  Array.isArray(value) && value.every((each) => typeof each === 'string')

/** All options. An option of `Config` without a row is a compile error. */
export const OPTIONS: { readonly [K in keyof Config]: Row<Config[K]> } = {
  api_host: [DEFAULT_API_HOST, 'string'],
  ui_host: [undefined, 'string | null'],
  autocapture: [true, 'boolean | object'],
  before_send: [(event) => event, 'function | array'],
  bootstrap: [{}, 'object', INIT],
  capture_pageview: [true, "boolean | 'history_change'"],
  capture_pageleave: [true, "boolean | 'if_capture_pageview'"],
  capture_dead_clicks: [true, 'boolean | object'],
  capture_exceptions: [undefined, 'boolean | object'],
  error_tracking: [{}, 'object'],
  cross_subdomain_cookie: ON,
  custom_blocked_useragents: [[], STRINGS],
  defaults: ['unset', "'unset' | 'latest' | YYYY-MM-DD"],
  disable_persistence: OFF,
  disable_surveys: OFF,
  disable_surveys_automatic_display: OFF,
  advanced_enable_surveys: OFF,
  surveys_request_timeout_ms: [10_000, 'integer'],
  surveys: [{}, 'object'],
  override_display_language: [null, 'string | null'],
  disable_session_recording: OFF,
  enable_recording_console_log: OFF,
  enable_heatmaps: [undefined, 'boolean'],
  capture_heatmaps: [undefined, 'boolean | object'],
  capture_performance: [undefined, 'boolean | object'],
  evaluation_contexts: [undefined, 'array'],
  external_scripts_inject_target: ['body', "'body' | 'head'"],
  flags_api_host: [null, 'string | null'],
  loaded: [() => {}, 'function', INIT],
  mask_all_text: OFF,
  mask_all_element_attributes: OFF,
  opt_out_capturing_by_default: OFF,
  opt_out_persistence_by_default: OFF,
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
  session_recording: [{}, 'object'],
  session_idle_timeout_seconds: [1800, 'integer'],
  xhr_headers: [{}, 'object'],
  rageclick: [true, 'boolean | object'],

  advanced_disable_flags: OFF,
  advanced_disable_feature_flags: OFF,
  advanced_disable_feature_flags_on_first_load: OFF,
  advanced_only_evaluate_survey_feature_flags: OFF,
  advanced_feature_flags_dedup_per_session: OFF,
  feature_flag_request_timeout_ms: [3000, 'integer'],
  feature_flag_cache_ttl_ms: [0, 'integer'],
  remote_config_refresh_interval_ms: [300_000, 'integer'],
  advanced_disable_toolbar_metrics: OFF,
  secure_cookie: OFF,
  custom_campaign_params: [[], STRINGS],
  fetch_options: [{}, 'object'],
  on_request_error: [
    ({ statusCode, text }) => console.error('[trailmark] request failed', statusCode, text),
    'function',
  ],

  enabled: [true, 'boolean', INIT],
  debug: OFF,
  persistence_name: ['', 'string', INIT],
  cookie_expiration: [365, 'number'],
  request_batching: ON,
  request_queue_config: [{}, 'object'],
  // Some 5,000 events, or 1,000 with long properties.
  outbox_max_bytes: [10_000_000, 'number'],
  // Safari keeps what scripts store for 7 days. https://webkit.org/tracking-prevention/
  outbox_max_age_ms: [7 * 86_400_000, 'number'],
  disable_compression: OFF,
  disable_beacon: OFF,
  properties_string_max_length: [65_535, 'number'],
  save_campaign_params: ON,
  save_referrer: ON,
  disable_scroll_properties: OFF,
  scroll_root_selector: [undefined, 'string | array'],
  disable_capture_url_hashes: OFF,
  detect_google_search_app: OFF,
  cookieless_mode: [undefined, "'always' | 'on_reject'"],
  consent_persistence_name: ['', 'string | null', INIT],
  opt_out_capturing_cookie_prefix: ['', 'string | null', INIT],
  opt_out_capturing_persistence_type: ['localStorage', "'localStorage' | 'cookie'", INIT],
  get_device_id: [(uuid) => uuid, 'function'],
  respect_dnt: OFF,
}

/** Types of members, or their members. '': checked by what uses the member. */
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

/** Types beyond those of `typeof`. */
const CHECKS: Record<string, (value: unknown) => boolean> = {
  array: Array.isArray,
  [STRINGS]: areStrings,
  [TEN_STRINGS]: (value) => areStrings(value) && value.length <= 10,
  integer: Number.isInteger,
  null: (value) => value === null,
  number: (value) => typeof value === 'number' && !isNaN(value),
  object: isPlainObject,
  'YYYY-MM-DD': isDate,
}

const isOf = (type: string, value: unknown): boolean =>
  type[0] === "'" ? value === type.slice(1, -1) : CHECKS[type] ? CHECKS[type](value) : typeof value === type

/** Whether a value has an option's type. */
export const accepts = (takes: string, value: unknown): boolean => takes.split(' | ').some((type) => isOf(type, value))
