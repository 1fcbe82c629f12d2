/** The SDK's public types. This file imports nothing. */

/** Event properties: JSON values. Other values (functions, symbols, cycles) are left out or converted to strings. */
export type Properties = Record<string, unknown>

/** A value of JSON. */
export type JsonType = string | number | boolean | null | undefined | JsonRecord | JsonType[]
export type JsonRecord = { [key: string]: JsonType }

/** Stops what the function that returned it started. Safe to call twice. */
export type Stop = () => void

/**
 * The events of your plan: properties by name. Empty until you declare them (docs/guides/typed-events.md).
 * @example declare module 'trailmark' { interface Events { purchase: { amount: number; coupon?: string } } }
 */
export interface Events {}

/**
 * The feature flags of your plan: `boolean`, or the names of the variants. Empty until you declare them.
 * @example declare module 'trailmark' { interface FeatureFlags { 'new-checkout': 'short' | 'long' } }
 */
export interface FeatureFlags {}

/** The payloads of the feature flags of your plan, by key of the flag. Empty until you declare them. */
export interface FeatureFlagPayloads {}

/**
 * What only the plan may name. Empty: other events and flags may be named too.
 * @example declare module 'trailmark' { interface StrictPlan { events: true; flags: true } }
 */
export interface StrictPlan {}

/** Properties that every event of the plan may have besides its own. */
export interface CommonProperties {
  $set?: Properties
  $set_once?: Properties
  $unset?: string[]
  $groups?: Record<string, string>
  $current_url?: string
  $pathname?: string
  $referrer?: string
  $process_person_profile?: boolean
}

/** Names in a plan, and, unless it is strict, any other. */
type Names<Plan, Kind extends string, Others> =
  | (keyof Plan & string)
  | (StrictPlan extends Record<Kind, true> ? Others : string & {})

/** A name of an event. With a strict plan, one of the plan or of the SDK. */
export type PlannedEvent = Names<Events, 'events', `$${string}`>
/** A key of a feature flag. With a strict plan, one of the plan. */
export type PlannedFlag = Names<FeatureFlags, 'flags', never>

/** What `capture` takes after the name: properties, which an event of the plan may require, and options. */
export type CaptureArguments<E> = E extends keyof Events
  ? Partial<Events[E]> extends Events[E]
    ? [properties?: (Events[E] & CommonProperties) | null, options?: CaptureOptions]
    : [properties: Events[E] & CommonProperties, options?: CaptureOptions]
  : [properties?: Properties | null, options?: CaptureOptions]

/** The value of a flag that is on or off. One with variants is off or has one of their names. */
export type PlannedValue<K> = K extends keyof FeatureFlags ? FeatureFlags[K] | false : FlagValue
/** The payload of a flag. */
export type PlannedPayload<K> = K extends keyof FeatureFlagPayloads ? FeatureFlagPayloads[K] | undefined : JsonType

/** One event, as passed to `before_send` and `on('eventCaptured')`, and as sent. */
export interface CapturedEvent {
  /** UUIDv7. The service stores each uuid once, however often it arrives. */
  uuid: string
  event: string
  properties: Properties
  /** Person properties to overwrite. */
  $set?: Properties
  /** Person properties to set unless they have a value. */
  $set_once?: Properties
  /** Names of person properties to remove. */
  $unset?: string[]
  /** Time of the event, by the visitor's clock. */
  timestamp: Date
}

export type Transport = 'fetch' | 'XHR' | 'sendBeacon'

/** Third argument of `capture`. */
export interface CaptureOptions {
  $set?: Properties
  $set_once?: Properties
  $unset?: string[]
  /** Time of the event, if not now. Does not affect the session. */
  timestamp?: Date
  /** Your own UUID for the event; an invalid one is replaced. */
  uuid?: string
  /** Sends the event without waiting for the batch. */
  send_instantly?: boolean
  transport?: Transport
  /** Exempts the event from `rate_limiting`. */
  skip_client_rate_limiting?: boolean
}

/** Why an event was not sent. Every dropped event has one of these reasons. */
export type DropReason =
  | 'not_initialized'
  | 'invalid_name'
  | 'opted_out'
  | 'bot'
  | 'rate_limited'
  | 'before_send'
  | 'internal_error'
  | 'suppressed'
  | 'noise'
  | 'turned_off_by_service'
  | 'refused_by_service'
  | 'queue_full'
  | 'expired'
  | 'page_left'

