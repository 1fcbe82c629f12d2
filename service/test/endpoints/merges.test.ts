import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { planInsight, UTC } from '../../src/endpoints/insights/insights.ts'
import { LIVE } from '../../src/endpoints/insights/source.ts'
import { createMerges } from '../../src/endpoints/merges.ts'
import { createPlainProperties, type PlainProperties } from '../../src/endpoints/plainProperties.ts'
import { compileQuery, parseQuery } from '../../src/sql/compile.ts'
import { wellFormed } from '../../src/lib/storableJson.ts'
import { createClickhouse } from '../../src/storage/clickhouse.ts'
import { type Metadata, openMetadata } from '../../src/storage/metadata/metadata.ts'
import type { Statement } from '../../src/storage/storage.ts'
import { createTypes, deliver, startIngest } from '../ingest/support/startIngest.ts'
import { until } from '../support/engine.ts'
import { startTestEngine, type TestEngine } from '../sql/support/engine.ts'
import { randomRuns } from '../sql/support/randomRuns.ts'
import { TABLES } from '../support/schema.ts'

let engine: TestEngine
let metadata: Metadata
const folder = mkdtempSync(join(tmpdir(), 'trailmark-merges-'))
const place = { url: '' }
const storage = createClickhouse(() => place, { tables: TABLES })
beforeAll(async () => {
  engine = await startTestEngine()
  place.url = engine.url
  metadata = await openMetadata(join(folder, 'metadata.db'))
})
afterAll(async () => {
  await storage.close()
  await engine.stop()
  await metadata.close()
  rmSync(folder, { recursive: true })
})

const QUERIES = [
  'SELECT person_id, distinct_id FROM events',
  'SELECT event, count(DISTINCT person_id), uniq(person.id) FROM events GROUP BY event',
  'SELECT person.properties.plan, person.is_identified, count() FROM events GROUP BY 1, 2',
  'SELECT a.distinct_id, b.person_id FROM events a LEFT JOIN events b ON a.person_id = b.person_id AND b.event = {variables.event}',
  'SELECT p.id, count() FROM events e RIGHT JOIN persons p ON e.person_id = p.id GROUP BY 1',
  'SELECT person_id, group_0.properties.name, session.$event_count FROM events WHERE person.properties.plan = {variables.event} OR event = {variables.event}',
  'SELECT count() FROM (SELECT person_id, event FROM events) WHERE event = {variables.event}',
].map(parseQuery)

const INSIGHTS = [
  { kind: 'TrendsQuery', series: [{ kind: 'EventsNode', event: 'visit', math: 'dau' }] },
  {
    kind: 'TrendsQuery',
    series: [
      { kind: 'EventsNode', event: 'visit', math: 'dau' },
      { kind: 'EventsNode', event: null },
    ],
    breakdownFilter: { breakdown: 'plan', breakdown_type: 'person' },
  },
  {
    kind: 'FunnelsQuery',
    series: [
      { kind: 'EventsNode', event: 'visit' },
      { kind: 'EventsNode', event: 'buy' },
    ],
  },
  { kind: 'RetentionQuery', retentionFilter: { period: 'Day', totalIntervals: 3 } },
  { kind: 'WebOverviewQuery' },
  { kind: 'WebStatsTableQuery', breakdownBy: 'Page' },
].map((query) => ({ ...query, dateRange: { date_from: '2026-01-01', date_to: '2026-01-03' } }))

const VARIABLES = { event: { type: 'String', value: 'visit' } } as const
const NOW = Date.UTC(2026, 0, 4)

/** Returns each statement twice: with and without the lookup of persons. */
const statementsOf = (projectId: number): readonly (readonly [joined: Statement, unmerged: Statement])[] => [
  ...QUERIES.map((query) => {
    const compiled = (isUnmerged: boolean) => compileQuery(query, { projectId, variables: VARIABLES, isUnmerged })
    return [compiled(false), compiled(true)] as const
  }),
  ...INSIGHTS.flatMap((query) => {
    const run = { projectId, variables: {}, zone: UTC, now: NOW }
    const planned = [LIVE, { ...LIVE, isUnmerged: true }].map(
      (reading) => planInsight(query as never, { ...run, reading }).statements,
    )
    return planned[0]!.map((joined, at) => [joined, planned[1]![at]!] as const)
  }),
]

