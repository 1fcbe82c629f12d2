import { type Static, Type } from '@sinclair/typebox'
import { print } from '../sql/print.ts'
import { call, infix, name, type SelectSql, type Sql } from '../sql/physical.ts'
import { OTHER, rankOf, valuesOf } from './breakdown.ts'
import { checkShape, fieldRefusal } from './check.ts'
import type { FilterContext } from './filters.ts'
import { type Exclusion, type FunnelPlan, peopleOf } from './funnelPeople.ts'
import type { Insight, InsightResults, InsightRows } from './insight.ts'
import { bucketsOf, type Interval, namesOf, periodOf } from './period.ts'
import { column, element, from, number } from './select.ts'
import { breakdownsOf, filtersOf, maybe, NODE, type Node, oneOf, SHARED } from './shared.ts'
import { bound, every } from './source.ts'

const MAX_STEPS = 20
const MAX_EXCLUSIONS = 10
const MAX_BINS = 90

const Step = Type.Integer({ minimum: 0, maximum: MAX_STEPS - 1 })
const Series = Type.Object({ ...NODE, math: maybe(Type.Literal('total')), optionalInFunnel: maybe(Type.Literal(false)) }, { additionalProperties: false })

const SECONDS = { second: 1, minute: 60, hour: 3_600, day: 86_400, week: 7 * 86_400, month: 31 * 86_400 } as const
type WindowUnit = keyof typeof SECONDS

