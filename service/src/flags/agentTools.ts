import { Type } from '@sinclair/typebox'
import { ApiError } from '../lib/apiError.ts'
import { agentTool, type AgentTools } from '../mcp/tool.ts'
import type { FlagDefinitions } from './definitions.ts'

const CLOSED = { additionalProperties: false }

const LIST = Type.Object({ key: Type.Optional(Type.String({ maxLength: 400 })) }, CLOSED)
const SWITCH = Type.Object({ key: Type.String({ maxLength: 400 }), active: Type.Boolean() }, CLOSED)

const pathOf = (projectId: number) => `/api/projects/${projectId}/feature_flags`

const shown = ({ id, key, name, active, filters, version, updated_at }: Readonly<Record<string, unknown>>) => ({
  id,
  key,
  name,
  active,
  filters,
  version,
  updated_at,
})

/** Returns the tools of feature flags. */
export const flagTools = ({ flags }: { readonly flags: FlagDefinitions }): AgentTools => {
  const list = agentTool({
    name: 'flags',
    description: 'Feature flags with their conditions and variants. With "key": only that flag.',
    scope: 'feature_flag:read',
    input: LIST,
    run: async ({ key }, { projectId }) => ({
      source: { request: `GET ${pathOf(projectId)}` },
      results: (await flags.list(projectId)).filter((flag) => key === undefined || flag.key === key).map(shown),
    }),
  })
  const turn = agentTool({
    name: 'set_flag_active',
    description: 'Turns a feature flag on or off. Asks for nothing: only on request of the user.',
    scope: 'feature_flag:write',
    isWrite: true,
    input: SWITCH,
    run: async ({ key, active }, { projectId }) => {
      const flag = (await flags.list(projectId)).find((each) => each.key === key)
      if (!flag) throw new ApiError('not_found', { detail: 'This project has no feature flag with this key.' })
      const changed = await flags.update(projectId, Number(flag.id), { active })
      return {
        source: { request: `PATCH ${pathOf(projectId)}/${String(flag.id)}`, body: { active } },
        results: [shown(changed)],
      }
    },
  })
  return () => [list, turn]
}
