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

type ResultQuery = InsightQuery & { readonly funnelsFilter?: { readonly funnelVizType?: string } }

const BY_KIND: Readonly<Record<string, (query: ResultQuery) => JsonSchema>> = {
  TrendsQuery: () => listOf(TRENDS_LINE),
  RetentionQuery: () => listOf(COHORT),
  FunnelsQuery: (query) =>
    own(FUNNELS, query.funnelsFilter?.funnelVizType ?? 'steps')![breakdownsOf(query).length ? 1 : 0],
}

/** Returns the JSON schema of the results of an insight. Results of web analytics are lists or objects. */
export const resultSchema = (query: InsightQuery): JsonSchema =>
  own(BY_KIND, query.kind)?.(query) ?? { type: ['array', 'object'] }
