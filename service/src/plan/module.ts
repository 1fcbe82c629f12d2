import { EVENTS } from '../events/module.ts'
import type { Enricher } from '../ingest/sink.ts'
import type { Module } from '../module.ts'
import { NOT_IN_PLAN } from './compile.ts'
import { type ActivePlan, createPlans, type Plans } from './plans.ts'
import { PLAN_ROUTES, type PlanParts } from './routes.ts'

const EVENT = 'event_not_in_plan'
const PROPERTIES = 'properties_not_in_plan'
/** Property that describes how an event violates the plan. Only the service sets it. */
export const VIOLATIONS = '$plan_violations'

const enrichWith =
  (plans: Plans): Enricher =>
  async (projects) => {
    const active = new Map<string | undefined, ActivePlan>()
    for (const [token, projectId] of projects) {
      const plan = await plans.active(projectId)
      if (plan) active.set(token, plan)
    }
    return (properties, token, event) => {
      const plan = active.get(token)
      const violations = plan?.find(event, properties) ?? []
      if (!plan || !violations.length) return VIOLATIONS in properties ? { [VIOLATIONS]: undefined } : {}
      if (plan.mode === 'mark') return { [VIOLATIONS]: violations }
      // The sample of the rejected event describes the violation.
      Object.assign(properties, { [VIOLATIONS]: violations })
      return violations[0] === NOT_IN_PLAN ? EVENT : PROPERTIES
    }
  }

/**
 * The plan of a project: JSON Schemas of its events. Events that differ get the property `$plan_violations`, or are refused. The
 * names that are not in the plan come from the definitions of events, so nothing is stored for them.
 */
export const PLAN: Module<PlanParts> = {
  create: ({ metadata, use }) => ({ plans: createPlans(metadata), definitions: use(EVENTS).definitions }),
  routes: PLAN_ROUTES,
  rejections: {
    [EVENT]: {
      message: "The event is not in the project's plan.",
      remedy: 'Correct the name of the event, or add it to the plan in the project settings.',
    },
    [PROPERTIES]: {
      message: "The properties of the event differ from the project's plan.",
      remedy: `Correct the properties that "${VIOLATIONS}" of the sample names, or change the plan in the project settings.`,
    },
  },
  enricher: ({ plans }) => enrichWith(plans),
}
