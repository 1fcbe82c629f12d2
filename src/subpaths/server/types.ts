/** Properties of events, persons and groups: JSON. */
export type Properties = Record<string, unknown>

/** What `fetch` gets. Declared here, so that these types need neither DOM nor Node types. */
export interface FetchInit {
  method: string
  headers: Record<string, string>
  // oxlint-disable-next-line typescript/no-explicit-any -- a string or an ArrayBuffer, which runtimes name differently
  body: any
  // oxlint-disable-next-line typescript/no-explicit-any -- an AbortSignal
  signal: any
}

/** What is used of the response of `fetch`. */
export interface FetchResponse {
  readonly status: number
  readonly redirected: boolean
  readonly headers: { get(name: string): string | null }
  text(): Promise<string>
}

declare global {
  interface SymbolConstructor {
    readonly asyncDispose: unique symbol
  }
}

export interface ServerOptions {
  /** URL of the service, such as `https://events.example.com`. */
  host: string
  /** Number of waiting events at which they are sent at once. Default: 20. */
  flushAt?: number
  /** Longest wait of an event before it is sent, in ms. Default: 5,000. */
  flushInterval?: number
  /**
   * Keeps the request of a Worker or an edge function alive until the events are sent, such as
   * `(promise) => ctx.waitUntil(promise)`. Events are sent 50 ms after the first one.
   */
  waitUntil?: (promise: Promise<unknown>) => void
  /** Replaces the global `fetch`. */
  fetch?: (url: string, init: FetchInit) => Promise<FetchResponse>
  /** Timeout of one request, in ms. Default: 10,000. */
  requestTimeout?: number
  /** Largest number of waiting events. Events captured beyond it are dropped and counted. Default: 10,000. */
  maxQueueEvents?: number
  /** Largest size of the waiting events as JSON, in bytes. Default: 16,000,000. */
  maxQueueBytes?: number
  /** A personal API key with the scope `feature_flag:read`. With it, flags are evaluated without a request per visitor. */
  personalApiKey?: string
  /** Age at which definitions of flags are requested again, in ms. Default: 30,000. */
  featureFlagsPollingInterval?: number
  /** Timeout of a request for flags, in ms. Default: 3,000. */
  featureFlagsRequestTimeout?: number
  /** Called with what went wrong. Nothing is thrown. Default: `console.error`. */
  onError?: (error: Error) => void
  /** Called by `shutdown` with the events that it could not send in time. Keep them and pass them to `resend`. */
  onUnsent?: (events: string[]) => unknown
}

export interface EventMessage {
  /** Id of the person. An event with an empty id is dropped. */
  distinctId: string
  event: string
  properties?: Properties
  /** Group keys by group type. */
  groups?: Record<string, string | number>
  /** Time of the event. Default: the time of the call. */
  timestamp?: Date
  /** Id of the event. The service stores each id once. Default: a new id. */
  uuid?: string
  /** Flags that are added to the event as `$feature/<key>`. */
  flags?: FlagEvaluations
}

export interface IdentifyMessage {
  distinctId: string
  /** Properties of the person. `$set` and `$set_once` have their own; all others count as `$set`. */
  properties?: Properties
}

export interface AliasMessage {
  distinctId: string
  /** Another id of the same person. */
  alias: string
}

export interface GroupIdentifyMessage {
  groupType: string
  groupKey: string | number
  properties?: Properties
  /** Id of the person who changed the group. Default: none. */
  distinctId?: string
}

export type FlagValue = boolean | string

export interface FlagOptions {
  /** Group keys by group type. */
  groups?: Record<string, string | number>
  /** Properties that replace the stored ones. Local evaluation knows no others. */
  personProperties?: Properties
  /** Properties of groups, by group type. */
  groupProperties?: Record<string, Properties>
  /** Keys of the flags to evaluate. Default: all. */
  flagKeys?: string[]
  /** Whether flags that cannot be evaluated locally are left out instead of requested. Default: false. */
  onlyEvaluateLocally?: boolean
}

export interface ReadOptions {
  /** Whether the first read of a value is captured as `$feature_flag_called`. Default: true. */
  sendFeatureFlagEvents?: boolean
}

/** The flags of one person at one moment. */
export interface FlagEvaluations {
  /** Keys of the flags. */
  readonly keys: string[]
  /** Whether the flag is on, or has a variant. Without a value: `defaultValue`, by default false. */
  isEnabled(key: string, options?: ReadOptions & { defaultValue?: boolean }): boolean
  /** Returns the variant, or whether the flag is on. `undefined`: the flag has no value. */
  getFlag(key: string, options?: ReadOptions): FlagValue | undefined
  /** Returns the payload of the flag's value. `undefined`: there is none. */
  getFlagPayload(key: string): unknown
}

/** Reasons for which events are dropped. */
export type DropReason = 'no_distinct_id' | 'invalid' | 'queue_full' | 'refused_by_service'

/**
 * Analytics of a server. Nothing is thrown. `…Immediate` calls resolve with whether the service has stored the event; an event
 * that it has not stored is sent later.
 */
export interface ServerAnalytics {
  capture(message: EventMessage): void
  captureImmediate(message: EventMessage): Promise<boolean>
  identify(message: IdentifyMessage): void
  identifyImmediate(message: IdentifyMessage): Promise<boolean>
  alias(message: AliasMessage): void
  aliasImmediate(message: AliasMessage): Promise<boolean>
  groupIdentify(message: GroupIdentifyMessage): void
  groupIdentifyImmediate(message: GroupIdentifyMessage): Promise<boolean>
  /** Captures an error. Without a distinct id, it belongs to no person. */
  captureException(error: unknown, distinctId?: string, properties?: Properties): void
  captureExceptionImmediate(error: unknown, distinctId?: string, properties?: Properties): Promise<boolean>
  /** Evaluates the flags of a person, locally where definitions and properties suffice. */
  evaluateFlags(distinctId: string, options?: FlagOptions): Promise<FlagEvaluations>
  getFeatureFlag(key: string, distinctId: string, options?: FlagOptions & ReadOptions): Promise<FlagValue | undefined>
  isFeatureEnabled(key: string, distinctId: string, options?: FlagOptions & ReadOptions): Promise<boolean | undefined>
  getFeatureFlagPayload(key: string, distinctId: string, options?: FlagOptions): Promise<unknown>
  getAllFlags(distinctId: string, options?: FlagOptions): Promise<Record<string, FlagValue>>
  /** Requests the definitions of flags now. Resolves with whether they have changed. */
  reloadFeatureFlags(): Promise<boolean>
  /** Requests the definitions if there are none. Resolves with whether flags can be evaluated locally. */
  waitForLocalEvaluationReady(): Promise<boolean>
  /** Sends the events captured so far, for at most `ms` (10,000). Resolves with whether the service has taken all of them. */
  flush(ms?: number): Promise<boolean>
  /** Sends all events before the process ends, for at most `ms` (30,000), and passes the rest to `onUnsent`. */
  shutdown(ms?: number): Promise<boolean>
  /** Sends events that `onUnsent` got, also in another process. The service stores each of them once. */
  resend(events: readonly string[]): void
  /** Returns the number of events that wait to be sent. */
  waiting(): number
  /** Returns the number of dropped events by reason. */
  drops(): Partial<Record<DropReason, number>>
  [Symbol.asyncDispose](): Promise<void>
}
