import type { Client } from './createClient'
import type { CapturedEvent, CaptureOptions, Config, DropReason, Notices, Properties, Stop } from '../types'

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
  init(token: string, config?: Partial<Config> | null, name?: string): Analytics
  /** Changes options. An option of a wrong type keeps its value, with one line in the console. */
  set_config(changes: Partial<Config>): void
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

/** The members that need a client, each in one line: what they do stands in `createClient` and the rooms. */
export const clientMembers = (client: () => Client, lifecycle: { changeDebug(on: boolean): void; end(): void }) => ({
  set_config: (changes: Partial<Config>) => client().setConfig(changes),
  capture: (event: string, properties?: Properties | null, options?: CaptureOptions) => client().capture(event, properties, options ?? {}),
  identify: (id: string, set?: Properties, setOnce?: Properties) => client().identify(id, set, setOnce),
  reset: (deviceToo?: boolean) => client().reset(deviceToo === true),
  register: (properties: Properties) => client().register(properties),
  // Compatibility: 'None' counts as no value (protocol.md §1.2).
  register_once: (properties: Properties, unless: unknown = 'None') => client().registerOnce(properties, unless),
  unregister: (name: string) => client().unregister(name),
  register_for_session: (properties: Properties) => client().registerForSession(properties),
  unregister_for_session: (name: string) => client().unregisterForSession(name),
  get_property: (name: string) => client().property(name),
  getSessionProperty: (name: string) => client().sessionProperty(name),
  get_distinct_id: () => client().distinctId(),
  get_session_id: () => client().sessionId(),
  getPageViewId: () => client().getPageViewId(),
  opt_in_capturing: (options?: { captureEventName?: string | null | false; captureProperties?: Properties }) =>
    client().optIn(options?.captureEventName, options?.captureProperties),
  opt_out_capturing: () => client().optOut(),
  has_opted_in_capturing: () => client().consent.explicit() === 'granted',
  has_opted_out_capturing: () => client().consent.isOptedOut(),
  get_explicit_consent_status: () => client().consent.explicit(),
  clear_opt_in_out_capturing: () => client().clearConsent(),
  is_capturing: () => !client().consent.isOptedOut(),
  debug: (on?: boolean) => lifecycle.changeDebug(on !== false),
  flush: () => client().flush(),
  shutdown: async () => {
    client().shutdown()
    lifecycle.end()
  },
})

/** What a member answers before `init`, and in a no-op: as near to the truth as its type allows. */
export const WITHOUT_CLIENT: Record<string, unknown> = {
  get_distinct_id: '',
  get_session_id: '',
  has_opted_in_capturing: false,
  has_opted_out_capturing: false,
  get_explicit_consent_status: 'pending',
  is_capturing: false,
  shutdown: Promise.resolve(),
}

