import type { BeforeSend, CapturedEvent } from 'trailmark'
import { nearest } from '../../plan/nearest'
import { findViolations } from '../../plan/findViolations'
import { isSent, own, type Plan, type PlanFlag, type Schema, type SchemaObject } from '../../plan/plan'
import {
  isStandardSchema,
  propertyOf,
  type StandardIssue,
  type StandardResult,
  type StandardSchema,
} from './standardSchema'

/** The events of a site: a plan file, or an object with a schema of any library for each event. */
export interface CheckedPlan extends Omit<Plan, 'events'> {
  events: Readonly<Record<string, Schema | StandardSchema>>
}

export interface CheckPlanOptions {
  /** Receives each problem once. Default: a warning in the console. */
  onProblem?: (problem: PlanProblem) => void
}

/** A problem of an event. */
export interface PlanProblem {
  event: string
  /** Name of the property. Empty: the event itself is not in the plan. */
  property: string
  /** Such as `purchase: amount must be number, is string`. */
  message: string
}

const warn = ({ message }: PlanProblem) => console.warn(`[trailmark] ${message}`)

// Problems that are remembered, so that a page that names events by numbers does not fill the memory.
const MAX_KNOWN = 1_000

/** Reports each problem of an event and a property once. */
const createReport = (onProblem: (problem: PlanProblem) => void) => {
  const known = new Set<string>()
  return (event: string, property: string, text: string) => {
    const key = JSON.stringify([event, property])
    if (known.has(key) || known.size >= MAX_KNOWN) return
    known.add(key)
    const subject = [event + ':', ...(property ? [property] : []), text].join(' ')
    onProblem({ event, property, message: subject })
  }
}

/** Returns the properties of an event without those that the SDK adds. */
const ownProperties = ({ properties }: CapturedEvent) =>
  Object.fromEntries(Object.entries(properties).filter(([name]) => !isSent(name)))

/**
 * Returns a function for `before_send` that compares events with a plan and warns of what differs, once per event and property. It
 * changes and drops nothing, and waits for no schema. For development: nothing of it is in a page that does not import it.
 * @example analytics.init('token', { before_send: checkPlan(plan) })
 */
export const checkPlan = (plan: CheckedPlan, { onProblem = warn }: CheckPlanOptions = {}): BeforeSend => {
  const report = createReport(onProblem)
  const names = Object.keys(plan.events)
  const reportUnknown = (event: string) => {
    const meant = nearest(event, names)
    report(event, '', `is not in the plan${meant === undefined ? '' : `. Did you mean "${meant}"?`}`)
  }
  const reportIssues = (event: string, { issues = [] }: StandardResult) =>
    issues.forEach((issue: StandardIssue) => report(event, propertyOf(issue), issue.message))
  const check = (captured: CapturedEvent) => {
    const { event } = captured
    const schema = own(plan.events, event)
    if (schema === undefined) return event.startsWith('$') ? undefined : reportUnknown(event)
    if (!isStandardSchema(schema)) {
      const violations = findViolations(plan, schema, captured.properties)
      return violations.forEach(({ property, message }) => report(event, property || 'properties', message))
    }
    const result = schema['~standard'].validate(ownProperties(captured))
    if (!(result instanceof Promise)) return reportIssues(event, result)
    result
      .then((later) => reportIssues(event, later))
      .catch((error: unknown) => report(event, 'schema', `fails: ${String(error)}`))
  }
  return (event) => {
    try {
      check(event)
    } catch (error) {
      // A mistake in a plan must not lose an event.
      report(event.event, 'schema', `fails: ${String(error)}`)
    }
    return event
  }
}

export type { Plan, PlanFlag, Schema, SchemaObject, StandardIssue, StandardResult, StandardSchema }