const rowsOf = async ({ text, params = {} }: Statement) =>
  (await engine.rows({ text, params })).map((row) => JSON.stringify(row)).sort()

const IDS = ['ann', 'ben', 'cat', 'anon']
const id = fc.constantFrom(...IDS)
const event = (name: string, distinct_id: string, more: object = {}) => ({
  event: name,
  timestamp: '2026-01-02T10:00:00Z',
  properties: { distinct_id, $session_id: 's', ...more },
})
const delivery = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.tuple(fc.constantFrom('visit', 'buy', '$pageview'), id).map(([name, who]) => event(name, who)),
  },
  { weight: 2, arbitrary: id.map((who) => event('visit', who, { $set: { plan: who } })) },
  // Identified, without another id.
  { weight: 1, arbitrary: id.map((who) => event('$identify', who)) },
  {
    weight: 1,
    arbitrary: fc
      .tuple(fc.constantFrom('$identify', '$create_alias', '$merge_dangerously'), id, id)
      .map(([name, who, other]) => event(name, who, { $anon_distinct_id: other, alias: other })),
  },
)

let projects = 100

const noting = (note: (projectId: number) => Promise<void>) => ({
  begin: async (projectId: number, isMerge: boolean) => {
    if (isMerge) await note(projectId)
  },
  end: async () => {},
})

const startProcess = (shared = metadata.settings) => {
  const merges = createMerges({ storage, shared })
  return { merges, ingest: startIngest(storage, createTypes(), undefined, { owners: noting(merges.note) }) }
}

test('statements without lookups of persons return equal rows until ids are merged, in every process', async () => {
  let [withLookup, without] = [0, 0]
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.tuple(fc.nat(1), fc.array(delivery, { minLength: 1, maxLength: 3 })), { minLength: 1, maxLength: 3 }),
      async (deliveries) => {
        const project = projects++
        const processes = [startProcess(), startProcess()]
        for (const [at, events] of deliveries) {
          await deliver(processes[at]!.ingest, project, events)
          const isAbsent = await Promise.all(processes.map(({ merges }) => merges.areAbsent(project)))
          expect(new Set(isAbsent).size).toBe(1)
          if (!isAbsent[0]) withLookup += 1
          else
            for (const [joined, unmerged] of statementsOf(project)) {
              without += 1
              expect(unmerged.text).not.toBe(joined.text)
              expect(await rowsOf(unmerged)).toEqual(await rowsOf(joined))
            }
        }
      },
    ),
    {
      numRuns: randomRuns(6),
      examples: [
        [
          [
            [0, [event('visit', 'ann')]],
            [1, [event('$identify', 'ann', { $anon_distinct_id: 'anon' })]],
          ],
        ],
      ],
    },
  )
  expect(withLookup).toBeGreaterThan(0)
  expect(without).toBeGreaterThan(0)
})

test('a merge is known before its rows are in the engine', async () => {
  const project = projects++
  const merges = createMerges({ storage })
  const other = createMerges({ storage, shared: metadata.settings })
  const seen: boolean[] = []
  const watched = {
    ...storage,
    insert: async (table: string, rows: Parameters<typeof storage.insert>[1]) => {
      if (table === 'db.person_distinct_ids') seen.push(await merges.areAbsent(project), await other.areAbsent(project))
      return storage.insert(table, rows)
    },
  }
  const shared = createMerges({ storage, shared: metadata.settings })
  const note = async (projectId: number) => {
    await merges.note(projectId)
    await shared.note(projectId)
  }
  const ingest = startIngest(watched, createTypes(), undefined, { owners: noting(note) })
  await deliver(ingest, project, [event('$identify', 'ann')])
  expect([await merges.areAbsent(project), await other.areAbsent(project)]).toEqual([true, true])
  await deliver(ingest, project, [event('$identify', 'ann', { $anon_distinct_id: 'anon' })])
  expect(seen).toEqual([true, true, false, false])
})

