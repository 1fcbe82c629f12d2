import { guarded } from '../../sql/catalog/guard.ts'
import { call, type CallSql, infix, name, type QuerySql, type SelectSql, type Sql } from '../../sql/catalog/physical.ts'
import { aggregateOf, computedOf } from './aggregates.ts'
import { withBase } from './eventRows.ts'
import { isOfLayers } from './layers.ts'
import { isRangeOf, type Shape } from './shape.ts'
import { type Split, splitOf, test } from './split.ts'
import type { RunTerm } from './rules/terms.ts'
import { isClock, mapChildren } from './tree.ts'
import { all, AT, DATABASE, LAYER, timestamp, number, OWNER, SEEN, type Stored, STORED, unionAll } from './words.ts'

export const BUCKET = '__bucket'
export const SPAN = '__span'

/** Returns the conditions of a run on the columns. */
const testsOf = (terms: readonly RunTerm[]): readonly Sql[] => terms.map((term) => test(term, term.column))

const timedRows = ({ guard }: Shape): SelectSql => ({
  ...guard,
  items: [...guard.items, { value: name('timestamp'), name: AT }, { value: name('inserted_at'), name: SEEN }],
})

/** Returns the rows of events as the select reads them, with their timestamp and the time of their arrival. */
export const events = (shape: Shape): SelectSql['from'] => ({
  kind: 'named',
  name: shape.names.source,
  query: timedRows(shape),
})

/** Like `events`, with persons and groups joined to them. */
export const joinedEvents = (shape: Shape): SelectSql['from'] => {
  const rows = timedRows(shape)
  return withBase(
    shape.from,
    rows,
    rows.items.map((each) => each.name),
  )
}

/** Returns stored rows with the columns of a shape. A select has to choose their layers. */
export const storedRows = (shape: Shape, { table }: Stored): SelectSql['from'] => ({
  kind: 'named',
  name: STORED,
  query: guarded(
    { database: DATABASE, name: table, owner: OWNER },
    [
      ...[...shape.columns, ...shape.states].map((each) => each.name),
      ...(shape.isBucketed ? [SPAN, BUCKET] : []),
      LAYER,
    ].map((own) => ({ value: name(own), name: own })),
  ),
})

export const isBefore = (source: string, watermark: string): Sql => infix(name(source, SEEN), '<', timestamp(watermark))
export const isAfter = (source: string, watermark: string): Sql => infix(name(source, SEEN), '>=', timestamp(watermark))

// The clock is read once: two readings could fall into different hours.
const atOneTime = (shape: Shape, now: Date): Shape => {
  const reading = timestamp(now.toISOString().replace('T', ' ').replace('Z', ''))
  const fix = (sql: Sql): Sql => (isClock(sql) ? reading : mapChildren(sql, fix))
  return {
    ...shape,
    runTerms: shape.runTerms.map((term) => ({ ...term, bound: fix(term.bound) })),
    joinedTerms: shape.joinedTerms.map(fix),
  }
}

/** The index of the run that a row is for. */
export const INDEX = '__run'

/** Returns the states that runs read, from the table and from events. */
export const statesFor = (shape: Shape, stored: Stored, { stored: inTable, ends, tail }: Split): QuerySql => {
  const { columns, states, groups, runTerms, fixed, names } = shape
  const { source, keyOf } = names
  const others = runTerms.filter((term) => !isRangeOf(shape, term))
  const read = [...groups, ...states]
  const storedName = (of: Sql) => name(STORED, columns.find((each) => keyOf(each.sql) === keyOf(of))!.name)
  const rows = [name(STORED, SPAN), name(STORED, BUCKET)] as const
  const single = [number(0), name(source, AT)] as const

  const fromTable: SelectSql = {
    kind: 'select',
    items: [
      ...read.map((each) => ({ value: name(STORED, each.name), name: each.name })),
      ...(inTable.run ? [{ value: inTable.run(...rows), name: INDEX }] : []),
    ],
    from: storedRows(shape, stored),
    where: all([
      isOfLayers(stored),
      ...others.map((term) => test(term, storedName(term.column))),
      inTable.where(...rows),
    ]),
  }
  const fromEvents = ({ where, run }: Split['tail'], seen: Sql): SelectSql => ({
    kind: 'select',
    items: [
      ...read.map((each) => ({ value: each.sql, name: each.name })),
      ...(run ? [{ value: run(...single), name: INDEX }] : []),
    ],
    from: events(shape),
    where: all([...fixed, ...testsOf(others), where(...single), seen]),
    groupBy: [...groups.map((each) => name(each.name)), ...(run ? [name(INDEX)] : [])],
    // Without groups, an aggregate over no events is a row, of which a minimum is not neutral.
    having: groups.length === 0 ? infix(call('count'), '>', number(0)) : undefined,
  })
  return unionAll(fromTable, [
    ...(stored.isComplete ? [] : [fromEvents(tail, isAfter(source, stored.watermark))]),
    ...(ends ? [fromEvents(ends, isBefore(source, stored.watermark))] : []),
  ])
}