/** An event that left the pipeline or the queue without being sent. */
export interface DroppedEvent {
  event: string
  uuid?: string
  reason: DropReason
  /** The stage that dropped it, if any. */
  stage?: string
}

/** Why a new session started (docs/reference/protocol.md#10). */
export interface SessionChange {
  noSessionId: boolean
  activityTimeout: boolean
  sessionPastMaximumLength: boolean
  /** Another tab started it. */
  crossTabAdoption: boolean
}

export type SessionListener = (sessionId: string, windowId: string, reason?: SessionChange) => void

/**
 * Why a session has no recording, or why nothing more of it is sent: `$sdk_debug_replay_stop_reason` of its events, and `reason` of
 * `analytics.explain('$snapshot')`.
 */
export type RecordingReason =
  | 'opted_out'
  | 'cookieless'
  | 'turned_off_by_site'
  | 'turned_off_by_service'
  | 'awaiting_config'
  | 'missing_config'
  | 'lazy_loading'
  | 'recorder_unavailable'
  | 'another_instance'
  | 'invalid_settings'
  | 'rrweb'
  | 'internal_error'
  | 'sampling'
  | 'trigger'
  | 'blocked_url'
  | 'no_activity'
  | 'minimum_duration'
  | 'idle'
  | 'budget'
  | 'page_too_large'
  | 'refused_by_service'
  | 'before_send'
  | 'queue_full'
  | 'expired'
  | 'page_left'

/** What happened to one event: a result of `analytics.explain()`. */
export interface Explanation {
  event: string
  uuid?: string
  /** When it was captured. */
  at: Date
  /** The stages it reached, in order. If it was dropped, the last one dropped it. */
  stages: readonly string[]
  /** `waiting`: not acknowledged yet. `delivered`: stored by the service. `dropped`: see `reason`. */
  state: 'waiting' | 'delivered' | 'dropped'
  /** Why an event was dropped, or, for `$snapshot`, why the session is not recorded or the recording waits. */
  reason?: DropReason | RecordingReason
}

/** A flag's value: on, off, or the name of the variant. */
export type FlagValue = boolean | string

/** The service's evaluation of one flag (docs/reference/protocol.md#4.6). */
export interface FlagDetails {
  key?: string
  enabled: boolean
  variant?: string | null
  reason?: { code?: string; description?: string | null }
  metadata?: { id?: number; version?: number; payload?: unknown; has_experiment?: boolean }
  /** The service could not evaluate the flag. */
  failed?: boolean
}

/** One flag, as returned by `getFeatureFlagResult`. */
export interface FlagResult<K extends string = string> {
  key: string
  enabled: boolean
  /** The variant's name, for a flag with variants. */
  variant: Extract<PlannedValue<K>, string> | undefined
  /** The parsed payload of the value. */
  payload: PlannedPayload<K>
}

/** `send_event: false`: captures no `$feature_flag_called`. `fresh`: only values fetched on this page. */
export interface FlagOptions {
  send_event?: boolean
  fresh?: boolean
}

/**
 * Receives every change of flags: the keys of those that are on, and all values by key. `errorsLoading`: the request
 * failed, and earlier values stay.
 */
export type FlagListener = (
  flags: string[],
  variants: Record<string, FlagValue>,
  context?: { errorsLoading?: boolean },
) => void

/** Flags that override the service's: keys of those that are on, or values by key. `false` ends the override. */
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
  /** URLs where autocapture is on: URLs, parts of them, or regular expressions. Empty array: none; undefined: all. */
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

export interface HeatmapConfig {
  /** Interval between two `$$heatmap` events, ms. Default: 5000. */
  flush_interval_milliseconds?: number
}

export interface PerformanceConfig {
  /** Captures web vitals. undefined: the project's setting. */
  web_vitals?: boolean
  /** Metrics to capture: LCP, CLS, FCP, INP, TTFB. Default: all but TTFB. */
  web_vitals_allowed_metrics?: string[]
  /** Adds what caused the values, as strings: selectors, URLs, durations. Loads 3 kB more. */
  web_vitals_attribution?: boolean
  /** How long the first metric of a page view waits for the others, ms. Default: 5000. */
  web_vitals_delayed_flush_ms?: number
  /** Values from this on are dropped, ms. Default: 15 minutes. */
  __web_vitals_max_value?: number
  /** Adds the timing of requests to session recordings. */
  network_timing?: boolean
}

