declare const RENAMES: {
  readonly advanced_disable_decide: 'advanced_disable_flags'
  readonly evaluation_environments: 'evaluation_contexts'
  readonly request_headers: 'xhr_headers'
  readonly process_person: 'person_profiles'
  readonly cookie_name: 'persistence_name'
  readonly disable_cookie: 'disable_persistence'
  readonly store_google: 'save_campaign_params'
  readonly verbose: 'debug'
}
export type Properties = Record<string, unknown>
export type JsonType = string | number | boolean | null | undefined | JsonRecord | JsonType[]
export type JsonRecord = {
  [key: string]: JsonType
}
export type Stop = () => void
export interface Events {}
export interface FeatureFlags {}
export interface FeatureFlagPayloads {}
export interface StrictPlan {}
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
type Names<Plan, Kind extends string, Others> =
  | (keyof Plan & string)
  | (StrictPlan extends Record<Kind, true> ? Others : string & {})
export type PlannedEvent = Names<Events, 'events', `$${string}`>
export type PlannedFlag = Names<FeatureFlags, 'flags', never>
export type CaptureArguments<E> = E extends keyof Events
  ? Partial<Events[E]> extends Events[E]
    ? [properties?: (Events[E] & CommonProperties) | null, options?: CaptureOptions]
    : [properties: Events[E] & CommonProperties, options?: CaptureOptions]
  : [properties?: Properties | null, options?: CaptureOptions]
