import { planOf, tableReading } from '../../../../src/endpoints/materialization/plan.ts'
import { type TablePlan, statementsOf } from '../../../../src/endpoints/materialization/tablePlan.ts'
import type { CellOptions } from '../../../../src/endpoints/materialization/memory/cells.ts'
import { type Cells, createCells } from '../../../../src/endpoints/materialization/memory/cellStore.ts'
import { type BoundValue, compileQuery, parseQuery } from '../../../../src/sql/compile.ts'
import type { Variable } from '../../../../src/storage/metadata/metadata.ts'
import type { TestEngine } from '../../../sql/support/engine.ts'

/** Definitions of variables by their names and types. */
export const variables = (types: Readonly<Record<string, string>>): Variable[] =>
  Object.entries(types).map(([codeName, type]) => ({
    id: codeName,
    name: codeName,
    codeName,
    type,
    defaultValue: null,
    values: [],
    schema: undefined,
    createdAt: '',
  }))

export interface SeenEvent {
  readonly event: string
  readonly person: string
  /** ms since the epoch. */
  readonly at: number
  /** Time of the insert into the engine, ms since the epoch. */
  readonly seenAt: number
  readonly properties: object
  /** The keys of its groups, by the index of their type. */
  readonly groups?: readonly string[]
}

const time = (ms: number) => new Date(ms).toISOString().replace('T', ' ').replace('Z', '')

let count = 0
export const store = (engine: TestEngine, projectId: number, events: readonly SeenEvent[]): Promise<void> =>
  engine.insert(
    events.map(({ event, person, at, seenAt, properties, groups = [] }) => {
      count += 1
      return {
        project_id: projectId,
        uuid: `00000000-0000-0000-0000-${String(count).padStart(12, '0')}`,
        event,
        distinct_id: person,
        $session_id: `s-${person}`,
        $window_id: '',
        elements_chain: '',
        timestamp: time(at),
        inserted_at: time(seenAt),
        properties,
        ...Object.fromEntries(groups.map((key, index) => [`$group_${index}`, key])),
      }
    }),
  )

/**
 * Creates and fills a table as the service does over time: the events until some minutes before the watermark, then the others. The
 * first layer is merged into another.
 */
export const fillTable = async (
  engine: TestEngine,
  projectId: number,
  plan: TablePlan,
  table: string,
  watermarkMs: number,
) => {
  const { create, fill, merge } = statementsOf(plan, projectId, table)
  const [before, until] = [watermarkMs - 600_000, watermarkMs].map(time) as [string, string]
  const statements = [
    create(),
    fill(1, { until: before }),
    fill(2, { since: before, until }),
    merge(3, [{ id: 1 }], []),
  ]
  for (const { text, params } of statements) await engine.command(text, params)
  return { table, watermark: time(watermarkMs), signature: plan.signature, layers: [{ id: 2 }, { id: 3 }] }
}

let tables = 0

/** A query with its table, filled up to a watermark. */
export interface Materialized {
  /** The rows of a live run and those of a materialized one, in the same order if the query has one. */
  run(
    values: Readonly<Record<string, BoundValue>>,
    page?: { limit?: number; offset?: number },
  ): Promise<{
    live: unknown[][]
    materialized: unknown[][]
    /** The rows that the service computed from cells. Absent: it cannot. */
    finished?: unknown[][]
    isUsed: boolean
    text: string
  }>
  drop(): Promise<void>
  readonly table: string
}

/** Rounds numbers, because the engine adds floating-point numbers in any order. */
export const rounded = (value: unknown): unknown =>
  typeof value === 'number' ? Number(value.toPrecision(12)) : Array.isArray(value) ? value.map(rounded) : value

/** What a service knows when a run begins. */
export interface Known {
  readonly cells: Cells
  readonly now: CellOptions['now']
  readonly isComplete: boolean
}

/**
 * `isComplete`: whether runs may rely on no event having arrived since the watermark. `knownAt`: returns what the service knows when
 * a run begins. By default, any events may have changed since the last run.
 */
export const materialize = async (
  engine: TestEngine,
  projectId: number,
  text: string,
  types: Readonly<Record<string, string>>,
  watermarkMs: number,
  isComplete = false,
  knownAt?: (table: { readonly table: string; readonly watermark: string }) => Promise<Known>,
): Promise<Materialized> => {
  const parsed = parseQuery(text)
  const plan = planOf(parsed, variables(types))
  if ('violations' in plan) throw new Error(`Refused: ${JSON.stringify(plan.violations)}`)
  tables += 1
  const table = `rollup_test_${process.pid}_${tables}`
  const stored = { ...(await fillTable(engine, projectId, plan.table, table, watermarkMs)), isComplete }
  const cells = createCells({ storage: { run: engine.result }, manyDistinct: 0 })
  let epoch = 0
  const isOrdered = /order by/i.test(text)
  const shown = (rows: readonly (readonly unknown[])[]) => {
    const made = rows.map((row) => row.map(rounded))
    return isOrdered ? made : made.sort((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1))
  }
  return {
    table: stored.table,
    async run(values, page = {}) {
      epoch += 1
      const known = (await knownAt?.(stored)) ?? { cells, now: async () => ({ epoch, owners: epoch }), isComplete }
      const source = { ...stored, isComplete: known.isComplete }
      const now = new Date()
      const reading = tableReading(parsed, values, source, now)
      const replace = reading ? { replace: reading.replace } : {}
      const compiled = compileQuery(parsed, { projectId, variables: values, ...page, ...replace })
      const isUsed = compiled.text.includes(stored.table)
      expect(Boolean(reading)).toBe(isUsed)
      // As a run of the service: from a shape that an earlier run with other values may have found. A new text has a new shape.
      const cellRun = reading?.cells({ projectId, ...page })
      const fresh = tableReading(parseQuery(text + ' '.repeat(epoch)), values, source, now)?.cells({
        projectId,
        ...page,
      })
      expect(JSON.stringify(cellRun)).toBe(JSON.stringify(fresh))
      expect(cellRun?.statements.table()).toEqual(fresh?.statements.table())
      const limits = { projectId, maxSeconds: 60, maxMemoryBytes: 1e9, maxRows: 1_000, maxBytes: 1e7 }
      const { signal } = new AbortController()
      const [finish, live, materialized] = await Promise.all([
        cellRun && known.cells.finish(cellRun, { ...known, limits, signal }),
        engine.result(compileQuery(parsed, { projectId, variables: values, ...page })),
        engine.rows(compiled),
      ])
      const [finished] = finish ?? []
      // A second run at the same moment reads whole periods, which the first does not.
      const again = finished && !knownAt ? await known.cells.finish(cellRun!, { ...known, limits, signal }) : undefined
      if (again) expect(shown(again[0]!.rows)).toEqual(shown(finished!.rows))
      // Numbers of the engine may be rounded for a comparison, types may not differ.
      if (finished) expect(finished.columns).toEqual(live.columns)
      return {
        live: shown(live.rows),
        materialized: shown(materialized),
        ...(finished ? { finished: shown(finished.rows) } : {}),
        isUsed,
        text: compiled.text,
      }
    },
    drop: () => engine.command(`DROP TABLE db.${stored.table} SYNC`),
  }
}
