/** The SDK's vocabulary. Everything here is public and nothing here imports anything. */

/** Event properties: JSON values. What is not JSON (functions, symbols, cycles) is left out or written as text. */
export type Properties = Record<string, unknown>

/** Undoes what the function that returned it began. Calling it twice is harmless. */
export type Stop = () => void

/** One event, as `before_send` and `on('eventCaptured')` see it and as it travels. */
export interface CapturedEvent {
  /** UUIDv7. The service counts each uuid once, however often it arrives. */
  uuid: string
  event: string
  properties: Properties
  /** Person properties to overwrite. */
  $set?: Properties
  /** Person properties to write where there is no value yet. */
  $set_once?: Properties
  /** Names of person properties to remove. */
  $unset?: string[]
  /** When it happened, by the visitor's clock. */
  timestamp: Date
}

export type Transport = 'fetch' | 'XHR' | 'sendBeacon'

/** Third argument of `capture`. */
export interface CaptureOptions {
  $set?: Properties
  $set_once?: Properties
  $unset?: string[]
  /** When it happened, if not now. Does not move the session. */
  timestamp?: Date
  /** An id of your own, in the 8-4-4-4-12 form; anything else is replaced. */
  uuid?: string
  /** Do not wait for the batch. */
  send_instantly?: boolean
  transport?: Transport
  /** Do not count this event against `rate_limiting`. */
  skip_client_rate_limiting?: boolean
}

/** Why an event was not sent. The list is closed: an event that disappears has one of these reasons. */
export type DropReason =
  | 'not_initialized'
  | 'invalid_name'
  | 'opted_out'
  | 'bot'
  | 'rate_limited'
  | 'before_send'
  | 'internal_error'
  | 'turned_off_by_service'
  | 'refused_by_service'
  | 'queue_full'
  | 'expired'

/** What left the pipeline or the queue without being sent. */
export interface DroppedEvent {
  event: string
  uuid?: string
  reason: DropReason
  /** The stage that dropped it, where one did. */
  stage?: string
}

/** Why the session is another than before (docs/reference/protocol.md#10). */
export interface SessionChange {
  noSessionId: boolean
  activityTimeout: boolean
  sessionPastMaximumLength: boolean
  /** Another tab had begun it. */
  crossTabAdoption: boolean
}

export type SessionListener = (sessionId: string, windowId: string, reason?: SessionChange) => void

/** What became of one event: `analytics.explain()`. */
export interface Explanation {
  event: string
  uuid?: string
  /** When it was captured. */
  at: Date
  /** The stages it came to, in order; the last one dropped it, if one did. */
  stages: readonly string[]
  /** `waiting`: to be sent, or to be answered. `delivered`: the service has it. `dropped`: `reason` says why. */
  state: 'waiting' | 'delivered' | 'dropped'
  reason?: DropReason
}

/** A flag's value: on, off, or the name of the variant. */
export type FlagValue = boolean | string

/** What the service said of one flag (docs/reference/protocol.md#4.6). */
export interface FlagDetails {
  key?: string
  enabled: boolean
  variant?: string | null
  reason?: { code?: string; description?: string | null }
  metadata?: { id?: number; version?: number; payload?: unknown; has_experiment?: boolean }
  /** The service could not evaluate it this time. */
  failed?: boolean
}

/** One flag, as `getFeatureFlagResult` tells it. */
export interface FlagResult {
  key: string
  enabled: boolean
  /** The variant's name, for a flag with variants. */
  variant?: string
  /** What comes with the value, parsed. */
  payload?: unknown
}

/** `send_event: false` captures no `$feature_flag_called`; `fresh`: only what the network answered on this page. */
export interface FlagOptions {
  send_event?: boolean
  fresh?: boolean
}

/**
 * Hears of every change of flags: the keys of those that are on, and all values by key. `errorsLoading`: they could not
 * be fetched, and what was known stays.
 */
export type FlagListener = (
  flags: string[],
  variants: Record<string, FlagValue>,
  context?: { errorsLoading?: boolean },
) => void

/** Flags to use instead of the service's: names of those that are on, or values by name; `false` ends it. */
export type FlagOverride = false | string[] | Record<string, FlagValue>

export interface EarlyAccessFeature {
  id: string
  name: string
  description: string
  stage: 'draft' | 'concept' | 'alpha' | 'beta' | 'general-availability' | 'archived'
  documentationUrl: string | null
  flagKey: string | null
  payload?: unknown
}

export interface RequestError {
  statusCode: number
  text: string
  /** The parsed body, when it was JSON. */
  json?: unknown
}

export interface AutocaptureConfig {
  /** URLs where autocapture is on: addresses, parts of them, or regular expressions. Empty array: none; undefined: all. */
  url_allowlist?: (string | RegExp)[]
  /** DOM events captured (`click`, `change`, `submit`). Empty array: none; undefined: all. */
  dom_event_allowlist?: string[]
  /** Elements captured, by tag name; an ancestor counts. Empty array: none; undefined: all. */
  element_allowlist?: string[]
  /** CSS selectors captured; an ancestor counts. Empty array: none; undefined: all. */
  css_selector_allowlist?: string[]
  /** Attributes never captured. Empty array and undefined both mean that all are captured. */
  element_attribute_ignorelist?: string[]
  /** Captures text of cut or copied elements. */
  capture_copied_text?: boolean
}

