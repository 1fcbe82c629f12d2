import {
  type Column,
  NO_CALLER,
  type Result,
  type ReadLimits,
  type Statement,
  type Storage,
} from '../../storage/storage.ts'
import { createBatches } from './batches.ts'
import type { BoundaryPart } from './boundary.ts'
import type { CellRun } from './cells.ts'
import { add, isFaithful, isPlain, pageOf, type Row } from './finish.ts'
import { fullBuckets } from './rollup.ts'
import { DAY_MS, HOUR_MS } from './shape.ts'
import { createSlices, MAX_CELLS, type Slice } from './slices.ts'
import { joined, type TimeRange } from './timeRange.ts'

/** Finishes runs from cells in memory. */
export interface Cells {
  /**
   * Returns the rows of a run: those of all events that had arrived at `epoch`. `undefined`: only the engine can finish it.
   * `isComplete`: whether no event has arrived since the table was filled.
   */
  finish(run: CellRun, options: CellOptions): Promise<Result | undefined>
}

export interface CellOptions {
  readonly epoch: number
  /** Counts the changes of which ids are merged. */
  readonly owners: number
  readonly isComplete: boolean
  readonly limits: ReadLimits
  readonly signal: AbortSignal
}

// A run whose groups are partly in its range at more places than its two ends reads nearly all of it.
const MAX_WINDOWS = 4
// More take longer to read than the engine takes to count them.
const MAX_DISTINCT = 250_000
// Periods that change are read again for each delivery.
const MAX_DISTINCT_NOW = 20_000
/** Maximum time ranges that are computed again after merges. More are nearly all. */
const MAX_CORRECTED = 50
/** Maximum runs of one statement. */
const MAX_TOGETHER = 32

/** A group that the table's cells do not have for the run. */
interface Wanted {
  readonly key: string
  /** When its events happened. */
  readonly extent: TimeRange
  /** Whether it has events that have arrived since the table was filled. */
  readonly isChanged: boolean
  /** Its aggregates in the table. */
  readonly values?: Row
}

interface GroupsRequest {
  readonly places: readonly TimeRange[]
  readonly signal: AbortSignal
}

/** Returns the days that contain the groups, so that runs with other ranges need the same. */
const windowsOf = (groups: readonly Wanted[]): { window: TimeRange; groups: readonly Wanted[] }[] => {
  const found: { window: TimeRange; groups: Wanted[] }[] = []
  for (const each of [...groups].sort((a, b) => a.extent.from - b.extent.from)) {
    const window = {
      from: Math.floor(each.extent.from / DAY_MS) * DAY_MS,
      to: Math.ceil(each.extent.to / DAY_MS) * DAY_MS,
    }
    const last = found.at(-1)
    if (last && window.from < last.window.to) {
      last.window = { from: last.window.from, to: Math.max(last.window.to, window.to) }
      last.groups.push(each)
    } else found.push({ window, groups: [each] })
  }
  return found
}

/** Returns the row of a group from what is known of its period. `unknown`: a sum is not exact, or the parts have other events. */
const rowOf = (
  { boundary, range }: CellRun,
  parts: readonly BoundaryPart[],
  key: string,
): Row | 'absent' | 'unknown' => {
  const found = parts.map((part) => part.over(key, range))
  if (found.every((each) => each === undefined)) return 'absent'
  const aggregates: unknown[] = []
  for (const [part, { places }] of boundary.entries())
    for (const [at, place] of places.entries()) aggregates[place] = found[part]?.[at] ?? (found[part] ? null : NaN)
  return aggregates.some(Number.isNaN) ? 'unknown' : [...parts[0]!.groups.get(key)!, ...aggregates]
}

/** Returns the starts of the hours that a range covers only partly. */
const partHours = ({ from, to }: TimeRange): number[] => {
  const starts = [from, to]
    .filter((each) => Number.isFinite(each) && each % HOUR_MS !== 0)
    .map((each) => Math.floor(each / HOUR_MS) * HOUR_MS)
  return [...new Set(starts)]
}

export interface CellsOptions {
  readonly storage: Pick<Storage, 'run'>
  readonly maxBytes?: number
  /** Returns the ids that may belong to other persons since an epoch. `undefined`: it may be any. */
  readonly changedIds?: (projectId: number, from: number, to: number) => readonly string[] | undefined
}

