import { OPTIONS } from '../support/options'
import { INIT, type Row } from '../../src/config/options'
import type { Config } from '../../src/types'

const EVENT = 'From the next event'
const REQUEST = 'From the next request'
const RUNS = 'Starts or stops at once'
const FLAGS = 'Flags are requested again at once'
const STORED = 'What is stored moves or is removed at once'
const CONSENT = 'At once, like a change of consent'
const RECORDING = 'Recording starts again within a second'
const SURVEY = 'From the next survey that shows'

/** What `set_config` does with each option that it can change. */
const CHANGES: Partial<Record<keyof Config, string>> = {
  api_host: 'From the next request. What waits in the browser from an earlier page stays with its host',
  ui_host: 'From the next link',
  flags_api_host: FLAGS,
  autocapture: RUNS,
  before_send: EVENT,
  capture_pageview: 'Starts or stops at once. A page without a pageview gets one when it is turned on',
  capture_pageleave: RUNS,
  capture_dead_clicks: RUNS,
  capture_exceptions: RUNS,
  error_tracking: 'From the next exception',
  cross_subdomain_cookie: STORED,
  custom_blocked_useragents: EVENT,
  defaults: 'At once: each default of that date that the site has not set changes as described in its row',
  disable_persistence: STORED,
  disable_surveys: RUNS,
  disable_surveys_automatic_display: SURVEY,
  advanced_enable_surveys: RUNS,
  surveys_request_timeout_ms: REQUEST,
  surveys: SURVEY,
  override_display_language: SURVEY,
  disable_session_recording: RUNS,
  enable_recording_console_log: RECORDING,
  enable_heatmaps: RUNS,
  capture_heatmaps: 'Starts or stops at once. Members: from the next flush',
  capture_performance: 'Starts or stops at once. Members: from the next metric; `web_vitals_attribution` starts again',
  evaluation_contexts: FLAGS,
  external_scripts_inject_target: 'From the next script',
  mask_all_text: EVENT,
  mask_all_element_attributes: EVENT,
  opt_out_capturing_by_default: CONSENT,
  opt_out_persistence_by_default: STORED,
  opt_out_useragent_filter: EVENT,
  persistence: STORED,
  property_denylist: EVENT,
  property_blacklist: EVENT,
  sanitize_properties: EVENT,
  mask_personal_data_properties: EVENT,
  custom_personal_data_properties: EVENT,
  person_profiles: EVENT,
  rate_limiting: EVENT,
  session_recording: RECORDING,
  session_idle_timeout_seconds: EVENT,
  xhr_headers: REQUEST,
  rageclick: 'From the next click',
  advanced_disable_flags: `Starts or stops at once. Off: ${FLAGS.toLowerCase()}. On: a response on its way is ignored`,
  advanced_disable_feature_flags: `Off: ${FLAGS.toLowerCase()}. On: flags in a response on its way are ignored`,
  advanced_disable_feature_flags_on_first_load: FLAGS,
  advanced_only_evaluate_survey_feature_flags: FLAGS,
  advanced_feature_flags_dedup_per_session: 'From the next use of a flag',
  feature_flag_request_timeout_ms: REQUEST,
  feature_flag_cache_ttl_ms: 'From the next use of a flag',
  remote_config_refresh_interval_ms: 'The timer starts again. Other changes do not restart it',
  advanced_disable_toolbar_metrics: 'No effect in this release',
  secure_cookie: STORED,
  custom_campaign_params: 'From the next URL',
  fetch_options: REQUEST,
  on_request_error: REQUEST,
  debug: 'From the next message',
  cookie_expiration: STORED,
  request_batching: EVENT,
  request_queue_config: 'From the next batch',
  outbox_max_bytes: EVENT,
  outbox_max_age_ms: EVENT,
  disable_compression: REQUEST,
  disable_beacon: REQUEST,
  properties_string_max_length: EVENT,
  save_campaign_params: 'From the next URL',
  save_referrer: 'From the next URL',
  disable_scroll_properties: RUNS,
  scroll_root_selector: 'From the next scroll',
  disable_capture_url_hashes: EVENT,
  detect_google_search_app: EVENT,
  cookieless_mode: CONSENT,
  get_device_id: 'From the next new device',
  respect_dnt: CONSENT,
}

/** Returns what `set_config` does with an option; undefined if nobody has described it. */
export const effectOf = (name: string): string | undefined => {
  const row: Row = OPTIONS[name as keyof Config]
  return row[2] === INIT
    ? 'None: only `init` reads it. A change is reported in the console'
    : CHANGES[name as keyof Config]
}
