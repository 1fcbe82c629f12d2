import type { Query } from '../../api/query.ts'
import { type Filter, formatFilter, type OperatorName, OPERATORS, PROPERTY_TYPES } from '../../lib/filters.ts'
import { PERIODS } from '../../lib/period.ts'
import { KINDS } from './kinds.ts'
import { COHORTS } from './retentionQuery.ts'
import { DISPLAYS, formatSeries, MATHS } from './trendsQuery.ts'

type Fields = Readonly<Record<string, unknown>>
type Parameter = readonly [name: string, value: string | undefined]

const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
const fieldsOf = (value: unknown): Fields => (isFields(value) ? value : {})
const listOf = (value: unknown): readonly Fields[] => (Array.isArray(value) ? value.map(fieldsOf) : [])
const textOf = (value: unknown): string => (typeof value === 'string' ? value : '')

const periodParameters = (range: Fields): readonly Parameter[] => {
  const [from, to] = [range.date_from, range.date_to ?? undefined]
  const period = PERIODS.find(({ dateFrom, dateTo }) => dateFrom === from && dateTo === to)
  return period
    ? [['period', period.name]]
    : from === undefined
      ? []
      : [
          ['from', textOf(from)],
          ['to', textOf(to)],
        ]
}

const filterParameter = ({ key, type, operator, value }: Fields): Parameter => {
  const found = (Object.keys(OPERATORS) as OperatorName[]).find((name) => OPERATORS[name].wire === operator) ?? 'is'
  const filter: Filter = {
    operator: found,
    type: PROPERTY_TYPES.find((each) => each === type) ?? 'event',
    key: textOf(key),
    values: [value ?? []].flat().map(textOf),
  }
  return ['f', formatFilter(filter)]
}

const seriesParameter = ({ event, math, math_property, math_property_type }: Fields): Parameter => {
  const property =
    textOf(math_property) && (math_property_type === 'person_properties' ? 'person.' : '') + textOf(math_property)
  return [
    's',
    formatSeries({ event: textOf(event), math: MATHS.find(({ value }) => value === math)?.value ?? 'total', property }),
  ]
}

const comparisonOf = (compareFilter: Fields): string | undefined =>
  compareFilter.compare === true ? (compareFilter.compare_to === undefined ? 'previous' : 'year') : undefined

/** The parameters of each kind's own settings. */
const OWN: Readonly<Record<string, (query: Query) => readonly Parameter[]>> = {
  TrendsQuery: ({ series, interval, trendsFilter, compareFilter }) => {
    const { display, formula } = fieldsOf(trendsFilter)
    return [
      ...listOf(series).map(seriesParameter),
      ['interval', textOf(interval) || 'day'],
      ['display', DISPLAYS.find(({ wire }) => wire === display)?.value],
      ['formula', textOf(formula) || undefined],
      ['compare', comparisonOf(fieldsOf(compareFilter))],
    ]
  },
  FunnelsQuery: ({ series, funnelsFilter }) => {
    const { funnelOrderType, funnelWindowInterval, funnelWindowIntervalUnit } = fieldsOf(funnelsFilter)
    return [
      ['tab', 'funnel'],
      ...listOf(series).map(({ event }): Parameter => ['step', textOf(event)]),
      ['order', textOf(funnelOrderType) || undefined],
      [
        'window',
        funnelWindowInterval === undefined
          ? undefined
          : `${Number(funnelWindowInterval)}${textOf(funnelWindowIntervalUnit)}`,
      ],
    ]
  },
  RetentionQuery: ({ retentionFilter }) => {
    const { retentionType, targetEntity, returningEntity, period, totalIntervals } = fieldsOf(retentionFilter)
    return [
      ['tab', 'retention'],
      ['start', textOf(fieldsOf(targetEntity).id)],
      ['return', textOf(fieldsOf(returningEntity).id)],
      ['unit', textOf(period) || undefined],
      ['cohorts', COHORTS.find(({ wire }) => wire === retentionType)?.value],
      ['intervals', typeof totalIntervals === 'number' ? `${totalIntervals}` : undefined],
    ]
  },
}

/** Empty ones are those that the API leaves out. */
const isEmpty = (value: unknown): boolean =>
  value === undefined || value === null || (Array.isArray(value) && value.length === 0)

/** Whether `built` has everything that `saved` has. What it has besides is what the API assumes. */
const contains = (built: unknown, saved: unknown): boolean => {
  if (isEmpty(saved)) return isEmpty(built)
  if (Array.isArray(saved))
    return Array.isArray(built) && built.length === saved.length && saved.every((each, at) => contains(built[at], each))
  if (!isFields(saved)) return built === saved
  return Object.entries(saved).every(([name, value]) => contains(fieldsOf(built)[name], value))
}

/**
 * Returns the settings of the builder for a saved insight, as query parameters. `undefined`: the insight has settings that
 * the builder does not have, and would lose.
 */
export const settingsOf = (query: Query): [name: string, value: string][] | undefined => {
  const kind = KINDS.find((each) => each.kind === query.kind)
  const own = OWN[query.kind]?.(query)
  if (!kind || !own) return undefined
  const { property, type } = listOf(fieldsOf(query.breakdownFilter).breakdowns)[0] ?? {}
  const parameters = [
    ...own,
    ...(kind.hasPeriod ? periodParameters(fieldsOf(query.dateRange)) : []),
    ...listOf(query.properties).map(filterParameter),
    [
      'by',
      property === undefined
        ? undefined
        : (type === undefined || type === 'event' ? '' : `${textOf(type)}.`) + textOf(property),
    ] as const,
  ].flatMap(([name, value]): [string, string][] => (value === undefined ? [] : [[name, value]]))
  return contains(kind.toQuery(new URLSearchParams(parameters)), query) ? parameters : undefined
}
