import { checkInsight, type InsightQuery, planInsight } from '../../../../src/endpoints/insights/insights.ts'
import type { Plan as InsightPlan } from '../../../../src/endpoints/insights/insight.ts'
import { createZone } from '../../../../src/endpoints/insights/zone.ts'
import { createCells } from '../../../../src/endpoints/materialization/memory/cellStore.ts'
import { planFromStored, type StoredPlan } from '../../../../src/endpoints/materialization/insightRows.ts'
import { planOfInsight } from '../../../../src/endpoints/materialization/plan.ts'
import { statementsOf } from '../../../../src/endpoints/materialization/tablePlan.ts'
import type { Stored } from '../../../../src/endpoints/materialization/words.ts'
import type { Statement } from '../../../../src/storage/storage.ts'
import type { TestEngine } from '../../../sql/support/engine.ts'
import { fillTable, rounded } from './store.ts'

export interface InsightQuestion {
  readonly variables?: Readonly<Record<string, unknown>>
  readonly zone?: string
  readonly now?: number
}

/** An insight with its table, filled up to a watermark. */
export interface MaterializedInsight {
  readonly table: string
  readonly kind: string
  readonly stored: Stored & { readonly signature: string }
  /** The results of a live run and of a materialized one. `finished`: those that the service has in memory. Absent: it cannot. */
  run(question: InsightQuestion): Promise<{ live: unknown; materialized: unknown; finished?: unknown; isUsed: boolean }>
  /** Call when events have arrived. `isMerge`: when ids may have other persons. */
  advance(isMerge?: boolean): void
  /** The number of statements that were sent for runs from memory. */
  readonly sent: () => number
  /** The numbers of rows and events in the table, and of events that it should have. */
  held(): Promise<{ rows: number; events: number; wanted: number }>
  drop(): Promise<void>
}

let tables = 0

export const materializeInsight = async (
  engine: TestEngine,
  projectId: number,
  given: object,
  watermarkMs: number,
): Promise<MaterializedInsight> => {
  const query = given as InsightQuery
  checkInsight(query)
  const plan = planOfInsight(query)
  if ('violations' in plan) throw new Error(`Refused: ${JSON.stringify(plan.violations)}`)
  tables += 1
  const table = `rollup_insight_${process.pid}_${tables}`
  const stored = await fillTable(engine, projectId, plan.table, table, watermarkMs)
  const { held, count } = statementsOf(plan.table, projectId, table)
  const shown = ({ shape }: InsightPlan, rows: Parameters<InsightPlan['shape']>[0]) =>
    JSON.parse(JSON.stringify(shape(rows)), (_, value) => rounded(value))
  const answer = async (of: InsightPlan) => {
    const rows = []
    for (const statement of of.statements) rows.push(await engine.rows(statement))
    return shown(of, rows)
  }
  const moment = { epoch: 0, owners: 0 }
  let sent = 0
  const storage = { run: ({ text, params = {} }: Statement) => ((sent += 1), engine.result({ text, params })) }
  const cells = createCells({ storage })
  const limits = { projectId, maxSeconds: 60, maxMemoryBytes: 1e9, maxRows: 10_000, maxBytes: 1e7 }
  const finish = async ({ plan: of, intervals }: StoredPlan) => {
    const options = { now: async () => moment, isComplete: false, limits, signal: new AbortController().signal }
    const results = intervals && (await cells.finish(intervals, options))
    return results
      ? {
          finished: shown(
            of,
            results.map(({ rows }) => rows),
          ),
        }
      : {}
  }
  return {
    table: stored.table,
    kind: plan.table.kind,
    stored,
    async run({ variables = {}, zone = 'UTC', now = Date.now() }) {
      const run = { projectId, variables, zone: createZone(zone), now }
      const fromStored = planFromStored(query, run, stored)
      const live = planInsight(query, run)
      return {
        live: await answer(live),
        materialized: await answer(fromStored?.plan ?? live),
        ...(fromStored ? await finish(fromStored) : {}),
        isUsed: fromStored !== undefined,
      }
    },
    advance(isMerge = false) {
      moment.epoch += 2
      if (isMerge) moment.owners += 2
    },
    sent: () => sent,
    async held() {
      const layers = (await engine.rows({ text: held().text, params: {} })) as [number, number, number][]
      const used = layers.filter(([id]) => stored.layers.some((each) => each.id === id))
      const [[wanted]] = (await engine.rows({ params: {}, ...count({ until: stored.watermark }) })) as [[number]]
      const sum = (of: 1 | 2) => used.reduce((all, layer) => all + Number(layer[of]), 0)
      return { rows: sum(1), events: sum(2), wanted: Number(wanted) }
    },
    drop: () => engine.command(`DROP TABLE db.${stored.table} SYNC`),
  }
}