/** Options of `capture_dead_clicks`. */
export interface DeadClicksConfig {
  /** Whether swipes are captured too. Default: true. */
  capture_dead_swipes?: boolean
  /** Shortest distance of a swipe, px. Default: 30. */
  swipe_threshold_px?: number
  /** Maximum number of captured swipes per page load. Default: 10. */
  max_dead_swipes_per_page_load?: number
}

export interface RageclickConfig {
  /** Selectors ignored for rage clicks; a matching ancestor counts. Empty array: no rage clicks at all. Replaces the built-in list. */
  css_selector_ignorelist?: string[]
  /**
   * Elements ignored by their text or aria-label. true: next, previous, prev, > and <. Array: your own words, at most
   * 10; a longer array is ignored.
   */
  content_ignorelist?: boolean | string[]
  /** Distance between two clicks of a run, px: horizontal plus vertical. Default: 30. */
  threshold_px?: number
  /** Clicks that make a rage click. Default: 3. */
  click_count?: number
  /** Maximum pause between two clicks of a series, ms. Default: 1000. */
  timeout_ms?: number
}

/**
 * Returns the masked form of a text node, an input's value or an attribute. If it throws, the whole value is masked.
 */
type MaskFunction = (text: string, element: HTMLElement | null) => string

/** A request that is recorded with `recordHeaders` or `recordBody`, or for network timing. */
export interface RecordedRequest {
  /** The URL. */
  name: string
  method?: string
  status?: number
  initiatorType?: string
  /** Ms since the page began to load. */
  startTime?: number
  /** Ms. */
  duration?: number
  requestHeaders?: Record<string, string>
  requestBody?: string | null
  responseHeaders?: Record<string, string>
  responseBody?: string | null
  [timing: string]: unknown
}

export interface SessionRecordingConfig {
  /** 'strict': masks all text, attributes and URLs and shows media as boxes; only the layout is recorded. */
  masking?: 'strict' | 'default'
  /**
   * Masks what is typed or chosen in inputs. Passwords, e-mail addresses, phone numbers and payment cards are always
   * masked. Default: true.
   */
  maskAllInputs?: boolean
  /** Types of inputs (`text`, `search`, `textarea`, `select`, ...) to mask, with `maskAllInputs: false`. */
  maskInputOptions?: Record<string, boolean>
  /** Returns what is recorded for a masked value. Passwords and the like stay masked. */
  maskInputFn?: MaskFunction
  /** Masks the text of these elements. */
  maskTextSelector?: string
  /** Masks the text of elements with this class. Default: `ph-mask`. */
  maskTextClass?: string | RegExp
  /** Returns what is recorded for masked text. */
  maskTextFn?: MaskFunction
  /** Masks the attributes that do not affect the layout. */
  maskAllElementAttributes?: boolean
  /** Returns the value to record for an attribute; null removes the attribute. */
  maskAttributeFn?: (name: string, value: string, element: Element | null) => string | null
  /** Records changes of these attributes only. Default: all that can be recorded. */
  attributeFilter?: readonly string[]
  /** Records these elements as boxes of their size. */
  blockSelector?: string
  /** Records elements with this class as boxes. Default: `ph-no-capture`. */
  blockClass?: string | RegExp
  /** Ignores input in elements with this class. Default: `ph-ignore-input`. */
  ignoreClass?: string
  /**
   * Records the contents of frames of the page's origin, masked like the page. Their documents stay in memory until the page is left.
   * Never with `masking: 'strict'`.
   */
  recordSameOriginIframes?: boolean
  /**
   * Records cross-origin frames in which Trailmark also runs with this option, masked by the options of both pages. In
   * a page with frames: true or a list, and never with `masking: 'strict'`. In a frame: the origins of pages that may
   * record it; true: every page that embeds it. All other frames are recorded as boxes. Default: false.
   */
  recordCrossOriginIframes?: boolean | readonly string[]
  /** Records fonts that scripts add. */
  collectFonts?: boolean
  /** Records the rules of style sheets instead of their URLs. Default: true. */
  inlineStylesheet?: boolean
  /** Leaves parts of the document out of the recording. Scripts, comments and meta tags are always left out. */
  slimDOMOptions?: 'all' | Record<string, boolean>
  /** Records canvases as images: frames per second (1 to 12, default 4), quality (0 to 1, default 0.4). Never with `masking: 'strict'`. */
  captureCanvas?: { recordCanvas?: boolean; canvasFps?: number; canvasQuality?: number | string }
  /** Size of recorded canvas images, compared with the canvas: 0 to 1. */
  canvasCapture?: { resolutionScale?: number }
  /** How often pointer moves are recorded, ms (`mousemove: false`: never), and which pointer interactions. */
  sampling?: { mousemove?: boolean | number; mouseInteraction?: boolean | Record<string, boolean> }
  /** Share of sessions that are recorded, 0 to 1. Wins over the project's setting. */
  sampleRate?: number
  /** A session is sent only after this duration, ms; the longer of this and the project's setting. */
  minimumDurationMilliseconds?: number
  /** Compares the minimum duration with what was recorded on the page instead of the session's duration. */
  strictMinimumDuration?: boolean
  /** Time without input after which recording pauses, ms. Default: 300000. */
  session_idle_threshold_ms?: number
  /** Time between full snapshots, ms. Default: 300000. */
  full_snapshot_interval_millis?: number
  /** Time between full snapshots while a trigger is pending, ms, 1000 to 3600000. Default: 60000. */
  trigger_pending_buffer_interval_millis?: number
  /** Records headers of requests, without those that authenticate. */
  recordHeaders?: boolean
  /** Records text bodies of requests, without those that contain secrets. */
  recordBody?: boolean
  /** Has no effect, because bodies are always read in parts: at most 1 MB, for at most half a second. */
  streamNetworkBody?: boolean
  /** Changes a recorded request, or leaves it out by returning null. An error leaves it out. */
  maskCapturedNetworkRequestFn?: (request: RecordedRequest) => RecordedRequest | null | undefined
  [other: string]: unknown
}

