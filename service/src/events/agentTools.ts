import { Type } from '@sinclair/typebox'
import { agentTool, type AgentTools } from '../mcp/tool.ts'
import type { Definitions } from './definitions.ts'

/** Properties whose values identify people. Their example values are hidden from agents that may not see people. */
const IDENTIFYING =
  /^\$(?:set|set_once|unset|ip|device_id|user_id|session_id|window_id|anon_distinct_id)$|^distinct_id$|mail|phone|name$/i

const LIST = Type.Object(
  { search: Type.Optional(Type.String({ maxLength: 200, description: 'Part of the name' })) },
  { additionalProperties: false },
)
const DESCRIBE = Type.Object({ event: Type.String({ maxLength: 1_000 }) }, { additionalProperties: false })

const query = (values: Readonly<Record<string, string>>) => new URLSearchParams(values).toString()

/** Returns the tools that list events and their properties. */
export const eventTools = ({ definitions }: { readonly definitions: Definitions }): AgentTools => {
  const list = agentTool({
    name: 'list_events',
    description: 'Names of events of the last 30 days with their counts, most frequent first.',
    scope: 'query:read',
    input: LIST,
    run: async ({ search = '' }, { projectId, signal }) => {
      const { results, days } = await definitions.events(projectId, signal)
      return {
        source: { request: `GET /api/projects/${projectId}/event_definitions` },
        facts: { days },
        results: results.filter(({ name }) => name.toLowerCase().includes(search.toLowerCase())),
      }
    },
  })
  const describe = agentTool({
    name: 'describe_event',
    description:
      'Properties of an event: type, share of the events that have it, example values. In SQL: properties.name or properties["odd name"].',
    scope: 'query:read',
    input: DESCRIBE,
    run: async ({ event }, { projectId, seesPeople, signal }) => {
      const { results, sampled } = await definitions.properties(projectId, { owner: 'event', event, signal })
      return {
        source: { request: `GET /api/projects/${projectId}/property_definitions?${query({ type: 'event', event })}` },
        facts: { event, sampled },
        results: results.map((each) => (seesPeople || !IDENTIFYING.test(each.name) ? each : { ...each, examples: [] })),
      }
    },
  })
  return () => [list, describe]
}
