import type { Log } from '../../lib/log.ts'
import type { MaterializedVersion, Metadata } from '../../storage/metadata/metadata.ts'
import { SMALL_READ, type Statement, type Storage, StorageError } from '../../storage/storage.ts'
import { parse, type SqlQuery, toApiError } from '../definitions/check.ts'
import { isInsight } from '../insights/insights.ts'
import { buildStatements, type Plan, planOf, planOfInsight } from './plan.ts'
import type { MaterializedTable } from './state.ts'
import { notMaterializable } from './violation.ts'

export interface TablesOptions {
  readonly metadata: Pick<Metadata, 'variables'>
  readonly storage: Pick<Storage, 'rows' | 'command' | 'work'>
  readonly log: Log
  /** How long an insert may take until its rows are visible. Events of these last seconds are always read live. */
  readonly lagSeconds: number
  readonly now: () => number
}

/** The engine's side of materialization: builds, checks and drops tables. */
export interface Tables {
  /** Plans what to store for a query. Rejects with `ApiError` if the query does not compile. */
  planFor(projectId: number, query: unknown): Promise<Plan>
  /** Creates and fills a table, and checks that it contains every event. On failure the table is dropped. */
  build(version: MaterializedVersion, table: string, signal: AbortSignal): Promise<MaterializedTable>
  /** Drops a table. A failure is logged only: `sweep` retries. */
  drop(table: string): Promise<void>
  /** Whether a table was built from all events that it should hold, by counting those events again. */
  isUpToDate(version: MaterializedVersion, table: MaterializedTable): Promise<boolean>
  /** Whether a table exists, has all of its rows and is up to date. */
  isIntact(version: MaterializedVersion, table: MaterializedTable): Promise<boolean>
}

const BUILD_LIMITS = { maxSeconds: 3_000, maxMemoryBytes: 2_000_000_000 }

/** Returns the statement as work of a project: projects share the engine's background capacity. */
const workOf = (projectId: number, { text, params }: Statement): Statement => ({
  text,
  params: { ...params, projectId },
})

export const createTables = ({ metadata, storage, log, lagSeconds, now }: TablesOptions): Tables => {
  const row = async <Row>(projectId: number, statement: Statement): Promise<Row> => {
    const [first] = await storage.rows<Row>(workOf(projectId, statement), SMALL_READ)
    return first!
  }
  const countEvents = async (projectId: number, statement: Statement): Promise<number> =>
    Number((await row<{ events: string }>(projectId, statement)).events)

  const planFor = async (projectId: number, query: unknown): Promise<Plan> => {
    if (isInsight(query)) return planOfInsight(query)
    try {
      return planOf(parse((query as SqlQuery).query), await metadata.variables.list(projectId))
    } catch (error) {
      throw toApiError(error)
    }
  }

  const drop = async (table: string) => {
    try {
      await storage.command(`DROP TABLE IF EXISTS db.${table} SYNC`)
    } catch (error) {
      log(`materialization: could not drop ${table}, will retry: ${(error as Error).message}`)
    }
  }

  const isUpToDate = async (
    { projectId, version }: MaterializedVersion,
    table: MaterializedTable,
  ): Promise<boolean> => {
    const plan = await planFor(projectId, version.query)
    return (
      'table' in plan &&
      plan.table.signature === table.signature &&
      (await countEvents(projectId, buildStatements(plan.table, projectId, table).events)) === table.events
    )
  }

  return {
    planFor,
    drop,
    isUpToDate,
    async build({ projectId, version }, table, signal) {
      const plan = await planFor(projectId, version.query)
      if ('violations' in plan) throw notMaterializable(plan.violations)
      const { watermark } = await row<{ watermark: string }>(projectId, {
        text: "SELECT toString(now64(3, 'UTC') - toIntervalSecond({lag:UInt32})) AS watermark",
        params: { lag: lagSeconds },
      })
      const { create, fill, held, events } = buildStatements(plan.table, projectId, { table, watermark })
      try {
        await storage.work(workOf(projectId, create), BUILD_LIMITS, signal)
        await storage.work(workOf(projectId, fill), BUILD_LIMITS, signal)
        const found = await row<{ rows: string; events: string }>(projectId, held)
        const expected = await countEvents(projectId, events)
        if (Number(found.events) !== expected)
          throw new Error(`The table was built from ${found.events} events instead of ${expected}`)
        const size = await row<{ bytes: string } | undefined>(projectId, {
          text: "SELECT sum(bytes_on_disk) AS bytes FROM system.parts WHERE database = 'db' AND table = {table:String} AND active",
          params: { table },
        })
        return {
          table,
          watermark,
          signature: plan.table.signature,
          rows: Number(found.rows),
          bytes: Number(size?.bytes ?? 0),
          events: Number(found.events),
          builtAt: new Date(now()).toISOString(),
        }
      } catch (error) {
        await drop(table)
        throw error
      }
    },
    async isIntact(version, table) {
      try {
        const stored = await countEvents(version.projectId, {
          text: `SELECT sum(__count) AS events FROM db.${table.table}`,
        })
        return stored === table.events && (await isUpToDate(version, table))
      } catch (error) {
        // The table does not exist, for example after a backup was restored.
        if (error instanceof StorageError && error.kind === 'query') return false
        throw error
      }
    },
  }
}