test('merges that other programs stored are found at the first run, and within a minute', async () => {
  const project = projects++
  let now = 0
  const merges = createMerges({ storage, now: () => now })
  expect(await merges.areAbsent(project)).toBe(true)
  await engine.command(
    `INSERT INTO db.person_distinct_ids (project_id, distinct_id, person, is_identified, version) VALUES (${project}, 'anon', 'ann', true, 1)`,
  )
  expect(await createMerges({ storage }).areAbsent(project)).toBe(false)
  now = 61_000
  expect(await merges.areAbsent(project)).toBe(false)
})

test('without the engine, nothing is known', async () => {
  const broken = createClickhouse(() => undefined, { tables: TABLES })
  expect(await createMerges({ storage: broken }).areAbsent(1)).toBe(false)
  const silent = { ...storage, rows: () => new Promise<never>(() => {}) }
  expect(await createMerges({ storage: silent }).areAbsent(1)).toBe(false)
})

const KEYS = ['plan', 'a.b', "it's", '\ud800']
const PROPERTIES = KEYS.map(
  (key) => `properties[${JSON.stringify(wellFormed(key)).replace(/'/g, "\\'").replace(/"/g, "'")}]`,
)
const READ = parseQuery(`SELECT uuid, ${PROPERTIES.join(', ')} FROM events ORDER BY uuid`)

const scalar = fc.oneof(
  fc.constantFrom<unknown>(
    null,
    true,
    false,
    0,
    -0,
    7,
    1.5,
    1e300,
    2 ** 53,
    '',
    'pro',
    '[1,2]',
    '[]',
    '{"a":1}',
    'null',
  ),
  fc.string(),
)
const structure = fc.constantFrom<unknown>(
  { a: 1 },
  { a: { b: 'c' } },
  {},
  { a: null },
  [1, 'x'],
  [],
  [{ a: 1 }],
  [[1]],
)

const withProperties = (value: fc.Arbitrary<unknown>) =>
  fc
    .dictionary(fc.constantFrom(...KEYS), value, { noNullPrototype: true })
    .map((properties) => event('visit', 'ann', properties))

/** Reads all keys often enough, until all of them, apart from those that are noted, are known to be plain. */
const plainAfterLook = async (plainProperties: PlainProperties, project: number, expected: readonly string[]) => {
  const plainNow = () => {
    const reader = plainProperties.reader(project)
    return READ.properties.filter(reader.isPlain)
  }
  for (let asks = 0; asks < 5; asks += 1) plainNow()
  await until(() => plainNow().length === expected.length)
  expect(plainNow()).toEqual(expected)
}

const compiled = (projectId: number, plain: readonly string[]) =>
  compileQuery(READ, { projectId, variables: {}, plain })

test('a plain property is read as any other, also while its first object or array is delivered', async () => {
  let [read, refuted] = [0, 0]
  await fc.assert(
    fc.asyncProperty(
      fc.array(withProperties(scalar), { minLength: 1, maxLength: 4 }),
      fc.array(withProperties(fc.oneof(scalar, structure)), { minLength: 1, maxLength: 4 }),
      async (first, later) => {
        const project = projects++
        const plainProperties = createPlainProperties({ storage, isAlone: true, lagMs: 0 })
        const ingest = startIngest(storage, createTypes(), undefined, { plainProperties })
        await deliver(ingest, project, first)
        await plainAfterLook(plainProperties, project, READ.properties)
        // Runs that compile before the delivery, and read before, during and after it.
        const reader = plainProperties.reader(project)
        const statement = compiled(project, READ.properties.filter(reader.isPlain))
        const runs: (readonly string[])[] = []
        const run = async () => {
          const rows = await rowsOf(statement)
          if (reader.holds()) runs.push(rows)
          else refuted += 1
        }
        await run()
        const watched = {
          ...storage,
          insert: async (...given: Parameters<typeof storage.insert>) => {
            const [inserted] = await Promise.all([storage.insert(...given), run()])
            await run()
            return inserted
          },
        }
        await deliver(startIngest(watched, createTypes(), undefined, { plainProperties }), project, later)
        await run()
        const all = new Set(await rowsOf(compiled(project, [])))
        read += runs.length
        for (const row of runs.flat()) expect(all).toContain(row)
        // A service that starts finds the same in what is stored.
        const structured = new Set(
          later.flatMap(({ properties }) =>
            Object.entries(properties).flatMap(([key, of]) =>
              Array.isArray(of) ||
              (JSON.stringify(of).includes(':') && typeof of === 'object' && JSON.stringify(of) !== '{"a":null}')
                ? [wellFormed(key)]
                : [],
            ),
          ),
        )
        await plainAfterLook(
          createPlainProperties({ storage, isAlone: true, lagMs: 0 }),
          project,
          READ.properties.filter((key) => !structured.has(key)),
        )
      },
    ),
    {
      numRuns: randomRuns(6),
      examples: [[[event('visit', 'ann', { plan: 'pro' })], [event('visit', 'ann', { plan: ['pro'] })]]],
    },
  )
  expect(read).toBeGreaterThan(0)
  expect(refuted).toBeGreaterThan(0)
})

