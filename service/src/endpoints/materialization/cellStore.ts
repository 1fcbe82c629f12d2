import type { Column, Result, ReadLimits, Storage } from '../../storage/storage.ts'
import type { CellRun } from './cells.ts'
import { add, isFaithful, isPlain, pageOf, type Row } from './finish.ts'
import { fullBuckets } from './rollup.ts'
import { HOUR_MS } from './shape.ts'
import { createSlices, MAX_CELLS } from './slices.ts'
import type { TimeRange } from './timeRange.ts'

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
  readonly isComplete: boolean
  readonly limits: ReadLimits
  readonly signal: AbortSignal
}

// A run whose groups are partly in its range at more places than its two ends reads nearly all of it.
const MAX_WINDOWS = 4

const isBefore = (a: TimeRange, b: TimeRange) => a.from - b.from

/** Joins time ranges that overlap or touch. */
const joined = (timeRanges: readonly TimeRange[]): TimeRange[] =>
  [...timeRanges].sort(isBefore).reduce<TimeRange[]>((all, next) => {
    const last = all.at(-1)
    if (!last || next.from > last.to) return [...all, next]
    return [...all.slice(0, -1), { from: last.from, to: Math.max(last.to, next.to) }]
  }, [])

/** Returns the starts of the hours that a range covers only partly. */
const partHours = ({ from, to }: TimeRange): number[] => {
  const starts = [from, to]
    .filter((each) => Number.isFinite(each) && each % HOUR_MS !== 0)
    .map((each) => Math.floor(each / HOUR_MS) * HOUR_MS)
  return [...new Set(starts)]
}

export const createCells = ({ storage, maxBytes }: { storage: Pick<Storage, 'run'>; maxBytes?: number }): Cells => {
  const slices = createSlices({ storage, maxBytes })

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

  /** Takes whole groups from memory, and those that are partly in the range, or have new events, from the engine. */
  const takeGroups = async (
    run: CellRun,
    options: CellOptions,
  ): Promise<{ columns: readonly Column[]; rows: Row[] } | undefined> => {
    const { range, groupCount } = run
    const [table, arrived] = await Promise.all([
      slices.load(run.key, run, run.statements.table, options.limits),
      arrivedOf(run, options),
    ])
    if (!table || (!arrived && !options.isComplete)) return undefined
    // Without times, a group cannot be computed apart from the others.
    if (arrived?.groups.length && !run.isTimed) return undefined
    const rows: Row[] = []
    const wanted = new Set<string>()
    const windows: TimeRange[] = []
    const want = (key: string, { from, to }: TimeRange) => {
      const part = { from: Math.max(from, range.from), to: Math.min(to, range.to) }
      if (part.from >= part.to) return
      wanted.add(key)
      windows.push(part)
    }
    const changed = new Set(arrived?.groups.map(({ key }) => key))
    for (const [group, { key, values }] of table.groups.entries()) {
      const extent = { from: table.from[group]!, to: table.to[group]! + HOUR_MS }
      if (!changed.has(key) && extent.from >= range.from && extent.to <= range.to)
        rows.push([...values, ...table.values[group]!])
      else want(key, extent)
    }
    for (const [group, { key }] of (arrived?.groups ?? []).entries())
      want(key, { from: arrived!.from[group]!, to: arrived!.to[group]! + 1 })
    const places = joined(windows)
    const first = groupCount + 2
    const columns = [...table.columns.slice(0, groupCount), ...table.columns.slice(first)]
    if (places.length === 0) return { columns, rows }
    if (places.length > MAX_WINDOWS || !places.every(({ from, to }) => Number.isFinite(from) && Number.isFinite(to)))
      return undefined
    const { limits, signal } = options
    const found = await storage.run(
      run.statements.groups(places),
      { ...limits, maxRows: MAX_CELLS, tables: [run.stored.table] },
      signal,
    )
    for (const row of found.rows) if (wanted.has(JSON.stringify(row.slice(0, groupCount)))) rows.push(row)
    return { columns, rows }
  }

  return {
    async finish(run, options) {
      const found = await (run.isAdditive ? addUp : takeGroups)(run, options)
      if (!found) return undefined
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