export type PlannedValue<K> = K extends keyof FeatureFlags ? FeatureFlags[K] | false : FlagValue
export type PlannedPayload<K> = K extends keyof FeatureFlagPayloads ? FeatureFlagPayloads[K] | undefined : JsonType
export interface CapturedEvent {
  uuid: string
  event: string
  properties: Properties
  $set?: Properties
  $set_once?: Properties
  $unset?: string[]
  timestamp: Date
}
export type Transport = 'fetch' | 'XHR' | 'sendBeacon'
export interface CaptureOptions {
  $set?: Properties
  $set_once?: Properties
  $unset?: string[]
  timestamp?: Date
  uuid?: string
  send_instantly?: boolean
  transport?: Transport
  skip_client_rate_limiting?: boolean
}
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
export interface DroppedEvent {
  event: string
  uuid?: string
  reason: DropReason
  stage?: string
}
export interface SessionChange {
  noSessionId: boolean
  activityTimeout: boolean
  sessionPastMaximumLength: boolean
  crossTabAdoption: boolean
}
export type SessionListener = (sessionId: string, windowId: string, reason?: SessionChange) => void
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
export interface Explanation {
  event: string
  uuid?: string
  at: Date
  stages: readonly string[]
  state: 'waiting' | 'delivered' | 'dropped'
  reason?: DropReason | RecordingReason
}
export type FlagValue = boolean | string
export interface FlagDetails {
  key?: string
  enabled: boolean
  variant?: string | null
  reason?: {
    code?: string
    description?: string | null
  }
  metadata?: {
    id?: number
    version?: number
    payload?: unknown
    has_experiment?: boolean
  }
  failed?: boolean
}
export interface FlagResult<K extends string = string> {
  key: string
  enabled: boolean
  variant: Extract<PlannedValue<K>, string> | undefined
  payload: PlannedPayload<K>
}
export interface FlagOptions {
  send_event?: boolean
  fresh?: boolean
}
export type FlagListener = (
  flags: string[],
  variants: Record<string, FlagValue>,
  context?: {
    errorsLoading?: boolean
  },
) => void
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
  json?: unknown
}
export interface AutocaptureConfig {
  url_allowlist?: (string | RegExp)[]
  dom_event_allowlist?: string[]
  element_allowlist?: string[]
  css_selector_allowlist?: string[]
  element_attribute_ignorelist?: string[]
  capture_copied_text?: boolean
}
export interface HeatmapConfig {
  flush_interval_milliseconds?: number
}
export interface PerformanceConfig {
  web_vitals?: boolean
  web_vitals_allowed_metrics?: string[]
  web_vitals_attribution?: boolean
  web_vitals_delayed_flush_ms?: number
  __web_vitals_max_value?: number
  network_timing?: boolean
}
export interface DeadClicksConfig {
  capture_dead_swipes?: boolean
  swipe_threshold_px?: number
  max_dead_swipes_per_page_load?: number
}
export interface RageclickConfig {
  css_selector_ignorelist?: string[]
  content_ignorelist?: boolean | string[]
  threshold_px?: number
  click_count?: number
  timeout_ms?: number
}
type MaskFunction = (text: string, element: HTMLElement | null) => string
export interface RecordedRequest {
  name: string
  method?: string
  status?: number
  initiatorType?: string
  startTime?: number
  duration?: number
  requestHeaders?: Record<string, string>
  requestBody?: string | null
  responseHeaders?: Record<string, string>
  responseBody?: string | null
  [timing: string]: unknown
}
export interface SessionRecordingConfig {
  masking?: 'strict' | 'default'
  maskAllInputs?: boolean
  maskInputOptions?: Record<string, boolean>
  maskInputFn?: MaskFunction
  maskTextSelector?: string
  maskTextClass?: string | RegExp
  maskTextFn?: MaskFunction
  maskAllElementAttributes?: boolean
  maskAttributeFn?: (name: string, value: string, element: Element | null) => string | null
  attributeFilter?: readonly string[]
  blockSelector?: string
  blockClass?: string | RegExp
  ignoreClass?: string
  recordSameOriginIframes?: boolean
  recordCrossOriginIframes?: boolean | readonly string[]
  collectFonts?: boolean
  inlineStylesheet?: boolean
  slimDOMOptions?: 'all' | Record<string, boolean>
  captureCanvas?: {
    recordCanvas?: boolean
    canvasFps?: number
    canvasQuality?: number | string
  }
  canvasCapture?: {
    resolutionScale?: number
  }
  sampling?: {
    mousemove?: boolean | number
    mouseInteraction?: boolean | Record<string, boolean>
  }
  sampleRate?: number
  minimumDurationMilliseconds?: number
  strictMinimumDuration?: boolean
  session_idle_threshold_ms?: number
  full_snapshot_interval_millis?: number
  trigger_pending_buffer_interval_millis?: number
  recordHeaders?: boolean
  recordBody?: boolean
  streamNetworkBody?: boolean
  maskCapturedNetworkRequestFn?: (request: RecordedRequest) => RecordedRequest | null | undefined
  [other: string]: unknown
}
export interface ExceptionAutocapture {
  capture_unhandled_errors?: boolean
  capture_unhandled_rejections?: boolean
  capture_console_errors?: boolean
}
export interface ErrorTrackingConfig {
  exceptionRateLimiterBucketSize?: number
  exceptionRateLimiterRefillRate?: number
  captureExtensionExceptions?: boolean
  exception_steps?: {
    enabled?: boolean
    max_bytes?: number
  }
}
export interface Bootstrap {
  distinctID?: string
  isIdentifiedID?: boolean
  featureFlags?: Record<string, boolean | string>
  featureFlagPayloads?: Record<string, unknown>
}
export type BeforeSend = (event: CapturedEvent) => CapturedEvent | null | undefined
export type PersistenceKind = 'localStorage' | 'sessionStorage' | 'cookie' | 'memory' | 'localStorage+cookie'
export interface Config {
  api_host: string
  ui_host: string | undefined
  autocapture: boolean | AutocaptureConfig
  before_send: BeforeSend | (BeforeSend | false | null | undefined)[]
  bootstrap: Bootstrap
  capture_pageview: boolean | 'history_change'
  capture_pageleave: boolean | 'if_capture_pageview'
  capture_dead_clicks: boolean | DeadClicksConfig
  cross_subdomain_cookie: boolean
  capture_exceptions: boolean | ExceptionAutocapture | undefined
  error_tracking: ErrorTrackingConfig
  custom_blocked_useragents: string[]
  defaults: string
  disable_persistence: boolean
  disable_surveys: boolean
  disable_surveys_automatic_display: boolean
  advanced_enable_surveys: boolean
  surveys_request_timeout_ms: number
  surveys: SurveysConfig
  override_display_language: string | null
  disable_session_recording: boolean
  enable_recording_console_log: boolean
  enable_heatmaps: boolean | undefined
  capture_heatmaps: boolean | HeatmapConfig | undefined
  capture_performance: boolean | PerformanceConfig | undefined
  evaluation_contexts: string[] | undefined
  external_scripts_inject_target: 'body' | 'head'
  flags_api_host: string | null
  loaded: (analytics: unknown) => void
  mask_all_text: boolean
  mask_all_element_attributes: boolean
  opt_out_capturing_by_default: boolean
  opt_out_persistence_by_default: boolean
  opt_out_useragent_filter: boolean
  persistence: PersistenceKind
  property_denylist: string[]
  property_blacklist: string[]
  sanitize_properties: ((properties: Properties, event: string) => Properties) | null | undefined
  mask_personal_data_properties: boolean
  custom_personal_data_properties: string[]
  person_profiles: 'always' | 'identified_only' | 'never'
  rate_limiting: {
    events_per_second?: number
    events_burst_limit?: number
  }
  session_recording: SessionRecordingConfig
  session_idle_timeout_seconds: number
  xhr_headers: Record<string, string>
  rageclick: boolean | RageclickConfig
  advanced_disable_flags: boolean
  advanced_disable_feature_flags: boolean
  advanced_disable_feature_flags_on_first_load: boolean
  advanced_only_evaluate_survey_feature_flags: boolean
  advanced_feature_flags_dedup_per_session: boolean
  feature_flag_request_timeout_ms: number
  feature_flag_cache_ttl_ms: number
  remote_config_refresh_interval_ms: number
  advanced_disable_toolbar_metrics: boolean
  secure_cookie: boolean
  custom_campaign_params: string[]
  fetch_options: {
    cache?: Exclude<RequestCache, 'only-if-cached'>
    next_options?: Record<string, unknown>
  }
  on_request_error: (error: RequestError) => void
  enabled: boolean
  debug: boolean
  persistence_name: string
  cookie_expiration: number
  request_batching: boolean
  request_queue_config: {
    flush_interval_ms?: number
  }
  outbox_max_bytes: number
  outbox_max_age_ms: number
  disable_compression: boolean
  disable_beacon: boolean
  properties_string_max_length: number
  save_campaign_params: boolean
  save_referrer: boolean
  disable_scroll_properties: boolean
  scroll_root_selector: string | string[] | undefined
  disable_capture_url_hashes: boolean
  detect_google_search_app: boolean
  cookieless_mode: 'always' | 'on_reject' | undefined
  consent_persistence_name: string | null
  opt_out_capturing_cookie_prefix: string | null
  opt_out_capturing_persistence_type: 'localStorage' | 'cookie'
  get_device_id: (uuid: string) => string
  respect_dnt: boolean
}
export interface Notices {
  eventCaptured: CapturedEvent
  eventsDelivered: {
    uuids: string[]
  }
  eventDropped: DroppedEvent
  featureFlagsReloading: true
}
export type SurveyMatch = 'exact' | 'is_not' | 'icontains' | 'not_icontains' | 'regex' | 'not_regex' | 'gt' | 'lt'
export interface SurveyEvent {
  name: string
  propertyFilters?: Record<
    string,
    {
      values: (string | number | boolean)[]
      operator: SurveyMatch
    }
  >
}
export interface SurveyConditions {
  url?: string
  urlMatchType?: SurveyMatch
  selector?: string
  seenSurveyWaitPeriodInDays?: number
  events?: {
    values?: SurveyEvent[]
    repeatedActivation?: boolean
  } | null
  cancelEvents?: {
    values?: SurveyEvent[]
  } | null
  actions?: {
    values?: {
      id: number
      name?: string | null
      steps?: Properties[]
    }[]
  } | null
  deviceTypes?: string[]
  deviceTypesMatchType?: SurveyMatch
  linkedFlagVariant?: string
}
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
export type SurveyBranching =
  | {
      type: 'next_question'
    }
  | {
      type: 'end'
    }
  | {
      type: 'specific_question'
      index: number
    }
  | {
      type: 'response_based'
      responseValues: Record<string, number | string>
    }
