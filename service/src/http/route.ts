import type { Static, TSchema } from '@sinclair/typebox'
import type { ConsoleSessions } from '../console/sessions.ts'
import type { Dashboards } from '../dashboards/dashboards.ts'
import type { EndpointDefinitions } from '../endpoints/definitions/endpoint.ts'
import type { OpenApi } from '../endpoints/openapi.ts'
import type { RunEndpoint } from '../endpoints/run.ts'
import type { ProgressOf, Running } from '../endpoints/running.ts'
import type { RunHistory } from '../endpoints/runHistory.ts'
import type { StreamEndpoint } from '../endpoints/stream.ts'
import type { RunGrant, RunTokens } from '../endpoints/tokens/runTokens.ts'
import type { VariableDefinitions } from '../endpoints/variables/definitions.ts'
import type { FingerprintRules } from '../errorTracking/fingerprintRules.ts'
import type { Issues } from '../errorTracking/issues.ts'
import type { SourceMaps } from '../errorTracking/sourceMaps.ts'
import type { Definitions } from '../events/definitions.ts'
import type { Events } from '../events/list.ts'
import type { Live } from '../events/live.ts'
import type { FlagDefinitions } from '../flags/definitions.ts'
import type { EarlyAccess } from '../flags/earlyAccess.ts'
import type { FlagsHandler } from '../flags/flags.ts'
import type { LocalEvaluation } from '../flags/localEvaluation.ts'
import type { RemoteConfigs } from '../flags/remoteConfig.ts'
import type { FindFlagMatches } from '../flags/matches.ts'
import type { FlagTester } from '../flags/tester.ts'
import type { Heatmaps } from '../heatmaps/heatmaps.ts'
import type { Ingest } from '../ingest/ingest.ts'
import type { RejectedEvents } from '../ingest/rejectedEvents.ts'
import type { Erase } from '../persons/erase.ts'
import type { Persons } from '../persons/lookup.ts'
import type { Keys } from '../projects/keys.ts'
import type { Projects } from '../projects/projects.ts'
import type { Setup } from '../projects/setup.ts'
import type { IngestRecording } from '../recordings/ingest.ts'
import type { Recordings } from '../recordings/readRecordings.ts'
import type { RemoveRecordings } from '../recordings/removeRecordings.ts'
import type { RecordingSettingsStore } from '../recordings/settings.ts'
import type { ApiKey, Project } from '../storage/metadata/metadata.ts'
import type { ListResponses } from '../surveys/responses.ts'
import type { ReadResults } from '../surveys/results.ts'
import type { Surveys } from '../surveys/surveys.ts'
import type { ToolbarSessions } from '../toolbar/sessions.ts'
import type { Scope } from './auth.ts'
import type { ConsoleAddress } from './console.ts'

/** What the handlers call. `service.ts` provides it. */
export interface Dependencies {
  readonly ingest: Ingest
  readonly projectByToken: (token: string) => Promise<Project | undefined>
  readonly projectById: (id: number) => Promise<Project | undefined>
  readonly variables: VariableDefinitions
  readonly endpoints: EndpointDefinitions
  readonly run: RunEndpoint
  readonly stream: StreamEndpoint
  readonly running: Pick<Running, 'cancel'>
  readonly progressOf: ProgressOf
  readonly runHistory: Pick<RunHistory, 'ofEndpoint' | 'ofProject'>
  readonly runTokens: RunTokens
  readonly openApi: OpenApi
  readonly flags: FlagDefinitions
  readonly testFlag: FlagTester
  readonly findFlagMatches: FindFlagMatches
  readonly earlyAccess: EarlyAccess
  readonly handleFlags: FlagsHandler
  readonly localEvaluation: LocalEvaluation
  readonly remoteConfigs: RemoteConfigs
  readonly surveys: Surveys
  readonly readSurveyResults: ReadResults
  readonly listSurveyResponses: ListResponses
  readonly events: Events
  readonly live: Live
  readonly definitions: Definitions
  readonly ingestRecording: IngestRecording
  readonly recordings: Recordings
  readonly removeRecordings: Pick<RemoveRecordings, 'sessions'>
  readonly recordingSettings: RecordingSettingsStore
  readonly heatmaps: Heatmaps
  readonly issues: Issues
  readonly fingerprintRules: Pick<FingerprintRules, 'get' | 'set'>
  readonly sourceMaps: Pick<SourceMaps, 'get' | 'put'>
  readonly persons: Persons
  readonly erase: Erase
  readonly projects: Projects
  readonly setup: Pick<Setup, 'get'>
  readonly dashboards: Dashboards
  readonly keys: Keys
  readonly rejectedEvents: Pick<RejectedEvents, 'list'>
  /** Finds the script for `/static/<path>`. `undefined` if there is none. */
  readonly statics: (path: string) => RouteResponse | undefined
  readonly console: {
    readonly address: ConsoleAddress
    readonly files: {
      /** Whether the console is built. */
      isBuilt(): boolean
      /** Returns the response for a path below `/console/`. Throws `ApiError` for a missing file. */
      respond(path: string): Promise<RouteResponse>
    }
    readonly sessions: ConsoleSessions
  }
  readonly toolbar: ToolbarSessions
  /** Returns the URL of the console. `undefined`: it answers on no known host. */
  readonly consoleUrl: () => Promise<string | undefined>
  /** Returns the metrics in the text format of Prometheus. */
  readonly metrics: () => Promise<string>
  /** Returns why the service cannot serve requests. Empty if it is ready. */
  readonly readiness: () => Promise<readonly { readonly code: string; readonly detail: string }[]>
}

