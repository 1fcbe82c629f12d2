import type { OptionMembers, OptionRows } from '../config/options'
import type { listen } from '../browser/signal'
import type { Extension, ExtensionHost, ExtensionName, LoadExtension } from '../extensions/contract'
import type { PartName } from '../parts'
import type { Stage } from '../pipeline/stage'
import type { RemoteRows } from '../state/remoteConfig'
import type { Bootstrap, CapturedEvent, Config, Properties, Stop } from '../types'
import type { Calls } from './calls'
import type { Delivery } from './connectDelivery'
import type { Context } from './createContext'
import type { Ledger } from './ledger'
import type { Provided } from './provided'
import type { Api, Methods } from './publicApi'

/** Members of a client that extensions may use. `Parts` (host.ts) lists those of each extension. */
interface ClientMembers {
  api: Client['api']
  defineMembers(members: OptionMembers): void
  delivery: Delivery
  ledger: Ledger
  log: Context['log']
  store: Context['store']
  tab: Context['tab']
  tabKeys: readonly string[]
  token: string
  early: Calls['early']
  distinctId(): string
  listen: typeof listen
  outgoingText(text: string, ofResource?: boolean): string
  outgoingUrl(url: string): string
  request: Delivery['send']
  sessionId(): string
  uuidv7(): string
  person(): number
  mayStore(): boolean
}

/** Host of features and extensions, with members of the client. */
export interface FeatureHost extends ExtensionHost, ClientMembers {
  /** Fetches an extension and starts it with this host and `parts`. `onFailure`: called if it does not run. */
  startExtension(name: ExtensionName, parts?: object, onFailure?: Stop): Stop
}

/**
 * Something that runs while it is wanted: a start function, or the extension to load. It is stopped and started again for
 * each person. `isOfPage`: it goes on, because it holds nothing of a person, or handles the change itself (`onLeave`).
 */
export type Running = {
  wanted(): unknown
  isOfPage?: boolean
  /** Returns what it reads only when it starts. It starts again when that changes. */
  settings?(): unknown
} & ({ start(host: FeatureHost): Stop } | { load: ExtensionName })

/** The core's own stages, in order. */
export type CoreStage =
  | 'name'
  | 'consent'
  | 'rate'
  | 'session'
  | 'identity'
  | 'properties'
  | 'cookieless'
  | 'person'
  | 'denylist'
  | 'beforeSend'

/** A stage of the pipeline that a feature adds. */
export interface FeatureStage {
  /** Its name in `explain`. */
  name: string
  before: CoreStage
  run: Stage
}

/** Hooks that a client calls on its features. */
export interface Hooks {
  /** Called when the client has started. */
  onStart(): void
  /** Called when the client starts, and when configuration or consent has changed. */
  onAlign(): void
  /** Called when an anonymous visitor was identified. `anonymousId`: the previous id. */
  onIdChange(anonymousId: string): void
  /** Called when another person has replaced the visitor. `bootstrap`: what the site knows about the next visitor. */
  onReset(bootstrap?: Bootstrap): void
  /** Called when the visitor has opted out, and events that waited were dropped. */
  onDenial(): void
  /** Called when the visitor has opted in after having been opted out. */
  onOptIn(): void
  /** Called when the visitor has joined a group or left all groups, or when a group has new properties. */
  onGroup(change: { type?: string; isNew: boolean; properties?: Properties }): void
  /** Called when an event has been captured. */
  onCapture(event: CapturedEvent): void
  /** Called when an event sets person properties. */
  onPersonProperties(changes: { $set: Properties; $set_once: Properties }): void
  /** Called when the browser is online again. */
  onOnline(): void
  /** Called when the client has been shut down. */
  onEnd(): void
}

/** Contributions of a feature to a client: methods, a pipeline stage, something that runs, and hooks. */
export interface Connection extends Partial<Hooks> {
  api?: Partial<Api>
  stage?: FeatureStage
  /** Returns properties for each event, the same object until one changes. Stored properties take precedence. */
  properties?(): Readonly<Properties>
  runs?: Running
  /** Whether flags have loaded. */
  hasFlags?(): boolean
  /** Handles a call of a method of the feature that is not there, because its extension has it (late.ts). */
  onMissing?: CallMethod
}

/** Calls a method by its path. */
export type CallMethod = (path: string, args: readonly unknown[]) => unknown

/** Members of a client that features can use. */
export interface Client {
  context: Context
  delivery: Delivery
  ledger: Ledger
  capture: ExtensionHost['capture']
  /** Captures an event of this moment in a later task. `describe` returns its properties. */
  captureLater(event: string, describe: () => Properties): void
  moment: ExtensionHost['moment']
  /** Captures the events that wait for a later task. */
  captureDelayed: Stop
  /** Changes options, like `set_config`. */
  configure(changes: Partial<Config>): void
  /** Adds an extension's types for members of options, and checks the values that the site has passed. */
  defineMembers(members: OptionMembers): void
  /** The calls that wait. */
  calls: Calls
  /** Connections of features and running extensions. */
  connections: Connection[]
  /** Calls a method, also one that an extension has. */
  call: CallMethod
  /** The options of the core and of the features of this build. */
  options: OptionRows
  /** Returns the methods of the client, without those of features that the site leaves out. */
  api(): Partial<Api>
  /** Whether person events are allowed. Logs one line that names `method` when they are not. */
  mayProcess(method: string): boolean
  /** Clears the page's data about the previous person. */
  forgetVisit: Stop
  /** Calls a hook of every feature. */
  emit: Emit
  /** Applies the current configuration everywhere. */
  align(): void
}

/** Runner of a client's features. */
export interface Runner {
  /** Starts the features that are wanted and stops the others. Called by init, set_config and changes of consent. */
  align: Stop
  /**
   * Lets features capture their pending data, in start order. Called when the page is left, and before the person
   * changes. In the second case, `align` then starts the features again.
   */
  leave(isNextPerson: boolean): void
  /** Stops all features. Later calls of `align` start none. */
  stop: Stop
}

/** A part of the SDK that a site can leave out: one row of `FEATURES` and one import, `trailmark/<name>`. */
export interface Feature {
  name: PartName
  /** Methods by path, with their return values when the feature is absent. */
  methods?: Methods
  /** Its options. */
  options?: OptionRows
  /** The types of the members of its options. */
  members?: OptionMembers
  /** The items of the remote configuration that it uses. */
  remote?: RemoteRows
  /** Implementations that the feature provides to the core. */
  provides?: Partial<Provided>
  connect?(client: Client): Connection
  /** Runs what the features of the client run (`runs`). Each part with `runs` brings it. */
  runFeatures?(client: Client, load: LoadExtension, mayRun: () => boolean, features: readonly Running[]): Runner
  /** Imports the extension of the feature's name, in the npm build. */
  importExtension?(): Promise<Extension>
  /** Imports extensions of other names, in the npm build. */
  imports?: Partial<Record<ExtensionName, () => Promise<Extension>>>
  /** Extensions that the part contains, because service workers cannot import. */
  contains?: Partial<Record<ExtensionName, Extension>>
  /** Opens the storage of workers, in the npm build. */
  openWorkerStorage?(): Promise<unknown>
  /** Returns the methods that work on a server, where there is no client, in the npm build. */
  onServer?(config: Config): object
}

/** Calls a hook of every connection. */
export type Emit = (call: (hooks: Partial<Hooks>) => void) => void

/** Returns a function that calls a hook of every connection. */
export const createEmit =
  (connections: readonly Connection[]): Emit =>
  (call) =>
    // A copy, because a hook may start or stop an extension.
    [...connections].forEach(call)
