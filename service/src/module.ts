import type { Config } from './config.ts'
import type { Epochs } from './endpoints/epochs.ts'
import type { Merges } from './endpoints/merges.ts'
import type { PlainProperties } from './endpoints/plainProperties.ts'
import type { OwnerChanges } from './endpoints/ownerChanges.ts'
import type { Route } from './http/route.ts'
import type { JobTurns } from './lib/jobThread.ts'
import type { Log } from './lib/log.ts'
import type { MetricRows, Metrics } from './lib/metrics.ts'
import type { TimeSlices } from './lib/timeSlices.ts'
import type { FlagSource } from './flags/flagSource.ts'
import type { AgentTools } from './mcp/tool.ts'
import type { RemoteSettings } from './flags/remoteSetting.ts'
import type { Enricher, IngestSink, Refuser, Rejections } from './ingest/sink.ts'
import type { Eraser } from './persons/erase.ts'
import type { QueryRows } from './persons/queryRows.ts'
import type { Keys } from './projects/keys.ts'
import type { Retainer } from './retention/retainer.ts'
import type { EngineGate } from './storage/gate.ts'
import type { Metadata } from './storage/metadata/metadata.ts'
import type { Schema } from './storage/schema/schema.ts'

/** What every module can use. `service.ts` creates it. */
export interface Ground {
  readonly config: Config
  /** Whether other processes use the same metadata and events. */
  readonly isShared: boolean
  /** Id of this service. */
  readonly instance: string
  readonly gate: EngineGate
  /** Runs short queries of people. */
  readonly queryRows: QueryRows
  /** Maximum memory of one run, in bytes. */
  readonly runMemoryBytes: number
  /** What operators define. A module keeps its own definitions in a `store` of it. */
  readonly metadata: Metadata
  readonly keys: Keys
  readonly metrics: Metrics
  readonly epochs: Epochs
  readonly merges: Merges
  readonly plainProperties: PlainProperties
  readonly owners: OwnerChanges
  readonly slices: TimeSlices
  readonly turns: JobTurns
  /** Why events are rejected, by any module. */
  readonly rejections: Rejections
  /** Paths of the compiled programs of threads. */
  readonly programs: { readonly recordings: string; readonly sourceMaps: string }
  /** Registers a function that stops a part. They run in reverse order. */
  readonly onStop: (stop: () => unknown) => void
  readonly log: Log
  /** Returns the parts of another module. */
  readonly use: <Parts>(module: Pick<Module<never, Parts>, 'create'>) => Parts
}

/** Work that repeats while the service runs. */
export interface Job {
  /** Name in the log. */
  readonly name: string
  readonly everyMs: number
  readonly run: () => Promise<void>
}

/**
 * A part of the product. Everything that it adds to the service is a member. `modules.ts` lists all modules.
 * `Parts`: what its other members use. `Created`: what `create` returns, for this module and those that `use` it.
 */
export interface Module<Parts, Created = Parts> {
  /** Creates the parts, once for the service. */
  readonly create: (ground: Ground) => Created
  readonly routes?: readonly Route<Parts>[]
  /** Tables of the event store, and the migrations that create them. */
  readonly schema?: Schema
  readonly metrics?: MetricRows
  /** What the module does with some of the events that arrive. */
  readonly ingestSink?: (parts: Parts) => IngestSink
  /** Reasons for which the sink rejects events. */
  readonly rejections?: Rejections
  /** What the module adds to each event that arrives. */
  readonly enricher?: (parts: Parts) => Enricher
  /** Which events of a delivery the module refuses. */
  readonly refuser?: (parts: Parts) => Refuser
  /** How the module follows when rows are hidden or deleted. */
  readonly retainer?: (parts: Parts) => Retainer
  /** What the module deletes of a person, besides rows of tables with `hasEvents`. */
  readonly eraser?: (parts: Parts) => Eraser
  /** Settings that the module adds to the remote configuration of SDKs. */
  readonly remoteSettings?: RemoteSettings
  /** Flags that the module adds to those of a project. */
  readonly flagSource?: (parts: Parts) => FlagSource
  /** Tools that the module offers to agents. */
  readonly agentTools?: (parts: Parts) => AgentTools
  readonly jobs?: (parts: Parts) => readonly Job[]
}

/** A module in a list of different ones. */
export type AnyModule = Module<never, unknown>
