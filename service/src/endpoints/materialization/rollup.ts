import { guarded } from '../sql/guard.ts'
import { call, infix, name, type QuerySql, type SelectSql, type Sql, text } from '../sql/physical.ts'
import { aggregateOf } from './aggregates.ts'
import { isRangeOf, type RunTerm, type Shape } from './shape.ts'
import { mapChildren } from './tree.ts'
import { all, any, AT, bucketOf, COUNT, DATABASE, moment, number, OWNER, SEEN, type Stored, STORED, toMoment } from './words.ts'
import { type Stretch, stretchOf } from './stretch.ts'

const BUCKET_MS = 3_600_000

const BUCKET = '__bucket'
const MERGED = '__merged'

const lastOf = (bucket: Sql): Sql => call('addMilliseconds', bucket, number(BUCKET_MS - 1))

const test = ({ operator, bound, isColumnLeft }: RunTerm, column: Sql): Sql => (isColumnLeft ? infix(column, operator, bound) : infix(bound, operator, column))

/** The rows of events as the select reads them, with when they were and when they came. */
const events = ({ guard, source }: Shape): SelectSql['from'] => ({
  kind: 'named',
  name: source,
  query: { ...guard, items: [...guard.items, { value: name('timestamp'), name: AT }, { value: name('inserted_at'), name: SEEN }] },
})

const storedRows = (shape: Shape, { table }: Stored): SelectSql['from'] => ({
  kind: 'named',
  name: STORED,
  query: guarded({ database: DATABASE, name: table, owner: OWNER }, [
    ...[...shape.columns, ...shape.states].map(({ name: own }) => ({ value: name(own), name: own })),
    ...(shape.isBucketed ? [{ value: name(BUCKET), name: BUCKET }] : []),
    ...(shape.columns.length + shape.states.length === 0 ? [{ value: name(OWNER), name: OWNER }] : []),
  ]),
})

const isBefore = (source: string, watermark: string): Sql => infix(name(source, SEEN), '<', moment(watermark))
const isAfter = (source: string, watermark: string): Sql => infix(name(source, SEEN), '>=', moment(watermark))

/** What fills the table `stored`: every event that came before its watermark. */
export const fillSql = (shape: Shape, { watermark }: Stored): SelectSql => {
  const { columns, states, fixed, isBucketed, source } = shape
  const keys = [...columns.map(({ sql, name: own }) => ({ value: sql, name: own })), ...(isBucketed ? [{ value: bucketOf(name(source, AT), BUCKET_MS), name: BUCKET }] : [])]
  return {
    kind: 'select',
    items: [{ value: call('toUInt32', { kind: 'project' }), name: OWNER }, ...keys, ...states.map(({ sql, name: own }) => ({ value: sql, name: own })), { value: shape.kind === 'states' ? call('count') : number(1), name: COUNT }],
    from: events(shape),
    where: all([...fixed, isBefore(source, watermark)]),
    groupBy: shape.kind === 'states' ? [name(OWNER), ...keys.map((key) => name(key.name))] : [],
  }
}

/** How many events the table should hold. */
export const countSql = ({ fixed, source, ...shape }: Shape, { watermark }: Stored): SelectSql => ({
  kind: 'select',
  items: [{ value: call('count'), name: 'events' }],
  from: events({ ...shape, fixed, source }),
  where: all([...fixed, isBefore(source, watermark)]),
})

/** The columns by which the stored rows are sorted: what runs ask for comes first. */
export const sortingOf = ({ kind, columns, runTerms, isBucketed, keyOf }: Shape): readonly string[] => {
  const wanted = new Set(runTerms.map(({ column }) => keyOf(column)))
  const asked = columns.filter(({ sql }) => wanted.has(keyOf(sql)))
  return [OWNER, ...asked.map((each) => each.name), ...(isBucketed ? [BUCKET] : []), ...(kind === 'states' ? columns.filter((each) => !asked.includes(each)).map((each) => each.name) : [])]
}

// The clock is read once: two readings could fall on both sides of an hour's end.
const atOneTime = (shape: Shape, now: Date): Shape => {
  const reading = moment(now.toISOString().replace('T', ' ').replace('Z', ''))
  const fix = (sql: Sql): Sql => (sql.kind === 'call' && sql.name === 'now64' ? reading : mapChildren(sql, fix))
  return { ...shape, runTerms: shape.runTerms.map((term) => ({ ...term, bound: fix(term.bound) })) }
}

/** What of a time range is read from where. */
interface Split {
  /** Of the stored rows; `undefined`: all of them. */
  readonly isStored: ((bucket: Sql) => Sql) | undefined
  /** Of the events that are stored too, those that no stored row answers for. Absent: there are none. */
  readonly isEnd?: (at: Sql) => Sql
}

const isInFullBucket = (ranges: readonly RunTerm[], bucket: Sql): Sql => all(ranges.flatMap((term) => [test(term, bucket), test(term, lastOf(bucket))]))!

// No event further from every bound than a bucket's length is in a ragged end. Says so in a way that the engine's index understands.
const isNear = (ranges: readonly RunTerm[], at: Sql): Sql =>
  any(
    ranges.map(({ bound }) => {
      const time = call('toDateTime64', bound, number(3), text('UTC'))
      return infix(infix(at, '>=', call('addMilliseconds', time, { kind: 'call', name: 'negate', args: [number(BUCKET_MS)] })), 'AND', infix(at, '<=', call('addMilliseconds', time, number(BUCKET_MS))))
    }),
  )

/** Of bounds that only the engine can work out, such as the begin of a month. */
const splitByEngine = (ranges: readonly RunTerm[]): Split => ({
  isStored: (bucket) => isInFullBucket(ranges, bucket),
  isEnd: (at) => infix(isNear(ranges, at), 'AND', call('not', isInFullBucket(ranges, bucketOf(at, BUCKET_MS)))),
})

