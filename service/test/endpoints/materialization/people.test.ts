import fc from 'fast-check'
import { isSettled } from '../../../src/endpoints/epochs.ts'
import { createServiceEpochs, type ServiceEpochs } from '../../../src/endpoints/serviceEpochs.ts'
import { createArrivals } from '../../../src/endpoints/materialization/arrivals.ts'
import { INDEX } from '../../../src/endpoints/materialization/rollup.ts'
import { type Cells, createCells } from '../../../src/endpoints/materialization/memory/cellStore.ts'
import { createErase } from '../../../src/persons/erase.ts'
import { createForgetPerson } from '../../../src/persons/forget.ts'
import { createPersonFacts } from '../../../src/persons/facts.ts'
import { createPersons } from '../../../src/persons/lookup.ts'
import type { BoundValue } from '../../../src/sql/compile.ts'
import { createClickhouse } from '../../../src/storage/clickhouse.ts'
import type { Storage } from '../../../src/storage/storage.ts'
import { createTypes, deliver, startIngest } from '../../ingest/support/startIngest.ts'
import { compile } from '../../sql/support/compile.ts'
import { startTestEngine, type TestEngine } from '../../sql/support/engine.ts'
import { randomRuns } from '../../sql/support/randomRuns.ts'
import { EVENT_TABLES, TABLES } from '../../support/schema.ts'
import { type Materialized, materialize } from './support/store.ts'

let engine: TestEngine
let storage: Storage
let projects = 20_000

beforeAll(async () => {
  engine = await startTestEngine()
  const place = { url: engine.url }
  storage = createClickhouse(() => place, { tables: TABLES })
})
afterAll(async () => {
  await storage.close()
  await engine.stop()
})

const START = Date.parse('2026-01-01T00:00:00Z')
const HOUR = 3_600_000
const IDS = ['ann', 'ben', 'cat', 'dan', 'anon-1', 'anon-2', 'anon-3', 'device']

const instant = fc.oneof(
  fc.tuple(fc.constantFrom(0, 1, 24, 25, 48, 72), fc.constantFrom(-1, 0, 1)).map(([hour, ms]) => hour * HOUR + ms),
  fc
    .tuple(fc.constantFrom(0, 1, 23, 24, 30, 47, 50), fc.integer({ min: 0, max: HOUR - 1 }))
    .map(([h, ms]) => h * HOUR + ms),
)
interface Captured {
  readonly event: string
  readonly id: string
  readonly at: number
  readonly plan?: string | null
  readonly isPersonless?: boolean
  /** The other id of a merge. */
  readonly other?: string
}
const visit: fc.Arbitrary<Captured> = fc.record({
  event: fc.constantFrom('visit', 'visit', 'buy'),
  id: fc.constantFrom(...IDS),
  at: instant,
  plan: fc.constantFrom('free', 'pro', null),
  isPersonless: fc.constantFrom(false, false, false, true),
})
const merge: fc.Arbitrary<Captured> = fc.record({
  event: fc.constantFrom('$identify', '$create_alias', '$merge_dangerously'),
  id: fc.constantFrom(...IDS),
  other: fc.constantFrom(...IDS),
  at: instant,
})

let uuids = 0
const wire = ({ event, id, at, plan, isPersonless, other }: Captured) => ({
  uuid: `00000000-0000-7000-b000-${String((uuids += 1)).padStart(12, '0')}`,
  event,
  timestamp: new Date(START + at).toISOString(),
  properties: {
    distinct_id: id,
    ...(plan === undefined ? {} : { plan }),
    ...(isPersonless ? { $process_person_profile: false } : {}),
    ...(other === undefined ? {} : { [event === '$identify' ? '$anon_distinct_id' : 'alias']: other }),
  },
})

const time = (ms: number): BoundValue => ({
  type: "DateTime64(3, 'UTC')",
  value: new Date(START + ms).toISOString().replace('T', ' ').replace('Z', ''),
})
const values = fc.record({
  event: fc.constantFrom('visit', 'buy').map((value): BoundValue => ({ type: 'String', value })),
  // Most ranges have whole days, whose people change only by merges.
  from: fc.oneof({ weight: 2, arbitrary: fc.constant(-HOUR) }, { weight: 1, arbitrary: instant }).map(time),
  to: fc.oneof({ weight: 2, arbitrary: fc.constant(100 * HOUR) }, { weight: 1, arbitrary: instant }).map(time),
})
const TYPES = { event: 'String', from: 'Date', to: 'Date' }
const WHERE = 'event = {variables.event} AND timestamp >= {variables.from} AND timestamp < {variables.to}'

