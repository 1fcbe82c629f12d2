import { guarded } from '../../sql/catalog/guard.ts'
import { call, infix, name, type SelectSql, type Sql } from '../../sql/catalog/physical.ts'
import { nameLiteral } from '../../sql/print/literal.ts'
import { print } from '../../sql/print/print.ts'
import type { Statement } from '../../storage/storage.ts'
import { mergedPartialOf } from './aggregates.ts'
import { type Layer, isOfLayers } from './layers.ts'
import { isOfPortion, isWithout, type Portion } from './portion.ts'
import { BUCKET, events, SPAN } from './rollup.ts'
import { type Shape, SPANS } from './shape.ts'
import { DAY_MS, HOUR_MS, type TimeRange } from './timeRange.ts'
import { all, AT, bucketOf, COUNT, DATABASE, LAYER, number, OWNER, SEEN, type Stored, STORED } from './words.ts'

/** Stored data for a query of either kind. Plans with the same `signature` have the same table. */
export interface TablePlan {
  readonly signature: string
  readonly kind: 'states' | 'rows' | 'buckets'
  /** The columns, apart from the layer, the project and the count of events. */
  readonly keys: readonly string[]
  /** The columns with partial results of aggregates, and the aggregates that merge several of them into one. */
  readonly states: readonly { readonly name: string; readonly merged: Sql }[]
  /** The column with a time on the UTC day of a row's events. Absent: a row may have events of several days. */
  readonly time?: string | undefined
  /** The columns by which the rows are sorted. */
  readonly sorting: readonly string[]
  /** Returns the select of rows of events, with the columns in the order layer, project, keys, states, count. */
  readonly fill: (layer: number, portion: Portion) => SelectSql
  /** Returns the select of the number of events by day. */
  readonly count: (portion: Portion) => SelectSql
}

/** A select of events with their timestamp and the time of their arrival. */
export interface Source {
  readonly from: SelectSql['from']
  readonly as: string
  readonly where: readonly (Sql | undefined)[]
}

const project: Sql = call('toUInt32', { kind: 'project' })

/** Returns the select of a table's rows from events. */
export const fillFrom = (
  { from, as, where }: Source,
  items: SelectSql['items'],
  groupBy: readonly string[] | undefined,
  layer: number,
  portion: Portion,
): SelectSql => ({
  kind: 'select',
  items: [{ value: call('toUInt32', number(layer)), name: LAYER }, { value: project, name: OWNER }, ...items],
  from,
  where: all([...where, isOfPortion(portion, name(as, SEEN), name(as, AT))]),
  ...(groupBy ? { groupBy: [LAYER, OWNER, ...groupBy].map((each) => name(each)) } : {}),
})

/** Returns the select of the number of events by day. */
export const countFrom = ({ from, as, where }: Source, portion: Portion): SelectSql => ({
  kind: 'select',
  items: [
    { value: call('toDate32', name(as, AT)), name: 'day' },
    { value: call('count'), name: 'events' },
  ],
  from,
  where: all([...where, isOfPortion(portion, name(as, SEEN), name(as, AT))]),
  groupBy: [name('day')],
})

const DAY = '__day'

/** Returns the columns by which the stored rows are sorted, beginning with those that runs filter by. */
const sortingOf = ({ kind, columns, runTerms, isBucketed, names: { keyOf } }: Shape): readonly string[] => {
  const wanted = new Set(runTerms.map(({ column }) => keyOf(column)))
  const filtered = columns.filter(({ sql }) => wanted.has(keyOf(sql)))
  return [
    OWNER,
    ...filtered.map((each) => each.name),
    ...(isBucketed ? [SPAN, BUCKET] : []),
    ...(kind === 'states' ? columns.filter((each) => !filtered.includes(each)).map((each) => each.name) : []),
  ]
}

/**
 * Returns what to store for a SQL query. A select with a time range is stored twice, as states per hour and per day: a long range then
 * reads a twentieth of the states, which matters if states contain values.
 */
export const tableOf = (shape: Shape): TablePlan => {
  const { kind, columns, states, isBucketed, fixed, names } = shape
  const at = name(names.source, AT)
  const source: Source = { from: events(shape), as: names.source, where: fixed }
  const spans = call('arrayJoin', call('array', ...SPANS.map(number)))
  const times = isBucketed
    ? [
        { value: spans, name: SPAN },
        { value: bucketOf(at, name(SPAN)), name: BUCKET },
      ]
    : kind === 'rows'
      ? [{ value: bucketOf(at, number(DAY_MS)), name: DAY }]
      : []
  const keys = [...columns.map(({ sql, name: own }) => ({ value: sql, name: own })), ...times]
  const keyNames = keys.map((each) => each.name)
  // The days repeat the events of the hours.
  const counted = isBucketed
    ? call('if', infix(name(SPAN), '=', number(HOUR_MS)), call('count'), number(0))
    : kind === 'states'
      ? call('count')
      : call('toUInt64', number(1))
  const items = [
    ...keys,
    ...states.map(({ sql, name: own }) => ({ value: sql, name: own })),
    { value: counted, name: COUNT },
  ]
  return {
    signature: shape.signature,
    kind,
    keys: keyNames,
    states: states.map(({ name: own, call: of }) => ({
      name: own,
      merged: { ...mergedPartialOf(of), args: [name(STORED, own)] },
    })),
    time: isBucketed ? BUCKET : kind === 'rows' ? DAY : undefined,
    sorting: sortingOf(shape),
    fill: (layer, portion) => fillFrom(source, items, kind === 'states' ? keyNames : undefined, layer, portion),
    count: (portion) => countFrom(source, portion),
  }
}