/** A request as a handler sees it. */
export interface RouteRequest<Body = unknown> {
  /** Decoded parameters of the path. */
  readonly params: Readonly<Record<string, string>>
  /** Query parameters. The first value of a repeated name. */
  readonly query: Readonly<Record<string, string | undefined>>
  /** Returns all values of a query parameter. */
  readonly queryAll: (name: string) => readonly string[]
  /** Bytes for a `raw` route, a validated value for a route with a schema. */
  readonly body: Body
  /** Set on routes under `/api/projects/{id}/`, and on those that need a session of the toolbar. */
  readonly projectId: number
  /** The API key that authenticated the request. Unset on public routes. */
  readonly key: ApiKey
  /** What the run token of the request allows. Absent: the request has none. */
  readonly grant: RunGrant | undefined
  /** Aborted when the client disconnects. */
  readonly signal: AbortSignal
  /** Request headers. The first value of a repeated name. */
  readonly headers: Readonly<Record<string, string | undefined>>
  /** ms since the epoch. */
  readonly receivedAt: number
  /** Client IP, resolved through trusted proxies. */
  readonly ip: string
  /** `http` or `https`, resolved through trusted proxies. */
  readonly protocol: string
}

/** The response to a request. By default, status 200 with a JSON body. */
export interface RouteResponse {
  readonly status?: number
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: unknown
  /** A file to send instead of a body. */
  readonly file?: string
  /** Absolute path of the folder of `file`. Absent: the folder of the SDK. */
  readonly root?: string
}

export type Handler<Body = unknown> = (
  dependencies: Dependencies,
  request: RouteRequest<Body>,
) => Promise<RouteResponse> | RouteResponse

type BodyKind = 'raw' | TSchema | undefined

type BodyOf<Kind extends BodyKind> = Kind extends TSchema
  ? Static<Kind>
  : Kind extends 'raw'
    ? Buffer | undefined
    : undefined

export interface Route<Kind extends BodyKind = BodyKind, Body = never> {
  readonly method: 'GET' | 'POST' | 'PATCH' | 'PUT' | 'DELETE'
  /** Path pattern. Also matches with a trailing slash. */
  readonly path: string
  /** Description for the OpenAPI document. */
  readonly summary?: string
  /**
   * Who may call the route. 'public': pages on any origin. 'console_page': browsers, on the console's hosts. 'console':
   * the page of the console. 'toolbar': the toolbar, on pages on other origins. Otherwise, the scope that the personal
   * API key or the session of the console must have.
   */
  readonly access: 'public' | 'console_page' | 'console' | 'toolbar' | Scope
  /** With access 'toolbar': the scope that the key of the toolbar's session must have. Absent: the route needs no session. */
  readonly toolbarScope?: Scope
  /** Another scope with which a key may call the route. */
  readonly orScope?: Scope
  /** Whether the response has a new key or token. Such a response is never compressed, see `compression.ts`. */
  readonly hasSecret?: true
  /** Whether run tokens are accepted as well, also from pages on other origins. The path has a `:name`. */
  readonly takesRunTokens?: true
  /** Query parameters by name, for the OpenAPI document. Handlers read and check them with `request.ts`. */
  readonly query?: Readonly<Record<string, TSchema>>
  /** Schema of the JSON body of a successful response, for the OpenAPI document. */
  readonly response?: TSchema
  /** Kind of body: `raw` bytes in any encoding, JSON that matches a schema, or none. */
  readonly body?: Kind
  /** Maximum bytes of a raw body. Absent: the limit of a batch of events. */
  readonly maxBytes?: number
  /** Whether the body is part of a recording, which has a separate memory limit from events. */
  readonly isRecording?: true
  readonly handler: Handler<Body>
}

/** A read that several paths share, each with its own access. */
export type SharedRead = Omit<Route<undefined, undefined>, 'path' | 'access'>

/** Types the handler's body by the route's schema. */
export const route = <const Kind extends BodyKind = undefined>(definition: Route<Kind, BodyOf<Kind>>): Route =>
  definition
