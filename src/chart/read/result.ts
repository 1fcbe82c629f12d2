import { type ChartData, NO_DATA, type RunResult } from '../model'
import { isRecord, listOf } from './cells'
import { readInsight } from './insight'
import { readSql } from './sql'

/** Reads the response of a run. `undefined`: it is not one. */
export const readResult = (response: unknown): ChartData | undefined => {
  if (!isRecord(response)) return undefined
  const { results, columns, types } = response as RunResult
  if (typeof results !== 'object' || results === null) return undefined
  if (Array.isArray(results) && !results.length)
    return { ...NO_DATA, table: { columns: listOf(columns).map(String), rows: [] } }
  return Array.isArray(columns) && columns.length ? readSql(columns, types, results) : readInsight(results)
}
