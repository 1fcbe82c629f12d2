import { checkInsight, type InsightQuery, planInsight } from '../../../../src/endpoints/insights/insights.ts'
import { createZone } from '../../../../src/endpoints/insights/zone.ts'
import type { InsightAnswer } from '../../../../src/endpoints/insights/insight.ts'
import type { TestEngine } from '../../../sql/support/engine.ts'
import type { SeenEvent } from './reference.ts'

let count = 0

/** Stores events for a project. */
export const store = (engine: TestEngine, projectId: number, events: readonly SeenEvent[]): Promise<void> =>
  engine.insert(
    events.map(({ event, person, session, at, properties }) => {
      count += 1
      return {
        project_id: projectId,
        uuid: `00000000-0000-0000-0000-${String(count).padStart(12, '0')}`,
        event,
        distinct_id: person,
        $session_id: session,
        $window_id: '',
        elements_chain: '',
        timestamp: new Date(at).toISOString().replace('T', ' ').replace('Z', ''),
        properties,
      }
    }),
  )

export interface AskOptions {
  readonly projectId?: number
  readonly variables?: Record<string, unknown>
  readonly zone?: string
  readonly now?: string
}

/** Returns the result of an insight. Only the SQL of its statements separates projects here. */
export const ask = async (
  engine: TestEngine,
  query: object,
  { projectId = 1, variables = {}, zone = 'UTC', now = '2026-01-31T12:00:00Z' }: AskOptions = {},
): Promise<InsightAnswer & { results: any[] }> => {
  const context = { zone: createZone(zone), now: Date.parse(now) }
  checkInsight(query as InsightQuery, context)
  const { statements, shape } = planInsight(query as InsightQuery, { projectId, variables, ...context })
  const answers = []
  for (const statement of statements) answers.push(await engine.rows(statement))
  return shape(answers) as InsightAnswer & { results: any[] }
}