/** Queries that the service finishes. */
const QUERIES = [
  `SELECT toStartOfDay(timestamp) AS day, uniq(person_id) AS people FROM events WHERE ${WHERE} GROUP BY day ORDER BY day`,
  `SELECT toStartOfDay(timestamp) AS day, count(DISTINCT person_id) AS people, uniqExact(distinct_id) AS ids, count() AS n FROM events WHERE ${WHERE} GROUP BY day ORDER BY day`,
  `SELECT properties.plan AS plan, uniqExact(person.id) AS people, uniqIf(person_id, distinct_id != 'ann') AS others FROM events WHERE ${WHERE} GROUP BY plan ORDER BY people DESC, plan`,
  `SELECT toStartOfWeek(timestamp) AS week, uniq(person_id) AS people, max(timestamp) AS last FROM events WHERE ${WHERE} GROUP BY week ORDER BY week`,
  `SELECT toStartOfDay(timestamp) AS day, properties.plan AS plan, quantileExact(0.5)(toHour(timestamp)) AS hour, uniq(person_id) AS people FROM events WHERE ${WHERE} GROUP BY day, plan ORDER BY day, plan`,
  `SELECT uniq(person_id) AS people, count() AS n FROM events WHERE ${WHERE}`,
]

/** What happens to the project between runs. */
interface Step {
  readonly events?: readonly Captured[]
  readonly erased?: string
  readonly withEvents?: boolean
}
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 3, arbitrary: fc.record({ events: fc.array(visit, { minLength: 1, maxLength: 4 }) }) },
  { weight: 3, arbitrary: fc.record({ events: fc.array(merge, { minLength: 1, maxLength: 2 }) }) },
  { weight: 1, arbitrary: fc.record({ erased: fc.constantFrom(...IDS), withEvents: fc.boolean() }) },
  { weight: 1, arbitrary: fc.constant({}) },
)
/** Callers of an endpoint, each with its own values. */
const callersOfOne = fc
  .record({ query: fc.nat(QUERIES.length - 1), values: fc.array(values, { minLength: 2, maxLength: 4 }) })
  .map(({ query, values: all }) => all.map((each) => ({ query, values: each })))
const callersOfAll = fc.array(callersOfOne, { minLength: 2, maxLength: 3 }).map((all) => all.flat())

/** The parts of a service that stores events of one project and runs its endpoints. */
const startProject = () => {
  const projectId = (projects += 1)
  const { epochs, owners }: ServiceEpochs = createServiceEpochs(undefined)
  const ingest = startIngest(storage, createTypes(), 120_000, { epochs, owners })
  let shared = 0
  let beforeNext = async () => {}
  const run: Storage['run'] = async (statement, ...more) => {
    if (statement.text.includes(INDEX)) shared += 1
    await beforeNext()
    return storage.run(statement, ...more)
  }
  const cells: Cells = createCells({ storage: { run }, changedIds: owners.between })
  const arrivals = createArrivals({ storage, log: () => {} })
  const erase = createErase({
    log: () => {},
    storage,
    persons: createPersons(storage),
    forget: createForgetPerson(storage, createPersonFacts(storage), { owners }),
    tables: EVENT_TABLES,
    erasers: [
      {
        async onErased() {
          await owners.advanceByErasure(projectId)
          await epochs.advanceByErasure(projectId)
        },
      },
    ],
  })
  const settled = (epoch: number) => (isSettled(epoch) ? epoch : NaN)
  const knownAt = async (table: { readonly table: string; readonly watermark: string }) => {
    const epoch = await epochs.of(projectId)
    const built = { ...table, signature: '', layers: [], bytes: 0, builtAt: '' }
    const isComplete = isSettled(epoch) && arrivals.isComplete(projectId, built, epoch)
    const now = async () => ({
      epoch: settled(await epochs.of(projectId)),
      owners: settled(await owners.of(projectId)),
    })
    return { cells, now, isComplete }
  }
  return {
    send: (events: readonly Captured[]) => deliver(ingest, projectId, events.map(wire)),
    async erase(id: string, withEvents: boolean) {
      const [row] = await engine.rows(
        compile(
          'SELECT toString(person_id) FROM events WHERE distinct_id = {variables.id} LIMIT 1',
          { id: { type: 'String', value: id } },
          {},
          projectId,
        ),
      )
      if (row) await erase({ projectId, id: String(row[0]), withEvents })
      return row !== undefined
    },
    async tables() {
      await new Promise((resolve) => setTimeout(resolve, 3))
      const [[at]] = (await engine.rows({ text: "SELECT toUnixTimestamp64Milli(now64(3, 'UTC'))", params: {} })) as [
        [number],
      ]
      await new Promise((resolve) => setTimeout(resolve, 3))
      const made: Materialized[] = []
      for (const query of QUERIES) made.push(await materialize(engine, projectId, query, TYPES, at, false, knownAt))
      return made
    },
    settled: () => arrivals.settled(),
    begin: () => epochs.begin(projectId),
    live: async (query: string, of: Readonly<Record<string, BoundValue>>) =>
      engine.rows(compile(query, of, {}, projectId)),
    /** Calls `work` before the nth statement from now on that reads cells. Returns whether it has been called. */
    before(nth: number, work: () => Promise<void>) {
      let sent = 0
      beforeNext = async () => {
        sent += 1
        if (sent === nth) await work()
      }
      return () => sent >= nth
    },
    /** The number of statements for several runs. */
    shared: () => shared,
  }
}

