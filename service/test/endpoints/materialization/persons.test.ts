import fc from 'fast-check'
import { planOf } from '../../../src/endpoints/materialization/plan.ts'
import { statementsOf } from '../../../src/endpoints/materialization/tablePlan.ts'
import { type BoundValue, parseQuery } from '../../../src/sql/compile.ts'
import { createErase } from '../../../src/persons/erase.ts'
import { createForgetPerson } from '../../../src/persons/forget.ts'
import { createPersonFacts } from '../../../src/persons/facts.ts'
import { createPersons } from '../../../src/persons/lookup.ts'
import { createClickhouse } from '../../../src/storage/clickhouse.ts'
import type { Storage } from '../../../src/storage/storage.ts'
import { createTypes, deliver, startIngest } from '../../ingest/support/startIngest.ts'
import { compile } from '../../sql/support/compile.ts'
import { startTestEngine, type TestEngine } from '../../sql/support/engine.ts'
import {
  average,
  type Captured,
  dayOf,
  groupBy,
  peopleIn,
  plainOf,
  type Row,
  rowsOf,
  sum,
  type Values,
} from './support/personsReference.ts'
import { type Materialized, materialize, rounded } from './support/store.ts'
import { randomRuns } from '../../sql/support/randomRuns.ts'
import { EVENT_TABLES, TABLES } from '../../support/schema.ts'

let engine: TestEngine
let storage: Storage
let projects = 1_000

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
const IDS = ['ann', 'ben', 'cat', 'anon-1', 'anon-2', 'anon-3', 'device']

let uuids = 0
// Few hours, so that each has several events and some events are exactly at bounds.
const timestamp = fc.oneof(
  fc
    .tuple(fc.constantFrom(0, 1, 23, 24, 25, 48), fc.constantFrom(-1, 0, 1))
    .map(([hour, ms]) => START + hour * HOUR + ms),
  fc
    .tuple(fc.constantFrom(0, 1, 23, 24, 48), fc.integer({ min: 0, max: HOUR - 1 }))
    .map(([hour, ms]) => START + hour * HOUR + ms),
)
const propertiesOf = fc.record(
  { plan: fc.constantFrom('free', 'pro', 'max'), seats: fc.constantFrom(1, 2, 2.5, 10) },
  { requiredKeys: [] },
)
const captured: fc.Arbitrary<Captured> = fc
  .record(
    {
      event: fc.constantFrom(
        'visit',
        'visit',
        'buy',
        'buy',
        '$identify',
        '$create_alias',
        '$merge_dangerously',
        '$set',
      ),
      id: fc.constantFrom(...IDS),
      other: fc.constantFrom(...IDS),
      at: timestamp,
      amount: fc.constantFrom(1, 2, 3, 7, 12),
      set: propertiesOf,
      setOnce: propertiesOf,
      unset: fc.subarray(['plan', 'seats']),
      isPersonless: fc.constantFrom(false, false, false, true),
    },
    { requiredKeys: ['event', 'id', 'at'] },
  )
  .map((each) => ({ ...each, uuid: '' }))

const OTHER: Readonly<Record<string, string>> = {
  $identify: '$anon_distinct_id',
  $create_alias: 'alias',
  $merge_dangerously: 'alias',
}
const wire = ({ uuid, at, event, id, other, set, setOnce, unset, isPersonless, amount }: Captured) => ({
  uuid,
  event,
  timestamp: new Date(at).toISOString(),
  properties: {
    distinct_id: id,
    ...(amount === undefined ? {} : { amount }),
    ...(other === undefined || !OTHER[event] ? {} : { [OTHER[event]]: other }),
    ...(isPersonless ? { $process_person_profile: false } : {}),
  },
  ...(set ? { $set: set } : {}),
  ...(setOnce ? { $set_once: setOnce } : {}),
  ...(unset ? { $unset: unset } : {}),
})