/** Returns the select of rows of layers, without those of some days, as one layer. */
const mergeSql = (
  { kind, keys, states, time }: TablePlan,
  layer: number,
  stored: Pick<Stored, 'table' | 'layers'>,
  without: readonly TimeRange[],
): SelectSql => {
  const own = (each: string) => ({ value: name(STORED, each), name: each })
  const isGrouped = kind !== 'rows'
  return {
    kind: 'select',
    items: [
      { value: call('toUInt32', number(layer)), name: LAYER },
      { value: project, name: OWNER },
      ...keys.map(own),
      ...states.map(({ name: as, merged }) => ({ value: merged, name: as })),
      isGrouped ? { value: call('sum', name(STORED, COUNT)), name: COUNT } : own(COUNT),
    ],
    from: {
      kind: 'named',
      name: STORED,
      query: guarded(
        { database: DATABASE, name: stored.table, owner: OWNER },
        [LAYER, ...keys, ...states.map((each) => each.name), COUNT].map((each) => ({
          value: name(each),
          name: each,
        })),
      ),
    },
    where: all([isOfLayers(stored), time === undefined ? undefined : isWithout(without, name(STORED, time))]),
    ...(isGrouped ? { groupBy: [LAYER, OWNER, ...keys].map((each) => name(each)) } : {}),
  }
}

/** Returns functions that return the statements that create, fill and check a table. */
export const statementsOf = (plan: TablePlan, projectId: number, table: string) => {
  const at = `db.${table}`
  const inserted = ({ text, params }: Statement): Statement => ({
    text: `INSERT INTO ${at} ${text}`,
    ...(params ? { params } : {}),
  })
  const idsOf = (layers: readonly Pick<Layer, 'id'>[]) => layers.map(({ id }) => id)
  const dayOf = (day: string) => (plan.time === undefined ? "toDate32('1970-01-01')" : day)
  return {
    create: (): Statement => {
      const { text, params } = print(plan.fill(0, { until: '1970-01-01 00:00:00.000' }), projectId)
      return {
        text: `CREATE TABLE ${at} ENGINE = MergeTree PARTITION BY ${LAYER} ORDER BY (${plan.sorting.map(nameLiteral).join(', ')}) SETTINGS allow_nullable_key = 1, index_granularity = 1024 EMPTY AS ${text} SETTINGS allow_suspicious_low_cardinality_types = 1`,
        params,
      }
    },
    fill: (layer: number, portion: Portion): Statement => inserted(print(plan.fill(layer, portion), projectId)),
    merge: (layer: number, layers: Stored['layers'], without: readonly TimeRange[]): Statement =>
      inserted(print(mergeSql(plan, layer, { table, layers }, without), projectId)),
    /** The numbers of rows and events of each layer, or of one. */
    held: (layer?: number): Statement => ({
      text: `SELECT ${LAYER} AS id, toUInt64(count()) AS rows, sum(${COUNT}) AS events FROM ${at} ${layer === undefined ? '' : `WHERE ${LAYER} = ${layer} `}GROUP BY id`,
    }),
    /** The number of events of a portion. */
    count: (portion: Portion): Statement => {
      const { text, params } = print(plan.count(portion), projectId)
      return { text: `SELECT sum(events) AS events FROM (${text})`, params }
    },
    /** The number of events that a merge stores. */
    countMerged: (layers: Stored['layers'], without: readonly TimeRange[]): Statement =>
      print(
        {
          ...mergeSql(plan, 0, { table, layers }, without),
          items: [{ value: call('sum', name(STORED, COUNT)), name: 'events' }],
          groupBy: [],
        },
        projectId,
      ),
    /** The days of which the layers have another number of events than the portion. */
    changedDays: (layers: readonly Pick<Layer, 'id'>[], portion: Portion, limit: number): Statement => {
      const { text, params } = print(plan.count(portion), projectId)
      return {
        text: `SELECT toString(day) AS day FROM (SELECT ${dayOf(`toDate32(${plan.time})`)} AS day, toInt64(sum(${COUNT})) AS change FROM ${at} WHERE ${LAYER} IN (${idsOf(layers).join(', ')}) GROUP BY day UNION ALL SELECT ${dayOf('day')} AS day, -toInt64(events) AS change FROM (${text})) GROUP BY day HAVING sum(change) != 0 LIMIT ${limit}`,
        params,
      }
    },
    /** The number of rows and events that the table would have, and the average size of a row. */
    estimate: (until: string): Statement & { readonly fill: string } => {
      const { text, params } = print(plan.fill(0, { until }), projectId)
      const states = plan.states.map((each) => each.name)
      return {
        fill: text,
        text: `SELECT count() AS rows, sum(${COUNT}) AS events, avg(length(toString(tuple(* EXCEPT (${[LAYER, COUNT, ...states].join(', ')})))) ${states.map((each) => `+ length(CAST(${each}, 'String'))`).join(' ')}) AS bytes FROM (${text})`,
        params,
      }
    },
  }
}
