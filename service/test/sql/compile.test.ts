import type { BoundValue } from '../../src/sql/compile.ts'
import { compile } from './support/compile.ts'
import { startTestEngine, type TestEngine } from './support/engine.ts'
import { EVENTS } from './support/events.ts'

let engine: TestEngine
beforeAll(async () => {
  engine = await startTestEngine()
  await engine.insert(EVENTS)
})
afterAll(() => engine.stop())

const EVENT_ONLY = '(SELECT `event` AS `event` FROM `db`.`events` WHERE (`project_id` = {project:UInt32})) AS `__t1`'

// The printed SQL: one case per construct.
const GOLDEN: readonly [construct: string, query: string, text: string, rows: unknown[][]][] = [
  ['a select without a table', 'SELECT 1 + 2 AS three', 'SELECT (1 + 2) AS `three`', [[3]]],
  [
    'a guarded table',
    'SELECT event FROM events ORDER BY event',
    `SELECT \`__t1\`.\`event\` AS \`event\` FROM ${EVENT_ONLY} ORDER BY \`__t1\`.\`event\` ASC`,
    [['buy'], ['leave'], ['visit'], ['visit']],
  ],
  [
    'a count of rows',
    'SELECT count() FROM events',
    'SELECT count() AS `count()` FROM (SELECT `project_id` AS `__row` FROM `db`.`events` WHERE (`project_id` = {project:UInt32})) AS `__t1`',
    [[4]],
  ],
  [
    'grouping by position',
    'SELECT event, count() AS n FROM events GROUP BY 1 HAVING n > 1 ORDER BY 2 DESC LIMIT 5',
    `SELECT \`__t1\`.\`event\` AS \`event\`, count() AS \`n\` FROM ${EVENT_ONLY} GROUP BY \`event\` HAVING (\`n\` > 1) ORDER BY \`n\` DESC LIMIT 5`,
    [['visit', 2]],
  ],
  [
    'a property compared with a string',
    "SELECT count() FROM events WHERE properties.$browser = 'Chrome'",
    "SELECT count() AS `count()` FROM (SELECT CAST(`properties`.`$browser`, 'Nullable(String)') AS `__p1` FROM `db`.`events` WHERE (`project_id` = {project:UInt32})) AS `__t1` WHERE (`__t1`.`__p1` = 'Chrome')",
    [[2]],
  ],
  [
    'a sum of a property',
    'SELECT sum(properties.amount) FROM events',
    "SELECT sum(toFloat64OrNull(`__t1`.`__p1`)) AS `sum(properties.amount)` FROM (SELECT CAST(`properties`.`amount`, 'Nullable(String)') AS `__p1` FROM `db`.`events` WHERE (`project_id` = {project:UInt32})) AS `__t1`",
    [[21.5]],
  ],
  [
    'an outer join',
    "SELECT a.event FROM events a LEFT JOIN events b ON a.distinct_id = b.distinct_id AND b.event = 'buy' WHERE b.event IS NULL ORDER BY 1",
    "SELECT `__t1`.`event` AS `event` FROM (SELECT `distinct_id` AS `distinct_id`, `event` AS `event` FROM `db`.`events` WHERE (`project_id` = {project:UInt32})) AS `__t1` LEFT JOIN (SELECT toNullable(`distinct_id`) AS `distinct_id`, toNullable(`event`) AS `event` FROM `db`.`events` WHERE (`project_id` = {project:UInt32})) AS `__t2` ON ((`__t1`.`distinct_id` = `__t2`.`distinct_id`) AND (`__t2`.`event` = 'buy')) WHERE isNull(`__t2`.`event`) ORDER BY `event` ASC",
    [['leave'], ['visit']],
  ],
  ['a set', 'SELECT 1 AS a UNION ALL SELECT 2', '(SELECT 1 AS `a`) UNION ALL (SELECT 2 AS `2`)', [[1], [2]]],
  [
    'a variable',
    'SELECT event FROM events WHERE distinct_id = {variables.who} LIMIT {variables.most}',
    'SELECT `__t1`.`event` AS `event` FROM (SELECT `distinct_id` AS `distinct_id`, `event` AS `event` FROM `db`.`events` WHERE (`project_id` = {project:UInt32})) AS `__t1` WHERE (`__t1`.`distinct_id` = {p0:String}) LIMIT {p1:UInt64}',
    [['visit']],
  ],
]