export interface SurveyQuestion {
  id?: string
  type: 'open' | 'single_choice' | 'multiple_choice' | 'rating' | 'link'
  question: string
  description?: string | null
  descriptionContentType?: 'html' | 'text'
  optional?: boolean
  buttonText?: string
  branching?: SurveyBranching | null
  validation?:
    | {
        type: 'min_length' | 'max_length'
        value?: number
        errorMessage?: string
      }[]
    | null
  display?: 'number' | 'emoji'
  scale?: number
  lowerBoundLabel?: string
  upperBoundLabel?: string
  choices?: string[]
  hasOpenChoice?: boolean
  shuffleOptions?: boolean
  skipSubmitButton?: boolean
  link?: string | null
  translations?: Record<string, Partial<SurveyQuestion>> | null
}
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
  feature_flag_keys?:
    | {
        key: string
        value?: string | null
      }[]
    | null
  current_iteration?: number | null
  current_iteration_start_date?: string | null
  schedule?: 'once' | 'recurring' | 'always' | null
  enable_partial_responses?: boolean | null
  translations?: Record<
    string,
    Partial<SurveyAppearance> & {
      name?: string
    }
  > | null
}
export type SurveyCallback = (
  surveys: Survey[],
  context?: {
    isLoaded: boolean
    error?: string
  },
) => void
export interface SurveyRenderReason {
  visible: boolean
  disabledReason?: string
}
export type SurveyAnswer = string | string[] | number | null
export interface PrivateSurveys {
  _surveyManager?: {
    renderSurvey(survey: Survey, element: Element, properties?: Properties): void
  }
}
export interface DisplaySurveyOptions {
  displayType?: 'popover' | 'inline'
  ignoreConditions?: boolean
  ignoreDelay?: boolean
  selector?: string
  position?: string
  properties?: Properties
  initialResponses?: Record<number, SurveyAnswer>
  skipShownEvent?: boolean
}
export interface SurveysConfig {
  prefillFromUrl?: boolean
}
export interface ToolbarParameters {
  token?: string
  code?: string
}
interface SiteEvents {
  log(message: string, level?: string): void
  tryAddCustomEvent(tag: string, payload?: unknown): boolean
}
interface SiteRecording extends SiteEvents {
  readonly status: string
  _forceAllowLocalhostNetworkCapture?: boolean
}
type PeopleArguments = [name: string | Properties, value?: unknown, callback?: (answer: object) => void]
type Report = (
  name: string,
  value?: number,
  options?: {
    unit?: string
    attributes?: Properties
  },
) => void
interface NotYet {
  captureLog(options: { body: string; level?: string; attributes?: Properties }): void
  setIdentity(id: string, hash: string): void
  clearIdentity(): void
  getExtension(name: string): undefined
  metrics: {
    count: Report
    gauge: Report
    histogram: Report
    flush(): void
  }
}
export interface ResetOptions {
  resetDeviceID?: boolean
  bootstrap?: Bootstrap
}
type OldNames = {
  [N in keyof typeof RENAMES]: Config[(typeof RENAMES)[N]]
}
export type Options = Partial<
  Omit<Config, 'loaded'> & {
    loaded: (analytics: Analytics) => void
  } & OldNames