export const createCells = ({ storage, maxBytes, changedIds = () => undefined }: CellsOptions): Cells => {
  const slices = createSlices({ storage, maxBytes })
  const batches = createBatches<GroupsRequest, readonly Row[] | undefined>()

  const arrivedOf = (run: CellRun, options: CellOptions) =>
    options.isComplete
      ? undefined
      : slices.load(`${run.key} arrived`, run, run.statements.arrived, options.limits, options.epoch)

  /** Adds the cells of hours, and those of milliseconds of the hours that are only partly in the range. */
  const addUp = async (
    run: CellRun,
    options: CellOptions,
  ): Promise<{ columns: readonly Column[]; rows: Row[] } | undefined> => {
    const { range } = run
    const isOfMillis = (at: number) => at >= range.from && at < range.to
    const hours = fullBuckets(range, HOUR_MS)
    const isOfHours = (at: number) => at >= hours.from && at < hours.to
    const arrived = arrivedOf(run, options)
    const loaded = await Promise.all([
      slices.load(run.key, run, run.statements.table, options.limits),
      ...partHours(range).map((start) =>
        slices.load(`${run.key} ${start}`, run, () => run.statements.hour(start), options.limits),
      ),
      ...(arrived ? [arrived] : []),
    ])
    const found = loaded.flatMap((slice) => slice ?? [])
    if (found.length < loaded.length) return undefined
    const sumsOf = new Map<string, { values: Row; sums: unknown[] }>()
    for (const [place, { groups, groupAt, from, values }] of found.entries()) {
      const isIn = place === 0 ? isOfHours : isOfMillis
      const sums: (unknown[] | undefined)[] = groups.map(() => undefined)
      for (let cell = 0; cell < from.length; cell += 1) {
        if (!isIn(from[cell]!)) continue
        const group = groupAt[cell]!
        const sum = sums[group]
        if (!sum) sums[group] = [...values[cell]!]
        else for (let at = 0; at < sum.length; at += 1) sum[at] = add(sum[at], values[cell]![at])
      }
      for (const [group, sum] of sums.entries()) {
        if (!sum) continue
        const { key, values: own } = groups[group]!
        const other = sumsOf.get(key)
        if (!other) sumsOf.set(key, { values: own, sums: sum })
        else other.sums = other.sums.map((each, at) => add(each, sum[at]))
      }
    }
    const rows = [...sumsOf.values()].map(({ values, sums }) => [...values, ...sums])
    const isSafe = rows.every((row) => row.every((each) => typeof each !== 'number' || Number.isSafeInteger(each)))
    return isSafe ? { columns: found[0]!.columns, rows } : undefined
  }

  /** Returns the groups of a run's events in time ranges. One statement serves the runs that came during the last one. */
  const groupsIn = (
    run: CellRun,
    { limits, signal }: CellOptions,
    places: readonly TimeRange[],
  ): Promise<readonly Row[] | undefined> => {
    const send = async (runs: readonly GroupsRequest[]): Promise<readonly (readonly Row[] | undefined)[]> => {
      const isAlone = runs.length === 1
      try {
        const { idPrefix: _, ...shared } = limits
        const { rows } = await storage.run(
          run.statements.groups(runs.map((each) => each.places)),
          { ...(isAlone ? limits : shared), maxRows: MAX_CELLS, tables: [run.stored.table] },
          // No caller can cancel what others wait for.
          isAlone ? runs[0]!.signal : NO_CALLER,
        )
        if (isAlone) return [rows]
        const found = runs.map((): Row[] => [])
        for (const [at, ...row] of rows) found[Number(at)]!.push(row)
        return found
      } catch (error) {
        // Each run may succeed alone.
        if (isAlone) throw error
        return runs.map(() => undefined)
      }
    }
    return batches.add(`${run.key} ${run.stored.isComplete}`, { places, signal }, async (runs) => {
      const found: (readonly Row[] | undefined)[] = []
      for (let from = 0; from < runs.length; from += MAX_TOGETHER)
        found.push(...(await send(runs.slice(from, from + MAX_TOGETHER))))
      return found
    })
  }

  /** The epoch of what was stored before the table's watermark. */
  const settledEpoch = (run: CellRun, options: CellOptions): number => (run.readsOwners ? options.owners : 0)

  /** Returns a function that computes the groups with events of merged ids again. */
  const correctedFor =
    (run: CellRun, { owners, limits }: CellOptions) =>
    async (before: Slice, epoch: number): Promise<Slice | undefined> => {
      const ids = changedIds(run.projectId, epoch, owners)
      if (!ids || !run.isTimed) return undefined
      const { idPrefix: _, ...shared } = limits
      const read = (statement: Statement) =>
        storage.run(statement, { ...shared, maxRows: MAX_CELLS, tables: [run.stored.table] }, NO_CALLER)
      const changed = new Set((await read(run.statements.groupsOf(ids))).rows.map((row) => JSON.stringify(row)))
      if (changed.size === 0) return before
      const extents = before.groups.flatMap(({ key }, at) =>
        changed.has(key) ? { from: before.from[at]!, to: before.to[at]! + HOUR_MS } : [],
      )
      const places = joined(extents)
      if (places.length > MAX_CORRECTED) return undefined
      const { rows } = await read(run.statements.settled(places))
      const values = new Map(
        rows.map((row) => [JSON.stringify(row.slice(0, run.groupCount)), row.slice(run.groupCount)]),
      )
      return {
        ...before,
        values: before.groups.map(({ key }, at) => (changed.has(key) ? values.get(key)! : before.values[at]!)),
      }
    }

  /** Returns the groups of periods that are computed from their events. `undefined`: only the engine can. */
  const fromBoundaries = async (
    run: CellRun,
    options: CellOptions,
    wanted: readonly Wanted[],
  ): Promise<Row[] | undefined> => {
    if (run.boundary.length === 0) return undefined
    const distinct = run.boundary.filter((each) => each.isDistinct).flatMap(({ places }) => places)
    const isTooLarge = ({ values, isChanged }: Wanted) =>
      distinct.some((place) => (values?.[place] as number) > (isChanged ? MAX_DISTINCT_NOW : MAX_DISTINCT))
    if (wanted.some(isTooLarge)) return undefined
    const windows = windowsOf(wanted)
    if (windows.length > MAX_WINDOWS) return undefined
    const found = await Promise.all(
      windows.map(async ({ window, groups }) => {
        const isNow = groups.some((each) => each.isChanged)
        const parts = await Promise.all(
          run.boundary.map((each, at) =>
            slices.load(
              `${run.key} ${window.from} ${window.to} ${at} ${isNow}`,
              run,
              () => each.statement(window, isNow),
              options.limits,
              isNow ? options.epoch : settledEpoch(run, options),
              { read: (result) => each.read(result, window) },
            ),
          ),
        )
        if (!parts.every((part) => part !== undefined)) return undefined
        return groups.map(({ key }) => rowOf(run, parts, key))
      }),
    )
    if (!found.every((rows) => rows !== undefined)) return undefined
    const rows = found.flat()
    return rows.includes('unknown') ? undefined : rows.filter((row): row is Row => row !== 'absent')
  }

  /** Takes whole groups from memory, and those that are partly in the range, or have new events, from the engine. */
  const takeGroups = async (
    run: CellRun,
    options: CellOptions,
  ): Promise<{ columns: readonly Column[]; rows: Row[] } | undefined> => {
    const { range, groupCount } = run
    const [table, arrived] = await Promise.all([
      slices.load(run.key, run, run.statements.table, options.limits, settledEpoch(run, options), {
        update: correctedFor(run, options),
      }),
      arrivedOf(run, options),
    ])
    if (!table || (!arrived && !options.isComplete)) return undefined
    // Without times, a group cannot be computed apart from the others.
    if (arrived?.groups.length && !run.isTimed) return undefined
    const extents = new Map<string, Wanted>()
    for (const [group, { key }] of (arrived?.groups ?? []).entries())
      extents.set(key, {
        key,
        extent: { from: arrived!.from[group]!, to: arrived!.to[group]! + 1 },
        isChanged: true,
      })
    const rows: Row[] = []
    const wanted: Wanted[] = []
    const isInRange = ({ extent }: Wanted) => extent.from < range.to && extent.to > range.from
    for (const [group, { key, values }] of table.groups.entries()) {
      const own = { from: table.from[group]!, to: table.to[group]! + HOUR_MS }
      const new_ = extents.get(key)?.extent
      extents.delete(key)
      const extent = new_ ? { from: Math.min(own.from, new_.from), to: Math.max(own.to, new_.to) } : own
      if (!new_ && extent.from >= range.from && extent.to <= range.to) rows.push([...values, ...table.values[group]!])
      else wanted.push({ key, extent, isChanged: new_ !== undefined, values: table.values[group]! })
    }
    const partial = [...wanted, ...extents.values()].filter(isInRange)
    const first = groupCount + 2
    const columns = [...table.columns.slice(0, groupCount), ...table.columns.slice(first)]
    if (partial.length === 0) return { columns, rows }
    const computed = await fromBoundaries(run, options, partial)
    if (computed) return { columns, rows: [...rows, ...computed] }
    const places = joined(
      partial.map(({ extent }) => ({ from: Math.max(extent.from, range.from), to: Math.min(extent.to, range.to) })),
    )
    if (places.length > MAX_WINDOWS || !places.every(({ from, to }) => Number.isFinite(from) && Number.isFinite(to)))
      return undefined
    const found = await groupsIn(run, options, places)
    if (!found) return undefined
    const keys = new Set(partial.map(({ key }) => key))
    for (const row of found) if (keys.has(JSON.stringify(row.slice(0, groupCount)))) rows.push(row)
    return { columns, rows }
  }

  return {
    async finish(run, options) {
      const found = await (run.isAdditive ? addUp : takeGroups)(run, options)
      if (!found || (run.groupCount === 0 && found.rows.length === 0)) return undefined
      const columns = run.isAdditive
        ? [...found.columns.slice(0, run.groupCount), ...found.columns.slice(run.groupCount + 1)]
        : found.columns
      if (
        !run.order.every(
          ({ at }) => isPlain(columns[at]!) && found.rows.every((row) => isFaithful(row[at], columns[at]!)),
        )
      )
        return undefined
      const rows = pageOf(found.rows, run)
      return {
        columns: run.columns.map(({ name, at }) => ({ name, type: columns[at]!.type })),
        rows,
        textLength: JSON.stringify(rows).length,
      }
    },
  }
}
