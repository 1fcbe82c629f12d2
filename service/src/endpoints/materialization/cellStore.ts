import {
  type Column,
  type Result,
  type RunLimits,
  type Statement,
  type Storage,
  StorageError,
} from '../../storage/storage.ts'
import type { CellRun } from './cells.ts'
import { add, isFaithful, isInteger, isPlain, pageOf, type Row } from './finish.ts'
import { HOUR_MS } from './shape.ts'
import { fullBuckets } from './rollup.ts'
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
  readonly limits: RunLimits
  readonly signal: AbortSignal
}

/** Cells of one statement. */
interface Slice {
  readonly columns: readonly Column[]
  readonly groups: readonly { readonly key: string; readonly values: Row }[]
  /** For each cell: the index of its group, its times and its aggregates. */
  readonly groupAt: readonly number[]
  readonly from: readonly number[]
  readonly to: readonly number[]
  readonly values: readonly Row[]
}

interface Kept {
  /** `undefined`: the statement's rows cannot be used. */
  readonly slice: Promise<Slice | undefined>
  readonly epoch: number
  bytes: number
}

// More cells take longer to add up than the engine takes to run a statement.
const MAX_CELLS = 20_000
/** Maximum size of all cells. */
const MAX_BYTES = 32_000_000
// Numbers and shared groups take less memory than their JSON, the arrays around them more.
const BYTES_PER_CHARACTER = 3
const KEPT_BYTES = 500
// A run whose groups are partly in its range at more places than its two ends reads nearly all of it.
const MAX_WINDOWS = 4

const sliceOf = ({ columns, rows }: Result, { groupCount, isAdditive }: CellRun): Slice | undefined => {
  const firstValue = groupCount + (isAdditive ? 1 : 2)
  if (!columns.slice(0, groupCount).every(isPlain)) return undefined
  if (isAdditive && !columns.slice(firstValue).every(isInteger)) return undefined
  const groups: { key: string; values: Row }[] = []
  const places = new Map<string, number>()
  const slice = {
    columns,
    groups,
    groupAt: [] as number[],
    from: [] as number[],
    to: [] as number[],
    values: [] as Row[],
  }
  for (const row of rows) {
    const checked = isAdditive ? row : row.slice(0, groupCount)
    if (!checked.every((each, at) => isFaithful(each, columns[at]!))) return undefined
    const values = row.slice(0, groupCount)
    const key = JSON.stringify(values)
    if (!places.has(key)) places.set(key, groups.push({ key, values }) - 1)
    slice.groupAt.push(places.get(key)!)
    slice.from.push(row[groupCount] as number)
    slice.to.push(row[firstValue - 1] as number)
    slice.values.push(row.slice(firstValue))
  }
  return slice
}

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

export const createCells = ({
  storage,
  maxBytes = MAX_BYTES,
}: {
  storage: Pick<Storage, 'run'>
  maxBytes?: number
}): Cells => {
  /** Ordered by last use. */
  const kept = new Map<string, Kept>()
  let bytes = 0

  const forget = (key: string, entry: Kept) => {
    if (kept.get(key) !== entry) return
    kept.delete(key)
    bytes -= entry.bytes
  }

  /** Returns the cells of a statement that includes all events of `epoch`. */
  const sliceFor = (
    key: string,
    run: CellRun,
    statement: () => Statement,
    { limits }: CellOptions,
    epoch = 0,
  ): Kept['slice'] => {
    const before = kept.get(key)
    if (before && before.epoch >= epoch) {
      kept.delete(key)
      kept.set(key, before)
      return before.slice
    }
    if (before) forget(key, before)
    const load = async (): Promise<Slice | undefined> => {
      try {
        // Others may wait for the same cells, so no caller can cancel them.
        const { idPrefix: _, ...shared } = limits
        const result = await storage.run(statement(), { ...shared, maxRows: MAX_CELLS, tables: [run.stored.table] })
        grow(result.textLength * BYTES_PER_CHARACTER)
        return sliceOf(result, run)
      } catch (error) {
        // The run itself reports what is wrong. A slice that is too large stays so.
        if (!(error instanceof StorageError && error.kind === 'size')) forget(key, entry)
        return undefined
      }
    }
    const grow = (more: number) => {
      entry.bytes += more
      bytes += more
      for (const [oldKey, old] of kept) {
        if (bytes <= maxBytes) return
        forget(oldKey, old)
      }
    }
    const entry: Kept = { slice: Promise.resolve(undefined).then(load), epoch, bytes: 0 }
    kept.set(key, entry)
    grow(KEPT_BYTES)
    return entry.slice
  }

  const arrivedOf = (run: CellRun, options: CellOptions) =>
    options.isComplete ? undefined : sliceFor(`${run.key} arrived`, run, run.statements.arrived, options, options.epoch)

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
      sliceFor(run.key, run, run.statements.table, options),
      ...partHours(range).map((start) =>
        sliceFor(`${run.key} ${start}`, run, () => run.statements.hour(start), options),
      ),
      ...(arrived ? [arrived] : []),
    ])
    const slices = loaded.flatMap((slice) => slice ?? [])
    if (slices.length < loaded.length) return undefined
    const found = new Map<string, { values: Row; sums: unknown[] }>()
    for (const [place, { groups, groupAt, from, values }] of slices.entries()) {
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
        const other = found.get(key)
        if (!other) found.set(key, { values: own, sums: sum })
        else other.sums = other.sums.map((each, at) => add(each, sum[at]))
      }
    }
    const rows = [...found.values()].map(({ values, sums }) => [...values, ...sums])
    const isSafe = rows.every((row) => row.every((each) => typeof each !== 'number' || Number.isSafeInteger(each)))
    return isSafe ? { columns: slices[0]!.columns, rows } : undefined
  }

  /** Takes whole groups from memory, and those that are partly in the range, or have new events, from the engine. */
  const takeGroups = async (
    run: CellRun,
    options: CellOptions,
  ): Promise<{ columns: readonly Column[]; rows: Row[] } | undefined> => {
    const { range, groupCount } = run
    const [table, arrived] = await Promise.all([
      sliceFor(run.key, run, run.statements.table, options),
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
