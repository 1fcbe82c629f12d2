import type { RENAMES } from '../config/renames'
import type { SiteEvents, SiteRecording } from '../host'
import type {
  CapturedEvent,
  CaptureArguments,
  CaptureOptions,
  Config,
  DisplaySurveyOptions,
  DropReason,
  EarlyAccessFeature,
  ExceptionAutocapture,
  Explanation,
  FlagDetails,
  FlagListener,
  FlagOptions,
  FlagOverride,
  FlagResult,
  FlagValue,
  JsonType,
  Notices,
  PlannedEvent,
  PlannedFlag,
  PlannedPayload,
  PlannedValue,
  Properties,
  SessionListener,
  Stop,
  PrivateSurveys,
  SurveyCallback,
  SurveyRenderReason,
  ToolbarParameters,
} from '../types'
import type { PeopleArguments } from './compatibility'
import type { MethodPath, NotYet } from './notYet'
import type { ResetOptions } from './people/reset'

/** Options by their older and other names. */
type OldNames = { [N in keyof typeof RENAMES]: Config[(typeof RENAMES)[N]] }

/** What `init` and `set_config` take: any of the options. */
export type Options = Partial<Omit<Config, 'loaded'> & { loaded: (analytics: Analytics) => void } & OldNames>

/** The public object. */
export interface Analytics extends NotYet {
  /** The live configuration. Read it freely; change it with `set_config`. */
  readonly config: Config & { readonly token: string }
  /** The release, as `2.0.0`. */
  readonly version: string
  /** Whether `init` has been called with a token. On a server it may always be called again. */
  readonly __loaded: boolean
  /** Whether flags have loaded. */
  readonly flagsEndpointWasHit: boolean
  /** Older name of `flagsEndpointWasHit`. */
  readonly decideEndpointWasHit: boolean
  /** Logging methods of posthog-js. They do nothing in this release. */
  readonly logger: Record<string, () => void>
  /** Private members of posthog-js that pages use. Undefined without a client that shows surveys. */
  readonly surveys: PrivateSurveys | undefined

