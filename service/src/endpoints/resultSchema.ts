import { own } from '../lib/own.ts'
import type { JsonSchema } from './variables/jsonSchema.ts'
import type { InsightQuery } from './insights/insights.ts'
import { breakdownsOf } from './insights/shared.ts'

const INTEGER = { type: 'integer' }
const NUMBER = { type: 'number' }
const TEXT = { type: 'string' }
const NUMBER_OR_NULL = { type: ['number', 'null'] }
const TEXT_OR_NULL = { type: ['string', 'null'] }
const listOf = (items: JsonSchema): JsonSchema => ({ type: 'array', items })
const objectOf = (
  properties: Readonly<Record<string, JsonSchema>>,
  optional: Readonly<Record<string, JsonSchema>> = {},
) => ({
  type: 'object',
  properties: { ...properties, ...optional },
  required: Object.keys(properties),
})

const TEXTS = listOf(TEXT)
const VALUES = listOf(TEXT_OR_NULL)
const VALUE = { anyOf: [TEXT_OR_NULL, VALUES] }

const LINE = { data: listOf(NUMBER_OR_NULL), labels: TEXTS, days: TEXTS, count: NUMBER_OR_NULL }
const TRENDS_LINE = objectOf(
  { ...LINE, label: TEXT, action: { type: ['object', 'null'] }, filter: { type: 'object' } },
  { aggregated_value: NUMBER_OR_NULL, breakdown_value: VALUE, compare: { type: 'boolean' }, compare_label: TEXT },
)
const COHORT = objectOf(
  {
    values: listOf(objectOf({ count: INTEGER, label: TEXT }, { incomplete: { type: 'boolean' } })),
    label: TEXT,
    date: TEXT,
  },
  { breakdown_value: VALUE },
)
const STEP = {
  action_id: TEXT_OR_NULL,
  name: TEXT,
  custom_name: TEXT_OR_NULL,
  order: INTEGER,
  people: { type: 'array' },
  count: INTEGER,
  type: TEXT,
  average_conversion_time: NUMBER_OR_NULL,
  median_conversion_time: NUMBER_OR_NULL,
}
const TIMES = { bins: listOf(listOf(NUMBER)), average_conversion_time: NUMBER_OR_NULL }

/** The results of a funnel without and with breakdowns, by view. */
const FUNNELS: Readonly<Record<string, readonly [plain: JsonSchema, broken: JsonSchema]>> = {
  steps: [listOf(objectOf(STEP)), listOf(listOf(objectOf({ ...STEP, breakdown: VALUES, breakdown_value: VALUES })))],
  trends: [listOf(objectOf(LINE)), listOf(objectOf({ ...LINE, breakdown_value: VALUES }))],
  time_to_convert: [objectOf(TIMES), listOf(objectOf({ ...TIMES, breakdown_value: VALUES }))],
}

/** Rows of SQL, of a table of web analytics, and of the people behind a number. */
const ROWS = listOf({ type: 'array' })
const TRENDS = listOf(TRENDS_LINE)
const RETENTION = listOf(COHORT)
const OVERVIEW = listOf(
  objectOf(
    { key: TEXT, kind: TEXT, value: NUMBER_OR_NULL, previous: NUMBER_OR_NULL, changeFromPreviousPct: NUMBER_OR_NULL },
    { median: NUMBER_OR_NULL, previousMedian: NUMBER_OR_NULL, isIncreaseBad: { type: 'boolean' } },
  ),
)
const VITAL = objectOf({
  count: INTEGER,
  good: INTEGER,
  needs_improvement: INTEGER,
  poor: INTEGER,
  p75: NUMBER_OR_NULL,
  p90: NUMBER_OR_NULL,
  p99: NUMBER_OR_NULL,
  rating: TEXT_OR_NULL,
})
const VITALS = listOf(
  objectOf({ breakdown_value: TEXT_OR_NULL, metrics: { type: 'object', additionalProperties: VITAL } }),
)

type ResultQuery = InsightQuery & { readonly funnelsFilter?: { readonly funnelVizType?: string } }

const BY_KIND: Readonly<Record<string, (query: ResultQuery) => JsonSchema>> = {
  TrendsQuery: () => TRENDS,
  RetentionQuery: () => RETENTION,
  FunnelsQuery: (query) =>
    own(FUNNELS, query.funnelsFilter?.funnelVizType ?? 'steps')![breakdownsOf(query).length ? 1 : 0],
  WebOverviewQuery: () => OVERVIEW,
  WebStatsTableQuery: () => ROWS,
  WebVitalsQuery: () => VITALS,
  ActorsQuery: () => ROWS,
}

/** Returns the JSON schema of the results of an insight. */
export const resultSchema = (query: InsightQuery): JsonSchema => own(BY_KIND, query.kind)!(query)

/** Schema of the results of any query, described by kind. */
export const ANY_RESULTS: JsonSchema = {
  description: 'Rows of a SQL query. For an insight, its chart data.',
  anyOf: [
    { title: 'Rows', ...ROWS },
    { title: 'Trends', ...TRENDS },
    { title: 'Retention', ...RETENTION },
    ...Object.entries(FUNNELS).flatMap(([view, [plain, broken]]) => [
      { title: `Funnel, ${view}`, ...plain },
      { title: `Funnel, ${view}, by breakdown`, ...broken },
    ]),
    { title: 'Web overview', ...OVERVIEW },
    { title: 'Web vitals', ...VITALS },
  ],
}
