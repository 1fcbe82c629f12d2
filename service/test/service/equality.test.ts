import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { uuidv7 } from '../../src/lib/uuid.ts'
import { randomRuns } from '../sql/support/randomRuns.ts'
import { api, capture, isReady, type Reply } from '../support/api.ts'
import { type ClickhouseNode, startClickhouse } from '../support/clickhouse.ts'
import { until } from '../support/engine.ts'
import { type Gate, startGate } from '../support/gate.ts'
import { type PostgresServer, startPostgres } from '../support/postgres.ts'
import { EVENTS, IDS, instant, PLANS, type Question, questionsOf, VARIABLES, ZONES } from './support/questions.ts'
import { createRandom } from './support/random.ts'
import { type RunningService, startService, temporaryFolder } from '../support/startService.ts'

/**
 * Compares materialized and live runs of random endpoints on two processes with one Postgres and one engine, while everything
 * happens that may make them differ. TEST_RUNS is the number of comparisons, TEST_SEED the seed that a failure prints.
 */
const COMPARISONS = randomRuns(160)
const SEED = Number(process.env.TEST_SEED ?? Date.now() % 1e9)
// More than endpoints, so that most of them are compared after each turn, which costs more than its comparisons.
const PER_TURN = 16
const TURNS_PER_ERA = 16
const ENDPOINTS = 12

const random = createRandom(SEED)
const SHORT_INTERVALS = pathToFileURL(join(__dirname, '../support/shortIntervals.mjs')).href
const KEY = 'my-own-personal-key'
const STORE = /INSERT INTO [`"]?db[`"]?\.[`"]?events/

const folder = temporaryFolder()
let clickhouse: ClickhouseNode
let postgres: PostgresServer
let gates: [Gate, Gate]
let services: [RunningService, RunningService]
let questions: Question[] = []

const start = async (place: 0 | 1) =>
  startService({
    data: join(folder, String(place)),
    env: {
      CLICKHOUSE_URL: gates[place].url,
      DATABASE_URL: postgres.urlOf('trailmark'),
      TRAILMARK_PERSONAL_API_KEY: KEY,
      TRAILMARK_MATERIALIZE_LAG_SECONDS: '0',
      TRAILMARK_SHADOW_PERCENT: '0',
      NODE_OPTIONS: `--import ${SHORT_INTERVALS}`,
    },
  })
const anyService = () => random.pick(services)
const bothReady = () => until(async () => (await Promise.all(services.map(isReady))).every(Boolean))

const eventOf = () => {
  const id = random.pick(IDS)
  const when = { uuid: uuidv7(), timestamp: new Date(instant(random)).toISOString() }
  const kind = random.below(12)
  const other = random.pick(IDS)
  if (kind === 0)
    return { ...when, event: '$identify', properties: { distinct_id: id, $anon_distinct_id: `anon-${other}` } }
  if (kind === 1) return { ...when, event: '$create_alias', properties: { distinct_id: id, alias: other } }
  return {
    ...when,
    event: random.pick(EVENTS),
    properties: {
      distinct_id: random.chance(0.2) ? `anon-${id}` : id,
      ...(random.chance(0.8) ? { plan: random.pick([...PLANS, null]) } : {}),
      ...(random.chance(0.7)
        ? { items: random.pick([-3, 0, 1, 2, 12, '7', 'many', true, null, 2.5, '9007199254740993', 9007199254740991]) }
        : {}),
      ...(random.chance(0.7) ? { amount: random.pick([0.1, 0.2, 2.5, 3.75, 1e-7, '12.5', 'none']) } : {}),
      ...(random.chance(0.5) ? { paid: random.chance(0.5) } : {}),
      ...(random.chance(0.5) ? { $groups: { company: random.pick(['acme', 'globex', '']) } } : {}),
      ...(kind === 2 ? { $set: { tier: random.pick(['gold', 'silver']) } } : {}),
    },
  }
}
const eventsOf = (count: number) => Array.from({ length: count }, eventOf)

/** Sends events until a service has stored them. Some are sent to both. */
const send = async (events: readonly object[], to: readonly RunningService[] = [anyService()]): Promise<void> => {
  const isStored = () =>
    Promise.all(to.map((each) => capture(each, ...events).then(({ status }) => status === 200, () => false))) // prettier-ignore
  await until(async () => (await isStored()).every(Boolean))
}

const RELATIVE_ERROR = 1e-9

