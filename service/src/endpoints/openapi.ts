import type { Endpoint, EndpointVersion, Metadata, Variable } from '../storage/metadata/metadata.ts'
import { findEndpoint, findVersion } from './definitions/find.ts'
import { type InsightQuery, isInsight, variablesOf } from './insights/insights.ts'
import { resultSchema } from './resultSchema.ts'
import { toTypeScript } from './typeScript.ts'
import { type JsonSchema, toJsonSchema } from './variables/jsonSchema.ts'
import { own } from '../lib/own.ts'

export interface OpenApi {
  /** Describes the active endpoints of a project, or one endpoint in one version, by default the current one. */
  document(projectId: number, name?: string, version?: number): Promise<JsonSchema>
  /** Returns TypeScript types of the active endpoints, for `trailmark/endpoints`. */
  types(projectId: number): Promise<string>
}

/** Whether runs of a version of an insight may pass dates. */
export type TakesDates = (version: EndpointVersion) => boolean

// The JSON of a column's values. Integers beyond 2^53, and numbers without a JSON form, are different.
const COLUMN_TYPES: Readonly<Record<string, readonly string[]>> = {
  integer: ['integer', 'string', 'null'],
  float: ['number', 'null'],
  string: ['string', 'null'],
  datetime: ['string', 'null'],
  date: ['string', 'null'],
  boolean: ['boolean', 'integer', 'null'],
  array: ['array', 'null'],
}

const columnSchema = ({ name, type }: { name: string; type: string }): JsonSchema => ({
  title: name,
  ...(own(COLUMN_TYPES, type) ? { type: own(COLUMN_TYPES, type) } : {}),
})

const rowsSchema = (version: EndpointVersion): JsonSchema => {
  const { columns } = version
  if (isInsight(version.query)) return resultSchema(version.query)
  return columns
    ? {
        type: 'array',
        items: {
          type: 'array',
          prefixItems: columns.map(columnSchema),
          minItems: columns.length,
          maxItems: columns.length,
        },
      }
    : { type: 'array' }
}

// Values of properties. All are optional.
const insightVariablesSchema = (query: InsightQuery, takesDates: boolean): JsonSchema => ({
  type: 'object',
  properties: Object.fromEntries(
    variablesOf(query, takesDates).map(({ name, isDate }) => [
      name,
      isDate ? { type: 'string' } : { type: ['string', 'number', 'boolean'] },
    ]),
  ),
  required: [],
  additionalProperties: false,
})

/** Returns the JSON Schema of the variables of a version. */
export const variablesSchema = (
  version: EndpointVersion,
  definitions: readonly Variable[],
  takesDates: TakesDates,
): JsonSchema => {
  if (isInsight(version.query)) return insightVariablesSchema(version.query, takesDates(version))
  const { variables = {} } = version.query as { variables?: Record<string, { code_name: string }> }
  const names = Object.values(variables).map(({ code_name: name }) => name)
  const properties = names.flatMap((name) => {
    const definition = definitions.find(({ codeName }) => codeName === name)
    return definition ? [[name, { title: definition.name, ...toJsonSchema(definition) }]] : []
  })
  return { type: 'object', properties: Object.fromEntries(properties), required: names, additionalProperties: false }
}

const COUNT = { type: 'integer', minimum: 1 }

