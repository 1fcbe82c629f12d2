import { isDeepStrictEqual } from 'node:util'
import { load } from '../support/load.mjs'
import { median } from '../support/statistics.mjs'
import { variablesOf } from './questions.mjs'

const READY_WAIT_MS = 1_800_000

/** The sources of a run's result, how to request each, and how a response shows it (`is`). */
const PATHS = [
  {
    path: 'live',
    endpoint: (name) => `${name}_live`,
    variables: variablesOf,
    is: ({ is_cached, endpoint_materialized }) => !is_cached && !endpoint_materialized,
  },
  {
    path: 'materialized',
    endpoint: (name) => name,
    variables: variablesOf,
    is: ({ is_cached, endpoint_materialized }) => !is_cached && endpoint_materialized,
  },
  { path: 'cached', endpoint: (name) => name, variables: () => variablesOf(0), is: ({ is_cached }) => is_cached },
]

const untilReady = async (api, name) => {
  const deadline = Date.now() + READY_WAIT_MS
  for (;;) {
    const { ready, status, error } = (await api('GET', `/endpoints/${name}/materialization_status`)).body
    if (ready) return
    if (status === 'Failed' || Date.now() > deadline)
      throw new Error(`"${name}" was not materialized: ${error ?? status}`)
    await new Promise((done) => setTimeout(done, 200))
  }
}

/** Measures one query over the stored events. `limits`: maximum turns and seconds of each measurement. */
export const measureQuestion = async ({ api, engine }, question, { callers, limits, say }) => {
  const { name } = question
  const query = { kind: 'HogQLQuery', query: question.endpoint }
  const define = (endpoint, is_materialized) => api('POST', '/endpoints', { name: endpoint, query, is_materialized })
  const defineMs = (await define(`${name}_live`, false)).ms
  await define(name, true)
  await untilReady(api, name)

  const run = async ({ endpoint, variables, is }, turn, more = {}) => {
    const response = await api('POST', `/endpoints/${endpoint(name)}/run`, { variables: variables(turn), ...more })
    if (!is(response.body))
      throw new Error(
        `A run of "${endpoint(name)}" did not use the expected source: ${JSON.stringify({ ...response.body, results: undefined })}`,
      )
    return response
  }
  // Each run has new values.
  let used = 0
  const [live, materialized] = PATHS
  const fresh = () => (used += 1)

  // A first run of each is not measured: it compiles, and its rows are compared.
  const first = fresh()
  const [liveRows, materializedRows] = [
    (await run(live, first)).body.results,
    (await run(materialized, first)).body.results,
  ]
  if (!isDeepStrictEqual(liveRows, materializedRows))
    throw new Error(`"${name}" returns different rows when it is materialized.`)
  const byHand = async (turn) => (await engine.query(question.byHand, variablesOf(turn))).ms
  const handRows = JSON.parse((await engine.query(question.byHand, variablesOf(first))).text).data
  if (handRows.length !== liveRows.length || !handRows.length)
    throw new Error(`The hand-written "${name}" returned ${handRows.length} rows, expected ${liveRows.length}.`)
  await api('POST', `/endpoints/${name}/run`, { variables: variablesOf(0) })

  const loads = []
  for (const each of PATHS) {
    for (const count of callers) {
      say(`${name}, ${each.path}, ${count} ${count === 1 ? 'caller' : 'callers'}`)
      loads.push({
        path: each.path,
        callers: count,
        ...(await load({ callers: count, ...limits[each.path], ask: async () => (await run(each, fresh())).ms })),
      })
    }
  }

  say(`${name}, compared with hand-written SQL`)
  const compared = await load({
    callers: 1,
    ...limits.live,
    // Alternating, so that a busy moment affects both equally.
    ask: async () => {
      const turn = fresh()
      const hand = await byHand(turn)
      const { ms, body } = await run(live, turn, { debug: true })
      const executeMs = 1000 * body.timings.find(({ k }) => k === 'execute').t
      return { hand, live: ms, overhead: ms - executeMs }
    },
  })
  for (const endpoint of [name, `${name}_live`]) await api('DELETE', `/endpoints/${endpoint}`)
  const middle = (member) => median(compared.samples.map((sample) => sample[member]))
  return {
    name,
    defineMs,
    rows: liveRows.length,
    loads,
    byHandMs: middle('hand'),
    liveMs: middle('live'),
    overheadMs: middle('overhead'),
  }
}