/** Whether two results are equal, apart from the last digits of fractions: the engine adds them in any order. */
const areSame = (a: unknown, b: unknown): boolean => {
  if (typeof a === 'number' && typeof b === 'number' && !(Number.isInteger(a) && Number.isInteger(b)))
    return Math.abs(a - b) <= RELATIVE_ERROR * Math.max(Math.abs(a), Math.abs(b))
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return a === b
  const [left, right] = [Object.entries(a), Object.entries(b) as [string, unknown][]]
  return (
    left.length === right.length &&
    left.every(([key, value], at) => key === right[at]![0] && areSame(value, right[at]![1]))
  )
}
const answerOf = ({ isOrdered }: Question, { status, body }: Reply): unknown => {
  if (status !== 200) return { status, code: body.code as string }
  const rows = body.results as unknown[]
  if (isOrdered) return rows
  return rows.map((row) => [JSON.stringify(row), row] as const).sort(([a], [b]) => (a < b ? -1 : 1)).map(([, row]) => row) // prettier-ignore
}

const done = { compared: 0, materialized: 0, moving: 0 }
const TRIES = 5
/** Ends a test that hangs. A comparison takes a second on a busy machine. */
const MAX_MS = Math.max(1_800_000, COMPARISONS * 3_000)
/** How long the service may take to notice deleted events on a busy machine: each attempt compares all endpoints. */
const MAX_NOTICE_MS = 600_000

/** Compares a materialized run with a live one before it and, if they differ, with one after it. */
const compare = async (turn: string, service = anyService(), question = random.pick(questions)): Promise<void> => {
  const variables = question.valuesFor(random)
  const page = !question.isInsight && random.chance(0.2) ? { limit: 3, offset: random.below(3) } : {}
  // Without an order, pages may differ.
  const body = { variables, ...(question.isOrdered ? page : {}) }
  const refresh = random.chance(0.3) ? { refresh: 'force' } : {}
  const ask = (more: object) => api(service, 'POST', `/endpoints/${question.name}/run`, { ...body, ...more })
  const live = async () => answerOf(question, await ask({ refresh: 'direct' }))
  let before = await live()
  for (let tried = 0; tried < TRIES; tried += 1) {
    const reply = await ask(refresh)
    const found = answerOf(question, reply)
    const isSame = areSame(found, before)
    const after = isSame ? before : await live()
    // While a person is erased, runs are live, and a result that is not materialized may be from the cache.
    if (reply.body.is_cached && !reply.body.endpoint_materialized) return
    if (isSame || areSame(before, after)) {
      if (!isSame) expect({ SEED, turn, query: question.query, body, materialized: found }).toEqual({ SEED, turn, query: question.query, body, materialized: after }) // prettier-ignore
      done.compared += 1
      if (reply.body.endpoint_materialized) done.materialized += 1
      return
    }
    before = after
  }
  done.moving += 1
}
const compareMany = async (turn: string, count = PER_TURN, service?: RunningService) => {
  for (let left = count; left > 0; left -= 4)
    await Promise.all(Array.from({ length: Math.min(4, left) }, () => compare(turn, service)))
}