/** What `capture_exceptions` captures automatically. */
export interface ExceptionAutocapture {
  /** Unhandled errors. Default: true. */
  capture_unhandled_errors?: boolean
  /** Unhandled promise rejections. Default: true. */
  capture_unhandled_rejections?: boolean
  /** Calls to `console.error`. Default: false. */
  capture_console_errors?: boolean
}

export interface ErrorTrackingConfig {
  /** Unhandled errors of one type that are captured at once, 0 to 100. Default: 10. */
  exceptionRateLimiterBucketSize?: number
  /** Further errors of one type that are captured every 10 seconds, 0 to 100. Default: 1. */
  exceptionRateLimiterRefillRate?: number
  /** Captures errors of browser extensions and of scripts that browsers inject. Default: the project's setting, else false. */
  captureExtensionExceptions?: boolean
  /** Limits of `addExceptionStep`: `enabled` (default: true), and `max_bytes` of all waiting steps as JSON (default: 32768). */
  exception_steps?: { enabled?: boolean; max_bytes?: number }
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
  /** URL of the service. It may have a path, for a reverse proxy. */
  api_host: string
  /** URL of the app, for links, if `api_host` is a reverse proxy. */
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
  /** Captures clicks and swipes that the page does not respond to. Object: what counts as a swipe. */
  capture_dead_clicks: boolean | DeadClicksConfig
  /** true: the cookie is set on the top-level domain. false: only on the host the page came from. */
  cross_subdomain_cookie: boolean
  /** Captures unhandled errors and promise rejections. Object: what to capture. undefined: the project's setting. */
  capture_exceptions: boolean | ExceptionAutocapture | undefined
  /** Options for exception capture. */
  error_tracking: ErrorTrackingConfig
  /** Drops all events of browsers whose user agent contains one of these strings, ignoring case. */
  custom_blocked_useragents: string[]
  /** Opts in to defaults introduced up to this date (YYYY-MM-DD). 'latest': all. 'unset': none. Options you set win. */
  defaults: string
  /** Keeps everything in memory: no cookie, no session storage, no local storage. */
  disable_persistence: boolean
  /** Turns surveys off. */
  disable_surveys: boolean
  /** Loads surveys without showing any: `displaySurvey` and `renderSurvey` do. */
  disable_surveys_automatic_display: boolean
  /** Loads surveys without waiting for the service to say that the project has some. */
  advanced_enable_surveys: boolean
  /** Maximum time for loading surveys, ms. */
  surveys_request_timeout_ms: number
  /** Options of hosted and inline surveys. */
  surveys: SurveysConfig
  /** Language of surveys, such as `de`. null: the person property `language`, else the browser's language. */
  override_display_language: string | null
  /** Turns session recording off. */
  disable_session_recording: boolean
  /** Records console output in session recordings. */
  enable_recording_console_log: boolean
  /** Captures heatmap data. undefined: the project's setting. `capture_heatmaps` wins. */
  enable_heatmaps: boolean | undefined
  /** Captures clicks, mouse moves and scroll depth for heatmaps. undefined: `enable_heatmaps`. */
  capture_heatmaps: boolean | HeatmapConfig | undefined
  /** Captures web vitals, as true or with members. undefined: the project's setting. */
  capture_performance: boolean | PerformanceConfig | undefined
  /** Only flags with one of these contexts, or with none, are evaluated. Legacy name: evaluation_environments. */
  evaluation_contexts: string[] | undefined
  /** Where the tags of on-demand scripts go. 'head' avoids hydration errors of server-rendered pages. */
  external_scripts_inject_target: 'body' | 'head'
  /** URL for `/flags` requests, if not `api_host`. */
  flags_api_host: string | null
  /** Called once, when the SDK is ready, with the instance (an `Analytics`). */
  loaded: (analytics: unknown) => void
  /** Leaves the text of elements out of autocapture. */
  mask_all_text: boolean
  /** Leaves the attributes of elements out of autocapture. */
  mask_all_element_attributes: boolean
  /** Nothing is captured until `opt_in_capturing`. */
  opt_out_capturing_by_default: boolean
  /** Nothing is stored in the browser until `opt_in_capturing`. */
  opt_out_persistence_by_default: boolean
  /** true: captures bots too; every event has `$browser_type`: bot or browser. */
  opt_out_useragent_filter: boolean
  /** Where the visitor's ids and properties are kept. */
  persistence: PersistenceKind
  /** Names of properties that are never sent: of events, of persons and groups, and with flag requests. */
  property_denylist: string[]
  /** Older name of `property_denylist`. The names in both are never sent. */
  property_blacklist: string[]
  /** Replaces the properties of each event. Runs before `before_send`, which can do the same; an error drops the event. */
  sanitize_properties: ((properties: Properties, event: string) => Properties) | null | undefined
  /** Sends `<masked>` instead of the values of advertisers' click ids (gclid, fbclid, …) in all URLs and in campaign properties, also in stored ones. */
  mask_personal_data_properties: boolean
  /** More query parameters that `mask_personal_data_properties` masks. */
  custom_personal_data_properties: string[]
  /** 'identified_only': events make a person profile only after `identify`, `alias`, `group` or `$set`. */
  person_profiles: 'always' | 'identified_only' | 'never'
  /** Client-side limit: events per second on average, and size of a burst. */
  rate_limiting: { events_per_second?: number; events_burst_limit?: number }
  /** Options of session recording. Settings of the project can make masking stricter, and never less strict. */
  session_recording: SessionRecordingConfig
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
  /** Has no effect: the toolbar captures and sends nothing about its own use. */
  advanced_disable_toolbar_metrics: boolean
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
  /** false: each event is sent immediately in a separate request. */
  request_batching: boolean
  /** How long a batch waits for more events, ms, 250 to 5000. */
  request_queue_config: { flush_interval_ms?: number }
  /** Maximum size of waiting events, in characters of JSON, per tab and in storage. The oldest are dropped beyond it (`queue_full`). */
  outbox_max_bytes: number
  /** Maximum time an event waits to be sent, ms. It is dropped after it (`expired`). */
  outbox_max_age_ms: number
  /** Sends plain JSON instead of gzip. */
  disable_compression: boolean
  /** Never uses sendBeacon, even when the page is left. */
  disable_beacon: boolean
  /** Maximum length of a string in an event, characters; the rest is cut. */
  properties_string_max_length: number
  /** Adds campaign parameters (utm_*, click ids) of the page and of the session's start to events. */
  save_campaign_params: boolean
  /** Adds the referrer of the page and of the session's start to events. */
  save_referrer: boolean
  /** No scroll depth on `$pageview` and `$pageleave`. */
  disable_scroll_properties: boolean
  /** Element whose scrolling counts, if not the page: the first of these selectors that matches. */
  scroll_root_selector: string | string[] | undefined
  /** Captures URLs of pages, links and referrers without their hash. Properties that you pass keep it. */
  disable_capture_url_hashes: boolean
  /** Reports the browser of Google's app as `Google Search App`. */
  detect_google_search_app: boolean
  /**
   * 'always': capture anonymous events and store nothing. 'on_reject': do so once consent is denied; capture nothing until
   * the visitor decides.
   */
  cookieless_mode: 'always' | 'on_reject' | undefined
  /** Storage key for consent, instead of `__ph_opt_in_out_<token>`. */
  consent_persistence_name: string | null
  /** Prefix of the storage key for consent, before the token, if `consent_persistence_name` is not set. */
  opt_out_capturing_cookie_prefix: string | null
  /** Preferred storage for consent; the other is the fallback. 'cookie': shared by subdomains. */
  opt_out_capturing_persistence_type: 'localStorage' | 'cookie'
  /** Generates the id for a new visitor. Receives the UUID the SDK would otherwise use. */
  get_device_id: (uuid: string) => string
  /** Treats Do Not Track and Global Privacy Control as a denial. */
  respect_dnt: boolean
}

