import { Type } from '@sinclair/typebox'
import { agentTool, type AgentCall, type AgentTool } from '../../mcp/tool.ts'
import type { SqlQuery } from '../definitions/check.ts'
import type { InsightQuery } from '../insights/insights.ts'
import type { RunEndpoint } from '../run.ts'
import { assertNoPeople } from './people.ts'
import { answerOfRun } from './runAnswer.ts'

const CLOSED = { additionalProperties: false }
const MAX_SQL = 8_000

const Event = Type.String({ minLength: 1, maxLength: 1_000 })
const RANGE = {
  date_from: Type.Optional(Type.String({ maxLength: 40, description: '-7d, -3m, 2026-01-31' })),
  date_to: Type.Optional(Type.String({ maxLength: 40 })),
}
const FILTERED = {
  ...RANGE,
  filters: Type.Optional(
    Type.Array(Type.Unknown(), {
      maxItems: 20,
      description: '{"key","operator":"exact|icontains|gt|is_set|…","value"}',
    }),
  ),
  breakdown: Type.Optional(Type.String({ maxLength: 1_000, description: 'Property of the event' })),
}

const TRENDS = Type.Object(
  {
    events: Type.Array(Event, { minItems: 1, maxItems: 10 }),
    math: Type.Optional(
      Type.String({ description: 'total, dau (people), weekly_active, sum, avg, min, max, median, p90, p95, p99' }),
    ),
    math_property: Type.Optional(Type.String()),
    interval: Type.Optional(Type.String({ description: 'hour, day, week, month' })),
    ...FILTERED,
  },
  CLOSED,
)
const FUNNEL = Type.Object(
  {
    steps: Type.Array(Event, { minItems: 2, maxItems: 20 }),
    within_days: Type.Optional(Type.Integer({ minimum: 1, maximum: 365 })),
    ...FILTERED,
  },
  CLOSED,
)
const RETENTION = Type.Object(
  {
    event: Event,
    returning_event: Type.Optional(Event),
    period: Type.Optional(Type.String({ description: 'Hour, Day, Week, Month' })),
    periods: Type.Optional(Type.Integer({ minimum: 1, maximum: 60 })),
    date_to: RANGE.date_to,
  },
  CLOSED,
)
const PEOPLE = Type.Object(
  { event: Type.Optional(Event), date_from: RANGE.date_from, date_to: RANGE.date_to, breakdown: FILTERED.breakdown },
  CLOSED,
)
const SQL = Type.Object({ sql: Type.String({ minLength: 1, maxLength: MAX_SQL }) }, CLOSED)

interface Range {
  readonly date_from?: string
  readonly date_to?: string
}

interface Filtered extends Range {
  readonly filters?: readonly unknown[]
  readonly breakdown?: string
}

const rangeOf = ({ date_from, date_to }: Range) => ({
  dateRange: { ...(date_from ? { date_from } : {}), ...(date_to ? { date_to } : {}) },
})

const filteredOf = (args: Filtered) => ({
  ...rangeOf(args),
  ...(args.filters ? { properties: args.filters } : {}),
  ...(args.breakdown ? { breakdownFilter: { breakdown: args.breakdown, breakdown_type: 'event' } } : {}),
})

const node = (event: string | null, more: object = {}) => ({ kind: 'EventsNode', event, ...more })

/** Returns the tools that run queries: SQL, insights, and counts of people. */
export const queryTools = (run: RunEndpoint): readonly AgentTool[] => {
  const runQuery = (query: Readonly<Record<string, unknown>>, call: AgentCall, sql?: string) => {
    if (!call.seesPeople) assertNoPeople(query as unknown as SqlQuery | InsightQuery)
    return answerOfRun(
      run,
      {
        source: { request: `POST /api/projects/${call.projectId}/query`, body: { query } },
        request: { query },
        variables: {},
        ...(sql === undefined ? {} : { sql }),
      },
      call,
    )
  }
  const scope = 'query:read'
  return [
    agentTool({
      name: 'query',
      description:
        'Runs one SELECT (ClickHouse dialect) on events(uuid, event, timestamp, properties.x, distinct_id, person_id, $session_id) and sessions. Count people with uniq(person_id). Filter by timestamp and use LIMIT.',
      scope,
      input: SQL,
      run: ({ sql }, call) => runQuery({ kind: 'HogQLQuery', query: sql }, call, sql),
    }),
    agentTool({
      name: 'trends',
      description: 'Counts of events or people over time, one line per event and value of the breakdown.',
      scope,
      input: TRENDS,
      run: ({ events, math, math_property, interval, ...filtered }, call) =>
        runQuery(
          {
            kind: 'TrendsQuery',
            series: events.map((event) =>
              node(event, { ...(math ? { math } : {}), ...(math_property ? { math_property } : {}) }),
            ),
            ...(interval ? { interval } : {}),
            ...filteredOf(filtered),
          },
          call,
        ),
    }),
    agentTool({
      name: 'funnel',
      description: 'How many people do the events one after the other, and how long it takes them.',
      scope,
      input: FUNNEL,
      run: ({ steps, within_days, ...filtered }, call) =>
        runQuery(
          {
            kind: 'FunnelsQuery',
            series: steps.map((event) => node(event)),
            ...(within_days
              ? { funnelsFilter: { funnelWindowInterval: within_days, funnelWindowIntervalUnit: 'day' } }
              : {}),
            ...filteredOf(filtered),
          },
          call,
        ),
    }),
    agentTool({
      name: 'retention',
      description: 'How many people who did an event come back in later periods.',
      scope,
      input: RETENTION,
      run: ({ event, returning_event = event, period, periods, date_to }, call) =>
        runQuery(
          {
            kind: 'RetentionQuery',
            dateRange: date_to ? { date_to } : {},
            retentionFilter: {
              targetEntity: { id: event },
              returningEntity: { id: returning_event },
              ...(period ? { period } : {}),
              ...(periods ? { totalIntervals: periods } : {}),
            },
          },
          call,
        ),
    }),
    agentTool({
      name: 'count_people',
      description: 'Number of different people with an event, or with any, in a period.',
      scope,
      input: PEOPLE,
      run: ({ event, ...filtered }, call) =>
        runQuery(
          {
            kind: 'TrendsQuery',
            series: [node(event ?? null, { math: 'dau' })],
            trendsFilter: { display: 'BoldNumber' },
            ...filteredOf(filtered),
          },
          call,
        ),
    }),
  ]
}
