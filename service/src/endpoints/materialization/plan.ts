import type { Variable } from '../../storage/metadata/metadata.ts'
import { triesOf } from '../definitions/describe.ts'
import { type CompileOptions, compileQuery, pageOf, type ParsedQuery, QueryError } from '../../sql/compile.ts'
import type { InsightQuery } from '../insights/insights.ts'
import { shapeOfInsight, tableOfInsight } from './insightRows.ts'
import { type CellRun, cellRunOf } from './memory/cells.ts'
import { type FoundShape, shapeOfRun } from './knownShapes.ts'
import type { Violation } from './violation.ts'
import { readSql } from './rollup.ts'
import { checkRules } from './rules/rules.ts'
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

/** Returns how the service can finish a run, or `undefined` if only the engine can. */
const cellsOf = (
  { shape, sql, isWhole }: FoundShape,
  stored: Stored,
  { projectId, limit, offset }: Page,
  now: Date,
): CellRun | undefined => {
  if (!isWhole) return undefined
  const { skip, count = Infinity } = pageOf(sql, limit, offset)
  return cellRunOf({ shape, sql, stored, projectId, now, skip, count })
}

/** Access of a run to a table. */
export interface TableReading {
  /** Makes the compiled query read the table. */
  readonly replace: NonNullable<CompileOptions['replace']>
  /** Returns how the service can finish the run instead, or `undefined` if only the engine can. */
  readonly cells: (page: Page) => CellRun | undefined
}

/**
 * Returns how a run reads a table, without compiling its statement. `undefined`: the table does not have the shape of the run. Throws
 * `QueryError`. `now`: the time that the run's clock functions return.
 */
export const tableReading = (
  parsed: ParsedQuery,
  variables: CompileOptions['variables'],
  stored: Stored & { signature: string },
  now = new Date(),
): TableReading | undefined => {
  const found = shapeOfRun(parsed, variables)
  if (found?.shape.signature !== stored.signature) return undefined
  const { target } = checkRules(parsed)
  return {
    cells: (page) => cellsOf(found, stored, page, now),
    replace(node, sql) {
      if (node !== target) return sql
      const shape = shapeOf(parsed, node, sql)
      return isViolations(shape) || shape.signature !== stored.signature ? sql : readSql(shape, sql, stored, now)
    },
  }
}
