import type { CellOptions, CellRows, CellRun, CellsAt } from './cells.ts'
import type { BoundaryPart } from './boundary.ts'
import { correctedFor, type CorrectionOptions } from './corrections.ts'
import type { Row } from './finish.ts'
import { createSharedGroups } from './sharedGroups.ts'
import type { Slice } from './slice.ts'
import type { Slices } from './slices.ts'
import { DAY_MS, HOUR_MS, joined, type TimeRange } from '../timeRange.ts'

// A run whose groups are partly in its range at more places than its two ends reads nearly all of it.
const MAX_WINDOWS = 4
// More take longer to read than the engine takes to count them.
const MAX_DISTINCT = 250_000
// Periods that change are read again for each delivery.
const MAX_DISTINCT_NOW = 20_000

/** A group that the table's cells do not have for the run. */
interface Wanted {
  readonly key: string
  /** Time range of its events. */
  readonly extent: TimeRange
  /** Whether it has events that have arrived since the table was filled. */
  readonly isChanged: boolean
  /** Its aggregates in the table. */
  readonly values?: Row
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

/** Returns the cells of the events that have arrived since the table was filled. `undefined`: none has. */
export const arrivedOf = (slices: Slices, run: CellRun, options: CellsAt) =>
  options.isComplete
    ? undefined
    : slices.load(`${run.key} arrived`, run, run.statements.arrived, options.limits, options.epoch)

/** The epoch of what was stored before the table's watermark. */
const settledEpoch = (run: CellRun, options: CellsAt): number => (run.readsOwners ? options.owners : 0)

/** With so many people, reading a whole period takes longer than counting them once. */
const MANY_DISTINCT = 10_000

/** Returns whether a period was asked for before, as of the same epoch. */
type WasAsked = (key: string, epoch: number) => boolean

const MAX_ASKED = 10_000

const createAsked = (): WasAsked => {
  const epochs = new Map<string, number>()
  return (key, epoch) => {
    const wasAsked = epochs.get(key) === epoch
    if (epochs.size >= MAX_ASKED) epochs.clear()
    epochs.set(key, epoch)
    return wasAsked
  }
}

/**
 * Returns the groups of periods that are computed from their events. `undefined`: only the engine can. A period with many people is read
 * when a second run needs it.
 */
const fromBoundaries = async (
  { slices, wasAsked, manyDistinct = MANY_DISTINCT }: GroupsOptions & { readonly wasAsked: WasAsked },
  run: CellRun,
  options: CellsAt,
  wanted: readonly Wanted[],
): Promise<Row[] | undefined> => {
  if (run.boundary.length === 0) return undefined
  const distinct = run.boundary.filter((each) => each.isDistinct).flatMap(({ places }) => places)
  const hasMore = ({ values }: Wanted, than: number) => distinct.some((place) => (values?.[place] as number) > than)
  if (wanted.some((each) => hasMore(each, each.isChanged ? MAX_DISTINCT_NOW : MAX_DISTINCT))) return undefined
  const windows = windowsOf(wanted)
  if (windows.length > MAX_WINDOWS) return undefined
  const periods = windows.map(({ window, groups }) => {
    const isNow = groups.some((each) => each.isChanged)
    return {
      window,
      groups,
      isNow,
      key: `${run.key} ${window.from} ${window.to} ${isNow}`,
      // Both only grow, so their sum changes with each.
      epoch: settledEpoch(run, options) + (isNow ? options.epoch : 0),
    }
  })
  const large = periods.filter(({ groups }) => groups.some((each) => hasMore(each, manyDistinct)))
  const asked = large.map(({ key, epoch }) => wasAsked(key, epoch))
  if (!asked.every(Boolean)) return undefined
  const found = await Promise.all(
    periods.map(async ({ window, groups, isNow, key, epoch }) => {
      const parts = await Promise.all(
        run.boundary.map((each, at) =>
          slices.load(`${key} ${at}`, run, () => each.statement(window, isNow), options.limits, epoch, {
            read: (result) => each.read(result, window),
          }),
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

/** Returns the groups of the table whose events are all in the range, and those to compute apart. */
const sorted = (table: Slice, arrived: Slice | undefined, range: TimeRange) => {
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
  return { rows, partial: [...wanted, ...extents.values()].filter(isInRange) }
}

export type GroupsOptions = CorrectionOptions & { readonly slices: Slices; readonly manyDistinct?: number | undefined }

// Each further try finds most of what the last one read in memory.
const TRIES = 3

const countOf = (arrived: Slice | undefined): number =>
  arrived?.values.reduce((sum, [events]) => sum + (events as number), 0) ?? 0

/** Creates a function that takes whole groups from memory, and computes those that are partly in the range or have new events. */
export const createGroups = (options: GroupsOptions) => {
  const { storage, slices } = options
  const groupsIn = createSharedGroups(storage)
  const wasAsked = createAsked()
  const groupsAt = async (run: CellRun, known: CellsAt, arrived: Slice | undefined): Promise<CellRows | undefined> => {
    const { range, groupCount } = run
    const table = await slices.load(run.key, run, run.statements.table, known.limits, settledEpoch(run, known), {
      update: correctedFor(options, run, known),
    })
    if (!table) return undefined
    // Without times, a group cannot be computed apart from the others.
    if (arrived?.groups.length && !run.isTimed) return undefined
    const { rows, partial } = sorted(table, arrived, range)
    const first = groupCount + 2
    const columns = [...table.columns.slice(0, groupCount), ...table.columns.slice(first)]
    if (partial.length === 0) return { columns, rows }
    const computed = await fromBoundaries({ ...options, wasAsked }, run, known, partial)
    if (computed) return { columns, rows: [...rows, ...computed] }
    const places = joined(
      partial.map(({ extent }) => ({ from: Math.max(extent.from, range.from), to: Math.min(extent.to, range.to) })),
    )
    if (places.length > MAX_WINDOWS || !places.every(({ from, to }) => Number.isFinite(from) && Number.isFinite(to)))
      return undefined
    const found = await groupsIn(run, known, places)
    if (!found) return undefined
    const keys = new Set(partial.map(({ key }) => key))
    for (const row of found) if (keys.has(JSON.stringify(row.slice(0, groupCount)))) rows.push(row)
    return { columns, rows }
  }

  /** Whether nothing that a run reads has changed since `known`, when `arrived` was read. */
  const isStill = async (run: CellRun, known: CellsAt, arrived: Slice | undefined, { now }: CellOptions) => {
    const { epoch, owners } = await now()
    if (run.readsOwners && owners !== known.owners) return false
    if (known.isComplete || epoch === known.epoch) return true
    // While events are being stored, nothing is kept, so all was read between these two.
    return Number.isNaN(known.epoch) && countOf(await arrivedOf(slices, run, known)) === countOf(arrived)
  }

  return async (run: CellRun, known: CellOptions): Promise<CellRows | undefined> => {
    for (let tried = 0; tried < TRIES; tried += 1) {
      const at = { ...known, ...(await known.now()) }
      const arrived = await arrivedOf(slices, run, at)
      if (!arrived && !known.isComplete) return undefined
      const found = await groupsAt(run, at, arrived)
      if (!found || (await isStill(run, at, arrived, known))) return found
    }
    return undefined
  }
}