const VARIABLES: Readonly<Record<string, BoundValue>> = {
  who: { type: 'String', value: 'ben' },
  most: { type: 'Int64', value: 1 },
  number: { type: 'Float64', value: 9 },
  whole: { type: 'Int64', value: '10' },
  yes: { type: 'Bool', value: true },
  day: { type: 'Date', value: '2026-01-02' },
  moment: { type: "DateTime64(3, 'UTC')", value: '2026-01-02T10:00:00Z' },
  dayText: { type: 'String', value: '2026-01-02' },
  names: { type: 'Array(String)', value: ['ann', "o'b\\e`n"] },
}

/** The rows of a query without an order come in any order. */
const comparable = (query: string, rows: readonly unknown[]) =>
  query.includes('ORDER BY') ? rows : rows.map((row) => JSON.stringify(row)).sort()

test.each(GOLDEN)('compiles %s to the expected SQL and runs it', async (_, query, text, rows) => {
  const compiled = compile(query, VARIABLES)
  expect(compiled.text).toBe(text)
  expect(comparable(query, await engine.rows(compiled))).toEqual(comparable(query, rows))
})

// The rows that each construct returns.
const QUERIES: readonly [query: string, rows: unknown[][]][] = [
  // Operators
  ['SELECT 1 = 1, 1 == 1, 1 != 2, 1 <> 2, 2 > 1, 2 >= 2, 1 < 2, 1 <= 1', [[1, 1, 1, 1, 1, 1, 1, 1]]],
  ['SELECT 2 + 3 * 4, (2 + 3) * 4, -2 - -3, 7 % 4, 7 / 2, 2 - 1 - 1', [[14, 20, 1, 3, 3.5, 0]]],
  ["SELECT 'a' || 'b' || 'c', 0x1F, 1e3, .5, 'it''s', 'a\\'b\\n\\x41'", [['abc', 31, 1000, 0.5, "it's", "a'b\nA"]]],
  ['SELECT NOT true, true AND NOT false, true OR false AND false, NOT (1 = 2)', [[false, true, true, 1]]],
  ["SELECT 'visit' LIKE 'v%', 'Visit' ILIKE 'v%', 'visit' NOT LIKE 'x%', 'visit' NOT ILIKE 'V%'", [[1, 1, 1, 0]]],
  ["SELECT 'abc' =~ '^a', 'abc' !~ '^a', 'ABC' =~* '^a', 'ABC' !~* '^a'", [[1, 0, 1, 0]]],
  ['SELECT 2 BETWEEN 1 AND 3, 5 NOT BETWEEN 1 AND 3, NULL IS NULL, 1 IS NOT NULL', [[1, 1, 1, 1]]],
  [
    "SELECT 1 IN (1, 2), 3 NOT IN (1, 2), 'a' IN ('a'), 1 IN (SELECT 1), (1, 'a') IN ((1, 'a'), (2, 'b')), 1 IN [1, 2]",
    [[1, 1, 1, 1, 1, 1]],
  ],
  ["SELECT 1 ? 'yes' : 'no', NULL ?? 'else', NULL ?? NULL ?? 3", [['yes', 'else', 3]]],
  [
    "SELECT CASE WHEN 1 = 2 THEN 'a' WHEN 1 = 1 THEN 'b' ELSE 'c' END, CASE 3 WHEN 3 THEN 'three' END",
    [['b', 'three']],
  ],
  [
    "SELECT '5'::Int, CAST('1.5' AS Float), CAST(7, 'String'), '2026-01-02'::Date, 'x'::Int, 1::Bool",
    [[5, 1.5, '7', '2026-01-02', null, true]],
  ],
  [
    "SELECT toDateTime('2026-01-01 10:00:00') + INTERVAL 1 DAY, toDate('2026-03-31') - INTERVAL '1 month'",
    [['2026-01-02 10:00:00.000', '2026-02-28']],
  ],
  ["SELECT [1, 2, 3][2], [1, 2, 3][-1], (1, 'b').2, [] = [], tuple(1, 2).1", [[2, 3, 'b', 1, 1]]],
  [
    'SELECT arraySort([2, 1]), arrayReverseSort([1, 2]), arraySum([1, 2]), arraySort(x -> -x, [1, 2])',
    [[[1, 2], [2, 1], 3, [2, 1]]],
  ],
  [
    'SELECT arrayMap(x -> x * 2, [1, 2]), arrayFilter((x, y) -> x > y, [1, 5], [3, 3]), arraySum(x -> x + 1, [1, 2])',
    [[[2, 4], [5], 5]],
  ],
  ['SELECT arrayMap(x -> arrayMap(y -> y + x, [1]), [10, 20])', [[[[11], [21]]]]],
  ['-- a comment {variables.nope}\nSELECT /* {x} ; */ 1;', [[1]]],
  ["SELECT '{variables.nope} -- /* ; x'", [['{variables.nope} -- /* ; x']]],
  ['SELECT `event` AS "a `b` c" FROM events e ORDER BY "a `b` c" LIMIT 1', [['buy']]],
  // Clauses
  ['SELECT DISTINCT event FROM events ORDER BY event DESC', [['visit'], ['leave'], ['buy']]],
  ['SELECT event FROM events ORDER BY timestamp DESC LIMIT 1 OFFSET 1', [['buy']]],
  ['SELECT event FROM events ORDER BY timestamp LIMIT 1, 2', [['visit'], ['buy']]],
  [
    'SELECT event, distinct_id FROM events ORDER BY event, distinct_id LIMIT 1 BY event LIMIT 2',
    [
      ['buy', 'ann'],
      ['leave', 'cat'],
    ],
  ],
  ['SELECT properties.plan FROM events ORDER BY properties.plan ASC NULLS FIRST, timestamp LIMIT 1', [[null]]],
  ['SELECT properties.plan FROM events ORDER BY properties.plan DESC NULLS LAST LIMIT 1', [['pro']]],
  [
    "SELECT n, event FROM events ARRAY JOIN [1, 2] AS n WHERE event = 'buy' ORDER BY n",
    [
      [1, 'buy'],
      [2, 'buy'],
    ],
  ],
  [
    "SELECT x, y FROM events ARRAY JOIN [1, 2] AS x, [3, 4] AS y WHERE event = 'buy' ORDER BY x",
    [
      [1, 3],
      [2, 4],
    ],
  ],
  [
    'SELECT toStartOfMonth(timestamp) AS month, count() FROM events GROUP BY month ORDER BY month',
    [
      ['2026-01-01', 3],
      ['2026-02-01', 1],
    ],
  ],
  ["SELECT upper(event) AS event FROM events WHERE event = 'BUY'", [['BUY']]],
  // Tables
  ["SELECT e.event FROM events AS e WHERE e.event = 'buy'", [['buy']]],
  ['SELECT a.n FROM (SELECT count() AS n FROM events) a', [[4]]],
  [
    "WITH visits AS (SELECT distinct_id AS who FROM events WHERE event = 'visit') SELECT who FROM visits ORDER BY who",
    [['ann'], ['ben']],
  ],
  ['WITH a AS (SELECT 1 AS x), b AS (SELECT x + 1 AS y FROM a) SELECT y FROM b', [[2]]],
  ['WITH 3 AS three SELECT three + 1, (SELECT three)', [[4, 3]]],
  ['WITH (SELECT max(timestamp) FROM events) AS latest SELECT event FROM events WHERE timestamp = latest', [['leave']]],
  ['WITH a AS (SELECT 1 AS x) SELECT x FROM a UNION ALL SELECT x + 1 FROM a ', [[1], [2]]],
  [
    "SELECT distinct_id FROM events WHERE distinct_id IN (SELECT distinct_id FROM events WHERE event = 'buy') GROUP BY 1",
    [['ann']],
  ],
  [
    "WITH buyers AS (SELECT distinct_id FROM events WHERE event = 'buy') SELECT count() FROM events WHERE distinct_id IN buyers",
    [[2]],
  ],
  [
    'SELECT a.event, b.event FROM events a INNER JOIN events b ON a.uuid = b.uuid ORDER BY a.timestamp LIMIT 1',
    [['visit', 'visit']],
  ],
  [
    'SELECT distinct_id, count() FROM events a JOIN events b USING (distinct_id) GROUP BY distinct_id ORDER BY 1',
    [
      ['ann', 4],
      ['ben', 1],
      ['cat', 1],
    ],
  ],
  [
    "SELECT b.event FROM (SELECT * FROM events WHERE event = 'buy') a RIGHT JOIN events b ON a.distinct_id = b.distinct_id WHERE a.uuid IS NULL ORDER BY 1",
    [['leave'], ['visit']],
  ],
  [
    "SELECT distinct_id, a.x, b.y FROM (SELECT 'p' AS distinct_id, 1 AS x) a FULL JOIN (SELECT 'q' AS distinct_id, 2 AS y) b USING distinct_id ORDER BY distinct_id",
    [
      ['p', 1, null],
      ['q', null, 2],
    ],
  ],
  ['SELECT count() FROM events a CROSS JOIN events b', [[16]]],
  ['SELECT count() FROM events a, events b', [[16]]],
  ['SELECT x FROM (SELECT 1 AS x UNION DISTINCT SELECT 1 UNION ALL SELECT 1) ORDER BY x', [[1], [1]]],
  ['SELECT x FROM (SELECT 1 AS x UNION ALL SELECT 2 INTERSECT SELECT 2 EXCEPT SELECT 1)', [[2]]],
  [
    "SELECT * EXCLUDE (uuid, timestamp, properties, created_at) FROM events WHERE uuid = '00000000-0000-0000-0000-000000000001'",
    [['visit', 'ann', 'a.link', 's1', '']],
  ],
  // Aggregates and windows
  [
    "SELECT count(DISTINCT distinct_id), count(*), countIf(event = 'visit'), count() FILTER (WHERE event = 'buy'), uniqExactIf(distinct_id, event = 'visit') FROM events",
    [[3, 4, 2, 1, 2]],
  ],
  [
    'SELECT quantile(0.5)(properties.amount), median(properties.amount), max(properties.amount), min(properties.amount), avg(properties.amount) FROM events',
    [[9, 9, 10, 2.5, 21.5 / 3]],
  ],
  [
    'SELECT argMax(event, timestamp), topK(1)(event), groupUniqArray(1)(1), sumOrNull(properties.none), anyLast(1) FROM events',
    [['leave', ['visit'], [1], null, 1]],
  ],
  [
    'SELECT event, row_number() OVER (PARTITION BY event ORDER BY timestamp) AS n FROM events ORDER BY event, n LIMIT 4',
    [
      ['buy', 1],
      ['leave', 1],
      ['visit', 1],
      ['visit', 2],
    ],
  ],
  [
    'SELECT sum(1) OVER (ORDER BY timestamp ROWS BETWEEN 1 PRECEDING AND CURRENT ROW) AS n FROM events ORDER BY timestamp',
    [[1], [2], [2], [2]],
  ],
  [
    'SELECT lag(event) OVER (ORDER BY timestamp) AS before FROM events ORDER BY timestamp',
    [[null], ['visit'], ['visit'], ['buy']],
  ],
  // Variables
  ['SELECT event FROM events WHERE properties.amount = {variables.number}', [['visit']]],
  ['SELECT event FROM events WHERE properties.amount >= {variables.whole}', [['visit']]],
  ['SELECT count() FROM events WHERE properties.paid = {variables.yes}', [[1]]],
  ['SELECT count() FROM events WHERE timestamp >= {variables.day}', [[3]]],
  ['SELECT count() FROM events WHERE timestamp >= {variables.dayText} AND timestamp <= {variables.moment}', [[1]]],
  ['SELECT count() FROM events WHERE toDate(timestamp) = {variables.dayText}', [[1]]],
  ['SELECT count() FROM events WHERE distinct_id IN {variables.names}', [[2]]],
  ['SELECT count() FROM events WHERE distinct_id NOT IN ({variables.names})', [[2]]],
  ["SELECT {variables.who} AS a, {variables.who} || '!' AS b", [['ben', 'ben!']]],
  ['SELECT event FROM events ORDER BY timestamp LIMIT {variables.most} OFFSET {variables.most}', [['visit']]],
]

