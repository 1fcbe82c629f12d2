import { importService } from '../support/importService.mjs'
import { median } from '../support/statistics.mjs'
import { QUESTIONS } from './questions.mjs'

const ROUNDS = 300

// Queries of realistic length, and a much longer one.
const LONG = `SELECT ${Array.from({ length: 200 }, (_, n) => `countIf(properties.step = ${n} AND event != 'x${n}') AS c${n}`).join(', ')} FROM events WHERE event = {variables.event}`
const TEXTS = [
  ...QUESTIONS.map(({ name, endpoint }) => ({ name, text: endpoint })),
  { name: 'a query of 200 columns', text: LONG },
]

const timed = (work) => {
  const start = performance.now()
  work()
  return performance.now() - start
}

/** Measures the compiler for each query, without engine and network: parse, bind variables, compile to SQL. */
export const measureCompiler = async () => {
  const { parseQuery, compileQuery } = await importService('sql/compile')
  const { bindVariables } = await importService('endpoints/variables/bind')
  const VARIABLES = [
    { codeName: 'event', type: 'String', values: [] },
    { codeName: 'since', type: 'Date', values: [] },
  ]
  const VALUES = { event: 'purchase', since: '2026-01-05T00:00:00Z' }
  return TEXTS.map(({ name, text }) => {
    const used = VARIABLES.filter(({ codeName }) => text.includes(`variables.${codeName}`))
    const inputs = Object.fromEntries(used.map(({ codeName }) => [codeName, VALUES[codeName]]))
    const rounds = Array.from({ length: ROUNDS }, () => {
      let parsed, variables
      return {
        parse: timed(() => (parsed = parseQuery(text))),
        bind: timed(() => (variables = bindVariables(used, inputs))),
        compile: timed(() => compileQuery(parsed, { projectId: 1, variables })),
      }
    })
    const middle = (step) => median(rounds.map((round) => round[step]))
    return {
      name,
      characters: text.length,
      parseMs: middle('parse'),
      bindMs: middle('bind'),
      compileMs: middle('compile'),
    }
  })
}