/** Sets the clocks of both processes forward, so that maintenance is due, and waits until it has begun. */
const passTime = async (minutes: number) => {
  for (let passed = 0; passed < minutes; passed += 2) {
    for (const { process } of services) process.kill('SIGUSR2')
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
}
const states = async () =>
  (await postgres.ask(postgres.urlOf('trailmark'), 'SELECT state_json FROM materializations')).map(
    ({ state_json }) => JSON.parse(state_json as string) as { inUse?: object; claim?: object },
  )
const allReady = () => until(async () => (await states()).every(({ inUse, claim }) => inUse && !claim))

/** What may make a materialized and a live run differ. Comparisons follow each turn, and run during most of them. */
const TURNS: Readonly<Record<string, () => Promise<unknown>>> = {
  'events are stored': () =>
    Promise.all([send(eventsOf(20)), send(eventsOf(5), services), compareMany('events are stored', 12)]),
  'tables are maintained': async () => {
    await send(eventsOf(10))
    await passTime(6)
    await Promise.all([compareMany('tables are maintained'), send(eventsOf(5)), send(eventsOf(5))])
  },
  'an insert is in flight': async () => {
    const [gate, service] = random.pick([0, 1].map((place) => [gates[place]!, services[place]!] as const))
    gate.holdResponses(STORE)
    const sent = send(eventsOf(6), [service])
    await until(() => gate.held() > 0)
    await compareMany('an insert is in flight')
    gate.open()
    await sent
  },
  'a process is killed after an insert': async () => {
    const place = random.pick([0, 1] as const)
    const survivor = services[1 - place]!
    await compareMany('before a process is killed', 8, survivor)
    const events = eventsOf(6)
    gates[place].holdResponses(STORE)
    const sent = capture(services[place], ...events).catch(() => undefined)
    await until(() => gates[place].held() > 0)
    await services[place].kill()
    await sent
    gates[place].open()
    await compareMany('a process is killed after an insert', PER_TURN, survivor)
    services[place] = await start(place)
    await send(events)
  },
  'the time zone changes': async () => {
    const changed = await api(anyService(), 'PATCH', '', { timezone: random.pick(ZONES) })
    expect(changed.status).toBe(200)
  },
  'a person is erased': async () => {
    const { body } = await api(anyService(), 'GET', `/persons/?distinct_id=${random.pick(IDS)}`)
    const [person] = body.results
    if (!person) return
    await Promise.all([
      api(anyService(), 'DELETE', `/persons/${person.id}/?delete_events=true`).then(({ status, body }) =>
        expect({ status, body }).toEqual({ status: 204, body: '' }),
      ),
      compareMany('a person is being erased', 12),
      send(eventsOf(5)),
    ])
    await allReady()
  },
  'the engine is killed': async () => {
    const sent = send(eventsOf(10))
    await passTime(6)
    await clickhouse.kill()
    await clickhouse.start()
    await sent
    await bothReady()
  },
  'events are deleted from the store': async () => {
    await clickhouse.ask(
      `ALTER TABLE db.events DELETE WHERE event = '${random.pick(EVENTS)}' AND distinct_id = '${random.pick(IDS)}' SETTINGS mutations_sync = 2`,
    )
    // Until the service notices, results include them. Those for one set of values may not.
    const isNoticed = (question: Question) =>
      Promise.all(Array.from({ length: 4 }, () => compare('events are deleted', anyService(), question))).then(() => true, () => false) // prettier-ignore
    await until(async () => {
      await passTime(70)
      await allReady()
      return (await Promise.all(questions.map(isNoticed))).every(Boolean)
    }, MAX_NOTICE_MS)
  },
}

/** Replaces the endpoints by new ones. */
const createEndpoints = async (era: number) => {
  for (const { name } of questions) await api(anyService(), 'DELETE', `/endpoints/${name}/`)
  questions = questionsOf(random, ENDPOINTS).map((each) => ({ ...each, name: `${each.name}-${era}` }))
  for (const { name, query, isInsight } of questions) {
    const more = { is_materialized: true, data_freshness_seconds: 900, ...(isInsight ? { date_variables: true } : {}) }
    const { status, body } = await api(anyService(), 'POST', '/endpoints/', { name, query, ...more })
    if (status !== 201) throw new Error(`${JSON.stringify(query)}: ${JSON.stringify(body)}`)
  }
  await allReady()
}

beforeAll(async () => {
  ;[clickhouse, postgres] = await Promise.all([
    startClickhouse(join(folder, 'clickhouse')) as Promise<ClickhouseNode>,
    startPostgres(),
  ])
  await postgres.create('trailmark')
  gates = [await startGate(clickhouse.url), await startGate(clickhouse.url)]
  // One creates the project and its first key.
  const first = await start(0)
  services = [first, await start(1)]
  for (const [name, type] of Object.entries(VARIABLES)) await api(first, 'POST', '/insight_variables/', { name, type })
  await send(eventsOf(150))
})
afterAll(async () => {
  gates.forEach((gate) => gate.open())
  await Promise.all(services.map((each) => each.stop()))
  await Promise.all([...gates.map((gate) => gate.close()), clickhouse.stop(), postgres.stop()])
  rmSync(folder, { recursive: true })
})
afterEach(() => gates.forEach((gate) => gate.open()))

test(
  'materialized and live runs are equal whatever happens',
  async () => {
    const names = Object.keys(TURNS)
    for (let turn = 0; turn < names.length || done.compared < COMPARISONS; turn += 1) {
      if (turn % TURNS_PER_ERA === 0) await createEndpoints(turn / TURNS_PER_ERA)
      // Each at least once.
      const name = turn < names.length ? names[turn]! : random.pick(names)
      await TURNS[name]!()
      await compareMany(name)
      if (process.env.TEST_VERBOSE) process.stderr.write(`${name}: ${JSON.stringify(done)}\n`)
    }
    expect(done.materialized).toBeGreaterThan(done.compared / 2)
    expect(done.moving).toBeLessThan(done.compared / 10)
  },
  MAX_MS,
)
