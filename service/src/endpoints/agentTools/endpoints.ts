import { Type } from '@sinclair/typebox'
import { ApiError } from '../../lib/apiError.ts'
import { cleanText } from '../../mcp/cleanText.ts'
import { agentTool, type AgentCall, type AgentTool, type JsonSchema } from '../../mcp/tool.ts'
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
const SCOPE = 'endpoint:read'

export interface EndpointToolParts {
  readonly run: RunEndpoint
  readonly metadata: Pick<Metadata, 'endpoints' | 'variables'>
  readonly takesDates: TakesDates
}

type Caller = Pick<AgentCall, 'projectId' | 'seesPeople'>

/** An endpoint that agents are allowed to run. */
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

/** Returns the active endpoints of a project, by name. */
const activeIn = async ({ metadata }: EndpointToolParts, projectId: number): Promise<readonly Endpoint[]> =>
  (await metadata.endpoints.list(projectId))
    .filter(({ isActive }) => isActive)
    .sort((a, b) => (a.name < b.name ? -1 : 1))

/** Returns those of the endpoints that the agent may run. */
const runnablesOf = async (
  { metadata, takesDates }: EndpointToolParts,
  { projectId, seesPeople }: Caller,
  endpoints: readonly Endpoint[],
): Promise<readonly Runnable[]> => {
  const variables = await metadata.variables.list(projectId)
  const found = await Promise.all(
    endpoints.map(async (endpoint) => ({ endpoint, version: await findVersion(metadata, endpoint) })),
  )
  return found
    .filter(
      ({ version: { isActive, query } }) =>
        isActive && (seesPeople || exposureOf(query as SqlQuery | InsightQuery) === undefined),
    )
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
  cleanText(description.replace(/\s+/g, ' ').trim() || `Runs the endpoint ${name}.`)

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

/** Returns one tool for all endpoints, and one that lists them. They read versions of endpoints when they are called. */
const toolsForMany = (parts: EndpointToolParts): readonly AgentTool[] => [
  agentTool({
    name: 'list_endpoints',
    description: 'Names, descriptions and variables of the endpoints that run_endpoint runs.',
    scope: SCOPE,
    input: LIST,
    run: async ({ search = '' }, call) => {
      const wanted = (await activeIn(parts, call.projectId)).filter(({ name, description }) =>
        `${name} ${description}`.toLowerCase().includes(search.toLowerCase()),
      )
      return {
        source: { request: `GET /api/projects/${call.projectId}/endpoints` },
        results: (await runnablesOf(parts, call, wanted)).map((each) => ({
          name: each.endpoint.name,
          description: describe(each),
          variables: each.input,
        })),
      }
    },
  }),
  agentTool({
    name: 'run_endpoint',
    description: 'Runs an endpoint of list_endpoints with its variables.',
    scope: SCOPE,
    input: RUN_ANY,
    run: async ({ name, variables = {} }, call) => {
      const wanted = (await activeIn(parts, call.projectId)).filter((each) => each.name === name)
      const [found] = await runnablesOf(parts, call, wanted)
      if (!found)
        throw new ApiError('not_found', {
          attr: 'name',
          detail: 'There is no such endpoint. list_endpoints has the names.',
        })
      return runWith(parts.run, found)(variables, call)
    },
  }),
]

const toTool = (run: RunEndpoint, runnable: Runnable): AgentTool => ({
  name: `${PREFIX}${runnable.endpoint.name}`,
  description: describe(runnable),
  scope: SCOPE,
  input: runnable.input,
  run: runWith(run, runnable),
})

/** Returns a tool for each endpoint of a project, or one for all if they are too many. */
export const endpointTools = async (parts: EndpointToolParts, caller: Caller): Promise<readonly AgentTool[]> => {
  const active = await activeIn(parts, caller.projectId)
  if (active.length > MAX_TOOLS) return toolsForMany(parts)
  const tools = (await runnablesOf(parts, caller, active)).map((each) => toTool(parts.run, each))
  const isListable =
    tools.every(({ name }) => name.length <= MAX_NAME) && JSON.stringify(tools.map(toListed)).length <= MAX_LISTED
  return isListable ? tools : toolsForMany(parts)
}