test.each(QUERIES)('returns the expected rows: %s', async (query, rows) => {
  const found = await engine.rows(compile(query, VARIABLES))
  expect(comparable(query, found)).toEqual(comparable(query, rows))
})

test('SELECT * returns the documented columns and never the project', async () => {
  const compiled = compile('SELECT * FROM events')
  expect(await engine.columns(compiled)).toEqual([
    'uuid',
    'event',
    'distinct_id',
    'timestamp',
    'properties',
    'elements_chain',
    '$session_id',
    '$window_id',
    'created_at',
  ])
})

test('columns without an alias get unique names from their text', async () => {
  const compiled = compile(
    "SELECT event, event, properties.$browser, properties['sp ace'], count( ) FROM events GROUP BY 1, 3, 4",
  )
  expect(await engine.columns(compiled)).toEqual(['event', 'event_1', '$browser', 'sp ace', 'count( )'])
})

test('SELECT * over a join renames the second of two columns with one name', async () => {
  const columns = await engine.columns(
    compile('SELECT * FROM (SELECT 1 AS a, 2 AS b) x JOIN (SELECT 1 AS a, 3 AS c) y ON x.a = y.a'),
  )
  expect(columns).toEqual(['a', 'b', 'a_1', 'c'])
})

describe('a paged query', () => {
  const rowsOf = (query: string, page: { limit?: number; offset?: number }) =>
    engine.rows(compile(query, VARIABLES, page))
  const ORDERED = 'SELECT distinct_id FROM events ORDER BY timestamp'
  test.each([
    ['limit and offset without LIMIT in the query', ORDERED, { limit: 2, offset: 1 }, [['ben'], ['ann']]],
    ['a LIMIT in the query as the maximum', `${ORDERED} LIMIT 2`, { limit: 10 }, [['ann'], ['ben']]],
    ['an offset within the LIMIT of the query', `${ORDERED} LIMIT 3`, { limit: 2, offset: 2 }, [['ann']]],
    ['an offset beyond the LIMIT of the query', `${ORDERED} LIMIT 2`, { limit: 5, offset: 2 }, []],
    [
      'an OFFSET in the query before that of the page',
      `${ORDERED} LIMIT 3 OFFSET 1`,
      { limit: 1, offset: 1 },
      [['ann']],
    ],
    ['a variable LIMIT as the maximum', `${ORDERED} LIMIT {variables.most}`, { limit: 3 }, [['ann']]],
    ['an offset alone', ORDERED, { offset: 3 }, [['cat']]],
    ['a UNION paged as a whole', 'SELECT 1 AS a UNION ALL SELECT 1', { limit: 1, offset: 1 }, [[1]]],
    ['a limit of 0', ORDERED, { limit: 0 }, []],
  ])('returns the rows for %s', async (_, query, page, rows) => {
    expect(await rowsOf(query, page)).toEqual(rows)
  })

  test('has no LIMIT unless a page is requested', () => {
    expect(compile('SELECT event FROM events').text).not.toContain('LIMIT')
  })
})