const SCHEMA = Type.Object(
  {
    ...SHARED,
    kind: Type.Literal('FunnelsQuery'),
    series: Type.Array(Series, { minItems: 2, maxItems: MAX_STEPS }),
    interval: maybe(oneOf<Interval>('minute', 'hour', 'day', 'week', 'month')),
    aggregation_group_type_index: Type.Optional(Type.Null()),
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
          exclusions: maybe(Type.Array(Type.Object({ ...NODE, funnelFromStep: Step, funnelToStep: Step }, { additionalProperties: false }), { maxItems: MAX_EXCLUSIONS })),
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

type FunnelsQuery = Static<typeof SCHEMA>

/** The steps that times and trends are measured between, from 0. */
const stretchOf = ({ series, funnelsFilter }: FunnelsQuery) => ({ first: funnelsFilter?.funnelFromStep ?? 0, last: funnelsFilter?.funnelToStep ?? series.length - 1 })

const eventsOf = ({ event, properties, fixedProperties }: Node) => JSON.stringify([event ?? null, properties ?? [], fixedProperties ?? []])

const checkExclusions = ({ series, funnelsFilter }: FunnelsQuery) => {
  const last = series.length - 1
  for (const [index, exclusion] of (funnelsFilter?.exclusions ?? []).entries()) {
    const { funnelFromStep: begin, funnelToStep: end } = exclusion
    const field = `funnelsFilter.exclusions.${index}`
    if (begin >= end || end > last) throw fieldRefusal(field, `lies between two steps: funnelFromStep is less than funnelToStep, which is at most ${last}`)
    if (funnelsFilter?.funnelOrderType === 'unordered' && (begin > 0 || end < last)) throw fieldRefusal(field, `of an unordered funnel lies between the first step and the last: funnelFromStep is 0, funnelToStep ${last}`)
    const step = series.slice(begin, end + 1).findIndex((node) => eventsOf(node) === eventsOf(exclusion))
    if (step >= 0) throw fieldRefusal(field, `is step ${begin + step} itself: exclude another event, or leave that step out`)
  }
}

const check = (given: unknown, context: FilterContext) => {
  checkShape(SCHEMA, given)
  const query = given as FunnelsQuery
  const { series, funnelsFilter } = query
  const nodes = [...series.map((node, index) => [`series.${index}`, node] as const), ...(funnelsFilter?.exclusions ?? []).map((node, index) => [`funnelsFilter.exclusions.${index}`, node] as const)]
  for (const [field, node] of nodes) {
    filtersOf(node.properties, `${field}.properties`, context)
    filtersOf(node.fixedProperties, `${field}.fixedProperties`, context)
  }
  checkExclusions(query)
  const isUnordered = funnelsFilter?.funnelOrderType === 'unordered'
  const { first, last } = stretchOf(query)
  if (first >= last || last >= series.length) throw fieldRefusal('funnelsFilter', `has a funnelFromStep that is less than its funnelToStep, which is at most ${series.length - 1}`)
  const twin = series.findIndex((node, index) => series.slice(0, index).some((other) => eventsOf(other) === eventsOf(node)))
  if (isUnordered && twin > 0) throw fieldRefusal(`series.${twin}`, 'is the same as a step before it, and without an order one event would do both: leave it out')
  if (funnelsFilter?.breakdownAttributionType === 'step') {
    const most = isUnordered ? 0 : series.length - 1
    const value = funnelsFilter.breakdownAttributionValue
    if (value === undefined || value === null || value > most) throw fieldRefusal('funnelsFilter.breakdownAttributionValue', `is the step that gives the value, from 0${most ? ` to ${most}` : ' (the first, in an unordered funnel)'}`)
  }
}

const SIZE = call('length', name('f', 'times'))
const reaches = (step: number): Sql => infix(SIZE, '>', number(step))
const timeAt = (step: number): Sql => element(name('f', 'times'), step + 1)
const between = (first: number, last: number): Sql => infix(timeAt(last), '-', timeAt(first))
const inSeconds = (ms: Sql): Sql => infix(ms, '/', number(1_000))

// The key of people who are not broken down.
const NO_KEY = '[]'
const shownKeys = (keys: Iterable<string>, query: FunnelsQuery): string[] => [...new Set(keys)].filter((key) => !(query.breakdownFilter?.breakdown_hide_other_aggregation && key === OTHER))

/** One way to look at the people of a funnel: what to ask of them, and what to make of it. The first column is the key. */
interface View {
  readonly isByInterval: boolean
  select(plan: FunnelPlan, query: FunnelsQuery): SelectSql
  shape(rows: InsightRows, plan: FunnelPlan, query: FunnelsQuery): InsightResults
}

const KEY = column(name('f', 'key'), 'key')
const GROUP_BY_KEY = [name('f', 'key')]

const broken = (key: string) => (key === NO_KEY ? {} : { breakdown_value: valuesOf(key) })
const byEntries = (entries: ReadonlyMap<string, number>) => (a: string, b: string) => rankOf(a) - rankOf(b) || entries.get(b)! - entries.get(a)! || (a < b ? -1 : 1)

const STEPS: View = {
  isByInterval: false,
  select(plan, { series }) {
    const gaps = series.slice(1).map((_, index) => ({ gap: between(index, index + 1), isReal: every([reaches(index + 1), infix(timeAt(index + 1), '>', timeAt(index))]) }))
    const average = (gap: Sql, isReal: Sql) => inSeconds(call('avgIf', gap, isReal))
    const median = (gap: Sql, isReal: Sql) => inSeconds({ kind: 'call', name: 'quantileExactInclusiveIf', parameters: [{ kind: 'number', digits: '0.5' }], args: [gap, isReal] })
    const list = (values: readonly Sql[], as: string) => column(call('array', ...values), as)
    return {
      kind: 'select',
      items: [
        KEY,
        list(series.map((_, index) => call('countIf', reaches(index))), 'counts'),
        list(gaps.map(({ gap, isReal }) => average(gap, isReal)), 'averages'),
        list(gaps.map(({ gap, isReal }) => median(gap, isReal)), 'medians'),
      ],
      from: from(peopleOf(plan), 'f'),
      groupBy: GROUP_BY_KEY,
    }
  },
  shape(rows, { order }, query) {
    const isBroken = breakdownsOf(query).length > 0
    const none = [NO_KEY, query.series.map(() => 0), [], []]
    const byKey = new Map((rows.length || isBroken ? rows : [none]).map((row) => [String(row[0]), row as [string, number[], (number | null)[], (number | null)[]]]))
    const keys = shownKeys(byKey.keys(), query).sort(byEntries(new Map([...byKey].map(([key, [, counts]]) => [key, Number(counts[0])]))))
    const lines = keys.map((key) => {
      const [, counts, averages, medians] = byKey.get(key)!
      return query.series.map((node, index) => ({
        action_id: order === 'unordered' ? null : (node.event ?? null),
        name: order === 'unordered' ? `Completed ${index + 1} step${index ? 's' : ''}` : (node.name ?? node.event ?? 'All events'),
        custom_name: order === 'unordered' ? null : (node.custom_name ?? null),
        order: index,
        people: [],
        count: Number(counts[index]),
        type: 'events',
        average_conversion_time: averages[index - 1] ?? null,
        median_conversion_time: medians[index - 1] ?? null,
        ...(isBroken ? { breakdown: valuesOf(key), breakdown_value: valuesOf(key) } : {}),
      }))
    })
    return isBroken ? lines : lines[0]!
  },
}

const TRENDS: View = {
  isByInterval: true,
  select(plan, query) {
    const { first, last } = stretchOf(query)
    const bucket = name('f', 'bucket')
    const items = [KEY, column(bucket, 'bucket'), column(call('countIf', reaches(first)), 'entered'), column(call('countIf', reaches(last)), 'converted')]
    return { kind: 'select', items, from: from(peopleOf(plan), 'f'), groupBy: [...GROUP_BY_KEY, bucket] }
  },
  shape(rows, { buckets, context }, query) {
    const isBroken = breakdownsOf(query).length > 0
    const names = buckets!.map((bucket) => namesOf(bucket, query.interval ?? 'day', context.zone))
    const points = new Map(rows.map(([key, bucket, entered, converted]) => [`${Number(bucket)} ${key}`, { entered: Number(entered), converted: Number(converted) }]))
    const entries = new Map<string, number>()
    for (const [key, , entered] of rows) entries.set(String(key), (entries.get(String(key)) ?? 0) + Number(entered))
    const keys = isBroken ? shownKeys(entries.keys(), query).sort(byEntries(entries)) : [NO_KEY]
    return keys.map((key) => {
      const data = buckets!.map((bucket) => {
        const { entered, converted } = points.get(`${bucket} ${key}`) ?? { entered: 0, converted: 0 }
        return entered ? Math.round((converted / entered) * 10_000) / 100 : 0
      })
      return { count: data.length, data, days: names.map(({ day }) => day), labels: names.map(({ label }) => label), ...broken(key) }
    })
  },
}

const TIME_TO_CONVERT: View = {
  isByInterval: false,
  select(plan, query) {
    const { first, last } = stretchOf(query)
    const items = [KEY, column(call('groupArray', between(first, last)), 'gaps')]
    const gaps: SelectSql = { kind: 'select', items, from: from(peopleOf(plan), 'f'), where: reaches(last), groupBy: GROUP_BY_KEY }
    const list = name('g', 'gaps')
    const wanted = query.funnelsFilter?.binCount
    const bins = wanted ? bound('UInt64', wanted) : call('toUInt64', call('least', number(MAX_BINS), call('ceil', call('cbrt', call('length', list)))))
    const measured: SelectSql = {
      kind: 'select',
      items: [column(name('g', 'key'), 'key'), column(list, 'gaps'), column(call('arrayAvg', list), 'average'), column(call('intDiv', call('arrayMin', list), number(1_000)), 'low'), column(call('arrayMax', list), 'high'), column(bins, 'bins')],
      from: from(gaps, 'g'),
    }
    // So wide, in whole seconds, that the longest time falls into the last bin.
    const row = (of: string) => name('h', of)
    const above = (of: Sql) => infix(of, '-', infix(row('low'), '*', number(1_000)))
    const width = infix(call('intDiv', above(row('high')), infix(row('bins'), '*', number(1_000))), '+', number(1))
    const placed: SelectSql = {
      kind: 'select',
      items: [column(row('key'), 'key'), column(row('low'), 'low'), column(row('average'), 'average'), column(row('bins'), 'bins'), column(width, 'width'), column(call('intDiv', above(name('gap')), infix(width, '*', number(1_000))), 'bin')],
      from: from(measured, 'h'),
      arrayJoin: { isLeft: false, items: [column(row('gaps'), 'gap')] },
    }
    const last_ = (of: string) => name('i', of)
    return {
      kind: 'select',
      items: [column(last_('key'), 'key'), ...['low', 'width', 'bins'].map((of) => column(call('any', last_(of)), of)), column(inSeconds(call('any', last_('average'))), 'average'), column(last_('bin'), 'bin'), column(call('count'), 'people')],
      from: from(placed, 'i'),
      groupBy: [last_('key'), last_('bin')],
    }
  },
  shape(rows, _plan, query) {
    const charts = new Map<string, { bins: [number, number][]; average_conversion_time: number | null }>()
    for (const [key, low, width, bins, average, bin, people] of rows) {
      const empty = { bins: Array.from({ length: Number(bins) }, (__, index): [number, number] => [Number(low) + index * Number(width), 0]), average_conversion_time: Number(average) }
      const chart = charts.get(String(key)) ?? empty
      chart.bins[Number(bin)]![1] = Number(people)
      charts.set(String(key), chart)
    }
    if (!breakdownsOf(query).length) return charts.get(NO_KEY) ?? { bins: [], average_conversion_time: null }
    const people = new Map([...charts].map(([key, { bins }]) => [key, bins.reduce((sum, [, count]) => sum + count, 0)]))
    return shownKeys(charts.keys(), query).sort(byEntries(people)).map((key) => ({ ...charts.get(key)!, ...broken(key) }))
  },
}

const VIEWS = { steps: STEPS, trends: TRENDS, time_to_convert: TIME_TO_CONVERT } as const satisfies Record<string, View>

/** How many people go through steps one after another, how long it takes them, or which part of those who begin. */
export const FUNNELS: Insight<FunnelsQuery> = {
  check,
  plan(query, { projectId, context, filters, isFromExact }) {
    const { funnelsFilter } = query
    const interval = query.interval ?? 'day'
    const view = VIEWS[funnelsFilter?.funnelVizType ?? 'steps']
    const period = periodOf(query.dateRange ?? {}, { interval, zone: context.zone, now: context.now, isFromExact })
    const plan: FunnelPlan = {
      query,
      order: funnelsFilter?.funnelOrderType ?? 'ordered',
      steps: query.series,
      exclusions: (funnelsFilter?.exclusions ?? []) as readonly Exclusion[],
      windowMs: (funnelsFilter?.funnelWindowInterval ?? 14) * SECONDS[funnelsFilter?.funnelWindowIntervalUnit ?? 'day'] * 1_000,
      attribution: funnelsFilter?.breakdownAttributionType ?? 'first_touch',
      attributionStep: funnelsFilter?.breakdownAttributionValue ?? 0,
      period,
      ...(view.isByInterval ? { buckets: bucketsOf(period, interval, context.zone) } : {}),
      filters,
      context,
    }
    return {
      statements: [print(view.select(plan, query), projectId)],
      shape: ([rows]) => ({ results: view.shape(rows!, plan, query), hasMore: rows!.some(([key]) => key === OTHER) }),
    }
  },
}
