import { ApiError } from '../../lib/apiError.ts'
import type { AgentAnswer, AgentCall } from '../../mcp/tool.ts'
import type { RunAnswer, RunEndpoint, RunRequest } from '../run.ts'

/** Rows that are read. Fewer are shown if they are long. */
const MAX_ROWS = 1_000
/** Rows that are read if the others are too long. */
const FEW_ROWS = 50
/** Maximum time to count the rows that are not read. */
const MAX_COUNT_MS = 5_000

/** A run to answer with. */
export interface Run {
  readonly source: AgentAnswer['source']
  readonly request:
    | { readonly endpoint: string; readonly version: number }
    | { readonly query: Readonly<Record<string, unknown>> }
  readonly variables: Readonly<Record<string, unknown>>
  /** The text of the query. Absent: it is an insight. */
  readonly sql?: string
}

const callerOf = ({ projectId, key, signal }: AgentCall) => ({ projectId, key, signal })

const runRows = async (run: RunEndpoint, request: RunRequest): Promise<RunAnswer> => {
  try {
    return await run({ ...request, limit: MAX_ROWS })
  } catch (error) {
    if (!(error instanceof ApiError) || error.code !== 'query_too_large') throw error
    return run({ ...request, limit: FEW_ROWS })
  }
}

/** Returns the number of rows of a query. null: it cannot be counted in time. */
const countRows = async (run: RunEndpoint, sql: string, variables: Run['variables'], call: AgentCall) => {
  // Parsed like any query, so the text cannot leave the parentheses.
  const query = `SELECT count() AS rows FROM (\n${sql.replace(/[\s;]+$/, '')}\n) AS counted`
  const late = new AbortController()
  const timer = setTimeout(() => late.abort(new ApiError('query_cancelled')), MAX_COUNT_MS)
  try {
    const signal = AbortSignal.any([call.signal, late.signal])
    const { results } = await run({ ...callerOf(call), signal, query: { kind: 'HogQLQuery', query }, variables })
    return Number((results as unknown[][])[0]![0])
  } catch (error) {
    // The rows are there, whatever is wrong with counting them.
    if (call.signal.aborted || !(error instanceof ApiError)) throw error
    return null
  } finally {
    clearTimeout(timer)
  }
}

const OTHERS = 'Further values of the breakdown are combined, or left out.'

/** Labels repeat the days, and actions and filters repeat the query. */
const toLine = (line: unknown): unknown => {
  if (typeof line !== 'object' || line === null || Array.isArray(line)) return line
  const {
    days: _days,
    labels: _labels,
    action: _action,
    filter: _filter,
    people: _people,
    ...rest
  } = line as Record<string, unknown>
  return rest
}

const daysOf = (lines: readonly unknown[]): { days?: unknown } => {
  const days = lines.map((line) => (line as { days?: unknown } | null)?.days)
  return days[0] && days.every((each) => JSON.stringify(each) === JSON.stringify(days[0])) ? { days: days[0] } : {}
}

const insightAnswer = ({ results, hasMore, timezone }: RunAnswer): Omit<AgentAnswer, 'source'> => {
  const lines = Array.isArray(results) ? (results as unknown[]) : [results]
  const days = daysOf(lines)
  return {
    facts: { timezone, ...days },
    results: 'days' in days ? lines.map(toLine) : lines,
    ...(hasMore ? { notes: [OTHERS] } : {}),
  }
}

/** Runs an endpoint or a query, within the limits of the key, and returns its rows. Rejects with `ApiError`. */
export const answerOfRun = async (
  run: RunEndpoint,
  { source, request, variables, sql }: Run,
  call: AgentCall,
): Promise<AgentAnswer> => {
  const runRequest = { ...callerOf(call), ...request, variables }
  if (sql === undefined) return { source, ...insightAnswer(await run(runRequest)) }
  const { results, columns, types, hasMore } = await runRows(run, runRequest)
  return {
    source,
    facts: { columns, types: types?.map(([, type]) => type) },
    results: results as unknown[],
    ...(hasMore ? { total: await countRows(run, sql, variables, call) } : {}),
  }
}