/** The events of `analytics.on`. */
export interface Notices {
  /** An event as it goes into the queue. */
  eventCaptured: CapturedEvent
  /** The service has stored these events. */
  eventsDelivered: { uuids: string[] }
  /** An event that will not be sent, and why. */
  eventDropped: DroppedEvent
  /** Flags are about to be fetched. */
  featureFlagsReloading: true
}

/** How a survey's condition compares a value. `gt` and `lt` compare numbers. */
export type SurveyMatch = 'exact' | 'is_not' | 'icontains' | 'not_icontains' | 'regex' | 'not_regex' | 'gt' | 'lt'

/** An event that arms or cancels a survey, with filters of its properties. */
export interface SurveyEvent {
  name: string
  propertyFilters?: Record<string, { values: (string | number | boolean)[]; operator: SurveyMatch }>
}

export interface SurveyConditions {
  url?: string
  urlMatchType?: SurveyMatch
  /** The page must contain an element that matches. */
  selector?: string
  /** Days that must have passed since any survey was shown in this browser. */
  seenSurveyWaitPeriodInDays?: number
  events?: { values?: SurveyEvent[]; repeatedActivation?: boolean } | null
  cancelEvents?: { values?: SurveyEvent[] } | null
  actions?: { values?: { id: number; name?: string | null; steps?: Properties[] }[] } | null
  deviceTypes?: string[]
  deviceTypesMatchType?: SurveyMatch
  /** The variant that the linked flag must have. `any`: each. */
  linkedFlagVariant?: string
}