const text = (value: string): BoundValue => ({ type: 'String', value })
const time = (ms: number): BoundValue => ({
  type: "DateTime64(3, 'UTC')",
  value: new Date(ms).toISOString().replace('T', ' ').replace('Z', ''),
})
const VALUES = {
  event: fc.constantFrom('visit', 'buy', 'none').map(text),
  plan: fc.constantFrom('free', 'pro', 'max', 'none').map(text),
  seats: fc.constantFrom(1, 2, 2.5, 7).map((value): BoundValue => ({ type: 'Float64', value })),
  from: timestamp.map(time),
  to: timestamp.map(time),
} as const
const TYPES = { event: 'String', plan: 'String', seats: 'Number', from: 'Date', to: 'Date' }
type Plain = Readonly<Record<keyof typeof VALUES, never>>

type Reference = (rows: readonly Row[], values: Plain) => readonly (readonly unknown[])[]

const count = (rows: readonly unknown[]): number => rows.length
const where = (rows: readonly Row[], test: (row: Row) => boolean) => rows.filter(test)
const sortedTexts = (values: readonly (string | null)[]) => values.filter((value) => value !== null).sort()
const upperMedian = (values: readonly number[]) =>
  [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? null
const seatsOf = (rows: readonly Row[]) => rows.flatMap(({ seats }) => (seats === null ? [] : [seats]))

const OPERATORS: Readonly<Record<string, (left: number, right: number) => boolean>> = {
  '=': (left, right) => left === right,
  '>': (left, right) => left > right,
  '>=': (left, right) => left >= right,
  '<': (left, right) => left < right,
  '<=': (left, right) => left <= right,
}

/** Queries over persons, each with its reference. */
const QUERIES: Readonly<Record<string, Reference>> = {
  'SELECT toDate(timestamp) AS day, uniq(person_id), count(DISTINCT person.id), count() FROM events WHERE event = {variables.event} AND timestamp >= {variables.from} GROUP BY day ORDER BY day':
    (rows, { event, from }) =>
      groupBy(
        where(rows, (row) => row.event === event && row.at >= from),
        ({ at }) => dayOf(at),
      )
        .sort(([a], [b]) => (String(a) < String(b) ? -1 : 1))
        .map(([day, of]) => [day, peopleIn(of), peopleIn(of), count(of)]),
  'SELECT count(), uniqExact(person_id), sum(properties.amount) FROM events WHERE person.properties.plan = {variables.plan} AND timestamp < {variables.to}':
    (rows, { plan, to }) => {
      const found = where(rows, (row) => row.plan === plan && row.at < to)
      return [[count(found), peopleIn(found), sum(found.map(({ amount }) => amount))]]
    },
  'SELECT person.properties.plan AS plan, count(), sum(properties.amount), uniq(person_id), uniq(distinct_id) FROM events WHERE timestamp >= {variables.from} AND timestamp < {variables.to} GROUP BY plan':
    (rows, { from, to }) =>
      groupBy(
        where(rows, ({ at }) => at >= from && at < to),
        ({ plan }) => plan,
      ).map(([plan, of]) => [
        plan,
        count(of),
        sum(of.map(({ amount }) => amount)),
        peopleIn(of),
        new Set(of.map(({ id }) => id)).size,
      ]),
  ...Object.fromEntries(
    Object.entries(OPERATORS).map(([operator, compares]): [string, Reference] => [
      `SELECT count(), uniq(person_id) FROM events WHERE person.properties.seats ${operator} {variables.seats} AND event = {variables.event}`,
      (rows, { seats, event }) => {
        const found = where(rows, (row) => row.event === event && row.seats !== null && compares(row.seats, seats))
        return [[count(found), peopleIn(found)]]
      },
    ]),
  ),
  "SELECT countIf(person.properties.plan = 'pro'), uniqIf(person_id, event = 'buy'), sumIf(properties.amount, person.is_identified), countIf(person.properties.plan = 'pro' AND event = 'buy'), uniqExactIf(person_id, person.properties.plan = 'pro') FROM events WHERE timestamp >= {variables.from}":
    (rows, { from }) => {
      const found = where(rows, ({ at }) => at >= from)
      const pro = where(found, ({ plan }) => plan === 'pro')
      const bought = ({ event }: Row) => event === 'buy'
      const known = where(found, ({ person }) => person.isIdentified)
      return [
        [
          count(pro),
          peopleIn(where(found, bought)),
          sum(known.map(({ amount }) => amount)),
          count(where(pro, bought)),
          peopleIn(pro),
        ],
      ]
    },
  'SELECT event, sum(person.properties.seats), avg(person.properties.seats), count(person.properties.plan), arraySort(groupArray(person.properties.plan)), quantileExact(0.5)(toFloat(person.properties.seats)), max(person.properties.seats) FROM events WHERE timestamp <= {variables.to} GROUP BY event':
    (rows, { to }) =>
      groupBy(
        where(rows, ({ at }) => at <= to),
        ({ event }) => event,
      ).map(([event, of]) => [
        event,
        sum(seatsOf(of)),
        average(seatsOf(of)),
        count(where(of, ({ plan }) => plan !== null)),
        sortedTexts(of.map(({ plan }) => plan)),
        upperMedian(seatsOf(of)),
        seatsOf(of).length > 0 ? Math.max(...seatsOf(of)) : null,
      ]),
  'SELECT count() FROM events WHERE toFloat(properties.amount) > toFloat(person.properties.seats) AND timestamp > {variables.from}':
    (rows, { from }) => [
      [
        count(
          where(rows, ({ amount, seats, at }) => amount !== undefined && seats !== null && amount > seats && at > from),
        ),
      ],
    ],
  "SELECT concat(event, ' of ', ifNull(person.properties.plan, 'nobody')) AS what, count() AS n FROM events WHERE event = {variables.event} GROUP BY what HAVING n > 1 AND uniq(person_id) > 1 ORDER BY what":
    (rows, { event }) =>
      groupBy(
        where(rows, (row) => row.event === event),
        (row) => `${row.event} of ${row.plan ?? 'nobody'}`,
      )
        .filter(([, of]) => count(of) > 1 && peopleIn(of) > 1)
        .sort(([a], [b]) => (String(a) < String(b) ? -1 : 1))
        .map(([what, of]) => [what, count(of)]),
  'SELECT max(n), count() FROM (SELECT person_id, count() AS n FROM events WHERE event = {variables.event} GROUP BY person_id)':
    (rows, { event }) => {
      const sizes = groupBy(
        where(rows, (row) => row.event === event),
        ({ person }) => person.ids,
      ).map(([, of]) => count(of))
      return [[Math.max(0, ...sizes), sizes.length]]
    },
  'SELECT toDate(person.created_at) AS day, uniq(person_id), count() FROM events WHERE person.created_at >= {variables.from} GROUP BY day':
    (rows, { from }) =>
      groupBy(
        where(rows, ({ createdAt }) => createdAt !== undefined && createdAt >= from),
        ({ createdAt }) => dayOf(createdAt!),
      ).map(([day, of]) => [day, peopleIn(of), count(of)]),
  "SELECT uniq(person_id), count() FROM events WHERE person_id IN (SELECT id FROM persons WHERE properties.plan = 'pro') AND event = {variables.event}":
    (rows, { event }) => {
      const found = where(rows, (row) => row.event === event && row.plan === 'pro')
      return [[peopleIn(found), count(found)]]
    },
  'SELECT event, distinct_id, person.properties.plan, toString(timestamp) FROM events WHERE person.properties.seats >= {variables.seats} AND timestamp < {variables.to}':
    (rows, { seats, to }) =>
      where(rows, (row) => row.seats !== null && row.seats >= seats && row.at < to).map(({ event, id, plan, at }) => [
        event,
        id,
        plan,
        time(at).value,
      ]),
}

const ONE_OF_EACH = [
  'min(person.created_at), max(person.properties.seats), uniqCombined(person_id), uniqCombined64(person_id, event), uniqHLL12(person.id)',
  'sumKahan(person.properties.seats), sumWithOverflow(toInt(person.properties.seats)), avgWeighted(toFloat(person.properties.seats), toInt(properties.amount))',
  'medianExact(toFloat(person.properties.seats)), quantileExactLow(0.3)(toFloat(person.properties.seats)), quantileExactWeighted(0.5)(toFloat(person.properties.seats), length(event))',
  'quantilesExact(0.1, 0.9)(toFloat(person.properties.seats)), stddevPop(toFloat(person.properties.seats)), corr(toFloat(person.properties.seats), toFloat(properties.amount)), skewPop(toFloat(person.properties.seats))',
  "groupBitXor(length(person.properties.plan)), groupBitAnd(length(ifNull(person.properties.plan, event))), entropy(person_id), retention(person.is_identified, event = 'buy')",
  "sumIf(person.properties.seats, event = 'buy'), countIf(person.properties.paid), avgIf(properties.amount, person.properties.seats > 1), sumOrNullIf(properties.amount, person.properties.plan = 'pro'), sumIfOrNull(person.properties.seats, person.is_identified)",
  'sumDistinct(person.properties.seats), count(DISTINCT person.properties.plan, event), countDistinct(person_id), arraySort(groupUniqArray(person.properties.plan)), sumOrDefault(person.properties.seats)',
  "count(*), count(person_id), uniq(distinct_id, person_id), sum(length(concat(event, ifNull(person.properties.plan, '')))), sum(arraySum(arrayMap(x -> length(concat(toString(x), event)) + length(ifNull(person.properties.plan, '')), [1, 22])))",
  'uniqArray([person.properties.plan, event]), sumArray([toFloat(person.properties.seats), 1])',
] as const

/** Queries whose materialized rows are compared with live rows only. */
const LIKE_LIVE: readonly string[] = [
  ...ONE_OF_EACH.flatMap((columns) => [
    `SELECT event, ${columns} FROM events WHERE timestamp >= {variables.from} GROUP BY event ORDER BY event`,
    `SELECT ${columns} FROM events WHERE person.properties.plan = {variables.plan}`,
  ]),
  'SELECT person.is_identified AS known, person.properties.plan, count() AS n, rank() OVER (ORDER BY uniq(person_id) DESC, known) FROM events WHERE event = {variables.event} GROUP BY 1, 2 ORDER BY n DESC, 1, 2 LIMIT 1 BY known',
  'WITH per AS (SELECT person_id AS who, any(person.properties.plan) AS plan, count() AS n FROM events WHERE event = {variables.event} GROUP BY who) SELECT a.plan, sum(a.n), count() FROM per AS a JOIN per AS b ON a.who = b.who GROUP BY a.plan',
  'SELECT p.properties.plan, sum(e.n) FROM (SELECT person_id, count() AS n FROM events WHERE timestamp < {variables.to} GROUP BY person_id) AS e LEFT JOIN persons AS p ON p.id = e.person_id GROUP BY 1',
  'SELECT lower(person.properties.plan) AS p, count() AS n FROM events WHERE p = {variables.plan} AND timestamp < {variables.to} GROUP BY p HAVING n > 1',
  'WITH person.properties.plan AS plan SELECT uniq(person_id) FROM events WHERE plan = {variables.plan}',
  "SELECT countOrNull(person.properties.plan), countIfOrNull(person.is_identified), avgOrNull(person.properties.seats), avgIf(person.properties.seats, event = 'buy'), countIf(person.properties.plan, event = 'buy'), groupArrayIf(person.properties.nothing, event = 'buy') FROM events WHERE event = {variables.event}",
  'SELECT DISTINCT person_id, person.properties FROM events WHERE event = {variables.event}',
  'SELECT person.properties.plan AS plan, count() FROM events GROUP BY plan',
  "SELECT toHour(timestamp) AS hour, max(person.created_at), dateDiff('hour', min(person.created_at), max(timestamp)) FROM events WHERE timestamp > {variables.from} AND timestamp <= {variables.to} GROUP BY hour",
  'SELECT count() FROM events WHERE person.created_at <= {variables.to} AND {variables.seats} > person.properties.seats',
  "SELECT count() FROM events WHERE dateDiff('day', timestamp, now()) > person.properties.seats AND event = {variables.event}",
  "SELECT count() FROM events WHERE (person.properties.plan LIKE 'p%' OR event = 'buy') AND timestamp >= {variables.from}",
  'SELECT if(timestamp < person.created_at + INTERVAL 1 HOUR, 1, 0) AS early, uniq(person_id) FROM events WHERE event = {variables.event} GROUP BY early',
  'SELECT person_id, row_number() OVER (PARTITION BY person_id ORDER BY timestamp, uuid) AS nth FROM events WHERE event = {variables.event} ORDER BY person_id, nth LIMIT 20',
  'SELECT e.person.properties.plan, uniq(e.person_id) FROM events AS e WHERE e.timestamp >= {variables.from} GROUP BY 1',
]

const namesIn = (query: string) => [
  ...new Set([...query.matchAll(/\{variables\.(\w+)\}/g)].map(([, name]) => name as keyof typeof VALUES)),
]

interface Followed {
  readonly query: string
  readonly reference: Reference
  readonly stored: Materialized
  readonly values: readonly Values[]
}

const inOrder = (query: string, rows: readonly (readonly unknown[])[]) =>
  /order by/i.test(query) ? rows : [...rows].sort((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1))

const expectSame = async (
  { query, reference, stored, values }: Followed,
  events: readonly Captured[],
  when: string,
) => {
  const rows = rowsOf(events)
  for (const each of values) {
    const { live, materialized, isUsed } = await stored.run(each)
    const plain = Object.fromEntries(Object.entries(each).map(([name, value]) => [name, plainOf(value)]))
    const expected = inOrder(query, rounded(reference(rows, plain as Plain)) as unknown[][])
    const context = { when, query, values: each, isUsed: true }
    expect({ ...context, rows: live }).toEqual({ ...context, rows: expected })
    expect({ ...context, isUsed, rows: materialized }).toEqual({ ...context, rows: expected })
  }
}

const engineTime = async (): Promise<number> => {
  const [[ms]] = (await engine.rows({ text: "SELECT toUnixTimestamp64Milli(now64(3, 'UTC'))", params: {} })) as [
    [number],
  ]
  return ms
}
/** Returns a watermark with every earlier event before it and every later one after it. */
const watermark = async (): Promise<number> => {
  const wait = () => new Promise((resolve) => setTimeout(resolve, 3))
  await wait()
  const ms = await engineTime()
  await wait()
  return ms
}

const valuesOf = (query: string, count: number) =>
  fc.array(fc.record(Object.fromEntries(namesIn(query).map((name) => [name, VALUES[name]]))), {
    minLength: count,
    maxLength: count,
  })

const tale = fc.record({
  stored: fc.array(captured, { minLength: 15, maxLength: 40 }),
  before: fc.array(captured, { minLength: 0, maxLength: 15 }),
  late: fc.array(captured, { minLength: 5, maxLength: 20 }),
  erased: fc.constantFrom(...IDS),
  withEvents: fc.boolean(),
  // One each: every phase of a story runs all queries with them, live and materialized.
  values: fc.tuple(...Object.keys(QUERIES).map((query) => valuesOf(query, 1))),
})

/** Returns the events without erased data: facts that name an erased id, and its events if `withEvents`. */
const without = (events: readonly Captured[], ids: readonly string[], withEvents: boolean): readonly Captured[] =>
  events
    .filter(({ id }) => !(withEvents && ids.includes(id)))
    .map((each) => (ids.includes(each.id) ? { ...each, isPersonless: true } : each))
    .map((each) => (each.other !== undefined && ids.includes(each.other) ? { ...each, other: '' } : each))

describe('materialized rows over persons', () => {
  test('equal live rows after late events, merges, property changes and erasure', async () => {
    const erase = createErase({
      log: () => {},
      storage,
      persons: createPersons(storage),
      forget: createForgetPerson(storage, createPersonFacts(storage)),
      tables: EVENT_TABLES,
      erasers: [],
    })
    await fc.assert(
      fc.asyncProperty(tale, async ({ stored, before, late, erased, withEvents, values }) => {
        const project = (projects += 1)
        const ingest = startIngest(storage, createTypes())
        const named = (events: readonly Captured[]) =>
          events.map((each) => ({
            ...each,
            uuid: `00000000-0000-7000-8000-${String((uuids += 1)).padStart(12, '0')}`,
          }))
        const send = async (events: readonly Captured[]) => {
          if (events.length > 0) await deliver(ingest, project, events.map(wire))
        }
        const [first, second, third] = [named(stored), named(before), named(late)]
        await send(first)
        const at = await watermark()
        await send(second)
        const followed: Followed[] = []
        for (const [index, [query, reference]] of Object.entries(QUERIES).entries()) {
          const types = Object.fromEntries(namesIn(query).map((name) => [name, TYPES[name]]))
          followed.push({
            query,
            reference,
            stored: await materialize(engine, project, query, types, at),
            values: values[index]!,
          })
        }
        for (const each of followed) await expectSame(each, [...first, ...second], 'filled')
        await send(third)
        const all = [...first, ...second, ...third]
        for (const each of followed) await expectSame(each, all, 'after late events and merges')

        const [row] = await engine.rows(
          compile(
            'SELECT toString(person_id) FROM events WHERE distinct_id = {variables.id} LIMIT 1',
            { id: text(erased) },
            {},
            project,
          ),
        )
        if (row) {
          const ids = rowsOf(all).find(({ id }) => id === erased)!.person.ids
          await erase({ projectId: project, id: String(row[0]), withEvents })
          const left = without(all, ids, withEvents)
          const rebuiltAt = await watermark()
          for (const each of followed) {
            if (!withEvents) await expectSame(each, left, 'after the person was erased')
            const types = Object.fromEntries(namesIn(each.query).map((name) => [name, TYPES[name]]))
            const rebuilt = await materialize(engine, project, each.query, types, rebuiltAt)
            await expectSame({ ...each, stored: rebuilt }, left, 'rebuilt after erasure')
            await rebuilt.drop()
          }
        }
        for (const each of followed) await each.stored.drop()
      }),
      { numRuns: randomRuns(1), endOnFailure: true },
    )
  })
})

const capturedAt = (n: number, at: number, more: Partial<Captured> = {}): Captured => ({
  uuid: `00000000-0000-7000-9000-${String((uuids += 1)).padStart(12, '0')}`,
  event: 'visit',
  id: IDS[n % IDS.length]!,
  at,
  ...more,
})

const start = async (query: string, events: readonly object[]) => {
  const project = (projects += 1)
  const ingest = startIngest(storage, createTypes())
  await deliver(ingest, project, events)
  const types = Object.fromEntries(namesIn(query).map((name) => [name, TYPES[name]]))
  const stored = await materialize(engine, project, query, types, await watermark())
  return { project, stored, send: (more: readonly object[]) => deliver(ingest, project, more) }
}

const expectLikeLive = async (stored: Materialized, values: Values): Promise<unknown[][]> => {
  const { live, materialized, isUsed } = await stored.run(values)
  expect({ values, isUsed, rows: materialized }).toEqual({ values, isUsed: true, rows: live })
  return materialized
}

test('materialized rows over persons equal the reference at each millisecond around the ends of hours and days with every operator', async () => {
  const around = [0, 1, 24].flatMap((hour) => [-1, 0, 1].map((ms) => START + hour * HOUR + ms))
  const events = around.map((at, n) => capturedAt(n, at))
  const merge = capturedAt(0, START + HOUR, { event: '$identify', id: 'ann', other: 'anon-1' })
  for (const [operator, compares] of Object.entries(OPERATORS)) {
    const { stored, send } = await start(
      `SELECT uniq(person_id), count() FROM events WHERE timestamp ${operator} {variables.from} AND event = {variables.event}`,
      events.map(wire),
    )
    await send([wire(merge)])
    const rows = rowsOf([...events, merge]).filter(({ event }) => event === 'visit')
    for (const from of around) {
      const found = rows.filter(({ at }) => compares(at, from))
      expect([from, await expectLikeLive(stored, { from: time(from), event: text('visit') })]).toEqual([
        from,
        [[peopleIn(found), found.length]],
      ])
    }
    await stored.drop()
  }
})

test('a materialized table over persons stores one row per distinct ID for each hour and one for each day', async () => {
  const { stored } = await start(
    'SELECT toDate(timestamp) AS day, uniq(person_id), count() FROM events WHERE timestamp >= {variables.from} GROUP BY day',
    Array.from({ length: 70 }, (_, n) => wire(capturedAt(n, START + (n % 2) * HOUR + n))),
  )
  const rows = await engine.rows({
    text: `SELECT __span / ${HOUR}, count(), sum(__count) FROM db.${stored.table} WHERE __layer > 1 GROUP BY 1 ORDER BY 1`,
    params: {},
  })
  expect(rows).toEqual([
    [1, 2 * IDS.length, 70],
    [24, IDS.length, 0],
  ])
})

test('materialized rows equal live rows with persons in every clause and every aggregate', async () => {
  const project = (projects += 1)
  const ingest = startIngest(storage, createTypes())
  const events = fc
    .sample(captured, 60)
    .map((each) => ({ ...each, uuid: `00000000-0000-7000-a000-${String((uuids += 1)).padStart(12, '0')}` }))
  await deliver(ingest, project, events.slice(0, 30).map(wire))
  const at = await watermark()
  await deliver(ingest, project, events.slice(30).map(wire))
  for (const query of LIKE_LIVE) {
    const types = Object.fromEntries(namesIn(query).map((name) => [name, TYPES[name]]))
    const stored = await materialize(engine, project, query, types, at)
    for (const values of fc.sample(valuesOf(query, 2), 1).flat()) {
      const { live, materialized, isUsed } = await stored.run(values)
      expect({ events, query, values, isUsed, rows: materialized }).toEqual({
        events,
        query,
        values,
        isUsed: true,
        rows: live,
      })
    }
    await stored.drop()
  }
})

test('a materialized run reads current group properties, including those of a group joined later', async () => {
  const { stored, send } = await start(
    'SELECT group_0.properties.name AS name, $group_0, count(), uniq(person_id), sum(group_0.properties.size) FROM events WHERE event = {variables.event} GROUP BY name, $group_0',
    ['acme', 'acme', 'zeta', ''].map((company, n) => {
      const { properties, ...event } = wire(capturedAt(n, START + n))
      return { ...event, properties: { ...properties, ...(company ? { $groups: { company } } : {}) } }
    }),
  )
  const values = { event: text('visit') }
  expect(await expectLikeLive(stored, values)).toEqual([
    [null, '', 1, 1, null],
    [null, 'acme', 2, 2, null],
    [null, 'zeta', 1, 1, null],
  ])
  await send([
    {
      ...wire(capturedAt(0, START + HOUR, { event: '$groupidentify' })),
      properties: {
        distinct_id: 'ann',
        $group_type: 'company',
        $group_key: 'acme',
        $group_set: { name: 'Acme', size: 50 },
      },
    },
  ])
  expect(await expectLikeLive(stored, values)).toEqual([
    ['Acme', 'acme', 2, 2, 100],
    [null, '', 1, 1, null],
    [null, 'zeta', 1, 1, null],
  ])
})

test('a materialized run over persons returns the pages of a live run', async () => {
  const { stored, send } = await start(
    'SELECT person_id AS who, count() AS n FROM events WHERE event = {variables.event} GROUP BY who ORDER BY n DESC, who',
    Array.from({ length: 40 }, (_, n) => wire(capturedAt(n, START + n))),
  )
  await send([wire(capturedAt(0, START, { event: '$identify', id: 'ann', other: 'device' }))])
  const { live, materialized, isUsed } = await stored.run({ event: text('visit') }, { limit: 3, offset: 2 })
  expect([isUsed, materialized.length]).toEqual([true, 3])
  expect(materialized).toEqual(live)
})

test('a materialized run over persons ignores a row of another project in the table', async () => {
  const query =
    'SELECT distinct_id, uniq(person_id), any(person.properties.plan) FROM events WHERE event = {variables.event} GROUP BY distinct_id'
  const mine = await start(query, [wire(capturedAt(0, START, { set: { plan: 'pro' } }))])
  const theirs = await start(query, [wire(capturedAt(1, START, { set: { plan: 'theirs' } }))])
  await engine.command(`INSERT INTO db.${mine.stored.table} SELECT * FROM db.${theirs.stored.table}`)
  expect(await expectLikeLive(mine.stored, { event: text('visit') })).toEqual([['ann', 1, 'pro']])
})

test('materialized sumIfOrNull and similar aggregates return NULL if no row passes the condition', async () => {
  const of = ['sum', 'sumKahan', 'avg', 'medianExact', 'entropy', 'count']
  const columns = of.map((name) => `${name}IfOrNull(toInt(person.properties.seats), person.is_identified)`)
  const { stored } = await start(`SELECT ${columns.join()} FROM events WHERE event = {variables.event}`, [
    wire(capturedAt(0, START, { set: { seats: 2 } })),
  ])
  expect(await expectLikeLive(stored, { event: text('visit') })).toEqual([[null, null, null, null, null, 0]])
})

test('materialized averages keep fractions if some values are missing', async () => {
  const { stored } = await start('SELECT avg(person.properties.seats) FROM events WHERE event = {variables.event}', [
    wire(capturedAt(0, START, { set: { seats: 2.5 } })),
    wire(capturedAt(1, START)),
  ])
  expect(await expectLikeLive(stored, { event: text('visit') })).toEqual([[2.5]])
})

test('materialized tables over persons store no current time', () => {
  const plan = planOf(
    parseQuery(
      "SELECT count() FROM events WHERE dateDiff('second', timestamp, now()) > person.properties.seats AND person.created_at > now() - INTERVAL 1 DAY",
    ),
    [],
  )
  if (!('table' in plan)) throw new Error(JSON.stringify(plan.violations))
  const fill = statementsOf(plan.table, 1, 'rollup_test').fill(1, { until: '2026-01-01 00:00:00.000' })
  expect(fill.text).not.toContain('now64')
  expect(plan.table.sorting).toEqual(expect.arrayContaining(['distinct_id']))
})

test('a materialized table can have more groups than fit in memory', async () => {
  const limits = { maxSeconds: 200, maxMemoryBytes: 120_000_000 }
  await storage.work(
    { text: 'CREATE TABLE db.rollup_many (id String, n AggregateFunction(count)) ENGINE = MergeTree ORDER BY id' },
    limits,
  )
  await storage.work(
    {
      text: "INSERT INTO db.rollup_many SELECT concat('a-rather-long-identifier-', toString(number)) AS id, countState() FROM numbers(800000) GROUP BY id",
    },
    limits,
  )
  expect(await engine.rows({ text: 'SELECT count() FROM db.rollup_many', params: {} })).toEqual([[800_000]])
})

test('a materialized table stores a column computed from the event name', async () => {
  const { stored } = await start(
    "SELECT event = 'visit' AS isVisit, length(event) AS size, count() FROM events WHERE distinct_id = {variables.event} GROUP BY isVisit, size",
    [wire(capturedAt(0, START))],
  )
  expect(await expectLikeLive(stored, { event: text('ann') })).toEqual([[1, 5, 1]])
})