/** Returns how an expression of the select is read from stored columns and states. */
export const readerOf = ({ states, groups, names }: Shape): ((of: Sql) => Sql) => {
  const { source, keyOf, readsJoined } = names
  const columnFor = new Map(groups.map((each) => [keyOf(each.sql), each.name]))
  const stateFor = new Map(states.map((each) => [keyOf(each.call), each.name]))
  const aggregate = (of: CallSql): Sql => {
    const { state, args, over } = computedOf(of, readsJoined)
    return over(args.map(read), state && name(source, stateFor.get(keyOf(state))!))
  }
  const read = (of: Sql): Sql => {
    const column = columnFor.get(keyOf(of))
    if (column) return name(source, column)
    return of.kind === 'call' && !of.over && aggregateOf(of.name) ? aggregate(of) : mapChildren(of, read)
  }
  return read
}

const readStates = (shape: Shape, sql: SelectSql, stored: Stored): SelectSql => {
  const { states, groups, joinedTerms, from, names } = shape
  const { expand } = names
  const read = readerOf(shape)
  const written = (of: Sql): Sql => read(expand(of))
  const keys = new Map((sql.groupBy ?? []).map(written).map((each) => [JSON.stringify(each), each]))
  return {
    ...sql,
    items: sql.items.map(({ value, name: own }) => ({ value: written(value), name: own })),
    from: withBase(
      from,
      statesFor(shape, stored, splitOf(shape.runTerms.filter((term) => isRangeOf(shape, term)))),
      [...groups, ...states].map((each) => each.name),
    ),
    where: all(joinedTerms.map(read)),
    groupBy: [...keys.values()],
    having: sql.having && written(sql.having),
    orderBy: sql.orderBy?.map((each) => ({ ...each, by: written(each.by) })),
    limitBy: sql.limitBy && { ...sql.limitBy, by: sql.limitBy.by.map(written) },
  }
}

const readRows = (shape: Shape, sql: SelectSql, stored: Stored): SelectSql => {
  const { columns, runTerms, fixed, from, guard, names } = shape
  const { source } = names
  // Named like the events in the select, so that its conditions read stored rows as they read events.
  const asSource: SelectSql = {
    kind: 'select',
    items: columns.map((each, at) => ({ value: name(STORED, each.name), name: guard.items[at]!.name })),
    from: storedRows(shape, stored),
    where: isOfLayers(stored),
  }
  const items = guard.items.map((item) => ({ value: name(source, item.name), name: item.name }))
  const fromTable: SelectSql = {
    kind: 'select',
    items,
    from: { kind: 'named', query: asSource, name: source },
    where: all(testsOf(runTerms)),
  }
  const tail = (): SelectSql => ({
    kind: 'select',
    items,
    from: events(shape),
    where: all([...fixed, ...testsOf(runTerms), isAfter(source, stored.watermark)]),
  })
  return {
    ...sql,
    from: withBase(
      from,
      unionAll(fromTable, stored.isComplete ? [] : [tail()]),
      items.map((item) => item.name),
    ),
  }
}

/** Replaces the clock by the time of a run, and returns its range and the conditions on other columns. */
export const termsOf = (shape: Shape, now: Date) => {
  const fixed = atOneTime(shape, now)
  const ranges = fixed.runTerms.filter((term) => isRangeOf(fixed, term))
  return { ranges, others: fixed.runTerms.filter((term) => !ranges.includes(term)) }
}

/** Returns a select with the same rows as `sql`, from the table, and from the events outside whole buckets and after the watermark. */
export const readSql = (shape: Shape, sql: SelectSql, stored: Stored, now: Date): SelectSql => {
  const fixed = atOneTime(shape, now)
  return shape.kind === 'states' ? readStates(fixed, sql, stored) : readRows(fixed, sql, stored)
}
