import type { RENAMES } from '../config/renames'
import type {
  CapturedEvent,
  CaptureOptions,
  Config,
  DropReason,
  EarlyAccessFeature,
  Explanation,
  FlagDetails,
  FlagListener,
  FlagOptions,
  FlagOverride,
  FlagResult,
  FlagValue,
  Notices,
  Properties,
  SessionListener,
  Stop,
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
  /** Whether anything is known of flags. */
  readonly flagsEndpointWasHit: boolean
  /** Its older name. */
  readonly decideEndpointWasHit: boolean
  /** Where logs would go; they are not in this release, so these do nothing. */
  readonly logger: Record<string, () => void>

  /**
   * Starts the SDK for the project with this public token and answers the instance. A second call for the same
   * instance changes nothing and says so in the console. With `name` it starts an instance of its own, which is then
   * also `analytics[name]`. An empty token, or `enabled: false`, gives a complete no-op. In a worker it is done when `loaded` is
   * called, and calls made before wait; on a server only flags answer, as `bootstrap` says (docs/guides/environments.md).
   * @example analytics.init('my-token', { api_host: 'https://events.example.com', defaults: '2026-01-30' })
   */
  init(token: string, options?: Options | null, name?: string): Analytics
  /** Changes options. An option of a wrong type keeps its value, with one line in the console. */
  set_config(options: Options): void
  /**
   * Captures an event and answers it as it will be sent; undefined when it was dropped (`drops()` says why).
   * @example analytics.capture('purchase', { amount: 42, currency: 'EUR' })
   */
  capture(event: string, properties?: Properties | null, options?: CaptureOptions): CapturedEvent | undefined
  /** The properties that an event of this name would have now, without capturing it. */
  calculateEventProperties(event: string, properties?: Properties, timestamp?: Date, uuid?: string): Properties
  /**
   * From now on the visitor is the person `id`; what was captured anonymously before becomes theirs.
   * @param set person properties to overwrite; @param setOnce person properties to write where there is none.
   */
  identify(id: string, set?: Properties, setOnce?: Properties): void
  /** Another id of the same person. `original`: the current id. */
  alias(alias: string, original?: string): CapturedEvent | -1 | undefined
  /** Person properties: to overwrite, and to write where there is none. Makes the visitor's events person events. */
  setPersonProperties(set?: Properties, setOnce?: Properties): void
  unsetPersonProperties(names: string | string[]): void
  /** Makes the visitor's events person events from now on. */
  createPersonProfile(): void
  /** The visitor belongs to the group `key` of this type, e.g. `group('company', 'acme', { plan: 'pro' })`. */
  group(type: string, key: string, properties?: Properties): void
  getGroups(): Record<string, string>
  resetGroups(): void
  /** The person is one of your own team: sets the person property `$internal_or_test_user`. */
  setInternalOrTestUser(): void
  /** What a person says of an answer of an AI model: `$ai_feedback`. */
  captureTraceFeedback(traceId: string | number, text: string): void
  /** A figure about such an answer: `$ai_metric`. */
  captureTraceMetric(traceId: string | number, name: string, value: string | number | boolean): void
  /** Older names of `setPersonProperties`. */
  people: { set(...given: PeopleArguments): void; set_once(...given: PeopleArguments): void }
  /** Forgets the person, for when somebody signs out: a new anonymous id, no super properties, a new session. `true`: a new device id too. */
  reset(options?: boolean | ResetOptions): void
  /** Super properties: stored, and added to every event from now on. */
  register(properties: Properties): void
  /** Super properties that are stored only where there is no value yet, or where the value is `unless`. */
  register_once(properties: Properties, unless?: unknown): void
  /** Forgets a super property. */
  unregister(name: string): void
  /** Properties of every event until the tab's session ends. */
  register_for_session(properties: Properties): void
  unregister_for_session(name: string): void
  /** A stored value, super properties among them. */
  get_property(name: string): unknown
  getSessionProperty(name: string): unknown
  /** The visitor's id: a UUID, or what `identify` said. */
  get_distinct_id(): string
  /** The session's id, a UUIDv7. Begins a session where there is none. */
  get_session_id(): string
  /** Hears of the session at once, where there is one, and of each that begins, with the reason. Answers the way to stop. */
  onSessionId(listener: SessionListener): Stop
  sessionManager: {
    /** Ends the session: the next event begins another. */
    resetSessionId(): void
  }
  /** Where the recording of this session can be watched; `withTimestamp`: from now, less `timestampLookBack` seconds (10). */
  get_session_replay_url(options?: { withTimestamp?: boolean; timestampLookBack?: number }): string
  /** The uuid of the latest `$pageview`; undefined before the first. */
  getPageViewId(): string | undefined

  /**
   * The flag's value: on or off, or the variant's name; undefined while it is not known, and for a flag that does not
   * exist. Captures `$feature_flag_called`, once for each value.
   * @example if (analytics.getFeatureFlag('new-checkout') === 'short') showShortCheckout()
   */
  getFeatureFlag(key: string, options?: FlagOptions): FlagValue | undefined
  /** Whether the flag is on; `defaultValue`, or undefined, while that is not known. */
  isFeatureEnabled(key: string, options?: FlagOptions & { defaultValue?: boolean }): boolean | undefined
  /** What comes with the flag's value, parsed. Captures nothing. */
  getFeatureFlagPayload(key: string): unknown
  /** Value and payload together. Captures like `getFeatureFlag`. */
  getFeatureFlagResult(key: string, options?: FlagOptions): FlagResult | undefined
  /** Every flag that is known. Captures nothing. */
  getAllFeatureFlags(): FlagResult[]
  /** Asks the service again. Calls that come together, and with `identify` or `group`, are one request. */
  reloadFeatureFlags(): void
  /** Calls back when flags are known, at once if they are, and on every change. Answers the way to stop. */
  onFeatureFlags(listener: FlagListener): Stop
  /** Values from elsewhere, without a request: instead of those that are known, or with `merge` over them. */
  updateFlags(flags: Record<string, FlagValue>, payloads?: Record<string, unknown>, options?: { merge?: boolean }): void
  /** Person properties to evaluate flags on before the service knows them. `reload: false`: without asking again. */
  setPersonPropertiesForFlags(properties: Properties, reload?: boolean): void
  resetPersonPropertiesForFlags(reload?: boolean): void
  /** Group properties to evaluate flags on, by type of group. */
  setGroupPropertiesForFlags(properties: Record<string, Properties>, reload?: boolean): void
  /** Forgets those of one type, or all. */
  resetGroupPropertiesForFlags(type?: string): void
  /** The person joins an early access feature, or leaves it. */
  updateEarlyAccessFeatureEnrollment(key: string, isEnrolled: boolean, stage?: string): void
  /** The features that a person may join, of these stages ('beta'); stored, unless `forceReload`. */
  getEarlyAccessFeatures(
    callback: (features: EarlyAccessFeature[]) => void,
    forceReload?: boolean,
    stages?: string[],
  ): void
  featureFlags: {
    /** Values for this browser that stand above the service's, to try a flag out; `false` ends it. */
    override(given: FlagOverride | { flags?: FlagOverride; payloads?: false | Record<string, unknown> }): void
    /** The same, by its newer name. */
    overrideFeatureFlags(
      given: FlagOverride | { flags?: FlagOverride; payloads?: false | Record<string, unknown> },
    ): void
    getFlags(): string[]
    getFlagVariants(): Record<string, FlagValue>
    getFlagPayloads(): Record<string, unknown>
    getFlagsWithDetails(): Record<string, FlagDetails>
    getFeatureFlagDetails(key: string): FlagDetails | undefined
    /** The payload as the service says it now. */
    getRemoteConfigPayload(key: string, callback: (payload: unknown) => void): void
    /** Asks the service again, and says what came of it; `skipped`: nothing is asked for. */
    reloadFeatureFlagsAsync(): Promise<{ status: 'loaded' | 'error' | 'skipped' }>
    /** Asks for flags, if nothing is known of any. */
    ensureFlagsLoaded(): void
    /** The id of the visitor before they got a name, which goes along with the next request. */
    setAnonymousDistinctId(id: string): void
    /** Whether anything is known of flags: by an answer, by bootstrap, or by `updateFlags`. */
    readonly hasLoadedFlags: boolean
    /** While paused nothing asks for flags. */
    setReloadingPaused(paused: boolean): void
  }

  /** The visitor agrees to be observed. Captures `$opt_in`, or the event named here; `null`: none. */
  opt_in_capturing(options?: { captureEventName?: string | null | false; captureProperties?: Properties }): void
  /** The visitor refuses: nothing more is captured, and what still waits to be sent is dropped. */
  opt_out_capturing(): void
  /** Whether the visitor may be observed: they agreed, or have not decided and no option takes that for a refusal. */
  has_opted_in_capturing(): boolean
  has_opted_out_capturing(): boolean
  /** What the visitor said, whatever the options take silence for. */
  get_explicit_consent_status(): 'granted' | 'denied' | 'pending'
  clear_opt_in_out_capturing(): void
  is_capturing(): boolean

  /** Hears of the SDK's own events (`Notices`), or of all with `*`. Answers the way to stop. */
  on<N extends keyof Notices>(name: N | '*', listener: (value: Notices[N]) => void): Stop
  /** How many events were not sent on this page, by reason. */
  drops(): Partial<Record<DropReason, number>>
  /**
   * What became of the latest events (up to 200), newest first: the stages each came to and, if it was dropped, why.
   * `which`: an event's uuid or name, or what `capture` answered.
   * @example analytics.explain('purchase')[0] // { state: 'dropped', reason: 'opted_out', stages: ['name', 'consent'], … }
   */
  explain(which?: string | { uuid?: string }): Explanation[]
  /** Says in the console what happens; `false` ends it. */
  debug(on?: boolean): void
  /** Sends what waits, without waiting for more. */
  flush(): void
  /** Ends this instance: sends what waits, stops listening. */
  shutdown(): Promise<void>
  /** Runs one queued call, `[method, ...arguments]`. */
  push(call: unknown[]): void
  toString(): string
}

