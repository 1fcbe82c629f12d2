import { type Static, Type } from '@sinclair/typebox'
import { checkShape, fieldError } from '../check.ts'
import type { FilterContext } from '../filters.ts'
import { parseFormula } from '../formula.ts'
import { type Interval, isCompareTo } from '../period.ts'
import { filtersOf, maybe, NODE, oneOf, SHARED } from '../shared.ts'
import { faultOfProperty, type PropertyRef } from '../source.ts'
import { own } from '../../../lib/own.ts'

const NUMBERS = ['avg', 'sum', 'min', 'max', 'median', 'p75', 'p90', 'p95', 'p99'] as const
export const PER_ACTOR = ['avg', 'min', 'max', 'median', 'p75', 'p90', 'p95', 'p99'].map(
  (each) => `${each}_count_per_actor`,
)
const MATHS = [
  'total',
  'dau',
  'weekly_active',
  'monthly_active',
  'unique_session',
  'unique_group',
  'first_time_for_user',
  'first_matching_event_for_user',
  ...NUMBERS,
  ...PER_ACTOR,
]

const Series = Type.Object(
  {
    ...NODE,
    math: maybe(oneOf(...MATHS)),
    math_property: maybe(Type.String({ minLength: 1, maxLength: 1_000 })),
    math_property_type: Type.Optional(Type.Unknown()),
    math_hogql: Type.Optional(Type.Null()),
    math_group_type_index: maybe(Type.Integer()),
  },
  { additionalProperties: false },
)

const TOTAL_VALUE = ['BoldNumber', 'ActionsPie', 'ActionsTable', 'ActionsBarValue', 'WorldMap'] as const
const DISPLAYS = [
  'ActionsLineGraph',
  'ActionsBar',
  'ActionsUnstackedBar',
  'ActionsStackedBar',
  'ActionsAreaGraph',
  'ActionsLineGraphCumulative',
  ...TOTAL_VALUE,
] as const

const FormulaText = Type.String({ minLength: 1, maxLength: 500 })

const SCHEMA = Type.Object(
  {
    ...SHARED,
    kind: Type.Literal('TrendsQuery'),
    series: Type.Array(Series, { minItems: 1, maxItems: 26 }),
    interval: maybe(oneOf<Interval>('minute', 'hour', 'day', 'week', 'month')),
    compareFilter: maybe(
      Type.Object(
        { compare: maybe(Type.Boolean()), compare_to: maybe(Type.String()) },
        { additionalProperties: false },
      ),
    ),
    trendsFilter: maybe(
      Type.Object(
        {
          display: maybe(oneOf(...DISPLAYS)),
          formula: maybe(FormulaText),
          formulas: maybe(Type.Array(FormulaText, { maxItems: 26 })),
          formulaNodes: maybe(
            Type.Array(
              Type.Object({ formula: FormulaText, custom_name: maybe(Type.String()) }, { additionalProperties: false }),
              { maxItems: 26 },
            ),
          ),
          smoothingIntervals: maybe(Type.Literal(1)),
          showLegend: Type.Optional(Type.Unknown()),
          showValuesOnSeries: Type.Optional(Type.Unknown()),
          aggregationAxisFormat: Type.Optional(Type.Unknown()),
          yAxisScaleType: Type.Optional(Type.Unknown()),
        },
        { additionalProperties: false },
      ),
    ),
  },
  { additionalProperties: false },
)

export type TrendsQuery = Static<typeof SCHEMA>
export type SeriesNode = Static<typeof Series>

/** Returns the formulas of a query, from the field that has them. */
export const formulasOf = ({
  trendsFilter,
}: TrendsQuery): readonly { formula: string; custom_name?: string | null }[] => {
  if (trendsFilter?.formulaNodes?.length) return trendsFilter.formulaNodes
  if (trendsFilter?.formulas?.length) return trendsFilter.formulas.map((formula) => ({ formula }))
  return trendsFilter?.formula ? [{ formula: trendsFilter.formula }] : []
}

export const mathOf = ({ math }: SeriesNode): string => math ?? 'total'
/** Whether a series computes with the values of a property. */
export const isNumeric = (node: SeriesNode) => (NUMBERS as readonly string[]).includes(mathOf(node))

/**
 * Returns the property that a series computes with. The type "person_properties" means "person".
 * "data_warehouse_properties", which older queries contain, means the event's own.
 */
export const numbersOf = ({
  math_property: key,
  math_property_type: type,
  math_group_type_index: index,
}: SeriesNode): PropertyRef => ({
  key: key!,
  type: typeof type === 'string' && type !== 'data_warehouse_properties' ? type.replace(/_properties$/, '') : 'event',
  group_type_index: index,
})

const MATH_FIELDS: Readonly<Record<string, string>> = {
  type: 'math_property_type',
  key: 'math_property',
  group_type_index: 'math_group_type_index',
}

/** Throws `ApiError` unless a trends query can be run. */
export const checkTrends = (given: unknown, context: FilterContext) => {
  checkShape(SCHEMA, given)
  const query = given as TrendsQuery
  query.series.forEach((node, index) => {
    filtersOf(node.properties, `series.${index}.properties`, context)
    filtersOf(node.fixedProperties, `series.${index}.fixedProperties`, context)
    if (isNumeric(node) && !node.math_property)
      throw fieldError(
        `series.${index}.math_property`,
        `is required with the math "${node.math}": the property to take numbers from`,
      )
    const fault = isNumeric(node)
      ? faultOfProperty(numbersOf(node))
      : mathOf(node) === 'unique_group'
        ? faultOfProperty({ key: '', type: 'group', group_type_index: node.math_group_type_index })
        : undefined
    if (fault) throw fieldError(`series.${index}.${own(MATH_FIELDS, fault.field)}`, fault.message)
  })
  const compareTo = query.compareFilter?.compare_to
  if (compareTo && !isCompareTo(compareTo))
    throw fieldError('compareFilter.compare_to', 'must be the distance to the compared period, such as -1w')
  for (const { formula } of formulasOf(query)) {
    if (!parseFormula(formula, query.series.length)) {
      throw fieldError(
        'trendsFilter',
        `has an invalid formula: "${formula.slice(0, 60)}". A formula consists of the series' letters (A to ${String.fromCharCode(64 + query.series.length)}), numbers, + - * / and parentheses`,
      )
    }
  }
}

/** Whether a query returns one number for the whole range, rather than one per interval. */
export const isTotalValue = ({ trendsFilter }: TrendsQuery) =>
  (TOTAL_VALUE as readonly unknown[]).includes(trendsFilter?.display)
