import fc from 'fast-check'
import type { BoundValue, Compiled } from '../../src/sql/compile.ts'
import { assertGuarded, guarded } from '../../src/sql/catalog/guard.ts'
import { name } from '../../src/sql/catalog/physical.ts'
import { print } from '../../src/sql/print/print.ts'
import { EVENTS as EVENTS_TABLE } from '../../src/sql/catalog/tables.ts'
import { createClickhouse } from '../../src/storage/clickhouse.ts'
import { compile } from './support/compile.ts'
import { startTestEngine, type TestEngine } from './support/engine.ts'
import { randomRuns } from './support/randomRuns.ts'
import { EVENTS } from './support/events.ts'
import { query } from './support/queries.ts'
import { NO_CALLER } from '../../src/storage/storage.ts'
import { TABLES } from '../support/schema.ts'

let engine: TestEngine
beforeAll(async () => {
  engine = await startTestEngine()
  await engine.insert(EVENTS)
})
afterAll(() => engine.stop())

const VARIABLES: Readonly<Record<string, BoundValue>> = {
  number: { type: 'Float64', value: 3 },
  text: { type: 'String', value: 'ann' },
  yes: { type: 'Bool', value: true },
  list: { type: 'Array(String)', value: ['ann', 'visit'] },
}

const STORED = /`db`\.`events`/g
const GUARDED = /FROM `db`\.`events` WHERE \(`project_id` = \{project:UInt32\}\)\)/g
const count = (text: string, pattern: RegExp) => [...text.matchAll(pattern)].length

const expectGuarded = ({ text, params }: Compiled, projectId = 1) => {
  expect(count(text, GUARDED)).toBe(count(text, STORED))
  expect(params.project ?? projectId).toBe(projectId)
}

test('any generated query is guarded at each table, runs and returns no row of another project', async () => {
  await fc.assert(
    fc.asyncProperty(query(2), async (text) => {
      const compiled = compile(text, VARIABLES)
      expectGuarded(compiled)
      const rows = await engine.rows(compiled)
      expect(JSON.stringify(rows)).not.toContain('theirs')
    }),
    { numRuns: randomRuns(80) },
  )
})

// Every way to read a table. These read all rows of project 1. Project 2 has rows with the same event names and people.
test.each([
  ['SELECT * FROM events', 4],
  ['SELECT * FROM (SELECT * FROM events)', 4],
  ['SELECT * FROM events a JOIN events b ON a.distinct_id = b.distinct_id', 6],
  ['SELECT * FROM events a LEFT JOIN events b ON a.event = b.event', 6],
  ['SELECT * FROM events a RIGHT JOIN events b ON a.uuid = b.uuid AND 1 = 2', 4],
  ['SELECT * FROM events a FULL JOIN events b ON a.uuid = b.distinct_id', 8],
  ['SELECT * FROM events a, events b', 16],
  ['WITH e AS (SELECT * FROM events) SELECT * FROM e a JOIN e b ON a.uuid = b.uuid', 4],
  ['SELECT event FROM events UNION ALL SELECT event FROM events', 8],
  ["SELECT event FROM events WHERE event IN (SELECT event FROM events) OR event IN ('theirs')", 4],
  ['SELECT event FROM events WHERE 1 = 1 OR 1 = 1', 4],
  ['SELECT (SELECT groupArray(event) FROM events) FROM events', 4],
  ['SELECT event FROM events EXCEPT SELECT event FROM events WHERE 1 = 2', 4],
])('returns only rows of project 1: %s', async (text, length) => {
  const compiled = compile(text)
  expectGuarded(compiled)
  const rows = await engine.rows(compiled)
  expect(JSON.stringify(rows)).not.toContain('theirs')
  expect(rows).toHaveLength(length)
})

test('another project reads only its own rows', async () => {
  const compiled = compile('SELECT event FROM events ORDER BY event', {}, {}, 2)
  expectGuarded(compiled, 2)
  expect(await engine.rows(compiled)).toEqual([['theirs'], ['theirs'], ['visit']])
})