/** How a survey looks, and its texts that are not questions. Colors and sizes are CSS values. */
export interface SurveyAppearance {
  backgroundColor?: string
  borderColor?: string
  textColor?: string
  textSubtleColor?: string
  submitButtonColor?: string
  submitButtonText?: string
  submitButtonTextColor?: string
  ratingButtonColor?: string
  ratingButtonActiveColor?: string
  inputBackground?: string
  inputTextColor?: string
  disabledButtonOpacity?: string
  fontFamily?: string
  maxWidth?: string
  zIndex?: string
  boxPadding?: string
  boxShadow?: string
  borderRadius?: string
  position?: string
  whiteLabel?: boolean
  hideCancelButton?: boolean
  disableAutofocus?: boolean
  placeholder?: string
  shuffleQuestions?: boolean
  allowGoBack?: boolean
  backButtonText?: string
  surveyPopupDelaySeconds?: number
  displayThankYouMessage?: boolean
  thankYouMessageHeader?: string
  thankYouMessageDescription?: string | null
  thankYouMessageDescriptionContentType?: 'html' | 'text'
  thankYouMessageCloseButtonText?: string
  /** Closes the thank-you message after 5 seconds. */
  autoDisappear?: boolean
  displayIntroScreen?: boolean
  introScreenHeader?: string
  introScreenDescription?: string | null
  introScreenDescriptionContentType?: 'html' | 'text'
  introScreenButtonText?: string
  widgetType?: 'button' | 'tab' | 'selector'
  widgetSelector?: string
  widgetLabel?: string
  widgetColor?: string
  tabPosition?: 'top' | 'left' | 'right' | 'bottom'
}