test('people in a run finished from cells are those of a live run, at each moment and with many callers', async () => {
  let finishedRuns = 0
  let compared = 0
  let sharedStatements = 0
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.oneof({ weight: 5, arbitrary: visit }, { weight: 1, arbitrary: merge }), {
        minLength: 20,
        maxLength: 40,
      }),
      fc.array(fc.record({ step, callers: callersOfAll }), {
        minLength: 3,
        maxLength: 4,
      }),
      async (events, phases) => {
        const project = startProject()
        await project.send(events)
        let tables = await project.tables()
        const runAll = (callers: readonly { query: number; values: Readonly<Record<string, BoundValue>> }[]) =>
          Promise.all(callers.map(async (each) => ({ each, ...(await tables[each.query]!.run(each.values)) })))
        const drop = async () => {
          for (const each of tables) await each.drop()
        }
        for (const { step: change, callers } of phases) {
          // These runs see the state before the change, after it, or between.
          const during = runAll(callers)
          if (change.events) await project.send(change.events)
          await during
          if (change.erased && (await project.erase(change.erased, change.withEvents === true))) {
            await drop()
            tables = await project.tables()
          }
          // Twice: from the engine, then from memory.
          for (let round = 0; round < 2; round += 1) {
            await project.settled()
            for (const { each, live, materialized, finished } of await runAll(callers)) {
              compared += 1
              if (finished) finishedRuns += 1
              const context = { query: QUERIES[each.query], values: each.values }
              expect({ ...context, rows: materialized }).toEqual({ ...context, rows: live })
              expect({ ...context, rows: finished ?? live }).toEqual({ ...context, rows: live })
            }
          }
        }
        await drop()
        sharedStatements += project.shared()
      },
    ),
    { numRuns: randomRuns(2), endOnFailure: true },
  )
  if (process.env.TEST_RUNS)
    process.stderr.write(
      `${compared} compared, ${finishedRuns} from cells, ${sharedStatements} statements for several runs\n`,
    )
  expect(finishedRuns).toBeGreaterThan(compared / 2)
})

const all: Readonly<Record<string, BoundValue>> = {
  event: { type: 'String', value: 'visit' },
  from: time(HOUR / 2),
  to: time(30 * HOUR),
}

test.each([
  ['events', false],
  ['events', true],
  ['a merge', false],
  ['a merge', true],
])(
  'a run is of one moment, whichever of its statements comes after %s (others being stored: %s)',
  async (what, isBusy) => {
    const project = startProject()
    const visits = (...ids: readonly string[]) =>
      ids.flatMap((id) => [1, 20, 26].map((hour): Captured => ({ event: 'visit', id, at: hour * HOUR, plan: 'free' })))
    await project.send(visits('ann', 'ben'))
    const tables = await project.tables()
    let compared = 0
    for (const query of [0, 1, 3]) {
      const text = QUERIES[query]!
      let isReached = true
      for (let nth = 1; isReached; nth += 1) {
        await project.send(visits(`before-${query}-${nth}`))
        const change =
          what === 'events'
            ? visits(`during-${query}-${nth}`)
            : [{ event: '$identify', id: 'ann', other: `before-${query}-${nth}`, at: 0 }]
        const before = await project.live(text, all)
        if (isBusy) await project.begin()
        const isCalled = project.before(nth, async () => void (await project.send(change)))
        const { finished } = await tables[query]!.run(all)
        isReached = isCalled()
        const after = await project.live(text, all)
        if (isReached) expect(after).not.toEqual(before)
        if (finished) compared += 1
        if (finished && JSON.stringify(finished) !== JSON.stringify(before)) expect(finished).toEqual(after)
      }
    }
    for (const each of tables) await each.drop()
    expect(compared).toBeGreaterThan(0)
  },
)
