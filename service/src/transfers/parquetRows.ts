import { readFileSync, statSync } from 'node:fs'
import { NO_CALLER, type Storage } from '../storage/storage.ts'
import { ImportError } from './importError.ts'
import type { FileRow, RowFile } from './rows.ts'

// The file is in memory while it is inserted.
const MAX_FILE_BYTES = 256_000_000
const PAGE_ROWS = 1_000
const MAX_PAGE_BYTES = 200_000_000
const COLUMNS = ['uuid', 'event', 'distinct_id', 'timestamp', 'properties', 'elements_chain'] as const

/**
 * Returns the rows of a Parquet file of events. The engine reads them into a separate table. `table`: its name, which
 * must be unused.
 */
export const parquetFile = (
  storage: Pick<Storage, 'rows' | 'command' | 'insert'>,
  path: string,
  table: string,
): RowFile => ({
  name: path,
  async *rows(): AsyncGenerator<FileRow> {
    if (statSync(path).size > MAX_FILE_BYTES) throw new ImportError('a Parquet file may have at most 256 MB')
    const drop = () => storage.command(`DROP TABLE IF EXISTS db.${table} SYNC`)
    await drop()
    await storage.command(
      `CREATE TABLE db.${table} (${COLUMNS.map((column) => `${column} String`).join(', ')}) ENGINE = MergeTree ORDER BY uuid`,
    )
    try {
      await storage.insert(`db.${table}`, readFileSync(path), { format: 'Parquet' }).catch((error: Error) => {
        throw new ImportError(`the engine cannot read the Parquet file: ${error.message.split('\n')[0]!.slice(0, 300)}`)
      })
      let line = 0
      for (let last = ''; ;) {
        const page = await storage.rows<Record<string, string>>(
          {
            text: `SELECT * FROM db.${table} WHERE uuid > {last:String} ORDER BY uuid LIMIT ${PAGE_ROWS} WITH TIES`,
            params: { last },
          },
          { maxBytes: MAX_PAGE_BYTES, signal: NO_CALLER },
        )
        if (!page.length) return
        for (const row of page) yield { line: (line += 1), value: row }
        last = page.at(-1)!.uuid!
      }
    } finally {
      await drop().catch(() => {})
    }
  },
})
