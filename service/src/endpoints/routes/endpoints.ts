import type { OpenApi } from '../openapi.ts'
import { type Static, Type } from '@sinclair/typebox'
import { FRESHNESS_SECONDS, type EndpointDefinitions } from '../definitions/endpoint.ts'
import type { QueryValues } from '../../http/query.ts'
import { assertNameOfUrl, CLOSED, page } from '../../http/request.ts'
import { type Handler, type RouteRequest, routesWith } from '../../http/route.ts'
import { ANY_OBJECT, pageOf } from '../../http/schemas.ts'
import {
  CHANGED_ENDPOINT,
  ENDPOINT as ENDPOINT_BODY,
  ENDPOINT_OR_VERSION,
  ENDPOINT_VERSION,
  MATERIALIZATION,
  MATERIALIZATION_PREVIEW,
} from './endpointSchemas.ts'

/** What the routes use. */
export interface EndpointParts {
  readonly endpoints: EndpointDefinitions
  readonly openApi: OpenApi
}

const route = routesWith<EndpointParts>()

const VERSION = Type.Optional(Type.Integer({ minimum: 1 }))
const QUERY = Type.Object({ kind: Type.String() })
const FIELDS = {
  description: Type.Optional(Type.String({ maxLength: 10_000 })),
  is_active: Type.Optional(Type.Boolean()),
  is_materialized: Type.Optional(Type.Boolean()),
  date_variables: Type.Optional(Type.Boolean()),
  data_freshness_seconds: Type.Optional(Type.Unsafe<number>({ type: 'integer', enum: [...FRESHNESS_SECONDS] })),
}
const CREATE = Type.Object({ name: Type.String(), query: QUERY, ...FIELDS }, CLOSED)
const CHANGE = Type.Object(
  { name: Type.Optional(Type.String()), query: Type.Optional(QUERY), version: VERSION, ...FIELDS },
  CLOSED,
)
/** Default: the current version. */
const VERSION_PARAM = { version: Type.Integer({ minimum: 1 }) }
const PREVIEW = Type.Object({ version: VERSION }, CLOSED)

/** Returns the version that the body or the query parameter names. */
const versionOf = ({
  body,
  values,
}: RouteRequest<{ version?: number } | undefined, QueryValues<typeof VERSION_PARAM>>): number | undefined =>
  body?.version ?? values.version

const change: Handler<EndpointParts, Static<typeof CHANGE>, typeof VERSION_PARAM> = async ({ endpoints }, request) => {
  const { projectId, params, body } = request
  return { body: await endpoints.update(projectId, params.name!, { ...body, version: versionOf(request) }) }
}

/** Creates the endpoint of this path, or changes it. Sending the same request again has no further effect. */
const put: Handler<EndpointParts, Static<typeof CHANGE>, typeof VERSION_PARAM> = async (parts, request) => {
  const { name, query, ...fields } = request.body
  const { endpoints } = parts
  const { projectId } = request
  const nameOfUrl = request.params.name!
  const isNew = query !== undefined && !(await endpoints.has(projectId, nameOfUrl))
  if (!isNew) return change(parts, request)
  assertNameOfUrl('name', 'endpoint', name, nameOfUrl)
  return { status: 201, body: await endpoints.create(projectId, { ...fields, name: nameOfUrl, query }) }
}

const ENDPOINTS = '/api/projects/:projectId/endpoints'
const ENDPOINT = `${ENDPOINTS}/:name`

