import type { Log } from '../../../lib/log.ts'
import type { MaterializedVersion, Metadata } from '../../../storage/metadata/metadata.ts'
import { SMALL_READ, type Statement, type Storage, StorageError } from '../../../storage/storage.ts'
import { parse, type SqlQuery, toApiError } from '../../definitions/check.ts'
import { isInsight } from '../../insights/insights.ts'
import { MAX_DAYS } from './changes.ts'
import { type Layer, outgrown } from '../layers.ts'
import { type Plan, planOf, planOfInsight } from '../plan.ts'
import type { MaterializedTable } from './state.ts'
import { statementsOf } from '../tablePlan.ts'
import { DAY_MS, joined, type TimeRange } from '../timeRange.ts'
import { notMaterializable } from '../violation.ts'

export interface TablesOptions {
  readonly metadata: Pick<Metadata, 'variables'>
  readonly storage: Pick<Storage, 'rows' | 'command' | 'work'>
  readonly log: Log
  /** Maximum time until the rows of an insert are visible. Events of this period are always read live. */
  readonly lagSeconds: number
  /** Resolves when no event of a project is being stored that could get an earlier time of arrival than now. */
  readonly settle: (projectId: number) => Promise<unknown>
  readonly now: () => number
}

/** Events to store: a layer with those since the table's watermark, or all events. */
export interface Task {
  readonly table: string
  readonly layer: number
  /** The table to extend. Absent: it is created. */
  readonly previous?: MaterializedTable | undefined
  /** The UTC days to store again. */
  readonly days: readonly string[]
}

/** The engine's side of materialization: stores, checks and drops tables. */
export interface Tables {
  /** Plans what to store for a query. Rejects with `ApiError` if the query does not compile. */
  planFor(projectId: number, query: unknown): Promise<Plan>
  /** Stores a layer, and checks that it contains every event. On failure it is dropped. */
  store(version: MaterializedVersion, task: Task, signal: AbortSignal): Promise<MaterializedTable>
  /** Drops a table, or one layer of it. A failure is logged only: `sweep` retries. */
  drop(table: string, layer?: number): Promise<void>
  /** Whether a table exists, has all of its rows, and can be extended after the events of some days were stored again. */
  isUsable(
    version: MaterializedVersion,
    table: MaterializedTable,
    days: readonly string[] | undefined,
  ): Promise<boolean>
  /** Returns the UTC days of which a table has another number of events than the event store, by counting those events again. */
  changedDays(version: MaterializedVersion, table: MaterializedTable): Promise<readonly string[]>
}

const LIMITS = { maxSeconds: 3_000, maxMemoryBytes: 2_000_000_000 }

const rangesOf = (days: readonly string[]): readonly TimeRange[] =>
  joined(days.map((day) => ({ from: Date.parse(day), to: Date.parse(day) + DAY_MS })))

/**
 * Returns the statement as work of a project: projects share the engine's background capacity, and a table has no hidden
 * rows.
 */
const workOf = (projectId: number, { text, params }: Statement): Statement => ({
  text,
  seenBy: projectId,
  params: { ...params, projectId },
})

const createPlanFor =
  ({ variables }: TablesOptions['metadata']): Tables['planFor'] =>
  async (projectId, query) => {
    if (isInsight(query)) return planOfInsight(query)
    try {
      return planOf(parse((query as SqlQuery).query), await variables.list(projectId))
    } catch (error) {
      throw toApiError(error)
    }
  }

