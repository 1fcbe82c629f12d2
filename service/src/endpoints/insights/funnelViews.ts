import { call, infix, name, type SelectSql, type Sql } from '../../sql/catalog/physical.ts'
import { OTHER, rankOf, valuesOf } from './breakdown.ts'
import { type FunnelPlan, peopleOf } from './funnelPeople.ts'
import { type FunnelsQuery, MAX_BINS, measuredSteps } from './funnelQuery.ts'
import type { InsightResults, InsightRows } from './insight.ts'
import { namesOf } from './period.ts'
import { column, element, from, number } from './select.ts'
import { breakdownsOf } from './shared.ts'
import { bound } from './source.ts'

const SIZE = call('length', name('f', 'times'))
const reaches = (step: number): Sql => infix(SIZE, '>', number(step))
const timeAt = (step: number): Sql => element(name('f', 'times'), step + 1)
const between = (first: number, last: number): Sql => infix(timeAt(last), '-', timeAt(first))
const inSeconds = (ms: Sql): Sql => infix(ms, '/', number(1_000))

// The key of people without a breakdown.
const NO_KEY = '[]'
const shownKeys = (keys: Iterable<string>, query: FunnelsQuery): string[] =>
  [...new Set(keys)].filter((key) => !(query.breakdownFilter?.breakdown_hide_other_aggregation && key === OTHER))

/** A view of a funnel's people: the statement over them, and the shape of its result. The first column is the key. */
export interface View {
  readonly isByInterval: boolean
  select(plan: FunnelPlan, query: FunnelsQuery): SelectSql
  shape(rows: InsightRows, plan: FunnelPlan, query: FunnelsQuery): InsightResults
}

const KEY = column(name('f', 'key'), 'key')
const GROUP_BY_KEY = [name('f', 'key')]

const broken = (key: string) => (key === NO_KEY ? {} : { breakdown_value: valuesOf(key) })
const byEntries = (entries: ReadonlyMap<string, number>) => (a: string, b: string) =>
  rankOf(a) - rankOf(b) || entries.get(b)! - entries.get(a)! || (a < b ? -1 : 1)

const STEPS: View = {
  isByInterval: false,
  select(plan) {
    const times = name('f', 'times')
    const arrayJoin = {
      isLeft: false,
      items: [column(call('arrayEnumerate', times), 'step'), column(call('arrayDifference', times), 'gap')],
    }
    const reached: SelectSql = {
      kind: 'select',
      items: [KEY, column(name('step'), 'step'), column(name('gap'), 'gap')],
      from: from(peopleOf(plan), 'f'),
      arrayJoin,
    }
    const row = (of: string) => name('r', of)
    const isReal = infix(row('gap'), '>', number(0))
    const median: Sql = {
      kind: 'call',
      name: 'quantileExactInclusiveIf',
      parameters: [{ kind: 'number', digits: '0.5' }],
      args: [row('gap'), isReal],
    }
    return {
      kind: 'select',
      items: [
        column(row('key'), 'key'),
        column(row('step'), 'step'),
        column(call('count'), 'people'),
        column(inSeconds(call('avgIf', row('gap'), isReal)), 'average'),
        column(inSeconds(median), 'median'),
      ],
      from: from(reached, 'r'),
      groupBy: [row('key'), row('step')],
    }
  },
  shape(rows, { order }, query) {
    const isBroken = breakdownsOf(query).length > 0
    const found = new Map(
      rows.map(([key, step, people, average, median]) => [
        `${Number(step)} ${String(key)}`,
        { people: Number(people), average, median },
      ]),
    )
    const entries = new Map(
      rows.filter(([, step]) => Number(step) === 1).map(([key, , people]) => [String(key), Number(people)]),
    )
    const keys = isBroken ? shownKeys(entries.keys(), query).sort(byEntries(entries)) : [NO_KEY]
    const lines = keys.map((key) => {
      const at = (index: number) => found.get(`${index + 1} ${key}`) ?? { people: 0, average: null, median: null }
      return query.series.map((node, index) => ({
        action_id: order === 'unordered' ? null : (node.event ?? null),
        name:
          order === 'unordered'
            ? `Completed ${index + 1} step${index ? 's' : ''}`
            : (node.name ?? node.event ?? 'All events'),
        custom_name: order === 'unordered' ? null : (node.custom_name ?? null),
        order: index,
        people: [],
        count: at(index).people,
        type: 'events',
        average_conversion_time: at(index).average,
        median_conversion_time: at(index).median,
        ...(isBroken ? { breakdown: valuesOf(key), breakdown_value: valuesOf(key) } : {}),
      }))
    })
    return isBroken ? lines : lines[0]!
  },
}