test('the storage returns rows of one project only, even if the SQL was compiled for another', async () => {
  const storage = createClickhouse(() => place, { tables: TABLES })
  const place = { url: engine.url }
  const limits = { projectId: 1, maxSeconds: 60, maxMemoryBytes: 1e9, maxRows: 1_000, maxBytes: 10_000_000 }
  const text =
    'WITH a AS (SELECT distinct_id AS d FROM events) SELECT e.event, a.d FROM events e LEFT JOIN a ON e.distinct_id = a.d WHERE e.event IN (SELECT event FROM events) AND e.distinct_id != {variables.text} ORDER BY 1'
  expect((await storage.run(compile(text, VARIABLES), limits, NO_CALLER)).rows).toEqual([
    ['leave', 'cat'],
    ['visit', 'ben'],
  ])
  expect((await storage.run(compile(text, VARIABLES, {}, 2), limits, NO_CALLER)).rows).toEqual([])
  await storage.close()
})

test('compiling throws for an invalid project ID', () => {
  for (const projectId of [-1, 1.5, NaN, 2 ** 32])
    expect(() => compile('SELECT 1', {}, {}, projectId)).toThrow('projectId')
})

test('the compiler never prints a stored table without its guard', () => {
  const good = guarded(EVENTS_TABLE, [{ value: name('event'), name: 'event' }])
  expect(() => print(good, 1)).not.toThrow()
  expect(() => print({ ...good, where: undefined }, 1)).toThrow('Compiler bug')
  expect(() =>
    print(
      {
        ...good,
        where: { kind: 'infix', first: name('project_id'), rest: [{ operator: '!=', right: { kind: 'project' } }] },
      },
      1,
    ),
  ).toThrow('Compiler bug')
  expect(() =>
    print({ ...good, from: { kind: 'join', join: 'cross', left: good.from!, right: good.from! } }, 1),
  ).toThrow('Compiler bug')
  expect(() => assertGuarded({ ...good, where: name('project_id') })).toThrow('Compiler bug')
})

describe('a guarded query', () => {
  beforeAll(async () => {
    const many = Array.from(
      { length: 3 },
      (_, at) =>
        `SELECT ${10 + at}, generateUUIDv4(), ['a', 'b', 'c'][1 + number % 3], toString(number), toDateTime64('2026-01-01', 3, 'UTC') + number, '{"n":1,"m":2}' FROM numbers(30000)`,
    )
    await engine.command(
      `INSERT INTO db.events (project_id, uuid, event, distinct_id, timestamp, properties) ${many.join(' UNION ALL ')}`,
    )
    await engine.command('OPTIMIZE TABLE db.events FINAL')
  })

  const plan = async (text: string) => {
    const compiled = compile(text, {}, {}, 11)
    return (await engine.lines({ ...compiled, text: `EXPLAIN indexes = 1 ${compiled.text}` })).join('\n')
  }

  test.each([
    ["SELECT count() FROM events WHERE event = 'a'"],
    ["SELECT count() FROM (SELECT * FROM events) WHERE event = 'a' AND properties.n = 1"],
    ["SELECT properties.n, count() FROM events WHERE event = 'a' AND properties.m > 1 GROUP BY 1"],
    ["SELECT event, timestamp FROM events WHERE event = 'a' ORDER BY timestamp DESC LIMIT 10"],
  ])('reads by primary key: %s', async (text) => {
    const explained = await plan(text)
    expect(explained).toMatch(/PrimaryKey[\s\S]*project_id in \[11, 11\]/)
    expect(explained).toMatch(/event in \['a', 'a'\]|event in \[\\?'a\\?', \\?'a\\?'\]/)
    const [, read, all] = /Granules: (\d+)\/(\d+)/.exec(explained)!
    expect(Number(read)).toBeLessThan(Number(all) / 2)
  })

  test('reads only the columns that the query uses', async () => {
    const { text, params } = compile(
      "SELECT distinct_id FROM (SELECT *, properties.n AS n FROM events) WHERE event = 'a'",
      {},
      {},
      11,
    )
    const explained = (await engine.lines({ text: `EXPLAIN header = 1, actions = 0 ${text}`, params })).join('\n')
    const read = explained.slice(explained.indexOf('ReadFromMergeTree'))
    expect(read).not.toMatch(/properties|elements_chain|session_id/)
  })
})
