import { Type } from '@sinclair/typebox'
import type { Definitions } from '../events/definitions.ts'
import { CLOSED } from '../http/request.ts'
import { routesWith } from '../http/route.ts'
import { orNull, TIME } from '../http/schemas.ts'
import { own } from '../lib/own.ts'
import { MODES, type PlanMode, type Plans, type PlanSetting } from './plans.ts'

/** What the routes use. */
export interface PlanParts {
  readonly plans: Plans
  readonly definitions: Pick<Definitions, 'events'>
}

const route = routesWith<PlanParts>()

const MODE = Type.Unsafe<PlanMode>({
  type: 'string',
  enum: [...MODES],
  description:
    'mark: events outside the plan get the property $plan_violations. refuse: they are refused. off: they are stored as they are',
})
const ANY_PLAN = orNull(
  Type.Record(Type.String(), Type.Unknown(), { description: 'The contents of trailmark.plan.json' }),
)
const SETTING = Type.Object({ mode: MODE, plan: ANY_PLAN }, CLOSED)
const VIEW = Type.Object({
  mode: MODE,
  plan: ANY_PLAN,
  undeclared: Type.Array(Type.Object({ name: Type.String(), count: Type.Integer(), last_seen_at: TIME }), {
    description: 'Stored events of the last 30 days that are not in the plan, most frequent first',
  }),
  unseen: Type.Array(Type.String(), { description: 'Events of the plan that were not stored in the last 30 days' }),
})

const PATH = '/api/projects/:projectId/plan'

const viewOf = async (
  { definitions }: PlanParts,
  { mode, plan }: PlanSetting,
  projectId: number,
  signal: AbortSignal,
) => {
  if (!plan) return { mode, plan, undeclared: [], unseen: [] }
  const { results } = await definitions.events(projectId, signal)
  const seen = new Set(results.map(({ name }) => name))
  return {
    mode,
    plan,
    undeclared: results.filter(({ name }) => !name.startsWith('$') && own(plan.events, name) === undefined),
    unseen: Object.keys(plan.events).filter((name) => !seen.has(name)),
  }
}

/** The plan of a project. */
export const PLAN_ROUTES = [
  route({
    method: 'GET',
    path: PATH,
    access: 'project:read',
    summary: 'Read the plan of events, and which events are not in it',
    response: VIEW,
    handler: async (parts, { projectId, signal }) => ({
      body: await viewOf(parts, await parts.plans.get(projectId), projectId, signal),
    }),
  }),
  route({
    method: 'PUT',
    path: PATH,
    access: 'project:write',
    summary: 'Replace the plan of events. "mode" says what happens to events outside it',
    body: SETTING,
    response: SETTING,
    handler: async ({ plans }, { projectId, body }) => ({ body: await plans.set(projectId, body.mode, body.plan) }),
  }),
]