export interface RageclickConfig {
  /** Selectors ignored for rage clicks; a matching ancestor counts. Empty array: no rage clicks at all. Replaces the built-in list. */
  css_selector_ignorelist?: string[]
  /** Elements ignored by their text or aria-label. true: next, previous, prev, > and <. Array: your own words, at most 10; a longer one does not hold. */
  content_ignorelist?: boolean | string[]
  /** Distance between two clicks of a run, px: horizontal plus vertical. Default: 30. */
  threshold_px?: number
  /** Clicks that make a rage click. Default: 3. */
  click_count?: number
  /** Longest pause between two clicks of a run, ms. Default: 1000. */
  timeout_ms?: number
}

export interface Bootstrap {
  distinctID?: string
  isIdentifiedID?: boolean
  featureFlags?: Record<string, boolean | string>
  featureFlagPayloads?: Record<string, unknown>
}

export type BeforeSend = (event: CapturedEvent) => CapturedEvent | null | undefined

export type PersistenceKind = 'localStorage' | 'sessionStorage' | 'cookie' | 'memory' | 'localStorage+cookie'

/** Every option, as `analytics.config` shows it. `Partial` of it goes to `init` and `set_config`. */
export interface Config {
  /** Address of the service. May carry a path, for a reverse proxy. */
  api_host: string
  /** The app's own address when `api_host` is a reverse proxy, so that links point correctly. */
  ui_host: string | undefined
  /** Captures clicks, changes and submits. Does not affect pageviews. */
  autocapture: boolean | AutocaptureConfig
  /** Changes an event before it is sent, or drops it by returning null. The functions of an array run in order. */
  before_send: BeforeSend | (BeforeSend | false | null | undefined)[]
  /** Identity and flags that are known before the first request. */
  bootstrap: Bootstrap
  /** true: one pageview a page load. 'history_change': also when the path changes by the history API. */
  capture_pageview: boolean | 'history_change'
  /** Captures `$pageleave` when the page is left. 'if_capture_pageview': only where pageviews are captured. */
  capture_pageleave: boolean | 'if_capture_pageview'
  /** Captures clicks that the page does not respond to. */
  capture_dead_clicks: boolean
  /** true: the cookie is set on the top-level domain. false: only on the host the page came from. */
  cross_subdomain_cookie: boolean
  /** User agents for which nothing is sent: any that contains one of these, whatever the case. */
  custom_blocked_useragents: string[]
  /** Opts in to the defaults introduced up to this date (YYYY-MM-DD). 'unset': none. Options you set explicitly win. */
  defaults: string
  /** Keeps everything in memory: no cookie, no session storage, no local storage. */
  disable_persistence: boolean
  /** Surveys are not loaded. */
  disable_surveys: boolean
  /** The visitor is not recorded. */
  disable_session_recording: boolean
  /** Recordings carry the console's lines. */
  enable_recording_console_log: boolean
  /** Captures heatmap data. undefined: as the service says. */
  enable_heatmaps: boolean | undefined
  /** Only flags with one of these contexts, or with none, are evaluated. Legacy name: evaluation_environments. */
  evaluation_contexts: string[] | undefined
  /** Where the tags of on-demand scripts go. 'head' avoids hydration errors of server-rendered pages. */
  external_scripts_inject_target: 'body' | 'head'
  /** A host of its own for `/flags`. */
  flags_api_host: string | null
  /** Called once, when the SDK is ready, with the instance (an `Analytics`). */
  loaded: (analytics: unknown) => void
  /** Autocapture takes no text of elements. */
  mask_all_text: boolean
  /** Autocapture takes no attributes of elements. */
  mask_all_element_attributes: boolean
  /** Nothing is captured until `opt_in_capturing`. */
  opt_out_capturing_by_default: boolean
  /** Nothing is stored in the browser until `opt_in_capturing`. */
  opt_out_persistence_by_default: boolean
  /** true: events of bots are sent too, and every event says `$browser_type`: bot or browser. */
  opt_out_useragent_filter: boolean
  /** Where the visitor's ids and properties are kept. */
  persistence: PersistenceKind
  /** Names of properties that are never sent. */
  property_denylist: string[]
  /** Older name of `property_denylist`. The names in both are never sent. */
  property_blacklist: string[]
  /** Replaces the properties of each event. Runs before `before_send`, which can do the same; an error drops the event. */
  sanitize_properties: ((properties: Properties, event: string) => Properties) | null | undefined
  /** Sends `<masked>` instead of the values of advertisers' click ids (gclid, fbclid, …) in URLs and campaign properties. */
  mask_personal_data_properties: boolean
  /** More query parameters that `mask_personal_data_properties` masks. */
  custom_personal_data_properties: string[]
  /** 'identified_only': events make a person profile only after `identify`, `alias`, `group` or `$set`. */
  person_profiles: 'always' | 'identified_only' | 'never'
  /** Client-side limit: events a second on average, and how many may come at once. */
  rate_limiting: { events_per_second?: number; events_burst_limit?: number }
  /** Options of session recording. */
  session_recording: Record<string, unknown>
  /** Seconds without an event after which a new session starts. */
  session_idle_timeout_seconds: number
  /** Extra headers on requests to the service (not on beacons). They cost a CORS preflight. */
  xhr_headers: Record<string, string>
  /** Captures quick clicks in one spot, unless the page responded to each of them. */
  rageclick: boolean | RageclickConfig

