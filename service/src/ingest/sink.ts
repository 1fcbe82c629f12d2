import type { Fields } from '../lib/fields.ts'

/** An event, before it is known whether it can be stored. */
export interface ArrivedEvent {
  readonly name: string
  readonly properties: Fields
  readonly uuid: string
}

/** The fields of an event that is about to be stored. */
export interface AcceptedEvent {
  readonly uuid: string
  readonly distinctId: string
  /** ms since the epoch, by the service's clock. */
  readonly timestamp: number
}

/** Action of a sink on one event. */
export interface Claim {
  /** Whether only the sink stores the event, so it gets no row in the table of events. */
  readonly isDiverted?: boolean
  /** Properties that are added to the event. */
  readonly properties?: Fields
  /** Decides whether the event may be stored. Returns the code of its rejection, or `undefined`. */
  readonly refusal?: (projectId: number) => Promise<string | undefined>
  /** Takes the event, which belongs to the delivery. May store a part of what the sink holds. */
  readonly take?: (projectId: number, event: AcceptedEvent) => Promise<void> | undefined
}

/** State of a sink during one delivery. */
export interface OpenSink {
  /** Reads an event. Returns what to do with it, the code of its rejection, or `undefined` to leave it alone. */
  readonly read: (event: ArrivedEvent) => Claim | string | undefined
  /** Stores what the sink holds, before the events are stored. If it fails, the client sends the delivery again. */
  readonly flush: () => Promise<void>
}

/** Reasons for which events are rejected, by code: the message for the sender, and the remedy for the developer. */
export type Rejections = Readonly<Record<string, { readonly message: string; readonly remedy: string }>>

/** Effects of a module on events that arrive, besides their row in the table of events. */
export interface IngestSink {
  /** Names of the events that it reads. */
  readonly events: readonly string[]
  /** Opens the sink for a delivery that has such an event. `client`: IP address or network of the sender. */
  readonly open: (client: string) => OpenSink
}

/**
 * Returns the properties that a module adds to each event, or the code of its rejection. `token`: token of the event's project.
 * `event`: its name.
 */
export type Enrich = (properties: Fields, token: string | undefined, event: string) => Fields | string

/** Prepares a module for a delivery of these projects, by token. */
export type Enricher = (projects: ReadonlyMap<string | undefined, number>) => Promise<Enrich>

/** An event that could be stored. */
export interface ReadableEvent {
  readonly event: string
  readonly distinctId: string
  /** ms since the epoch, by the service's clock. */
  readonly timestamp: number
  /** JSON text of an object. */
  readonly properties: string
}

/** Returns the code of the rejection of an event, or `undefined`. */
export type Refuse = (event: ReadableEvent) => Promise<string | undefined>

/** Prepares a module for the events of a project in one delivery. Returns `undefined` if it refuses none. */
export type Refuser = (projectId: number) => Promise<Refuse | undefined>