  /**
   * Starts the SDK for the project with this public token and returns the instance. A second call for the same
   * instance changes nothing and logs a warning. With `name` it starts another instance, which is also available as
   * `analytics[name]`. With an empty token, or `enabled: false`, every method is a no-op. In a worker, init ends when
   * `loaded` is called, and earlier calls are queued; on a server only flags from `bootstrap` are available
   * (docs/guides/environments.md).
   * @example analytics.init('my-token', { api_host: 'https://events.example.com', defaults: '2026-01-30' })
   */
  init(token: string, options?: Options | null, name?: string): Analytics
  /** Changes options. An option of a wrong type keeps its value and logs an error. */
  set_config(options: Options): void
  /**
   * Captures an event. Returns it as it will be sent, or undefined if it was dropped (`drops()` has the reasons).
   * @example analytics.capture('purchase', { amount: 42, currency: 'EUR' })
   */
  capture<E extends PlannedEvent>(event: E, ...rest: CaptureArguments<E>): CapturedEvent | undefined
  /**
   * Captures anything thrown as `$exception`, with its causes and stack frames. Returns the event, or undefined if it was
   * dropped or the code that describes it is still loading: it is captured then.
   * @example try { pay() } catch (error) { analytics.captureException(error, { cart: 'c1' }) }
   */
  captureException(error: unknown, properties?: Properties): CapturedEvent | undefined
  /** Adds a step, such as "Checkout opened", that the next exception carries in `$exception_steps`. */
  addExceptionStep(message: string, properties?: Properties): void
  /** Turns `capture_exceptions` on, or sets it to this object. */
  startExceptionAutocapture(config?: boolean | ExceptionAutocapture): void
  /** Turns `capture_exceptions` off. */
  stopExceptionAutocapture(): void
  /** Returns the properties that an event of this name would have now. Captures nothing. */
  calculateEventProperties(event: string, properties?: Properties, timestamp?: Date, uuid?: string): Properties
  /**
   * Identifies the visitor as the person `id`. Events captured anonymously before become theirs.
   * @param set person properties to overwrite; @param setOnce person properties to write where there is none.
   */
  identify(id: string, set?: Properties, setOnce?: Properties): void
  /** Adds another id to the same person. `original` defaults to the current id. */
  alias(alias: string, original?: string): CapturedEvent | -1 | undefined
  /** Sets person properties: `set` overwrites, `setOnce` keeps existing values. Creates a person profile. */
  setPersonProperties(set?: Properties, setOnce?: Properties): void
  /** Removes person properties. */
  unsetPersonProperties(names: string | string[]): void
  /** Creates a person profile: from now on, events belong to a person. */
  createPersonProfile(): void
  /** Adds the visitor to the group `key` of this type, e.g. `group('company', 'acme', { plan: 'pro' })`. */
  group(type: string, key: string, properties?: Properties): void
  /** Returns the visitor's groups: keys by type. */
  getGroups(): Record<string, string>
  /** Removes the visitor from all groups. */
  resetGroups(): void
  /** Marks the person as a member of your own team: sets the person property `$internal_or_test_user`. */
  setInternalOrTestUser(): void
  /** Captures a person's feedback on the output of an AI model, as `$ai_feedback`. */
  captureTraceFeedback(traceId: string | number, text: string): void
  /** Captures a metric of such an output, as `$ai_metric`. */
  captureTraceMetric(traceId: string | number, name: string, value: string | number | boolean): void
  people: {
    /** Older form of `setPersonProperties(set)`. */
    set(...args: PeopleArguments): void
    /** Older form of `setPersonProperties` with `setOnce`. */
    set_once(...args: PeopleArguments): void
  }
  /** Forgets the person, on sign-out: new anonymous id, no super properties, new session. `true`: new device id too. */
  reset(options?: boolean | ResetOptions): void
  /** Registers super properties: stored, and added to every event from now on. */
  register(properties: Properties): void
  /** Registers super properties that have no value yet, or whose value is `unless`. */
  register_once(properties: Properties, unless?: unknown): void
  /** Removes a super property. */
  unregister(name: string): void
  /** Registers properties that are added to every event until the session ends. */
  register_for_session(properties: Properties): void
  /** Removes a property that was registered for the session. */
  unregister_for_session(name: string): void
  /** Returns a stored value, such as a super property. */
  get_property(name: string): unknown
  /** Returns a property that was registered for the session. */
  getSessionProperty(name: string): unknown
  /** Returns the visitor's id: a UUID, or the id passed to `identify`. */
  get_distinct_id(): string
  /** Returns the session's id, a UUIDv7. Starts a session if there is none. */
  get_session_id(): string
  /** Calls the listener with the current session, if any, and with each new one and its reason. Returns a function that stops it. */
  onSessionId(listener: SessionListener): Stop
  sessionManager: {
    /** Same as the client's `onSessionId`. */
    onSessionId(listener: SessionListener): Stop
    /** Returns the ids of session and window now. Extends the session or starts one, unless `readOnly`. */
    checkAndGetSessionAndWindowId(readOnly?: boolean): {
      sessionId: string
      windowId: string
      sessionStartTimestamp: number
    }
    /** Ends the session: the next event starts another. */
    resetSessionId(): void
  }
  /** Returns the URL of this session's recording. `withTimestamp`: starting `timestampLookBack` seconds (10) before now. */
  get_session_replay_url(options?: { withTimestamp?: boolean; timestampLookBack?: number }): string
  /**
   * Starts session recording, if the project records sessions and the page has turned it off. An override makes this session
   * recorded regardless of sampling or triggers: `true` overrides all of them.
   */
  startSessionRecording(
    override?:
      | boolean
      | { sampling?: boolean; linked_flag?: boolean; url_trigger?: boolean | string; event_trigger?: boolean | string },
  ): void
  /** Stops session recording until `startSessionRecording`. */
  stopSessionRecording(): void
  /** Whether the session is being recorded. */
  sessionRecordingStarted(): boolean
  /** Whether the session is recorded, and what a site can add. Nothing is added while the session is not recorded. */
  sessionRecording: SiteRecording
  /** Returns the uuid of the latest `$pageview`; undefined before the first. */
  getPageViewId(): string | undefined

