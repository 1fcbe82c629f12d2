import { inSlices } from '../../lib/largeJson.ts'
import type { Log } from '../../lib/log.ts'
import type { Steps } from '../../lib/timeSlices.ts'
import {
  NO_CALLER,
  type ReadLimits,
  type Column,
  type Result,
  type Statement,
  type Storage,
} from '../../storage/storage.ts'
import type { MemoryRun } from './memory/cellStore.ts'
import { MAX_COMPARED_ROWS } from './rules/comparable.ts'
import type { Materializations } from './materializations.ts'
import type { MaterializedTable } from './tables/state.ts'

export interface ShadowOptions {
  readonly storage: Pick<Storage, 'run'>
  readonly materializations: Pick<Materializations, 'turnOff'>
  /** Returns a number that changes when events of a project arrive. */
  readonly epochOf: (projectId: number) => Promise<number>
  /** Called with how long the live statements of a version took. */
  readonly onLive?: (versionId: string, ms: number) => void
  /** Percentage of materialized runs that are compared with a live run. */
  readonly percent: number
  readonly log: Log
  readonly random?: () => number
}

/** Statements that return the same rows in any order: live, and from a table. */
export interface Comparison {
  readonly live: () => readonly Statement[]
  /** Absent: nothing to compare. */
  readonly stored?: {
    readonly table: MaterializedTable
    readonly statements: () => readonly Statement[]
    readonly cells?: MemoryRun | undefined
  }
}

export interface ShadowRun {
  readonly versionId: string
  /** Returns `undefined` if two correct results may differ. */
  readonly comparison: () => Comparison | undefined
  /** Returns the rows of cells in memory, or `undefined` if only the engine can. */
  readonly finish: (cells: MemoryRun, limits: ReadLimits, signal: AbortSignal) => Promise<readonly Result[] | undefined>
  readonly limits: ReadLimits
}

export interface Shadow {
  /** Compares a sample of the runs that read a table with live runs, in the background. */
  follow(run: ShadowRun): void
  /** Resolves when no comparison is running. */
  settled(): Promise<void>
}

// An event that another process stores between the two reads makes them differ once, not three times in a row.
const TRIES = 3
// The engine adds floating-point numbers in any order, so the last digits of a sum may differ.
const SAME_DIGITS = 9
const ROWS_PER_STEP = 100

// Without a fraction, a large number of such a column is text, as large integers are.
const isFractional = ({ type }: Column): boolean => type.includes('Float')

const rounded = (value: unknown, isOfFractions: boolean): unknown => {
  if (Array.isArray(value)) return value.map((each) => rounded(each, isOfFractions))
  const number = typeof value === 'string' && isOfFractions ? Number(value) : value
  return typeof number === 'number' && !Number.isNaN(number) ? Number(number.toPrecision(SAME_DIGITS)) : value
}

/** Returns rows as text that does not depend on their order. */
function* textOf({ rows, columns }: Result): Steps<string> {
  const fractions = columns.map(isFractional)
  const lines: string[] = []
  for (const [at, row] of rows.entries()) {
    if (at % ROWS_PER_STEP === 0) yield
    lines.push(JSON.stringify(row.map((each, place) => rounded(each, fractions[place]!))))
  }
  yield
  return lines.sort().join('\n')
}

/** Compares materialized runs with live runs, and turns off a table that returns other rows. */
export const createShadow = ({
  storage,
  materializations,
  epochOf,
  onLive = () => {},
  percent,
  log,
  random = Math.random,
}: ShadowOptions): Shadow => {
  const running = new Set<Promise<void>>()

  /** Whether the rows differ. `undefined`: unknown, because there are too many rows or new events arrived in the meantime. */
  const differ = async (
    { live, stored: { table, statements, cells } }: Required<Comparison>,
    { versionId, limits, finish }: ShadowRun,
  ): Promise<boolean | undefined> => {
    let liveMs = 0
    const before = await epochOf(limits.projectId)
    const bounds = { ...limits, maxRows: MAX_COMPARED_ROWS + 1 }
    for (const [at, statement] of live().entries()) {
      const startedAt = performance.now()
      const expected = await storage.run(statement, bounds, NO_CALLER)
      liveMs += performance.now() - startedAt
      const found =
        (cells && (await finish(cells, bounds, NO_CALLER)))?.[at] ??
        (await storage.run(statements()[at]!, { ...bounds, tables: [table.table] }, NO_CALLER))
      if (expected.rows.length > MAX_COMPARED_ROWS || (await epochOf(limits.projectId)) !== before) return undefined
      if ((await inSlices(textOf(expected))) !== (await inSlices(textOf(found)))) return true
    }
    onLive(versionId, liveMs)
    return false
  }

  const compare = async (run: ShadowRun) => {
    const { live, stored } = run.comparison() ?? {}
    if (!live || !stored) return
    for (let tried = 0; tried < TRIES; tried += 1) if (!(await differ({ live, stored }, run))) return
    await materializations.turnOff(
      run.versionId,
      stored.table.table,
      'The stored table returned other rows than a live run. Set "is_materialized" to true to rebuild it.',
    )
  }

  return {
    follow(run) {
      if (random() * 100 >= percent) return
      const done = compare(run)
        .catch((error: unknown) =>
          log(`materialization: a comparison failed: ${(error as Error).message.slice(0, 200)}`),
        )
        .finally(() => running.delete(done))
      running.add(done)
    },
    async settled() {
      while (running.size > 0) await Promise.all(running)
    },
  }
}