const DEFINITION_ROUTES = [
  route({
    method: 'GET',
    path: ENDPOINTS,
    summary: 'List the endpoints',
    access: 'endpoint:read',
    query: { is_active: Type.Boolean() },
    response: pageOf(ENDPOINT_BODY),
    handler: async ({ endpoints }, request) =>
      page(await endpoints.list(request.projectId, { isActive: request.values.is_active })),
  }),
  route({
    method: 'POST',
    path: ENDPOINTS,
    summary: 'Create an endpoint',
    access: 'endpoint:write',
    body: CREATE,
    response: ENDPOINT_BODY,
    handler: async ({ endpoints }, { projectId, body }) => ({
      status: 201,
      body: await endpoints.create(projectId, body),
    }),
  }),
  route({
    method: 'GET',
    path: ENDPOINT,
    summary: 'Read an endpoint or, with ?version=, one of its versions',
    access: 'endpoint:read',
    query: VERSION_PARAM,
    response: ENDPOINT_OR_VERSION,
    handler: async ({ endpoints }, request) => ({
      body: await endpoints.get(request.projectId, request.params.name!, versionOf(request)),
    }),
  }),
  route({
    method: 'PATCH',
    path: ENDPOINT,
    summary: 'Change an endpoint. A changed query becomes its next version',
    access: 'endpoint:write',
    query: VERSION_PARAM,
    body: CHANGE,
    response: CHANGED_ENDPOINT,
    handler: change,
  }),
  route({
    method: 'PUT',
    path: ENDPOINT,
    summary: 'Create an endpoint, or change it. A changed query becomes its next version',
    access: 'endpoint:write',
    query: VERSION_PARAM,
    body: CHANGE,
    response: CHANGED_ENDPOINT,
    handler: put,
  }),
  route({
    method: 'DELETE',
    path: ENDPOINT,
    summary: 'Delete an endpoint',
    access: 'endpoint:write',
    handler: async ({ endpoints }, { projectId, params }) => {
      await endpoints.remove(projectId, params.name!)
      return { status: 204 }
    },
  }),
  route({
    method: 'GET',
    path: `${ENDPOINT}/versions`,
    summary: 'List the versions of an endpoint, newest first',
    access: 'endpoint:read',
    response: pageOf(ENDPOINT_VERSION),
    handler: async ({ endpoints }, { projectId, params }) => page(await endpoints.versions(projectId, params.name!)),
  }),
]

const MATERIALIZATION_ROUTES = [
  route({
    method: 'GET',
    path: `${ENDPOINT}/materialization_status`,
    summary: 'Read whether an endpoint is materialized, its progress, or why it cannot be',
    access: 'endpoint:read',
    query: VERSION_PARAM,
    response: MATERIALIZATION,
    handler: async ({ endpoints }, request) => ({
      body: await endpoints.materialization(request.projectId, request.params.name!, versionOf(request)),
    }),
  }),
  route({
    method: 'POST',
    path: `${ENDPOINT}/materialization_preview`,
    summary: 'Preview what materializing an endpoint would store. Stores nothing',
    access: 'endpoint:read',
    query: VERSION_PARAM,
    body: PREVIEW,
    response: MATERIALIZATION_PREVIEW,
    handler: async ({ endpoints }, request) => ({
      body: await endpoints.materializationPreview(request.projectId, request.params.name!, versionOf(request)),
    }),
  }),
]

const DOCUMENT_ROUTES = [
  route({
    method: 'GET',
    path: `${ENDPOINTS}/openapi.json`,
    summary: 'Read the OpenAPI document for running all active endpoints',
    access: 'endpoint:read',
    response: ANY_OBJECT,
    handler: async ({ openApi }, { projectId }) => ({ body: await openApi.document(projectId) }),
  }),
  route({
    method: 'GET',
    path: `${ENDPOINTS}/types.ts`,
    summary: 'Read TypeScript types for running all active endpoints, for trailmark/endpoints',
    access: 'endpoint:read',
    handler: async ({ openApi }, { projectId }) => ({
      body: await openApi.types(projectId),
      headers: { 'content-type': 'text/plain; charset=utf-8' },
    }),
  }),
  route({
    method: 'GET',
    path: `${ENDPOINT}/openapi.json`,
    summary: 'Read the OpenAPI document for running one endpoint',
    access: 'endpoint:read',
    query: VERSION_PARAM,
    response: ANY_OBJECT,
    handler: async ({ openApi }, request) => ({
      body: await openApi.document(request.projectId, request.params.name, versionOf(request)),
    }),
  }),
]

/** Definitions of endpoints, their materialization, and documents that describe them. */
export const ENDPOINT_ROUTES = [...DEFINITION_ROUTES, ...MATERIALIZATION_ROUTES, ...DOCUMENT_ROUTES]