  /**
   * Returns the flag's value: true, false or the variant's name; undefined before flags have loaded and for an unknown
   * flag. Captures `$feature_flag_called`, once per value.
   * @example if (analytics.getFeatureFlag('new-checkout') === 'short') showShortCheckout()
   */
  getFeatureFlag<K extends PlannedFlag>(key: K, options?: FlagOptions): PlannedValue<K> | undefined
  /** Returns whether the flag is on; `defaultValue`, or undefined, if it has no value. */
  isFeatureEnabled<D extends boolean | undefined = undefined>(
    key: PlannedFlag,
    options?: FlagOptions & { defaultValue?: D },
  ): boolean | D
  /** Returns the parsed payload of the flag's value. Captures nothing. */
  getFeatureFlagPayload<K extends PlannedFlag>(key: K): PlannedPayload<K>
  /** Returns value and payload. Captures like `getFeatureFlag`. */
  getFeatureFlagResult<K extends PlannedFlag>(key: K, options?: FlagOptions): FlagResult<K> | undefined
  /** Returns every flag that has loaded. Captures nothing. */
  getAllFeatureFlags(): FlagResult[]
  /** Refetches flags. Calls in the same task, also by `identify` and `group`, make one request. */
  reloadFeatureFlags(): void
  /** Calls the listener when flags have loaded, immediately if they have, and on every change. Returns a function that stops it. */
  onFeatureFlags(listener: FlagListener): Stop
  /** Sets flag values without a request: replaces the current ones, or with `merge` adds to them. */
  updateFlags(flags: Record<string, FlagValue>, payloads?: Record<string, unknown>, options?: { merge?: boolean }): void
  /** Sets person properties that flags are evaluated on before the service has them. Refetches flags unless `reload` is false. */
  setPersonPropertiesForFlags(properties: Properties, reload?: boolean): void
  /** Removes those properties. */
  resetPersonPropertiesForFlags(reload?: boolean): void
  /** Sets group properties that flags are evaluated on, by type of group. */
  setGroupPropertiesForFlags(properties: Record<string, Properties>, reload?: boolean): void
  /** Removes the properties of one group type, or of all. */
  resetGroupPropertiesForFlags(type?: string): void
  /** Enrolls the person in an early access feature, or ends the enrollment. */
  updateEarlyAccessFeatureEnrollment(key: string, isEnrolled: boolean, stage?: string): void
  /** Passes the early access features of these stages ('beta' by default) to the callback; stored ones, unless `forceReload`. */
  getEarlyAccessFeatures(
    callback: (features: EarlyAccessFeature[]) => void,
    forceReload?: boolean,
    stages?: string[],
  ): void
  featureFlags: {
    /** Overrides flags in this browser, for tests; `false` ends the override. */
    override(overrides: FlagOverride | { flags?: FlagOverride; payloads?: false | Record<string, unknown> }): void
    /** Newer name of `override`. */
    overrideFeatureFlags(
      overrides: FlagOverride | { flags?: FlagOverride; payloads?: false | Record<string, unknown> },
    ): void
    /** Returns the keys of all flags, on or off. */
    getFlags(): string[]
    /** Returns the values of all flags, by key. */
    getFlagVariants(): Record<string, FlagValue>
    /** Returns the payloads, by key of the flag. */
    getFlagPayloads(): Record<string, unknown>
    /** Returns what the service sent about each flag, by key. */
    getFlagsWithDetails(): Record<string, FlagDetails>
    /** Returns what the service sent about a flag. */
    getFeatureFlagDetails(key: string): FlagDetails | undefined
    /** Fetches the current payload and passes it to the callback. */
    getRemoteConfigPayload(key: string, callback: (payload: JsonType) => void): void
    /** Refetches flags. Resolves when done; `skipped`: flags are turned off. */
    reloadFeatureFlagsAsync(): Promise<{ status: 'loaded' | 'error' | 'skipped' }>
    /** Fetches flags unless they have loaded. */
    ensureFlagsLoaded(): void
    /** Sends this anonymous id with the next request. */
    setAnonymousDistinctId(id: string): void
    /** Whether flags have loaded: from a response, from `bootstrap`, or from `updateFlags`. */
    readonly hasLoadedFlags: boolean
    /** Pauses requests for flags, or resumes them. */
    setReloadingPaused(paused: boolean): void
  }