  /** No `/flags` request, and nothing that depends on it. Legacy name: advanced_disable_decide. */
  advanced_disable_flags: boolean
  /** Requests only the remote configuration from `/flags`, no flags. */
  advanced_disable_feature_flags: boolean
  /** Requests no flags at page load, only after identity or properties change, or on `reloadFeatureFlags`. */
  advanced_disable_feature_flags_on_first_load: boolean
  /** Evaluates the flags of surveys only. */
  advanced_only_evaluate_survey_feature_flags: boolean
  /** `$feature_flag_called` once a session instead of once an identity. */
  advanced_feature_flags_dedup_per_session: boolean
  /** Timeout of a `/flags` request, ms. */
  feature_flag_request_timeout_ms: number
  /** Age at which stored flag values count as unknown, ms. 0: never. */
  feature_flag_cache_ttl_ms: number
  /** Interval for refetching flags and remote config, in ms. 0: fetch on page load only. */
  remote_config_refresh_interval_ms: number
  /** Cookies are sent over HTTPS only. */
  secure_cookie: boolean
  /** Query parameters of the page that are captured like utm_source. */
  custom_campaign_params: string[]
  /** Passed to fetch. */
  fetch_options: { cache?: Exclude<RequestCache, 'only-if-cached'>; next_options?: Record<string, unknown> }
  /** Called when a response has status 400 or higher. */
  on_request_error: (error: RequestError) => void

  /** false: a complete no-op; nothing is stored and nothing is sent. */
  enabled: boolean
  /** Logs what happens to the console. */
  debug: boolean
  /** Name of the stored entry: `ph_<persistence_name>` instead of `ph_<token>_posthog`. */
  persistence_name: string
  /** Days that the cookie lasts. 0: until the browser closes. */
  cookie_expiration: number
  /** false: each event is sent at once, by itself. */
  request_batching: boolean
  /** How long a batch waits for more events, ms, 250 to 5000. */
  request_queue_config: { flush_interval_ms?: number }
  /** What may wait to be sent, characters of JSON in a tab's memory and in the browser; then the oldest go, as `queue_full`. */
  outbox_max_bytes: number
  /** How long an event may wait to be sent, ms; then it goes, as `expired`. */
  outbox_max_age_ms: number
  /** Plain JSON instead of gzip. */
  disable_compression: boolean
  /** Never uses sendBeacon, even when the page is left. */
  disable_beacon: boolean
  /** Maximum length of a string in an event, characters; the rest is cut. */
  properties_string_max_length: number
  /** Events carry utm_* and the like, of the page and of the session's start. */
  save_campaign_params: boolean
  /** Events carry the referrer, of the page and of the session's start. */
  save_referrer: boolean
  /** No scroll depth on `$pageview` and `$pageleave`. */
  disable_scroll_properties: boolean
  /** Element whose scrolling counts, if not the page: the first of these selectors that matches. */
  scroll_root_selector: string | string[] | undefined
  /** URLs of the page are captured without what follows #. */
  disable_capture_url_hashes: boolean
  /**
   * 'always': capture anonymous events and store nothing. 'on_reject': do so once consent is denied; capture nothing until
   * the visitor decides.
   */
  cookieless_mode: 'always' | 'on_reject' | undefined
  /** Name under which consent is kept, instead of `__ph_opt_in_out_<token>`. */
  consent_persistence_name: string | null
  /** Consent is kept under this and the token, if `consent_persistence_name` is not set. */
  opt_out_capturing_cookie_prefix: string | null
  /** Where consent is kept first; the other place is used where this one stores nothing. 'cookie': subdomains share it. */
  opt_out_capturing_persistence_type: 'localStorage' | 'cookie'
  /** Generates the id for a new visitor. Receives the UUID the SDK would otherwise use. */
  get_device_id: (uuid: string) => string
  /** Do Not Track and Global Privacy Control count as a refusal. */
  respect_dnt: boolean
}

/** The events of `analytics.on`. */
export interface Notices {
  /** An event as it goes into the queue. */
  eventCaptured: CapturedEvent
  /** The service has answered that these events are stored. */
  eventsDelivered: { uuids: string[] }
  /** An event that will not be sent, and why. */
  eventDropped: DroppedEvent
  /** Flags are about to be asked for. */
  featureFlagsReloading: true
}
