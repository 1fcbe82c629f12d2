import type { Endpoint, EndpointVersion, Records, Variable } from '../storage/records.ts'
import { findEndpoint, findVersion } from './definitions/endpoint.ts'
import { toTypeScript } from './typeScript.ts'
import { type JsonSchema, toJsonSchema } from './variables/jsonSchema.ts'

export interface OpenApi {
  /** A document of the active endpoints of a project, or of the one named, in the version asked for or the current one. */
  document(projectId: number, name?: string, version?: number): Promise<JsonSchema>
  /** The same of the active endpoints, as types for `trailmark/endpoints`. */
  types(projectId: number): Promise<string>
}

// What a column's values look like in JSON. Integers beyond 2^53 and numbers that JSON has no sign for come otherwise.
const COLUMN_TYPES: Readonly<Record<string, readonly string[]>> = {
  integer: ['integer', 'string', 'null'],
  float: ['number', 'null'],
  string: ['string', 'null'],
  datetime: ['string', 'null'],
  date: ['string', 'null'],
  boolean: ['boolean', 'integer', 'null'],
  array: ['array', 'null'],
}

const columnSchema = ({ name, type }: { name: string; type: string }): JsonSchema => ({ title: name, ...(COLUMN_TYPES[type] ? { type: COLUMN_TYPES[type] } : {}) })

const isInsight = ({ query }: EndpointVersion) => (query as { kind: string }).kind !== 'HogQLQuery'

const rowsSchema = (version: EndpointVersion): JsonSchema => {
  const { columns } = version
  // Times to convert are the one insight that is no list.
  if (isInsight(version)) return { type: ['array', 'object'] }
  return columns ? { type: 'array', items: { type: 'array', prefixItems: columns.map(columnSchema), minItems: columns.length, maxItems: columns.length } } : { type: 'array' }
}

const variablesSchema = (version: EndpointVersion, definitions: readonly Variable[]): JsonSchema => {
  if (isInsight(version)) return { type: 'object' }
  const { variables = {} } = version.query as { variables?: Record<string, { code_name: string }> }
  const names = Object.values(variables).map(({ code_name: name }) => name)
  const properties = names.flatMap((name) => {
    const definition = definitions.find(({ codeName }) => codeName === name)
    return definition ? [[name, { title: definition.name, ...toJsonSchema(definition) }]] : []
  })
  return { type: 'object', properties: Object.fromEntries(properties), required: names, additionalProperties: false }
}

const COUNT = { type: 'integer', minimum: 1 }

const runOperation = (endpoint: Endpoint, version: EndpointVersion, definitions: readonly Variable[]): JsonSchema => {
  const variables = variablesSchema(version, definitions)
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

/** The parts of a document that all of ours have. */
export const DOCUMENT = {
  openapi: '3.1.0',
  components: {
    securitySchemes: { personalApiKey: { type: 'http', scheme: 'bearer' } },
    responses: { Refusal: { description: 'What was wrong, where, and what would be right.', content: { 'application/json': { schema: { $ref: '#/components/schemas/Refusal' } } } } },
    schemas: {
      Refusal: {
        type: 'object',
        properties: {
          type: { type: 'string' },
          code: { type: 'string', description: 'Stable: programs may rely on it.' },
          detail: { type: 'string' },
          attr: { type: ['string', 'null'], description: 'The field at fault.' },
          errors: { type: 'array', items: { type: 'object', properties: { path: { type: 'string' }, code: { type: 'string' }, message: { type: 'string' } } } },
          request_id: { type: 'string' },
        },
        required: ['type', 'code', 'detail', 'attr', 'request_id'],
      },
    },
  },
} as const

const activeOf = async (records: Pick<Records, 'endpoints'>, projectId: number) => (await records.endpoints.list(projectId)).filter(({ isActive }) => isActive)

export const createOpenApi = (records: Pick<Records, 'endpoints' | 'variables'>): OpenApi => ({
  async types(projectId) {
    const definitions = await records.variables.list(projectId)
    const shapes = await Promise.all(
      (await activeOf(records, projectId)).map(async (endpoint) => {
        const version = await findVersion(records, endpoint, undefined)
        const columns = version.columns?.map((column) => [column.name, columnSchema(column)] as const)
        return { name: endpoint.name, description: endpoint.description, variables: variablesSchema(version, definitions), columns }
      }),
    )
    return toTypeScript(projectId, shapes)
  },
  async document(projectId, name, wanted) {
    const endpoints = name === undefined ? await activeOf(records, projectId) : [await findEndpoint(records, projectId, name)]
    const definitions = await records.variables.list(projectId)
    const paths = await Promise.all(
      endpoints.map(async (endpoint) => {
        const version = await findVersion(records, endpoint, wanted)
        return [`/api/projects/${projectId}/endpoints/${endpoint.name}/run`, { post: runOperation(endpoint, version, definitions) }] as const
      }),
    )
    return { ...DOCUMENT, info: { title: name ?? `Endpoints of project ${projectId}`, version: '1' }, security: [{ personalApiKey: [] }], paths: Object.fromEntries(paths) }
  },
})
