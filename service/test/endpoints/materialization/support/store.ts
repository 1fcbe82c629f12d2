import { buildStatements, planOf, readingFrom, tableReading } from '../../../../src/endpoints/materialization/plan.ts'
import { createCells } from '../../../../src/endpoints/materialization/cellStore.ts'
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

/** `isComplete`: whether runs may rely on no event having arrived since the watermark. */
export const materialize = async (
  engine: TestEngine,
  projectId: number,
  text: string,
  types: Readonly<Record<string, string>>,
  watermarkMs: number,
  isComplete = false,
): Promise<Materialized> => {
  const parsed = parseQuery(text)
  const plan = planOf(parsed, variables(types))
  if ('violations' in plan) throw new Error(`Refused: ${JSON.stringify(plan.violations)}`)
  tables += 1
  const stored = {
    table: `rollup_test_${process.pid}_${tables}`,
    watermark: time(watermarkMs),
    signature: plan.table.signature,
    isComplete,
  }
  const { create, fill } = buildStatements(plan.table, projectId, stored)
  for (const statement of [create, fill]) await engine.command(statement.text, statement.params)
  const cells = createCells({ storage: { run: engine.result } })
  let epoch = 0
  const isOrdered = /order by/i.test(text)
  const shown = (rows: readonly (readonly unknown[])[]) => {
    const made = rows.map((row) => row.map(rounded))
    return isOrdered ? made : made.sort((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1))
  }
  return {
    table: stored.table,
    async run(values, page = {}) {
      const now = new Date()
      const reading = readingFrom(parsed, stored, now)
      const compiled = compileQuery(parsed, { projectId, variables: values, ...page, replace: reading.replace })
      const [live, materialized] = await Promise.all([
        engine.result(compileQuery(parsed, { projectId, variables: values, ...page })),
        engine.rows(compiled),
      ])
      const isUsed = reading.isUsed()
      // As a run of the service: from a shape that an earlier run with other values may have found.
      const known = tableReading(parsed, values, stored, now)
      const cellRun = known?.cells({ projectId, ...page })
      expect(Boolean(known)).toBe(isUsed)
      const anew = isUsed ? reading.cells({ projectId, ...page }) : undefined
      expect(JSON.stringify(cellRun)).toBe(JSON.stringify(anew))
      expect(cellRun?.statements.table()).toEqual(anew?.statements.table())
      const limits = { projectId, maxSeconds: 60, maxMemoryBytes: 1e9, maxRows: 1_000, maxBytes: 1e7 }
      const { signal } = new AbortController()
      epoch += 1
      const finished = cellRun && (await cells.finish(cellRun, { epoch, isComplete, limits, signal }))
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