/** The members that need a running client. */
export type Api = Omit<
  Analytics,
  | 'config'
  | 'version'
  | '__loaded'
  | 'flagsEndpointWasHit'
  | 'decideEndpointWasHit'
  | 'logger'
  | 'init'
  | 'on'
  | 'drops'
  | 'explain'
  | 'push'
  | 'toString'
  | 'featureFlags'
  | keyof NotYet
> & {
  featureFlags: Omit<Analytics['featureFlags'], 'hasLoadedFlags'>
}

/**
 * Every method that needs a running client, and what it returns without one. An `analytics` object has these members
 * before it has a client, and where it never gets one.
 */
export const METHODS: Record<string, unknown> = {
  set_config: undefined,
  capture: undefined,
  calculateEventProperties: {},
  identify: undefined,
  alias: undefined,
  setPersonProperties: undefined,
  unsetPersonProperties: undefined,
  createPersonProfile: undefined,
  setInternalOrTestUser: undefined,
  captureTraceFeedback: undefined,
  captureTraceMetric: undefined,
  'people.set': undefined,
  'people.set_once': undefined,
  group: undefined,
  getGroups: {},
  resetGroups: undefined,
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
  'sessionManager.resetSessionId': undefined,
  get_session_replay_url: '',
  getPageViewId: undefined,
  getFeatureFlag: undefined,
  isFeatureEnabled: undefined,
  getFeatureFlagPayload: undefined,
  getFeatureFlagResult: undefined,
  getAllFeatureFlags: [],
  reloadFeatureFlags: undefined,
  onFeatureFlags: () => {},
  updateFlags: undefined,
  setPersonPropertiesForFlags: undefined,
  resetPersonPropertiesForFlags: undefined,
  setGroupPropertiesForFlags: undefined,
  resetGroupPropertiesForFlags: undefined,
  updateEarlyAccessFeatureEnrollment: undefined,
  getEarlyAccessFeatures: undefined,
  'featureFlags.overrideFeatureFlags': undefined,
  'featureFlags.override': undefined,
  'featureFlags.getFlags': [],
  'featureFlags.getFlagsWithDetails': {},
  'featureFlags.getFlagVariants': {},
  'featureFlags.getFlagPayloads': {},
  'featureFlags.getFeatureFlagDetails': undefined,
  'featureFlags.getRemoteConfigPayload': undefined,
  'featureFlags.reloadFeatureFlagsAsync': Promise.resolve({ status: 'skipped' }),
  'featureFlags.setReloadingPaused': undefined,
  'featureFlags.setAnonymousDistinctId': undefined,
  'featureFlags.ensureFlagsLoaded': undefined,
  opt_in_capturing: undefined,
  opt_out_capturing: undefined,
  has_opted_in_capturing: false,
  has_opted_out_capturing: false,
  get_explicit_consent_status: 'pending',
  clear_opt_in_out_capturing: undefined,
  is_capturing: false,
  debug: undefined,
  flush: undefined,
  shutdown: Promise.resolve(),
} satisfies Record<MethodPath<Api>, unknown>
