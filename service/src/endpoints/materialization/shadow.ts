import type { Log } from '../../lib/log.ts'
import type { RunLimits, Statement, Storage } from '../../storage/storage.ts'
import type { BoundValue, CompileOptions, ParsedQuery } from '../../sql/compile.ts'
import { compileQuery } from '../../sql/compile.ts'
import type { SelectSql } from '../../sql/catalog/physical.ts'
import { COMBINATORS } from '../../sql/catalog/functions/aggregates.ts'
import { MERGEABLE } from './aggregates.ts'
import type { Materializations } from './materializations.ts'
import { readingFrom } from './plan.ts'
import type { Build } from './state.ts'

export interface ShadowOptions {
  readonly storage: Pick<Storage, 'run'>
  readonly materializations: Pick<Materializations, 'turnOff'>
  /** Changes when events of a project come. */
  readonly epochOf: (projectId: number) => Promise<number>
  /** Of 100 materialized runs, how many are compared with a live one. */
  readonly percent: number
  readonly log: Log
  readonly random?: () => number
}

interface Followed {
  readonly versionId: string
  readonly stored: Build
  readonly limits: RunLimits
}

interface SqlRun extends Followed {
  readonly parsed: ParsedQuery
  readonly values: Readonly<Record<string, BoundValue>>
}

interface InsightRun extends Followed {
  /** Statement by statement the same rows, in any order. */
  readonly live: readonly Statement[]
  readonly materialized: readonly Statement[]
}

export type ShadowRun = SqlRun | InsightRun

export interface Shadow {
  /** Compares some of the runs that were answered from what is stored with live ones, after they have been answered. */
  follow(run: ShadowRun): void
  /** Resolves when no comparison is under way. */
  settled(): Promise<void>
}

const MOST_ROWS = 10_000
// An event that another service has stored between the two reads makes one difference, not three in a row.
const TRIES = 3
// The engine adds up fractions in any order.
const SAME_DIGITS = 9

const isUndecided = (name: string): boolean => {
  const lower = name.toLowerCase()
  const endings = Object.keys(COMBINATORS).map((each) => each.toLowerCase())
  const stem = endings.reduce(
    (rest, ending) => (rest.endsWith(ending) && rest !== ending ? rest.slice(0, -ending.length) : rest),
    lower,
  )
  return (
    /^(?:now|today|yesterday|rand|generateuuid|current_timestamp|arrayshuffle)/.test(lower) ||
    Object.entries(MERGEABLE).some(([own, kind]) => kind === 'any' && own.toLowerCase() === stem) ||
    stem === 'array_agg'
  )
}

/** Whether the rows of a query, without its outermost order and limit, are decided by the events alone. */
export const isDecided = ({ query }: ParsedQuery): boolean => {
  const decided = (node: unknown): boolean => {
    if (typeof node !== 'object' || node === null) return true
    const { kind, name, over, limit, limitBy } = node as {
      kind?: string
      name?: { text?: string }
      over?: unknown
      limit?: unknown
      limitBy?: unknown
    }
    if (kind === 'call' && (over !== undefined || isUndecided(name?.text ?? ''))) return false
    if (kind === 'select' && node !== query && (limit !== undefined || limitBy !== undefined)) return false
    return Object.values(node).every(decided)
  }
  return query.kind === 'select' && decided(query)
}

const alike = (value: unknown): unknown =>
  typeof value === 'number' ? Number(value.toPrecision(SAME_DIGITS)) : Array.isArray(value) ? value.map(alike) : value
const linesOf = (rows: readonly (readonly unknown[])[]): string =>
  rows
    .map((row) => JSON.stringify(alike(row)))
    .sort()
    .join('\n')

/** Watches over materialized runs: what gives other rows than a live run is turned off and told. */
export const createShadow = ({
  storage,
  materializations,
  epochOf,
  percent,
  log,
  random = Math.random,
}: ShadowOptions): Shadow => {
  const underWay = new Set<Promise<void>>()

  const pairsOf = (run: ShadowRun): readonly (readonly [live: Statement, materialized: Statement])[] => {
    if ('live' in run) return run.live.map((live, at) => [live, run.materialized[at]!])
    const { parsed, values, stored, limits } = run
    const whole = (sql: SelectSql): SelectSql => ({
      ...sql,
      orderBy: undefined,
      limitBy: undefined,
      limit: undefined,
      offset: undefined,
    })
    const reading = readingFrom(parsed, stored)
    const compile = (replace: NonNullable<CompileOptions['replace']>) =>
      compileQuery(parsed, { projectId: limits.projectId, variables: values, limit: MOST_ROWS + 1, replace })
    return [
      [
        compile((node, sql) => (node === parsed.query ? whole(sql) : sql)),
        compile((node, sql) => reading.replace(node, node === parsed.query ? whole(sql) : sql)),
      ],
    ]
  }

  const differ = async (run: ShadowRun): Promise<boolean | undefined> => {
    const { stored, limits } = run
    const before = await epochOf(limits.projectId)
    const bounds = { ...limits, maxRows: MOST_ROWS + 1 }
    for (const [live, materialized] of pairsOf(run)) {
      const expected = await storage.run(live, bounds)
      const found = await storage.run(materialized, { ...bounds, tables: [stored.table] })
      if (expected.rows.length > MOST_ROWS || (await epochOf(limits.projectId)) !== before) return undefined
      if (linesOf(expected.rows) !== linesOf(found.rows)) return true
    }
    return false
  }

  const compare = async (run: ShadowRun) => {
    for (let tried = 0; tried < TRIES; tried += 1) if (!(await differ(run))) return
    await materializations.turnOff(
      run.versionId,
      run.stored.table,
      'What was stored gave other rows than a live run. Set "is_materialized" to true to build it anew.',
    )
  }

  return {
    follow(run) {
      if (random() * 100 >= percent || ('parsed' in run && !isDecided(run.parsed))) return
      const done = compare(run)
        .catch((error: unknown) =>
          log(`materialization: a comparison failed: ${(error as Error).message.slice(0, 200)}`),
        )
        .finally(() => underWay.delete(done))
      underWay.add(done)
    },
    async settled() {
      while (underWay.size > 0) await Promise.all(underWay)
    },
  }
}