const RATES: View = {
  isByInterval: true,
  select(plan, query) {
    const { first, last } = measuredSteps(query)
    const bucket = name('f', 'bucket')
    const items = [
      KEY,
      column(bucket, 'bucket'),
      column(call('countIf', reaches(first)), 'entered'),
      column(call('countIf', reaches(last)), 'converted'),
    ]
    return { kind: 'select', items, from: from(peopleOf(plan), 'f'), groupBy: [...GROUP_BY_KEY, bucket] }
  },
  shape(rows, { buckets, context }, query) {
    const isBroken = breakdownsOf(query).length > 0
    const names = buckets!.map((bucket) => namesOf(bucket, query.interval ?? 'day', context.zone))
    const points = new Map(
      rows.map(([key, bucket, entered, converted]) => [
        `${Number(bucket)} ${String(key)}`,
        { entered: Number(entered), converted: Number(converted) },
      ]),
    )
    const entries = new Map<string, number>()
    for (const [key, , entered] of rows) entries.set(String(key), (entries.get(String(key)) ?? 0) + Number(entered))
    const keys = isBroken ? shownKeys(entries.keys(), query).sort(byEntries(entries)) : [NO_KEY]
    return keys.map((key) => {
      const data = buckets!.map((bucket) => {
        const { entered, converted } = points.get(`${bucket} ${key}`) ?? { entered: 0, converted: 0 }
        return entered ? Math.round((converted / entered) * 10_000) / 100 : 0
      })
      return {
        count: data.length,
        data,
        days: names.map(({ day }) => day),
        labels: names.map(({ label }) => label),
        ...broken(key),
      }
    })
  },
}

const DURATIONS: View = {
  isByInterval: false,
  select(plan, query) {
    const { first, last } = measuredSteps(query)
    const items = [KEY, column(call('groupArray', between(first, last)), 'gaps')]
    const gaps: SelectSql = {
      kind: 'select',
      items,
      from: from(peopleOf(plan), 'f'),
      where: reaches(last),
      groupBy: GROUP_BY_KEY,
    }
    const list = name('g', 'gaps')
    const wanted = query.funnelsFilter?.binCount
    const bins = wanted
      ? bound('UInt64', wanted)
      : call('toUInt64', call('least', number(MAX_BINS), call('ceil', call('cbrt', call('length', list)))))
    const measured: SelectSql = {
      kind: 'select',
      items: [
        column(name('g', 'key'), 'key'),
        column(list, 'gaps'),
        column(call('arrayAvg', list), 'average'),
        column(call('intDiv', call('arrayMin', list), number(1_000)), 'low'),
        column(call('arrayMax', list), 'high'),
        column(bins, 'bins'),
      ],
      from: from(gaps, 'g'),
    }
    // Wide enough, in whole seconds, that the longest time is in the last bin.
    const measuredRow = (of: string) => name('h', of)
    const above = (of: Sql) => infix(of, '-', infix(measuredRow('low'), '*', number(1_000)))
    const width = infix(
      call('intDiv', above(measuredRow('high')), infix(measuredRow('bins'), '*', number(1_000))),
      '+',
      number(1),
    )
    const placed: SelectSql = {
      kind: 'select',
      items: [
        column(measuredRow('key'), 'key'),
        column(measuredRow('low'), 'low'),
        column(measuredRow('average'), 'average'),
        column(measuredRow('bins'), 'bins'),
        column(width, 'width'),
        column(call('intDiv', above(name('gap')), infix(width, '*', number(1_000))), 'bin'),
      ],
      from: from(measured, 'h'),
      arrayJoin: { isLeft: false, items: [column(measuredRow('gaps'), 'gap')] },
    }
    const placedRow = (of: string) => name('i', of)
    return {
      kind: 'select',
      items: [
        column(placedRow('key'), 'key'),
        ...['low', 'width', 'bins'].map((of) => column(call('any', placedRow(of)), of)),
        column(inSeconds(call('any', placedRow('average'))), 'average'),
        column(placedRow('bin'), 'bin'),
        column(call('count'), 'people'),
      ],
      from: from(placed, 'i'),
      groupBy: [placedRow('key'), placedRow('bin')],
    }
  },
  shape(rows, _plan, query) {
    const charts = new Map<string, { bins: [number, number][]; average_conversion_time: number | null }>()
    for (const [key, low, width, bins, average, bin, people] of rows) {
      const empty = {
        bins: Array.from({ length: Number(bins) }, (__, index): [number, number] => [
          Number(low) + index * Number(width),
          0,
        ]),
        average_conversion_time: Number(average),
      }
      const chart = charts.get(String(key)) ?? empty
      chart.bins[Number(bin)]![1] = Number(people)
      charts.set(String(key), chart)
    }
    if (!breakdownsOf(query).length) return charts.get(NO_KEY) ?? { bins: [], average_conversion_time: null }
    const people = new Map([...charts].map(([key, { bins }]) => [key, bins.reduce((sum, [, count]) => sum + count, 0)]))
    return shownKeys(charts.keys(), query)
      .sort(byEntries(people))
      .map((key) => ({ ...charts.get(key)!, ...broken(key) }))
  },
}

/** The views by their names in the protocol. */
export const VIEWS = { steps: STEPS, trends: RATES, time_to_convert: DURATIONS } as const satisfies Record<string, View>