>
export interface Analytics extends NotYet {
  readonly config: Config & {
    readonly token: string
  }
  readonly version: string
  readonly __loaded: boolean
  readonly flagsEndpointWasHit: boolean
  readonly decideEndpointWasHit: boolean
  readonly logger: Record<string, () => void>
  readonly surveys: PrivateSurveys | undefined
  init(token: string, options?: Options | null, name?: string): Analytics
  set_config(options: Options): void
  capture<E extends PlannedEvent>(event: E, ...rest: CaptureArguments<E>): CapturedEvent | undefined
  captureException(error: unknown, properties?: Properties): CapturedEvent | undefined
  addExceptionStep(message: string, properties?: Properties): void
  startExceptionAutocapture(config?: boolean | ExceptionAutocapture): void
  stopExceptionAutocapture(): void
  calculateEventProperties(event: string, properties?: Properties, timestamp?: Date, uuid?: string): Properties
  identify(id: string, set?: Properties, setOnce?: Properties): void
  alias(alias: string, original?: string): CapturedEvent | -1 | undefined
  setPersonProperties(set?: Properties, setOnce?: Properties): void
  unsetPersonProperties(names: string | string[]): void
  createPersonProfile(): void
  group(type: string, key: string, properties?: Properties): void
  getGroups(): Record<string, string>
  resetGroups(): void
  setInternalOrTestUser(): void
  captureTraceFeedback(traceId: string | number, text: string): void
  captureTraceMetric(traceId: string | number, name: string, value: string | number | boolean): void
  people: {
    set(...args: PeopleArguments): void
    set_once(...args: PeopleArguments): void
  }
  reset(options?: boolean | ResetOptions): void
  register(properties: Properties): void
  register_once(properties: Properties, unless?: unknown): void
  unregister(name: string): void
  register_for_session(properties: Properties): void
  unregister_for_session(name: string): void
  get_property(name: string): unknown
  getSessionProperty(name: string): unknown
  get_distinct_id(): string
  get_session_id(): string
  onSessionId(listener: SessionListener): Stop
  sessionManager: {
    onSessionId(listener: SessionListener): Stop
    checkAndGetSessionAndWindowId(readOnly?: boolean): {
      sessionId: string
      windowId: string
      sessionStartTimestamp: number
    }
    resetSessionId(): void
  }
  get_session_replay_url(options?: { withTimestamp?: boolean; timestampLookBack?: number }): string
  startSessionRecording(
    override?:
      | boolean
      | {
          sampling?: boolean
          linked_flag?: boolean
          url_trigger?: boolean | string
          event_trigger?: boolean | string
        },
  ): void
  stopSessionRecording(): void
  sessionRecordingStarted(): boolean
  sessionRecording: SiteRecording
  getPageViewId(): string | undefined
  getFeatureFlag<K extends PlannedFlag>(key: K, options?: FlagOptions): PlannedValue<K> | undefined
  isFeatureEnabled<D extends boolean | undefined = undefined>(
    key: PlannedFlag,
    options?: FlagOptions & {
      defaultValue?: D
    },
  ): boolean | D
  getFeatureFlagPayload<K extends PlannedFlag>(key: K): PlannedPayload<K>
  getFeatureFlagResult<K extends PlannedFlag>(key: K, options?: FlagOptions): FlagResult<K> | undefined
  getAllFeatureFlags(): FlagResult[]
  reloadFeatureFlags(): void
  onFeatureFlags(listener: FlagListener): Stop
  updateFlags(
    flags: Record<string, FlagValue>,
    payloads?: Record<string, unknown>,
    options?: {
      merge?: boolean
    },
  ): void
  setPersonPropertiesForFlags(properties: Properties, reload?: boolean): void
  resetPersonPropertiesForFlags(reload?: boolean): void
  setGroupPropertiesForFlags(properties: Record<string, Properties>, reload?: boolean): void
  resetGroupPropertiesForFlags(type?: string): void
  updateEarlyAccessFeatureEnrollment(key: string, isEnrolled: boolean, stage?: string): void
  getEarlyAccessFeatures(
    callback: (features: EarlyAccessFeature[]) => void,
    forceReload?: boolean,
    stages?: string[],
  ): void
  featureFlags: {
    override(
      overrides:
        | FlagOverride
        | {
            flags?: FlagOverride
            payloads?: false | Record<string, unknown>
          },
    ): void
    overrideFeatureFlags(
      overrides:
        | FlagOverride
        | {
            flags?: FlagOverride
            payloads?: false | Record<string, unknown>
          },
    ): void
    getFlags(): string[]
    getFlagVariants(): Record<string, FlagValue>
    getFlagPayloads(): Record<string, unknown>
    getFlagsWithDetails(): Record<string, FlagDetails>
    getFeatureFlagDetails(key: string): FlagDetails | undefined
    getRemoteConfigPayload(key: string, callback: (payload: JsonType) => void): void
    reloadFeatureFlagsAsync(): Promise<{
      status: 'loaded' | 'error' | 'skipped'
    }>
    ensureFlagsLoaded(): void
    setAnonymousDistinctId(id: string): void
    readonly hasLoadedFlags: boolean
    setReloadingPaused(paused: boolean): void
  }
  getSurveys(callback: SurveyCallback, forceReload?: boolean): void
  getActiveMatchingSurveys(callback: SurveyCallback, forceReload?: boolean): void
  onSurveysLoaded(callback: SurveyCallback): Stop
  displaySurvey(id: string, options?: DisplaySurveyOptions): void
  renderSurvey(id: string, selector: string): void
  canRenderSurvey(id: string): SurveyRenderReason
  canRenderSurveyAsync(id: string, forceReload?: boolean): Promise<SurveyRenderReason>
  cancelPendingSurvey(id: string): void
  loadToolbar(parameters?: ToolbarParameters): boolean
  opt_in_capturing(options?: { captureEventName?: string | null | false; captureProperties?: Properties }): void
  opt_out_capturing(): void
  has_opted_in_capturing(): boolean
  has_opted_out_capturing(): boolean
  get_explicit_consent_status(): 'granted' | 'denied' | 'pending'
  clear_opt_in_out_capturing(): void
  is_capturing(): boolean
  on<N extends keyof Notices>(name: N | '*', listener: (value: Notices[N]) => void): Stop
  drops(): Partial<Record<DropReason, number>>
  explain(
    which?:
      | string
      | {
          uuid?: string
        },
  ): Explanation[]
  debug(on?: boolean): void
  flush(): void
  shutdown(): Promise<void>
  push(call: unknown[]): void
  toString(): string
}
export type PostHog = Analytics
export type PostHogInterface = Analytics
export type PostHogConfig = Options
export type CaptureResult = CapturedEvent
export type BeforeSendFn = BeforeSend
export type BootstrapConfig = Bootstrap
export type Property = JsonType
export type FeatureFlagsCallback = FlagListener
export type FeatureFlagResult = FlagResult
export type FeatureFlagValue = FlagValue
export type FeatureFlagDetail = FlagDetails
export type FeatureFlagOptions = Exclude<Parameters<Analytics['getFeatureFlag']>[1], undefined>
export type SessionIdChangedCallback = SessionListener
export type RequestResponse = RequestError
export type EarlyAccessFeatureCallback = (features: EarlyAccessFeature[]) => void
export type EventName = string
export type Persistence = PersistenceKind
export type PersonProfiles = Config['person_profiles']
export type ConfigDefaults = Config['defaults']
export type RequestQueueConfig = Config['request_queue_config']
export type RequestCallback = Config['on_request_error']
export type Headers = Config['xhr_headers']
export type DomAutocaptureEvents = NonNullable<AutocaptureConfig['dom_event_allowlist']>[number]
export type AutocaptureCompatibleElement = NonNullable<AutocaptureConfig['element_allowlist']>[number]
export type FeatureFlagMetadata = NonNullable<FlagDetails['metadata']>
export type EvaluationReason = NonNullable<FlagDetails['reason']>
export type IsFeatureEnabledOptions = Exclude<Parameters<Analytics['isFeatureEnabled']>[1], undefined>
export type FeatureFlagOverrides = Record<string, FlagValue>
export type FeatureFlagPayloadOverrides = Record<string, JsonType>
export type OverrideFeatureFlagsOptions = Exclude<
  Parameters<Analytics['featureFlags']['overrideFeatureFlags']>[0],
  undefined