  /** Passes all running surveys to the callback. `forceReload`: fetches them again. */
  getSurveys(callback: SurveyCallback, forceReload?: boolean): void
  /** Passes the surveys to the callback whose conditions this visitor and this page meet. */
  getActiveMatchingSurveys(callback: SurveyCallback, forceReload?: boolean): void
  /** Calls the callback when surveys have loaded, immediately if they have, and each time they are loaded again. */
  onSurveysLoaded(callback: SurveyCallback): Stop
  /**
   * Shows a survey: as a popover, if its conditions other than URL, device, selector and event are met, unless the options
   * say otherwise.
   */
  displaySurvey(id: string, options?: DisplaySurveyOptions): void
  /** Shows a survey inside the first element that matches `selector`, even if its conditions are not met. */
  renderSurvey(id: string, selector: string): void
  /** Whether the survey's conditions other than URL, device and selector are met. Surveys must have loaded. */
  canRenderSurvey(id: string): SurveyRenderReason
  /** Same as `canRenderSurvey`. Waits until surveys have loaded. */
  canRenderSurveyAsync(id: string, forceReload?: boolean): Promise<SurveyRenderReason>
  /** Cancels a popover that waits for its delay. */
  cancelPendingSurvey(id: string): void

  /**
   * Loads the toolbar for the site's own team. It shows data only to those who opened the page from the console, and others
   * a link to sign in. Returns whether it loads: not in a frame, for another project, without consent, or with
   * `advanced_disable_flags`.
   */
  loadToolbar(parameters?: ToolbarParameters): boolean

  /** Records consent. Captures `$opt_in`, or the event named here; `null`: none. */
  opt_in_capturing(options?: { captureEventName?: string | null | false; captureProperties?: Properties }): void
  /** Records a denial: nothing more is captured, and events that wait to be sent are dropped. */
  opt_out_capturing(): void
  /** Whether events are captured: the visitor agreed, or has not decided and no option treats that as a denial. */
  has_opted_in_capturing(): boolean
  /** Whether the visitor denied consent, or has not decided and an option treats that as a denial. */
  has_opted_out_capturing(): boolean
  /** Returns the visitor's own decision. */
  get_explicit_consent_status(): 'granted' | 'denied' | 'pending'
  /** Forgets the visitor's decision. */
  clear_opt_in_out_capturing(): void
  /** Whether events are captured now. */
  is_capturing(): boolean

  /** Listens to the SDK's own events (`Notices`), `*` to all of them. Returns a function that stops it. */
  on<N extends keyof Notices>(name: N | '*', listener: (value: Notices[N]) => void): Stop
  /** Returns the number of events dropped on this page, by reason. */
  drops(): Partial<Record<DropReason, number>>
  /**
   * Returns what happened to the latest events (up to 200), newest first: the stages each passed and why it was dropped.
   * `which`: an event's uuid or name, or the result of `capture`. With `$snapshot`, the first result says why the session is not
   * recorded, or what its recording waits for.
   * @example analytics.explain('purchase')[0] // { state: 'dropped', reason: 'opted_out', stages: ['name', 'consent'], … }
   */
  explain(which?: string | { uuid?: string }): Explanation[]
  /** Logs what happens to the console; `false` stops it. */
  debug(on?: boolean): void
  /** Sends waiting events now. */
  flush(): void
  /** Stops this instance: sends waiting events and removes all listeners. */
  shutdown(): Promise<void>
  /** Runs one queued call, `[method, ...arguments]`. */
  push(call: unknown[]): void
  /** Returns `analytics`, and for another instance `analytics.<name>`. */
  toString(): string
}

