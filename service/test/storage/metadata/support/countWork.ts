import { CompiledQuery, type KyselyPlugin, type RootOperationNode, type UnknownRow } from 'kysely'
import type { OpenDatabase } from '../../../../src/storage/metadata/open.ts'

/** The most work that a task did in one turn of the event loop. */
export interface WorkCount {
  /** Rows that statements returned or changed. */
  readonly maxRows: number
  /** Columns of returned rows that were read. */
  readonly maxReads: number
  /** Steps of SQLite's query plans that read a whole table or index, each with its statement. */
  readonly scans: readonly string[]
}

export interface CountedDatabase extends Pick<OpenDatabase, 'db' | 'transact'> {
  /** Runs a task and counts what its statements do. */
  during<Result>(run: () => Promise<Result>): Promise<WorkCount & { readonly result: Result }>
}

/** Counts the work of statements in each turn of the event loop, which time would measure only on an idle machine. */
export const countWork = ({ db, transact }: Pick<OpenDatabase, 'db' | 'transact'>): CountedDatabase => {
  let [rows, reads] = [0, 0]
  let statements = new Map<string, RootOperationNode>()
  /** Returns a row that counts each read of a column. */
  const countReads = (row: UnknownRow): UnknownRow =>
    Object.defineProperties(
      {},
      Object.fromEntries(
        Object.entries(row).map(([column, value]) => [
          column,
          {
            enumerable: true,
            get() {
              reads += 1
              return value
            },
          },
        ]),
      ),
    )
  const plugin: KyselyPlugin = {
    transformQuery({ node, queryId }) {
      statements.set(db.getExecutor().compileQuery(node, queryId).sql, node)
      return node
    },
    transformResult({ result }) {
      rows += result.rows.length + Number(result.numAffectedRows ?? 0)
      return Promise.resolve({ ...result, rows: result.rows.map(countReads) })
    },
  }

  const scansOf = async (node: RootOperationNode): Promise<string[]> => {
    const { sql: text, parameters } = db.getExecutor().compileQuery(node, { queryId: 'plan' })
    const plan = await db.executeQuery<{ detail: string }>(
      CompiledQuery.raw(`EXPLAIN QUERY PLAN ${text}`, [...parameters]),
    )
    return plan.rows.flatMap(({ detail }) => (/^SCAN (?!CONSTANT)/.test(detail) ? [`${detail}: ${text}`] : []))
  }

  return {
    db: db.withPlugin(plugin),
    transact: (work, name) => transact((transaction) => work(transaction.withPlugin(plugin)), name),
    async during(run) {
      ;[rows, reads] = [0, 0]
      statements = new Map()
      let [maxRows, maxReads] = [0, 0]
      let isRunning = true
      const endTurn = () => {
        maxRows = Math.max(maxRows, rows)
        maxReads = Math.max(maxReads, reads)
        ;[rows, reads] = [0, 0]
        if (isRunning) setImmediate(endTurn)
      }
      setImmediate(endTurn)
      const result = await run().finally(() => (isRunning = false))
      await new Promise(setImmediate)
      const scans: string[] = []
      for (const node of statements.values()) scans.push(...(await scansOf(node)))
      return { result, maxRows, maxReads, scans }
    },
  }
}
