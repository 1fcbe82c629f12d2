import type { FlagValue, Properties } from 'trailmark'

/** An event as it was received. */
export interface ReceivedEvent {
  event: string
  uuid?: string
  distinctId: string
  properties: Properties
  $set?: Properties
  $set_once?: Properties
  $unset?: string[]
  /** Time of the event, by the visitor's clock, as it was sent. */
  timestamp?: unknown
}

/** An event that a service would reject, or a request that it could not read. */
export interface BadEvent {
  /** Name of the event, if it has one. */
  event?: string
  /** Why, as in `refused` of a service's answer (docs/reference/errors.md). */
  code: string
  /** The reason as a sentence. */
  reason: string
  /** What was sent. */
  sample: unknown
}

/** A request of an SDK. */
export interface ReceivedRequest {
  method: string
  /** Path with the query, without the host. */
  path: string
  /** The decoded body: parsed, if it is JSON. */
  body?: unknown
}

/** Flags to answer with, by key: their value, or the value with a payload. */
export type Flags = Record<string, FlagValue | { value: FlagValue; payload?: unknown }>

export interface WaitOptions {
  /** Longest wait, ms. Default: 5000. */
  timeout?: number
}

/** What was captured for one project, and what its SDKs are answered. */
export interface Captures {
  /** The project token for `init`. */
  readonly token: string
  /** The `api_host` for `init`. */
  readonly url: string
  /** Returns the received events, or those of a name. Each uuid counts once. Without a name, recordings are left out. */
  events(name?: string): ReceivedEvent[]
  /** Returns what a service would reject, with the reason. */
  bad(): BadEvent[]
  /** Returns all requests, in order. */
  requests(): ReceivedRequest[]
  /** Resolves with the first event of a name whose properties contain `subset`, also if it is there already. */
  waitFor(name: string, subset?: Properties, options?: WaitOptions): Promise<ReceivedEvent>
  /** Makes the SDK send what waits, if it is known. Resolves with whether nothing waits any more. */
  flush(): Promise<boolean>
  /** Returns what `analytics.explain()` says about events of a name, or all that are not delivered, one line each. */
  explain(name?: string): Promise<string[]>
  /** Resolves once no request is under way and none has arrived for `ms`. Default: 250. */
  quiet(ms?: number): Promise<void>
  /** Replaces the flags of later answers. */
  setFlags(flags: Flags): void
  /** Adds items of the remote configuration to later answers, such as `{ heatmaps: true }`. */
  setConfig(items: Properties): void
  /** Replaces the surveys of later answers. */
  setSurveys(surveys: readonly object[]): void
  /** Forgets events, rejections and requests, and restores the answers. */
  reset(): void
}