const runOperation = (endpoint: Endpoint, version: EndpointVersion, variables: JsonSchema): JsonSchema => {
  const isRequired = Array.isArray(variables.required) && variables.required.length > 0
  return {
    operationId: endpoint.name,
    ...(endpoint.description ? { description: endpoint.description } : {}),
    requestBody: {
      required: isRequired,
      content: {
        'application/json': {
          schema: {
            type: 'object',
            properties: {
              variables,
              version: { ...COUNT, default: version.version },
              limit: COUNT,
              offset: { type: 'integer', minimum: 0 },
              cursor: { type: 'string' },
              refresh: { type: 'string', enum: ['cache', 'force'] },
              format: { type: 'string', enum: ['json', 'ndjson', 'csv'] },
              debug: { type: 'boolean' },
              client_query_id: { type: 'string', minLength: 1, maxLength: 200 },
            },
            ...(isRequired ? { required: ['variables'] } : {}),
            additionalProperties: false,
          },
        },
      },
    },
    responses: {
      200: {
        description: `The rows of version ${version.version}.`,
        content: {
          'application/json': {
            schema: {
              type: 'object',
              properties: {
                results: rowsSchema(version),
                columns: { type: 'array', items: { type: 'string' } },
                hasMore: { type: 'boolean' },
                next_cursor: { type: ['string', 'null'] },
                endpoint_version: { type: 'integer' },
                is_cached: { type: 'boolean' },
                last_refresh: { type: 'string', format: 'date-time' },
              },
              required: ['results'],
            },
          },
          'application/x-ndjson': {},
          'text/csv': {},
        },
      },
      default: { $ref: '#/components/responses/Refusal' },
    },
  }
}

/** The parts that all documents share. */
export const DOCUMENT = {
  openapi: '3.1.0',
  components: {
    securitySchemes: { personalApiKey: { type: 'http', scheme: 'bearer' } },
    responses: {
      Refusal: {
        description: 'What is wrong, where, and what is expected.',
        content: { 'application/json': { schema: { $ref: '#/components/schemas/Refusal' } } },
      },
    },
    schemas: {
      Refusal: {
        type: 'object',
        properties: {
          type: { type: 'string' },
          code: { type: 'string', description: 'Stable, for programs.' },
          detail: { type: 'string' },
          attr: { type: ['string', 'null'], description: 'The invalid field.' },
          errors: {
            type: 'array',
            items: {
              type: 'object',
              properties: { path: { type: 'string' }, code: { type: 'string' }, message: { type: 'string' } },
            },
          },
          request_id: { type: 'string' },
        },
        required: ['type', 'code', 'detail', 'attr', 'request_id'],
      },
    },
  },
} as const

const activeOf = async (metadata: Pick<Metadata, 'endpoints'>, projectId: number) =>
  (await metadata.endpoints.list(projectId)).filter(({ isActive }) => isActive)

/**
 * Creates the OpenAPI documents and TypeScript types of endpoints. `takesDates`: whether runs of a version of an
 * insight may pass dates.
 */
export const createOpenApi = (
  metadata: Pick<Metadata, 'endpoints' | 'variables'>,
  takesDates: TakesDates,
): OpenApi => ({
  async types(projectId) {
    const definitions = await metadata.variables.list(projectId)
    const shapes = await Promise.all(
      (await activeOf(metadata, projectId)).map(async (endpoint) => {
        const version = await findVersion(metadata, endpoint, undefined)
        const results = isInsight(version.query) ? resultSchema(version.query) : undefined
        const columns = version.columns?.map((column) => [column.name, columnSchema(column)] as const)
        return {
          name: endpoint.name,
          description: endpoint.description,
          variables: variablesSchema(version, definitions, takesDates),
          columns,
          ...(results?.items ? { item: results.items as JsonSchema } : {}),
        }
      }),
    )
    return toTypeScript(projectId, shapes)
  },
  async document(projectId, name, wanted) {
    const endpoints =
      name === undefined ? await activeOf(metadata, projectId) : [await findEndpoint(metadata, projectId, name)]
    const definitions = await metadata.variables.list(projectId)
    const paths = await Promise.all(
      endpoints.map(async (endpoint) => {
        const version = await findVersion(metadata, endpoint, wanted)
        return [
          `/api/projects/${projectId}/endpoints/${endpoint.name}/run`,
          { post: runOperation(endpoint, version, variablesSchema(version, definitions, takesDates)) },
        ] as const
      }),
    )
    return {
      ...DOCUMENT,
      info: { title: name ?? `Endpoints of project ${projectId}`, version: '1' },
      security: [{ personalApiKey: [] }],
      paths: Object.fromEntries(paths),
    }
  },
})
