import { Type } from '@sinclair/typebox'
import { ApiError } from '../../lib/apiError.ts'
import { own } from '../../lib/own.ts'
import { agentTool, type AgentTool, type JsonSchema } from '../../mcp/tool.ts'
import { toListed } from '../../mcp/toolList.ts'
import type { Endpoint, EndpointVersion, Metadata, Variable } from '../../storage/metadata/metadata.ts'
import type { SqlQuery } from '../definitions/check.ts'
import { findVersion } from '../definitions/find.ts'
import { type InsightQuery, isInsight } from '../insights/insights.ts'
import type { TakesDates } from '../openapi.ts'
import { variablesSchema } from '../openapi.ts'
import type { RunEndpoint } from '../run.ts'
import { exposureOf } from './people.ts'
import { answerOfRun } from './runAnswer.ts'

/** Projects with more endpoints get one tool for all of them. */
const MAX_TOOLS = 40
/** Maximum characters of these tools in a list. */
const MAX_LISTED = 15_000
const PREFIX = 'run_endpoint_'
const MAX_NAME = 128
const MAX_DESCRIPTION = 200
const SCOPE = 'endpoint:read'

export interface EndpointToolParts {
  readonly run: RunEndpoint
  readonly metadata: Pick<Metadata, 'endpoints' | 'variables'>
  readonly takesDates: TakesDates
}

/** An endpoint that agents may run. */
interface Runnable {
  readonly endpoint: Endpoint
  readonly version: EndpointVersion
  /** JSON Schema of its variables. Those with a default are optional. */
  readonly input: JsonSchema
}

const hasDefault = ({ defaultValue }: Variable) =>
  defaultValue !== undefined && defaultValue !== null && defaultValue !== ''

/** Adds the defaults of variables to their schema. */
const withDefaults = (schema: JsonSchema, variables: readonly Variable[]): JsonSchema => {
  const defaults = new Map(variables.filter(hasDefault).map(({ codeName, defaultValue }) => [codeName, defaultValue]))
  return {
    ...schema,
    properties: Object.fromEntries(
      Object.entries(schema.properties as Readonly<Record<string, JsonSchema>>).map(
        ([name, { title, maxLength: _maxLength, ...rules }]) => [
          name,
          {
            ...rules,
            ...(title ? { description: title } : {}),
            ...(defaults.has(name) ? { default: defaults.get(name) } : {}),
          },
        ],
      ),
    ),
    required: (schema.required as readonly string[]).filter((name) => !defaults.has(name)),
  }
}

const runnablesOf = async (
  { metadata, takesDates }: EndpointToolParts,
  projectId: number,
  seesPeople: boolean,
): Promise<Runnable[]> => {
  const variables = await metadata.variables.list(projectId)
  const active = (await metadata.endpoints.list(projectId)).filter(({ isActive }) => isActive)
  const found = await Promise.all(
    active.map(async (endpoint) => ({ endpoint, version: await findVersion(metadata, endpoint) })),
  )
  return found
    .filter(
      ({ version: { isActive, query } }) =>
        isActive && (seesPeople || exposureOf(query as SqlQuery | InsightQuery) === undefined),
    )
    .sort((a, b) => (a.endpoint.name < b.endpoint.name ? -1 : 1))
    .map(({ endpoint, version }) => {
      const schema = variablesSchema(version, variables, takesDates)
      return { endpoint, version, input: isInsight(version.query) ? schema : withDefaults(schema, variables) }
    })
}

const valuesOf = ({ properties }: JsonSchema, given: Readonly<Record<string, unknown>>) => {
  const defaults = Object.entries(properties as Readonly<Record<string, JsonSchema>>).flatMap(([name, rules]) =>
    'default' in rules ? [[name, rules.default] as const] : [],
  )
  return { ...Object.fromEntries(defaults), ...given }
}

const describe = ({ endpoint: { name, description } }: Runnable) =>
  (description.replace(/\s+/g, ' ').trim() || `Runs the endpoint ${name}.`).slice(0, MAX_DESCRIPTION)

const runWith =
  (run: RunEndpoint, { endpoint: { name }, version: { version, query }, input }: Runnable): AgentTool['run'] =>
  (args, call) => {
    const variables = valuesOf(input, args)
    return answerOfRun(
      run,
      {
        source: { request: `POST /api/projects/${call.projectId}/endpoints/${name}/run`, body: { version, variables } },
        request: { endpoint: name, version },
        variables,
        ...(isInsight(query) ? {} : { sql: (query as SqlQuery).query }),
      },
      call,
    )
  }

const RUN_ANY = Type.Object(
  { name: Type.String({ maxLength: MAX_NAME }), variables: Type.Optional(Type.Record(Type.String(), Type.Unknown())) },
  { additionalProperties: false },
)
const LIST = Type.Object(
  { search: Type.Optional(Type.String({ maxLength: 200, description: 'Part of the name or description' })) },
  { additionalProperties: false },
)

/** Returns one tool for all endpoints, and one that lists them. */
const toolsForMany = (run: RunEndpoint, runnables: readonly Runnable[]): readonly AgentTool[] => {
  const byName = Object.fromEntries(runnables.map((each) => [each.endpoint.name, each]))
  return [
    agentTool({
      name: 'list_endpoints',
      description: `Names, descriptions and variables of the ${runnables.length} endpoints that run_endpoint runs.`,
      scope: SCOPE,
      input: LIST,
      run: async ({ search = '' }, { projectId }) => ({
        source: { request: `GET /api/projects/${projectId}/endpoints` },
        results: runnables
          .map((each) => ({ name: each.endpoint.name, description: describe(each), variables: each.input }))
          .filter(({ name, description }) => `${name} ${description}`.toLowerCase().includes(search.toLowerCase())),
      }),
    }),
    agentTool({
      name: 'run_endpoint',
      description: 'Runs an endpoint of list_endpoints with its variables.',
      scope: SCOPE,
      input: RUN_ANY,
      run: async ({ name, variables = {} }, call) => {
        const found = own(byName, name)
        if (!found)
          throw new ApiError('not_found', {
            attr: 'name',
            detail: 'There is no such endpoint. list_endpoints has the names.',
          })
        return runWith(run, found)(variables, call)
      },
    }),
  ]
}

const toTool = (run: RunEndpoint, runnable: Runnable): AgentTool => ({
  name: `${PREFIX}${runnable.endpoint.name}`,
  description: describe(runnable),
  scope: SCOPE,
  input: runnable.input,
  run: runWith(run, runnable),
})

/** Returns a tool for each endpoint of a project, or one for all if they are too many. */
export const endpointTools = async (
  parts: EndpointToolParts,
  projectId: number,
  seesPeople: boolean,
): Promise<readonly AgentTool[]> => {
  const runnables = await runnablesOf(parts, projectId, seesPeople)
  const tools = runnables.slice(0, MAX_TOOLS).map((each) => toTool(parts.run, each))
  const isFew =
    runnables.length <= MAX_TOOLS &&
    tools.every(({ name }) => name.length <= MAX_NAME) &&
    JSON.stringify(tools.map(toListed)).length <= MAX_LISTED
  return isFew ? tools : toolsForMany(parts.run, runnables)
}
