import type { AgentTools } from '../mcp/tool.ts'
import { endpointTools, type EndpointToolParts } from './agentTools/endpoints.ts'
import { queryTools } from './agentTools/queries.ts'

/** Returns the tools that run queries and endpoints. */
export const runTools = (parts: EndpointToolParts): AgentTools => {
  const queries = queryTools(parts.run)
  return async (caller) => [...queries, ...(await endpointTools(parts, caller))]
}
