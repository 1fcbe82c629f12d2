import type { QueryResult } from '../api/query.ts'
import { formatWhole } from '../lib/format.ts'
import { type CellValue, SimpleTable } from './simpleTable.tsx'

const toCell = (value: unknown): CellValue =>
  value === null || value === undefined
    ? null
    : typeof value === 'object'
      ? JSON.stringify(value)
      : (value as CellValue)

/** The rows of a SQL query. */
export const QueryTable = ({ caption, result }: { readonly caption: string; readonly result: QueryResult }) => {
  const rows = result.results as readonly (readonly unknown[])[]
  const count = `${formatWhole(rows.length)} ${rows.length === 1 ? 'row' : 'rows'}`
  return (
    <div class="stack">
      <p class="small muted">{result.hasMore ? `The first ${count}. There are more.` : count}</p>
      {rows.length > 0 && (
        <SimpleTable caption={caption} head={result.columns ?? []} rows={rows.map((row) => row.map(toCell))} />
      )}
    </div>
  )
}