>
export type RemoteConfigFeatureFlagCallback = Parameters<Analytics['featureFlags']['getRemoteConfigPayload']>[1]
export type EarlyAccessFeatureStage = EarlyAccessFeature['stage']
export type EarlyAccessFeatureResponse = {
  earlyAccessFeatures: EarlyAccessFeature[]
}
export type SessionRecordingOptions = Config['session_recording']
export type ExceptionAutoCaptureConfig = Exclude<
  Parameters<Analytics['startExceptionAutocapture']>[0],
  boolean | undefined
>
export type ErrorTrackingOptions = ErrorTrackingConfig
export type PerformanceCaptureConfig = PerformanceConfig
export type SupportedWebVitalsMetrics = 'LCP' | 'CLS' | 'FCP' | 'INP'
export type CapturedNetworkRequest = RecordedRequest
export type SessionRecordingCanvasOptions = NonNullable<SessionRecordingConfig['captureCanvas']>
export type SurveyConfig = SurveysConfig
export type SurveyType = Survey['type']
export type SurveyQuestionType = SurveyQuestion['type']
export type SurveyResponseValue = SurveyAnswer
export type BasicSurveyQuestion = SurveyQuestion
export type LinkSurveyQuestion = SurveyQuestion
export type RatingSurveyQuestion = SurveyQuestion
export type MultipleSurveyQuestion = SurveyQuestion
export type DisplaySurveyType = NonNullable<DisplaySurveyOptions['displayType']>
export type PropertyMatchType = SurveyMatch
export type ToolbarParams = Parameters<Analytics['loadToolbar']>[0]
export interface Feature {
  readonly name: string
}
export {}
