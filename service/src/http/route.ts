import type { TSchema } from '@sinclair/typebox'
import type { EndpointDefinitions } from '../endpoints/definitions/endpoint.ts'
import type { OpenApi } from '../endpoints/openapi.ts'
import type { RunEndpoint } from '../endpoints/run.ts'
import type { Running } from '../endpoints/running.ts'
import type { StreamEndpoint } from '../endpoints/stream.ts'
import type { RunGrant, RunTokens } from '../endpoints/tokens/runTokens.ts'
import type { VariableDefinitions } from '../endpoints/variables/definitions.ts'
import type { FlagDefinitions } from '../flags/definitions.ts'
import type { EarlyAccess } from '../flags/earlyAccess.ts'
import type { AnswerFlags } from '../flags/flags.ts'
import type { LocalEvaluation } from '../flags/localEvaluation.ts'
import type { RemoteConfigs } from '../flags/remoteConfig.ts'
import type { Ingest } from '../ingest/ingest.ts'
import type { RefusedEvents } from '../ingest/refusedEvents.ts'
import type { Erase } from '../people/erase.ts'
import type { Persons } from '../people/persons.ts'
import type { Keys } from '../projects/keys.ts'
import type { Projects } from '../projects/projects.ts'
import type { ApiKey, Project } from '../storage/records.ts'
import type { Scope } from './auth.ts'

/** What the routes call; `service.ts` brings them together. */
export interface Rooms {
  readonly ingest: Ingest
  readonly projectByToken: (token: string) => Promise<Project | undefined>
  readonly variables: VariableDefinitions
  readonly endpoints: EndpointDefinitions
  readonly run: RunEndpoint
  readonly stream: StreamEndpoint
  readonly running: Pick<Running, 'cancel'>
  readonly runTokens: RunTokens
  readonly openApi: OpenApi
  readonly flags: FlagDefinitions
  readonly earlyAccess: EarlyAccess
  readonly answerFlags: AnswerFlags
  readonly localEvaluation: LocalEvaluation
  readonly remoteConfigs: RemoteConfigs
  readonly persons: Persons
  readonly erase: Erase
  readonly projects: Projects
  readonly keys: Keys
  readonly refusedEvents: Pick<RefusedEvents, 'list'>
  /** In Prometheus' text format. */
  readonly metrics: () => Promise<string>
  readonly isReady: () => Promise<boolean>
}

/** A request as a handler sees it. */
export interface Call {
  /** Of the path, decoded. */
  readonly params: Readonly<Record<string, string>>
  /** Of the address; the first value of a repeated name. */
  readonly query: Readonly<Record<string, string | undefined>>
  /** All values of a name in the address. */
  readonly queryAll: (name: string) => readonly string[]
  /** Bytes of a `raw` route, a checked value of one with a schema. */
  readonly body: unknown
  /** Of a route under `/api/projects/{id}/`. */
  readonly projectId: number
  /** That asks, of a route that is not public. */
  readonly key: ApiKey
  /** Of a request that carries a run token: what that allows. */
  readonly grant: RunGrant | undefined
  /** Aborted when whoever asks has gone. */
  readonly signal: AbortSignal
  /** Of the request; the first value of a repeated name. */
  readonly headers: Readonly<Record<string, string | undefined>>
  /** ms since the epoch. */
  readonly receivedAt: number
  /** Of whoever asks, before the proxies in between. */
  readonly address: string
}

/** What to answer, beyond a JSON body with status 200. */
export interface Answer {
  readonly status?: number
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: unknown
  /** A file of the SDK to send instead of a body. */
  readonly file?: string
}

export interface Route {
  readonly method: 'GET' | 'POST' | 'PATCH' | 'PUT' | 'DELETE'
  /** Also answers with a final slash. */
  readonly path: string
  /** What it does, for the OpenAPI document. */
  readonly summary?: string
  /** Who may ask: any page of any origin, or a personal API key with this scope. */
  readonly access: 'public' | Scope
  /** Whether a run token will do as well, also from a page of another origin. The path has a `:name`. */
  readonly takesRunTokens?: true
  /** The body: `raw` bytes of whatever encoding, JSON of this schema, or none. */
  readonly body?: 'raw' | TSchema
  readonly handler: (rooms: Rooms, call: Call) => Promise<Answer> | Answer
}