const isWithin = ({ from, to }: Stretch, at: Sql): Sql =>
  all([from === -Infinity ? undefined : infix(at, '>=', toMoment(from)), to === Infinity ? undefined : infix(at, '<', toMoment(to))])!

/** Of known bounds: what the engine has to plan is then small, and nothing where a range begins with a bucket, as days do. */
const splitAt = ({ from, to }: Stretch): Split => {
  const full = { from: Math.ceil(from / BUCKET_MS) * BUCKET_MS, to: Math.floor(to / BUCKET_MS) * BUCKET_MS }
  if (full.from >= full.to) return { isStored: () => ({ kind: 'boolean', value: false }), isEnd: (at) => isWithin({ from, to }, at) }
  const ends = [{ from, to: full.from }, { from: full.to, to }].filter((end) => end.from < end.to)
  return { isStored: (bucket) => isWithin(full, bucket), ...(ends.length > 0 ? { isEnd: (at) => any(ends.map((end) => isWithin(end, at))) } : {}) }
}

const splitOf = (ranges: readonly RunTerm[]): Split => {
  if (ranges.length === 0) return { isStored: undefined }
  const stretch = stretchOf(ranges)
  return stretch ? splitAt(stretch) : splitByEngine(ranges)
}

const readStates = (shape: Shape, sql: SelectSql, stored: Stored): SelectSql => {
  const { columns, states, groups, runTerms, fixed, source, keyOf, expand } = shape
  const ranges = runTerms.filter((term) => isRangeOf(shape, term))
  const others = runTerms.filter((term) => !ranges.includes(term))
  const { isStored, isEnd } = splitOf(ranges)
  const storedName = (of: Sql) => name(STORED, columns.find((each) => keyOf(each.sql) === keyOf(of))!.name)

  const fromTable: SelectSql = {
    kind: 'select',
    items: [...groups, ...states].map((each) => ({ value: name(STORED, each.name), name: each.name })),
    from: storedRows(shape, stored),
    where: all([...others.map((term) => test(term, storedName(term.column))), isStored?.(name(STORED, BUCKET))]),
  }
  const asked = (terms: readonly RunTerm[]) => terms.map((term) => test(term, term.column))
  const fromEvents = (terms: readonly Sql[]): SelectSql => ({
    kind: 'select',
    items: [...groups, ...states].map((each) => ({ value: each.sql, name: each.name })),
    from: events(shape),
    where: all([...fixed, ...terms]),
    groupBy: groups.map((each) => name(each.name)),
  })
  const at = name(source, AT)
  const tail = fromEvents([...asked(runTerms), isAfter(source, stored.watermark)])
  // The range once more: bounds that the engine works out are near to more than the range.
  const ends = isEnd ? [fromEvents([...asked(runTerms), isBefore(source, stored.watermark), isEnd(at)])] : []
  const union: QuerySql = { kind: 'set', first: fromTable, rest: [tail, ...ends].map((query) => ({ operator: 'union all', query })) }

  const groupFor = new Map(groups.map((each) => [keyOf(each.sql), each.name]))
  const stateFor = new Map(states.map((each) => [keyOf(each.call), each.name]))
  const merge = (of: Sql): Sql => {
    const key = keyOf(of)
    const group = groupFor.get(key)
    if (group) return name(MERGED, group)
    const state = of.kind === 'call' && !of.over && aggregateOf(of.name) ? stateFor.get(key) : undefined
    return of.kind === 'call' && state ? { ...of, name: `${of.name}Merge`, args: [name(MERGED, state)] } : mapChildren(of, merge)
  }
  const merged = (of: Sql): Sql => merge(expand(of))
  return {
    ...sql,
    items: sql.items.map(({ value, name: own }) => ({ value: merged(value), name: own })),
    from: { kind: 'named', query: union, name: MERGED },
    where: undefined,
    groupBy: [...new Set((sql.groupBy ?? []).map((each) => groupFor.get(keyOf(expand(each)))!))].map((each) => name(MERGED, each)),
    having: sql.having && merged(sql.having),
    orderBy: sql.orderBy?.map((each) => ({ ...each, by: merged(each.by) })),
    limitBy: sql.limitBy && { ...sql.limitBy, by: sql.limitBy.by.map(merged) },
  }
}

const readRows = (shape: Shape, sql: SelectSql, stored: Stored): SelectSql => {
  const { columns, runTerms, fixed, source, guard } = shape
  // Under the select's own name for them, so that its conditions read stored rows as they read events.
  const asSource: SelectSql = {
    kind: 'select',
    items: columns.map((each, at) => ({ value: name(STORED, each.name), name: guard.items[at]!.name })),
    from: storedRows(shape, stored),
  }
  const items = guard.items.map((item) => ({ value: name(source, item.name), name: item.name }))
  const asked = runTerms.map((term) => test(term, term.column))
  const fromTable: SelectSql = { kind: 'select', items, from: { kind: 'named', query: asSource, name: source }, where: all(asked) }
  const tail: SelectSql = { kind: 'select', items, from: events(shape), where: all([...fixed, ...asked, isAfter(source, stored.watermark)]) }
  return { ...sql, from: { kind: 'named', query: { kind: 'set', first: fromTable, rest: [{ operator: 'union all', query: tail }] }, name: source } }
}

/** A select with the same rows as `sql`: what is stored, the ragged ends of its time range, and what has come since, in one. */
export const readSql = (shape: Shape, sql: SelectSql, stored: Stored, now: Date): SelectSql => {
  const fixed = atOneTime(shape, now)
  return shape.kind === 'states' ? readStates(fixed, sql, stored) : readRows(fixed, sql, stored)
}
