import { findViolations } from './findViolations'
import { nearest } from './nearest'
import { own, type Plan } from './plan'

/** A problem of one or more events. Problems are in the order of their first event. */
export interface Problem {
  event: string
  /** Description of the problem, such as "amount must be number, is string". */
  message: string
  /** Number of events with the problem. */
  count: number
  /** Place of the first event with the problem. Empty if no event was seen. */
  first: string
}

/** Returns the problems of an event. Events of the SDK, which begin with `$`, need no plan. */
export const problemsOf = (plan: Plan, event: string, properties: unknown): string[] => {
  const schema = own(plan.events, event)
  if (schema !== undefined)
    return findViolations(plan, schema, properties).map(
      ({ property, message }) => `${property || 'properties'} ${message}`,
    )
  if (event.startsWith('$')) return []
  const meant = nearest(event, Object.keys(plan.events))
  return [`is not in the plan${meant === undefined ? '' : `. Did you mean "${meant}"?`}`]
}

/** Checks events one by one, and counts their problems. */
export const createCheck = (plan: Plan) => {
  const problems = new Map<string, Problem>()
  const seen = new Set<string>()
  return {
    add(event: string, properties: unknown, position: string): void {
      seen.add(event)
      for (const message of problemsOf(plan, event, properties)) {
        const key = JSON.stringify([event, message])
        const known = problems.get(key)
        if (known) known.count += 1
        else problems.set(key, { event, message, count: 1, first: position })
      }
    },
    /** Returns the problems so far, and the events of the plan that were not seen. */
    results: (): Problem[] => [
      ...problems.values(),
      ...Object.keys(plan.events)
        .filter((event) => !seen.has(event))
        .map((event) => ({ event, message: 'is in the plan, but was never seen', count: 0, first: '' })),
    ],
  }
}
