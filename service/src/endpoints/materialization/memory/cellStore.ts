import type { Result, Storage } from '../../../storage/storage.ts'
import type { CellOptions, CellRows, CellRun, CellsAt } from './cells.ts'
import type { ChangedIds } from './corrections.ts'
import { createIntervals, type IntervalRun } from './intervals.ts'
import { add, isFaithful, isPlain, pageOf, type Row } from './finish.ts'
import { arrivedOf, createGroups } from './groupStore.ts'
import { createSlices, type Slices } from './slices.ts'
import { fullBuckets } from '../split.ts'
import { HOUR_MS, type TimeRange } from '../timeRange.ts'

/** A run that the service can finish from what it has in memory. */
export type MemoryRun = CellRun | IntervalRun

/** Finishes runs from cells in memory. */
export interface Cells {
  /** Returns the results of a run's statements, as of one moment since its begin. `undefined`: only the engine can finish it. */
  finish(run: MemoryRun, options: CellOptions): Promise<readonly Result[] | undefined>
}

/** Returns the starts of the hours that a range covers only partly. */
const partHours = ({ from, to }: TimeRange): number[] => {
  const starts = [from, to]
    .filter((each) => Number.isFinite(each) && each % HOUR_MS !== 0)
    .map((each) => Math.floor(each / HOUR_MS) * HOUR_MS)
  return [...new Set(starts)]
}

/**
 * Adds the cells of hours, and those of milliseconds of the hours that are only partly in the range. Only one statement reads events that
 * may still arrive, so all are of one moment.
 */
const addUp = async (slices: Slices, run: CellRun, options: CellsAt): Promise<CellRows | undefined> => {
  const { range } = run
  const isOfMillis = (at: number) => at >= range.from && at < range.to
  const hours = fullBuckets(range, HOUR_MS)
  const isOfHours = (at: number) => at >= hours.from && at < hours.to
  const arrived = arrivedOf(slices, run, options)
  const loaded = await Promise.all([
    slices.load(run.key, run, run.statements.table, options.limits),
    ...partHours(range).map((start) =>
      slices.load(
        `${run.key} ${start}`,
        run,
        () => run.statements.sums({ from: start, to: start + HOUR_MS }),
        options.limits,
      ),
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

export interface CellsOptions {
  readonly storage: Pick<Storage, 'run'>
  readonly maxBytes?: number
  readonly changedIds?: ChangedIds
  /** Number of people from which on a period is read when a second run needs it. */
  readonly manyDistinct?: number
}

export const createCells = ({ storage, maxBytes, manyDistinct, changedIds = () => undefined }: CellsOptions): Cells => {
  const slices = createSlices({ storage, maxBytes })
  const takeGroups = createGroups({ storage, slices, manyDistinct, changedIds })
  const takeIntervals = createIntervals(storage)
  return {
    async finish(run, options) {
      if ('parts' in run) return takeIntervals(run, options)
      const found = run.isAdditive
        ? await addUp(slices, run, { ...options, ...(await options.now()) })
        : await takeGroups(run, options)
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
      const named = run.columns.map(({ name, at }) => ({ name, type: columns[at]!.type }))
      return [{ columns: named, rows, textLength: JSON.stringify(rows).length }]
    },
  }
}