/** Where a survey continues after a question. Indexes are those of the stored order. */
export type SurveyBranching =
  | { type: 'next_question' }
  | { type: 'end' }
  | { type: 'specific_question'; index: number }
  | { type: 'response_based'; responseValues: Record<string, number | string> }

export interface SurveyQuestion {
  id?: string
  type: 'open' | 'single_choice' | 'multiple_choice' | 'rating' | 'link'
  question: string
  description?: string | null
  descriptionContentType?: 'html' | 'text'
  optional?: boolean
  buttonText?: string
  branching?: SurveyBranching | null
  validation?: { type: 'min_length' | 'max_length'; value?: number; errorMessage?: string }[] | null
  /** How a rating is drawn. `emoji`: scales 2, 3 and 5; `number`: 5, 7 and 10. */
  display?: 'number' | 'emoji'
  scale?: number
  lowerBoundLabel?: string
  upperBoundLabel?: string
  /** Texts of the choices. */
  choices?: string[]
  /** Whether the last choice has a text field. */
  hasOpenChoice?: boolean
  shuffleOptions?: boolean
  /** Sends a rating or a single choice as soon as it is chosen. */
  skipSubmitButton?: boolean
  link?: string | null
  translations?: Record<string, Partial<SurveyQuestion>> | null
}

/** A survey, as the service sends it. */
export interface Survey {
  id: string
  name: string
  type: 'popover' | 'widget' | 'api' | 'external_survey'
  questions: SurveyQuestion[]
  appearance?: SurveyAppearance | null
  conditions?: SurveyConditions | null
  start_date?: string | null
  end_date?: string | null
  linked_flag_key?: string | null
  targeting_flag_key?: string | null
  internal_targeting_flag_key?: string | null
  feature_flag_keys?: { key: string; value?: string | null }[] | null
  current_iteration?: number | null
  current_iteration_start_date?: string | null
  schedule?: 'once' | 'recurring' | 'always' | null
  enable_partial_responses?: boolean | null
  translations?: Record<string, Partial<SurveyAppearance> & { name?: string }> | null
}

/** Receives surveys. `isLoaded: false`: they could not be loaded, and `error` says why. */
export type SurveyCallback = (surveys: Survey[], context?: { isLoaded: boolean; error?: string }) => void

/** Whether a survey may be shown now, and why not. */
export interface SurveyRenderReason {
  visible: boolean
  disabledReason?: string
}

/** The answer to one question: text, one choice, choices, a number, or null without an answer. */
export type SurveyAnswer = string | string[] | number | null

/** Private members of posthog-js that pages use. */
export interface PrivateSurveys {
  /** Set when the code of surveys has loaded. */
  _surveyManager?: {
    /** Shows a survey inside an element. `properties`: added to its events. */
    renderSurvey(survey: Survey, element: Element, properties?: Properties): void
  }
}

export interface DisplaySurveyOptions {
  /** Default: `popover`. `inline` needs `selector`. */
  displayType?: 'popover' | 'inline'
  /** Shows the survey even if its conditions are not met. */
  ignoreConditions?: boolean
  /** Shows it without the delay of its appearance. */
  ignoreDelay?: boolean
  /** The element in which an inline survey is shown. */
  selector?: string
  /** Position of the popover, instead of that of its appearance. */
  position?: string
  /** Properties of all events of the survey. */
  properties?: Properties
  /** Answers by index of the question, as if the visitor had given them. */
  initialResponses?: Record<number, SurveyAnswer>
  /** Captures no `survey shown`. */
  skipShownEvent?: boolean
}

/** Options of hosted and inline surveys. */
export interface SurveysConfig {
  /** Takes answers from the URL: `?q0=2` is the third choice, or the rating 2, of the first question. */
  prefillFromUrl?: boolean
}

/** Argument of `loadToolbar`. */
export interface ToolbarParameters {
  /** The token of the project that the call is for. Default: the client's. */
  token?: string
  /** The code of the console's link. Default: the one in the page's URL, or the session of this tab. */
  code?: string
}