test('properties are looked at when they are read often, and again for what other programs stored', async () => {
  let now = 0
  const looks: string[] = []
  const result = { columns: [], rows: [] as unknown[][], textLength: 0 }
  const run = async ({ text }: Statement) => {
    looks.push(text.includes('inserted_at') && text.includes('DateTime64') ? 'new' : 'all')
    return result
  }
  const create = (isAlone: boolean) =>
    createPlainProperties({ storage: { run }, isAlone, lagMs: 60_000, now: () => now })
  const [alone, shared] = [create(true), create(false)]
  const ask = async (times: number, of: PlainProperties = alone) => {
    let isPlain = false
    for (let left = times; left; left -= 1) {
      isPlain = of.reader(1).isPlain('plan')
      await new Promise((go) => setImmediate(go))
    }
    return isPlain
  }
  // The insert of a killed process may still become visible.
  expect([await ask(9), looks]).toEqual([false, []])
  now = 60_000
  expect([await ask(9, shared), looks]).toEqual([false, []])
  expect([await ask(4), looks]).toEqual([false, []])
  expect([await ask(2), looks]).toEqual([true, ['all']])
  now += 29_000
  expect([await ask(6), looks]).toEqual([true, ['all']])
  now += 1_000
  expect([await ask(1), looks]).toEqual([true, ['all', 'new']])
  // Seldom read: not looked at, and no longer known.
  now += 61_000
  expect([await ask(2), looks.length]).toEqual([false, 2])
  result.rows = [[1]]
  expect([await ask(6), looks]).toEqual([false, ['all', 'new', 'new']])
  now += 3_600_000
  expect([await ask(9), looks.length]).toEqual([false, 3])
})

test('one look is in progress at a time, and one that fails is repeated after minutes', async () => {
  let now = 0
  const looks: ((error: Error) => void)[] = []
  const run = () => new Promise<never>((_, fail) => looks.push(fail))
  const plainProperties = createPlainProperties({ storage: { run }, isAlone: true, lagMs: 0, now: () => now })
  const ask = (...keys: readonly string[]) => {
    for (let left = 9; left; left -= 1) for (const key of keys) plainProperties.reader(1).isPlain(key)
  }
  ask('a', 'b')
  expect(looks).toHaveLength(1)
  looks[0]!(new Error('The engine is busy'))
  await new Promise((go) => setImmediate(go))
  ask('a')
  expect(looks).toHaveLength(1)
  ask('b', 'a')
  expect(looks).toHaveLength(2)
  looks[1]!(new Error('The engine is busy'))
  await new Promise((go) => setImmediate(go))
  now = 600_000
  ask('a')
  expect(looks).toHaveLength(3)
})

test('what is noted of a project is bounded: beyond, no property is plain', async () => {
  const run = async () => ({ columns: [], rows: [], textLength: 0 })
  const plainProperties = createPlainProperties({ storage: { run }, isAlone: true, lagMs: 0 })
  const ask = async () => {
    for (let left = 6; left; left -= 1)
      await new Promise((go) => setImmediate(go, plainProperties.reader(1).isPlain('plan')))
    return plainProperties.reader(1).isPlain('plan')
  }
  expect(await ask()).toBe(true)
  plainProperties.note(2, ['plan'])
  plainProperties.note(1, ['x'.repeat(50_000)])
  expect(await ask()).toBe(true)
  plainProperties.note(1, ['y'])
  expect(await ask()).toBe(false)
})
