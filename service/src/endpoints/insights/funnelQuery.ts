import { type Static, Type } from '@sinclair/typebox'
import { checkShape, fieldError } from './check.ts'
import type { FilterContext } from './filters.ts'
import type { Interval } from './period.ts'
import { ACTORS, filtersOf, maybe, NODE, type Node, oneOf, SHARED } from './shared.ts'

const MAX_STEPS = 20
const MAX_EXCLUSIONS = 10
/** Maximum number of bins for times to convert. */
export const MAX_BINS = 90

const Step = Type.Integer({ minimum: 0, maximum: MAX_STEPS - 1 })
const Series = Type.Object(
  { ...NODE, math: maybe(Type.Literal('total')), optionalInFunnel: maybe(Type.Literal(false)) },
  { additionalProperties: false },
)

/** The length of a window's unit. A month has the maximum of 31 days. */
export const SECONDS = {
  second: 1,
  minute: 60,
  hour: 3_600,
  day: 86_400,
  week: 7 * 86_400,
  month: 31 * 86_400,
} as const
type WindowUnit = keyof typeof SECONDS

const SCHEMA = Type.Object(
  {
    ...SHARED,
    ...ACTORS,
    kind: Type.Literal('FunnelsQuery'),
    series: Type.Array(Series, { minItems: 2, maxItems: MAX_STEPS }),
    interval: maybe(oneOf<Interval>('minute', 'hour', 'day', 'week', 'month')),
    funnelsFilter: maybe(
      Type.Object(
        {
          funnelOrderType: maybe(oneOf('ordered', 'strict', 'unordered')),
          funnelVizType: maybe(oneOf('steps', 'trends', 'time_to_convert')),
          funnelWindowInterval: maybe(Type.Integer({ minimum: 1, maximum: 1_000_000 })),
          funnelWindowIntervalUnit: maybe(oneOf(...(Object.keys(SECONDS) as WindowUnit[]))),
          funnelFromStep: maybe(Step),
          funnelToStep: maybe(Step),
          binCount: maybe(Type.Integer({ minimum: 1, maximum: MAX_BINS })),
          exclusions: maybe(
            Type.Array(
              Type.Object({ ...NODE, funnelFromStep: Step, funnelToStep: Step }, { additionalProperties: false }),
              { maxItems: MAX_EXCLUSIONS },
            ),
          ),
          breakdownAttributionType: maybe(oneOf('first_touch', 'last_touch', 'all_events', 'step')),
          breakdownAttributionValue: maybe(Step),
          funnelAggregateByHogQL: Type.Optional(Type.Null()),
          funnelStepReference: Type.Optional(Type.Unknown()),
          layout: Type.Optional(Type.Unknown()),
        },
        { additionalProperties: false },
      ),
    ),
  },
  { additionalProperties: false },
)

/** A checked funnel query. */
export type FunnelsQuery = Static<typeof SCHEMA>

/** Returns the steps between which times and trends are measured, from 0. */
export const measuredSteps = ({ series, funnelsFilter }: FunnelsQuery) => ({
  first: funnelsFilter?.funnelFromStep ?? 0,
  last: funnelsFilter?.funnelToStep ?? series.length - 1,
})

const eventsOf = ({ event, properties, fixedProperties }: Node) =>
  JSON.stringify([event ?? null, properties ?? [], fixedProperties ?? []])

const checkExclusions = ({ series, funnelsFilter }: FunnelsQuery) => {
  const last = series.length - 1
  for (const [index, exclusion] of (funnelsFilter?.exclusions ?? []).entries()) {
    const { funnelFromStep: begin, funnelToStep: end } = exclusion
    const field = `funnelsFilter.exclusions.${index}`
    if (begin >= end || end > last)
      throw fieldError(
        field,
        `must be between two steps: funnelFromStep less than funnelToStep, funnelToStep at most ${last}`,
      )
    if (funnelsFilter?.funnelOrderType === 'unordered' && (begin > 0 || end < last))
      throw fieldError(field, `must span all steps of an unordered funnel: funnelFromStep 0, funnelToStep ${last}`)
    const step = series.slice(begin, end + 1).findIndex((node) => eventsOf(node) === eventsOf(exclusion))
    if (step >= 0) throw fieldError(field, `is also step ${begin + step}. Exclude another event, or omit that step`)
  }
}

/** Throws `ApiError` unless a funnel query can be run. */
export const checkFunnels = (given: unknown, context: FilterContext) => {
  checkShape(SCHEMA, given)
  const query = given as FunnelsQuery
  const { series, funnelsFilter } = query
  const nodes = [
    ...series.map((node, index) => [`series.${index}`, node] as const),
    ...(funnelsFilter?.exclusions ?? []).map((node, index) => [`funnelsFilter.exclusions.${index}`, node] as const),
  ]
  for (const [field, node] of nodes) {
    filtersOf(node.properties, `${field}.properties`, context)
    filtersOf(node.fixedProperties, `${field}.fixedProperties`, context)
  }
  checkExclusions(query)
  const isUnordered = funnelsFilter?.funnelOrderType === 'unordered'
  const { first, last } = measuredSteps(query)
  if (first >= last || last >= series.length)
    throw fieldError(
      'funnelsFilter',
      `must have a funnelFromStep less than its funnelToStep, and a funnelToStep of at most ${series.length - 1}`,
    )
  const twin = series.findIndex((node, index) =>
    series.slice(0, index).some((other) => eventsOf(other) === eventsOf(node)),
  )
  if (isUnordered && twin > 0)
    throw fieldError(
      `series.${twin}`,
      'repeats an earlier step, and in an unordered funnel one event would match both. Omit it',
    )
  if (funnelsFilter?.breakdownAttributionType === 'step') {
    const most = isUnordered ? 0 : series.length - 1
    const value = funnelsFilter.breakdownAttributionValue
    if (value === undefined || value === null || value > most)
      throw fieldError(
        'funnelsFilter.breakdownAttributionValue',
        `must be the step whose event has the value, from 0${most ? ` to ${most}` : ' (the first, in an unordered funnel)'}`,
      )
  }
}
