import type { Scope } from '../http/auth.ts'
import type { AgentCall, AgentTool, AgentTools, JsonSchema } from './tool.ts'

/** Maximum characters of the list of tools: about 6,000 tokens. */
export const MAX_LIST = 24_000

const WRITE_SCOPE: Scope = 'mcp:write'
const PEOPLE_SCOPE: Scope = 'mcp:people'

/** Scopes of keys that are made for agents. */
export const AGENT_SCOPES: readonly string[] = [WRITE_SCOPE, PEOPLE_SCOPE]

type Scopes = readonly string[]

/**
 * Whether a key was made for agents. A key that can create keys was not: the first key of a service has every scope, but its
 * owner did not decide that agents may change things or see people.
 */
const isForAgents = (scopes: Scopes) => !scopes.includes('personal_api_key:write')

/** Whether agents with a key may change data. */
export const mayWrite = (scopes: Scopes): boolean => scopes.includes(WRITE_SCOPE) && isForAgents(scopes)

/** Whether agents with a key may read data of people. */
export const maySeePeople = (scopes: Scopes): boolean =>
  scopes.includes(PEOPLE_SCOPE) && scopes.includes('person:read') && isForAgents(scopes)

/** Returns the reason why a key may not call a tool. */
export const refusalOf = ({ name, scope, isWrite }: AgentTool, scopes: Scopes): string | undefined => {
  if (!scopes.includes(scope)) return `The tool ${name} requires a key with the scope ${scope}.`
  if (isWrite && !mayWrite(scopes))
    return `The tool ${name} requires a key made for agents that may write: with the scope ${WRITE_SCOPE}, and without personal_api_key:write.`
  return undefined
}

const OUTPUT = {
  type: 'object',
  properties: {
    source: { type: 'object' },
    total: { type: ['integer', 'null'] },
    is_cut: { type: 'boolean' },
    results: { type: 'array' },
  },
  required: ['source', 'results'],
} as const

/** A tool as the protocol describes it. */
export interface ListedTool {
  readonly name: string
  readonly description: string
  readonly inputSchema: JsonSchema & { readonly type: 'object' }
  readonly outputSchema: typeof OUTPUT
  readonly annotations: { readonly readOnlyHint: boolean; readonly openWorldHint: false }
}

/** Returns a tool as the protocol describes it. */
export const toListed = ({ name, description, input, isWrite }: AgentTool): ListedTool => ({
  name,
  description,
  // JSON drops the symbols that the schema library adds.
  inputSchema: JSON.parse(JSON.stringify(input)) as ListedTool['inputSchema'],
  outputSchema: OUTPUT,
  annotations: { readOnlyHint: !isWrite, openWorldHint: false },
})

/** Returns the tools of all modules, in a stable order. */
export const collectTools = async (
  sources: readonly AgentTools[],
  caller: Pick<AgentCall, 'projectId' | 'seesPeople'>,
): Promise<readonly AgentTool[]> => (await Promise.all(sources.map(async (toolsOf) => toolsOf(caller)))).flat()