/** The members whose types follow the plan of a site, without a plan. */
export interface Planless {
  capture(event: string, properties?: Properties | null, options?: CaptureOptions): CapturedEvent | undefined
  getFeatureFlag(key: string, options?: FlagOptions): FlagValue | undefined
  getFeatureFlagPayload(key: string): JsonType
  getFeatureFlagResult(key: string, options?: FlagOptions): FlagResult | undefined
}

/** The members that need a running client. */
export type Api = Omit<
  Analytics,
  | keyof Planless
  | 'config'
  | 'version'
  | '__loaded'
  | 'flagsEndpointWasHit'
  | 'decideEndpointWasHit'
  | 'logger'
  | 'surveys'
  | 'init'
  | 'on'
  | 'drops'
  | 'explain'
  | 'push'
  | 'toString'
  | 'featureFlags'
  | 'sessionRecording'
  | keyof NotYet
> &
  Planless & {
    featureFlags: Omit<Analytics['featureFlags'], 'hasLoadedFlags'>
    sessionRecording: SiteEvents
    surveys: PrivateSurveys
  }

/** The members of `Api` that show surveys. */
export type SurveyApi = Pick<Api, SurveyMember>
type SurveyMember = Extract<keyof Api, `${string}Survey${string}`>

/** The members of `Api` that parts provide (`PART_METHODS`). */
type PartMember =
  | 'featureFlags'
  | 'group'
  | 'getGroups'
  | 'resetGroups'
  | 'getPageViewId'
  | PeopleMember
  | 'opt_in_capturing'
  | 'opt_out_capturing'
  | 'clear_opt_in_out_capturing'
  | 'startSessionRecording'
  | 'stopSessionRecording'
  | 'sessionRecordingStarted'
  | 'sessionRecording'
  | 'surveys'
  | FlagMember
  | ExceptionMember
  | SurveyMember
  | 'loadToolbar'
type PeopleMember =
  | 'identify'
  | 'alias'
  | 'setPersonProperties'
  | 'unsetPersonProperties'
  | 'createPersonProfile'
  | 'setInternalOrTestUser'
  | 'captureTraceFeedback'
  | 'captureTraceMetric'
  | 'people'
type ExceptionMember = Extract<keyof Api, `${string}Exception${string}`>
type FlagMember = Extract<
  keyof Api,
  `${string}Flag${string}` | `${string}Flags` | `${string}EarlyAccess${string}` | 'isFeatureEnabled'
>

/** The members that need a running client and no part. */
export type CoreApi = Omit<Api, PartMember>

/** Methods by path, such as `people.set`, and what they return where there is no client, or not the part that has them. */
export type Methods = Readonly<Record<string, unknown>>

/**
 * The methods of the core that need a running client. Features bring theirs (client/features/methods.ts has all). An
 * `analytics` object has these members before it has a client, and where it never gets one.
 */
export const METHODS = {
  set_config: undefined,
  capture: undefined,
  calculateEventProperties: {},
  reset: undefined,
  register: undefined,
  register_once: undefined,
  unregister: undefined,
  register_for_session: undefined,
  unregister_for_session: undefined,
  get_property: undefined,
  getSessionProperty: undefined,
  get_distinct_id: '',
  get_session_id: '',
  onSessionId: () => {},
  'sessionManager.onSessionId': () => {},
  'sessionManager.checkAndGetSessionAndWindowId': { sessionId: '', windowId: '', sessionStartTimestamp: 0 },
  'sessionManager.resetSessionId': undefined,
  get_session_replay_url: '',
  has_opted_in_capturing: false,
  has_opted_out_capturing: false,
  get_explicit_consent_status: 'pending',
  is_capturing: false,
  debug: undefined,
  flush: undefined,
  shutdown: Promise.resolve(),
} satisfies Record<MethodPath<CoreApi>, unknown>