export const createTables = ({ metadata, storage, log, lagSeconds, settle, now }: TablesOptions): Tables => {
  const rows = <Row>(projectId: number, statement: Statement): Promise<Row[]> =>
    storage.rows<Row>(workOf(projectId, statement), SMALL_READ)
  const eventsIn = async (projectId: number, statement: Statement): Promise<number> =>
    Number((await rows<{ events: string }>(projectId, statement))[0]!.events)

  const planFor = createPlanFor(metadata)
  const tablePlanFor = async ({ projectId, version }: MaterializedVersion) => {
    const plan = await planFor(projectId, version.query)
    if ('violations' in plan) throw notMaterializable(plan.violations)
    return plan.table
  }

  const held = async (projectId: number, statement: Statement): Promise<ReadonlyMap<number, Layer>> => {
    const found = await rows<Record<keyof Layer, string | number>>(projectId, statement)
    return new Map(
      found.map((each) => [
        Number(each.id),
        { id: Number(each.id), rows: Number(each.rows), events: Number(each.events) },
      ]),
    )
  }

  const drop = async (table: string, layer?: number) => {
    try {
      await storage.command(
        layer === undefined
          ? `DROP TABLE IF EXISTS db.${table} SYNC`
          : `ALTER TABLE db.${table} DROP PARTITION ${layer}`,
      )
    } catch (error) {
      const what = layer === undefined ? table : `layer ${layer} of ${table}`
      log(`materialization: could not drop ${what}, will retry: ${(error as Error).message}`)
    }
  }

  /** Returns the time until which all events have arrived. */
  const nextWatermark = async (projectId: number): Promise<string> => {
    const [row] = await rows<{ watermark: string }>(projectId, {
      text: "SELECT toString(now64(3, 'UTC') - toIntervalSecond({lag:UInt32})) AS watermark",
      params: { lag: lagSeconds },
    })
    await settle(projectId)
    return row!.watermark
  }

  return {
    planFor,
    drop,
    async store(version, { table, layer, previous, days }, signal) {
      const { projectId } = version
      const plan = await tablePlanFor(version)
      const watermark = await nextWatermark(projectId)
      const statements = statementsOf(plan, projectId, table)
      const without = rangesOf(days)
      const kept = previous?.layers ?? []
      const replaced = days.length > 0 ? kept : outgrown(kept)
      const portions = [
        { since: previous?.watermark, until: watermark, without },
        ...(days.length > 0 ? [{ until: watermark, within: without }] : []),
      ]
      const work = (statement: Statement) => storage.work(workOf(projectId, statement), LIMITS, signal)
      try {
        if (!previous) await work(statements.create())
        let expected = 0
        if (replaced.length > 0) {
          await work(statements.merge(layer, replaced, without))
          expected += await eventsIn(projectId, statements.countMerged(replaced, without))
        }
        for (const portion of portions) {
          const events = await eventsIn(projectId, statements.count(portion))
          if (events > 0) await work(statements.fill(layer, portion))
          expected += events
        }
        const stored = (await held(projectId, statements.held(layer))).get(layer) ?? { id: layer, rows: 0, events: 0 }
        if (stored.events !== expected)
          throw new Error(`The table was built from ${stored.events} events instead of ${expected}`)
        const isEmpty = stored.rows === 0 && kept.length > replaced.length
        const layers = [...kept.filter((each) => !replaced.includes(each)), ...(isEmpty ? [] : [stored])]
        const [size] = await rows<{ bytes: string }>(projectId, {
          text: "SELECT sum(bytes_on_disk) AS bytes FROM system.parts WHERE database = 'db' AND table = {table:String} AND active AND partition IN {layers:Array(String)}",
          params: { table, layers: layers.map(({ id }) => String(id)) },
        })
        return {
          table,
          watermark,
          signature: plan.signature,
          layers,
          bytes: Number(size?.bytes ?? 0),
          builtAt: new Date(now()).toISOString(),
        }
      } catch (error) {
        await drop(table, previous && layer)
        throw error
      }
    },
    async isUsable(version, { table, signature, layers }, days) {
      const plan = await tablePlanFor(version)
      if (plan.signature !== signature || !days || days.length > MAX_DAYS) return false
      if (days.length > 0 && plan.time === undefined) return false
      try {
        const found = await held(version.projectId, statementsOf(plan, version.projectId, table).held())
        return layers.every(({ id, rows: count, events }) => {
          const { rows: storedRows, events: storedEvents } = found.get(id) ?? { rows: 0, events: 0 }
          return storedRows === count && storedEvents === events
        })
      } catch (error) {
        // The table does not exist, for example after a backup was restored.
        if (error instanceof StorageError && error.kind === 'query') return false
        throw error
      }
    },
    async changedDays(version, { table, layers, watermark }) {
      const statements = statementsOf(await tablePlanFor(version), version.projectId, table)
      const found = await rows<{ day: string }>(
        version.projectId,
        statements.changedDays(layers, { until: watermark }, MAX_DAYS + 1),
      )
      return found.map(({ day }) => day)
    },
  }
}
