import { inSlices } from '../../lib/largeJson.ts'
import type { Log } from '../../lib/log.ts'
import type { Steps } from '../../lib/timeSlices.ts'
import { NO_CALLER, type ReadLimits, type Statement, type Storage } from '../../storage/storage.ts'
import { MAX_COMPARED_ROWS } from './comparable.ts'
import type { Materializations } from './materializations.ts'
import type { MaterializedTable } from './state.ts'

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
  readonly stored?: { readonly table: MaterializedTable; readonly statements: () => readonly Statement[] }
}

export interface ShadowRun {
  readonly versionId: string
  /** Returns `undefined` if two correct results may differ. */
  readonly comparison: () => Comparison | undefined
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

const rounded = (value: unknown): unknown =>
  typeof value === 'number' ? Number(value.toPrecision(SAME_DIGITS)) : Array.isArray(value) ? value.map(rounded) : value

/** Returns rows as text that does not depend on their order. */
function* textOf(rows: readonly (readonly unknown[])[]): Steps<string> {
  const lines: string[] = []
  for (const [at, row] of rows.entries()) {
    if (at % ROWS_PER_STEP === 0) yield
    lines.push(JSON.stringify(rounded(row)))
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
    { live, stored: { table, statements } }: Required<Comparison>,
    { versionId, limits }: Pick<ShadowRun, 'versionId' | 'limits'>,
  ): Promise<boolean | undefined> => {
    let liveMs = 0
    const before = await epochOf(limits.projectId)
    const bounds = { ...limits, maxRows: MAX_COMPARED_ROWS + 1 }
    for (const [at, statement] of live().entries()) {
      const startedAt = performance.now()
      const expected = await storage.run(statement, bounds, NO_CALLER)
      liveMs += performance.now() - startedAt
      const found = await storage.run(statements()[at]!, { ...bounds, tables: [table.table] }, NO_CALLER)
      if (expected.rows.length > MAX_COMPARED_ROWS || (await epochOf(limits.projectId)) !== before) return undefined
      if ((await inSlices(textOf(expected.rows))) !== (await inSlices(textOf(found.rows)))) return true
    }
    onLive(versionId, liveMs)
    return false
  }

  const compare = async ({ versionId, comparison, limits }: ShadowRun) => {
    const { live, stored } = comparison() ?? {}
    if (!live || !stored) return
    for (let tried = 0; tried < TRIES; tried += 1) if (!(await differ({ live, stored }, { versionId, limits }))) return
    await materializations.turnOff(
      versionId,
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
