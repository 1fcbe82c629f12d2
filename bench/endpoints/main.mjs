import { startService } from '../support/startService.mjs'
import { measureCompiler } from './compiler.mjs'
import { generate } from './generate.mjs'
import { measureQuestion } from './measure.mjs'
import { QUESTIONS } from './questions.mjs'
import { tables } from './tables.mjs'

export const title = 'Endpoints: cost of a run by number of events'

/** npm scripts of the root to run first. */
export const needs = ['build:service']

/** `--rows=1,10,100`: the numbers of events, in millions. */
export const flags = ['rows']

const CALLERS = [1, 16]
// Each measurement ends at the first of the two limits.
const LIMITS = {
  live: { most: 300, seconds: 20 },
  materialized: { most: 1_000, seconds: 20 },
  cached: { most: 3_000, seconds: 20 },
}
const QUICK_LIMITS = {
  live: { most: 30, seconds: 5 },
  materialized: { most: 100, seconds: 5 },
  cached: { most: 300, seconds: 5 },
}

// Default settings, except for limits that a benchmark would exceed.
const UNLIMITED = {
  TRAILMARK_RUNS_PER_MINUTE: '1000000000',
  TRAILMARK_RUNS_PER_HOUR: '1000000000',
  TRAILMARK_RUN_SECONDS: '60',
  // Each path is measured by itself.
  TRAILMARK_RUN_SOURCE: 'table',
  TRAILMARK_LOG_LEVEL: 'error',
}

const rowsOf = (input, quick) => {
  if (input === undefined) return quick ? [1_000_000] : [1_000_000, 10_000_000]
  const rows = input.split(',').map((each) => Math.round(1_000_000 * Number(each)))
  if (!rows.every((each) => each > 0)) throw new Error('--rows expects millions of events, such as --rows=1,10,100.')
  return rows.sort((a, b) => a - b)
}

/** Takes all measurements over each number of events, in one service, and resolves with the report as Markdown. */
export const run = async ({ quick, rows: input, say }) => {
  const wanted = rowsOf(input, quick)
  const limits = quick ? QUICK_LIMITS : LIMITS
  say('the compiler')
  const compiler = await measureCompiler()
  const service = await startService(UNLIMITED)
  try {
    for (const [name, type] of [
      ['event', 'String'],
      ['since', 'Date'],
    ])
      await service.api('POST', '/insight_variables', { name, type })
    const sizes = []
    let from = 0
    for (const rows of wanted) {
      await generate(service.engine, { from, to: rows, say })
      from = rows
      const questions = []
      for (const question of QUESTIONS)
        questions.push(await measureQuestion(service, question, { callers: CALLERS, limits, say }))
      sizes.push({ rows, questions })
    }
    const [[version]] = await service.engine.ask('SELECT version()')
    return [`ClickHouse ${version}`, ...tables({ sizes, compiler })].join('\n\n')
  } finally {
    await service.stop()
  }
}
