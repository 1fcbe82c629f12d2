import type { CapturedEvent, CaptureOptions, Config, DropReason, Notices, Properties, Stop } from '../types'

/** What `init` and `set_config` take: any of the options. */
export type Options = Partial<Omit<Config, 'loaded'> & { loaded: (analytics: Analytics) => void }>

/** The public object. */
export interface Analytics {
  /** The live configuration. Read it freely; change it with `set_config`. */
  readonly config: Config
  /** The release, as `2.0.0`. */
  readonly version: string
  /** Whether `init` has been called with a token. */
  readonly __loaded: boolean

  /**
   * Starts the SDK for the project with this public token and answers the instance. A second call for the same
   * instance changes nothing and says so in the console. With `name` it starts an instance of its own, which is then
   * also `analytics[name]`. An empty token, or `enabled: false`, gives a complete no-op.
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
  /** Forgets the person, for when somebody signs out: a new anonymous id, no super properties, a new session. `true`: a new device id too. */
  reset(deviceToo?: boolean): void
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
  /** The uuid of the latest `$pageview`; undefined before the first. */
  getPageViewId(): string | undefined

  /** The visitor agrees to be observed. Captures `$opt_in`, or the event named here; `null`: none. */
  opt_in_capturing(options?: { captureEventName?: string | null | false; captureProperties?: Properties }): void
  /** The visitor refuses: nothing more is captured, and what still waits to be sent is dropped. */
  opt_out_capturing(): void
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
export type Api = Omit<Analytics, 'config' | 'version' | '__loaded' | 'init' | 'on' | 'drops' | 'push' | 'toString'>

/** The names in `Api`: an `analytics` object has these members before it has a client, and where it never gets one. */
export const METHODS =
  'set_config capture identify alias setPersonProperties unsetPersonProperties createPersonProfile group getGroups resetGroups reset register register_once unregister register_for_session unregister_for_session get_property getSessionProperty get_distinct_id get_session_id getPageViewId opt_in_capturing opt_out_capturing has_opted_in_capturing has_opted_out_capturing get_explicit_consent_status clear_opt_in_out_capturing is_capturing debug flush shutdown'

/** What a member answers without a client, where undefined would surprise. */
export const WITHOUT_CLIENT: Record<string, unknown> = {
  get_distinct_id: '',
  get_session_id: '',
  has_opted_in_capturing: false,
  has_opted_out_capturing: false,
  is_capturing: false,
  get_explicit_consent_status: 'pending',
  getGroups: {},
  shutdown: Promise.resolve(),
}
