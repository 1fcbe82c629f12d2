import type { Static, TSchema } from '@sinclair/typebox'
import type { RunGrant } from '../endpoints/tokens/runTokens.ts'
import type { ApiKey } from '../storage/metadata/metadata.ts'
import type { Scope } from './auth.ts'
import type { QuerySchemas, QueryValues } from './query.ts'

/** A request as a handler sees it. */
export interface RouteRequest<Body = unknown, Values = unknown> {
  /** Decoded parameters of the path. */
  readonly params: Readonly<Record<string, string>>
  /** The query parameters of the route's schema, validated. */
  readonly values: Values
  /** Query parameters as they were sent. The first value of a repeated name. */
  readonly query: Readonly<Record<string, string | undefined>>
  /** Returns all values of a query parameter. */
  readonly queryAll: (name: string) => readonly string[]
  /** Bytes for a `raw` route, a validated value for a route with a schema. */
  readonly body: Body
  /** Set on routes under `/api/projects/{id}/`, and on those that need a session of the toolbar. */
  readonly projectId: number
  /** The API key that authenticated the request. Unset on public routes. */
  readonly key: ApiKey
  /** Rights of the request's run token. Absent: the request has no run token. */
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

/** Responds to a request. `parts`: what the module of the route has created. */
export type Handler<Parts, Body = unknown, Query extends QuerySchemas = QuerySchemas> = (
  parts: Parts,
  request: RouteRequest<Body, QueryValues<Query>>,
) => Promise<RouteResponse> | RouteResponse

type BodyKind = 'raw' | TSchema | undefined

type BodyOf<Kind extends BodyKind> = Kind extends TSchema
  ? Static<Kind>
  : Kind extends 'raw'
    ? Buffer | undefined
    : undefined

/** A route whose handler uses `Parts`. */
export interface Route<Parts = never, Kind extends BodyKind = BodyKind, Body = never, Values = never> {
  readonly method: 'GET' | 'POST' | 'PATCH' | 'PUT' | 'DELETE'
  /** Path pattern. Also matches with a trailing slash. */
  readonly path: string
  /** Description for the OpenAPI document. */
  readonly summary?: string
  /**
   * Who may call the route. 'public': pages on any origin. 'console_page': browsers, on the console's hosts. 'console':
   * the page of the console. 'viewer': the page of a share. 'toolbar': the toolbar, on pages on other origins. 'agent': programs with a personal API key of any
   * scopes, on the console's hosts. Otherwise, the scope that the personal API key or the session of the console must have.
   */
  readonly access: 'public' | 'console_page' | 'console' | 'viewer' | 'toolbar' | 'agent' | Scope
  /** With access 'toolbar': the scope that the key of the toolbar's session must have. Absent: the route needs no session. */
  readonly toolbarScope?: Scope
  /** Another scope with which a key may call the route. */
  readonly orScope?: Scope
  /** Whether the response has a new key or token. Such a response is never compressed, see `compression.ts`. */
  readonly hasSecret?: true
  /** Whether run tokens are accepted as well, also from pages on other origins. The path has a `:name`. */
  readonly takesRunTokens?: true
  /** Schemas of the query parameters. They are validated on routes with a key or a session. */
  readonly query?: QuerySchemas
  /** Whether the handler reads the query itself, because a body may have the same fields. */
  readonly readsQuery?: true
  /** Schema of the JSON body of a successful response, for the OpenAPI document. */
  readonly response?: TSchema
  /** Kind of body: `raw` bytes in any encoding, JSON that matches a schema, or none. */
  readonly body?: Kind
  /** Maximum bytes of a raw body. Absent: the limit of a batch of events. */
  readonly maxBytes?: number
  /** Whether the body is part of a recording, which has a separate memory limit from events. */
  readonly isRecording?: true
  readonly handler: (parts: Parts, request: RouteRequest<Body, Values>) => Promise<RouteResponse> | RouteResponse
}

/** A route with the parts of its module, as the server calls it. */
export interface ServedRoute extends Omit<Route, 'handler'> {
  readonly handler: (request: RouteRequest<never, never>) => Promise<RouteResponse> | RouteResponse
}

/** A read route with several paths, each with a separate access. */
export type SharedRead<Parts> = Omit<Route<Parts, undefined, undefined>, 'path' | 'access'>

/** Returns the function that defines routes whose handlers use `Parts`. It types body and query by the schemas of the route. */
export const routesWith =
  <Parts>() =>
  <const Kind extends BodyKind = undefined, const Query extends QuerySchemas = Record<never, never>>(
    definition: Route<Parts, Kind, BodyOf<Kind>, QueryValues<Query>> & { readonly query?: Query },
  ): Route<Parts> =>
    definition

/** Returns the function that defines read routes with several paths. */
export const sharedReadsWith =
  <Parts>() =>
  <const Query extends QuerySchemas>(
    definition: Omit<Route<Parts, undefined, undefined, QueryValues<Query>>, 'path' | 'access'> & {
      readonly query: Query
    },
  ): SharedRead<Parts> =>
    definition
