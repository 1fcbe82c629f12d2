import { Type } from '@sinclair/typebox'
import { oneOf } from '../http/schemas.ts'
import { agentTool, type AgentTools } from '../mcp/tool.ts'
import { ISSUE_ORDERS, type Issues } from './issues.ts'
import { ISSUE_STATES, type IssueView } from './views.ts'

const CLOSED = { additionalProperties: false }
const DAY_MS = 24 * 3_600_000
const MAX_ISSUES = 100

const LIST = Type.Object(
  {
    days: Type.Optional(Type.Integer({ minimum: 1, maximum: 365, default: 30 })),
    state: Type.Optional(oneOf(ISSUE_STATES)),
    search: Type.Optional(Type.String({ maxLength: 200, description: 'Part of the type, message, file or function' })),
    order: Type.Optional(oneOf(ISSUE_ORDERS)),
  },
  CLOSED,
)
const SET_STATE = Type.Object({ id: Type.String({ maxLength: 100 }), state: oneOf(ISSUE_STATES) }, CLOSED)

const pathOf = (projectId: number) => `/api/projects/${projectId}/error_tracking/issues`

const shown = ({ id, type, value, culprit, state, first_seen, last_seen, count, people, releases }: IssueView) => ({
  id,
  type,
  value,
  culprit,
  state,
  first_seen,
  last_seen,
  count,
  people,
  releases,
})

/** Returns the tools of exceptions. */
export const errorTools = ({ issues }: { readonly issues: Issues }): AgentTools => {
  const list = agentTool({
    name: 'errors',
    description: 'Issues of exceptions with their events and people in the last "days", latest first.',
    scope: 'error_tracking:read',
    input: LIST,
    run: async ({ days = 30, state, search, order = 'last_seen' }, { projectId, signal }) => {
      const values = { days, ...(state ? { state } : {}), ...(search ? { search } : {}), order, limit: MAX_ISSUES }
      const found = await issues.list(projectId, {
        from: Date.now() - days * DAY_MS,
        state,
        search: search || undefined,
        order,
        limit: MAX_ISSUES,
        offset: 0,
        signal,
      })
      const query = new URLSearchParams(
        Object.entries(values).map(([name, value]): [string, string] => [name, String(value)]),
      )
      return {
        source: { request: `GET ${pathOf(projectId)}?${query.toString()}` },
        results: found.results.map(shown),
        total: found.count,
      }
    },
  })
  const setState = agentTool({
    name: 'set_error_state',
    description: 'Resolves, ignores or reopens an issue. Only on request of the user.',
    scope: 'error_tracking:write',
    isWrite: true,
    input: SET_STATE,
    run: async ({ id, state }, { projectId, signal }) => {
      await issues.setState(projectId, id, state)
      return {
        source: { request: `PATCH ${pathOf(projectId)}/${encodeURIComponent(id)}`, body: { state } },
        results: [shown(await issues.get(projectId, id, Date.now() - 30 * DAY_MS, signal))],
      }
    },
  })
  return () => [list, setState]
}
