import type { Variable } from '../../storage/metadata/metadata.ts'
import { triesOf } from '../definitions/describe.ts'
import { type CompileOptions, compileQuery, pageOf, type ParsedQuery, QueryError } from '../../sql/compile.ts'
import type { InsightQuery } from '../insights/insights.ts'
import { shapeOfInsight, tableOfInsight } from './insightRows.ts'
import { type CellRun, cellRunOf } from './cells.ts'
import type { Violation } from './violation.ts'
import { readSql } from './rollup.ts'
import { checkRules } from './rules.ts'
import { type Shape, shapeOf } from './shape.ts'
import { type TablePlan, tableOf } from './tablePlan.ts'
import type { Stored } from './words.ts'

/** What to store for a query, or everything that prevents it. */
export type Plan = { readonly table: TablePlan } | { readonly violations: readonly Violation[] }

const isViolations = <Found extends object>(found: Found | readonly Violation[]): found is readonly Violation[] =>
  Array.isArray(found)

/** Plans what to store for an insight. */
export const planOfInsight = (query: InsightQuery): Plan => {
  const shape = shapeOfInsight(query)
  return isViolations(shape) ? { violations: shape } : { table: tableOfInsight(shape) }
}

/** Plans what to store for a query, using samples of its variables. Throws `QueryError` if the query does not compile. */
export const planOf = (parsed: ParsedQuery, definitions: readonly Variable[]): Plan => {
  const { violations, target } = checkRules(parsed)
  if (!target) return { violations }
  let first: unknown
  for (const variables of triesOf(parsed, definitions)) {
    let found: Shape | readonly Violation[] | undefined
    const options: CompileOptions = {
      projectId: 0,
      variables,
      replace: (node, sql) => (node === target && (found ??= shapeOf(parsed, node, sql)), sql),
    }
    try {
      compileQuery(parsed, options)
    } catch (error) {
      // A sample may not be a date where the query requires one.
      if (!(error instanceof QueryError)) throw error
      first ??= error
      continue
    }
    if (!found) throw new QueryError('not_supported', 'The SELECT with the variables is not used by the query')
    return isViolations(found) ? { violations: found } : { table: tableOf(found) }
  }
  throw first
}

type Page = Pick<CompileOptions, 'projectId' | 'limit' | 'offset'>

/**
 * Returns a `replace` that makes the query's materialized select read the table, if the table has the shape of the run. After compiling,
 * `isUsed` returns whether it did, and `cells` how the service can finish the run instead. `now`: the time that the run's clock
 * functions return.
 */
export const readingFrom = (parsed: ParsedQuery, stored: Stored & { signature: string }, now = new Date()) => {
  const { target } = checkRules(parsed)
  let isUsed = false
  let cells: ((page: Page) => CellRun | undefined) | undefined
  const replace: CompileOptions['replace'] = (node, sql) => {
    if (node !== target) return sql
    const shape = shapeOf(parsed, node, sql)
    if (isViolations(shape) || shape.signature !== stored.signature) return sql
    isUsed = true
    if (node === parsed.query)
      cells = ({ projectId, limit, offset }) => {
        const { skip, count = Infinity } = pageOf(sql, limit, offset)
        return cellRunOf({ shape, sql, stored, projectId, now, skip, count })
      }
    return readSql(shape, sql, stored, now)
  }
  return { replace, isUsed: () => isUsed, cells: (page: Page) => cells?.(page) }
}
