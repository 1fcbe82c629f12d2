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

const first = async (expression: string, variables: Readonly<Record<string, BoundValue>> = {}): Promise<unknown> =>
  (
    await engine.rows(
      compile(`SELECT ${expression} FROM events WHERE uuid = '00000000-0000-0000-0000-000000000001'`, variables),
    )
  )[0]![0]

test.each([
  ['a string unchanged', 'properties.$browser', 'Chrome'],
  ['a number with its digits', 'properties.amount', '9'],
  ['a fraction', 'properties.rate', '1.5'],
  ['a boolean as a string', 'properties.paid', 'true'],
  ['a date unchanged', 'properties.when', '2026-01-01T10:00:00Z'],
  ['an object as JSON', 'properties.nested', '{"count":3,"deep":{"key":"inside"}}'],
  ['an array as JSON', 'properties.list', '["x","y",{"z":1}]'],
  ['a missing property as NULL', 'properties.nothing', null],
  ['a path into an object', 'properties.nested.deep.key', 'inside'],
  ['a path to a missing key', 'properties.nested.deep.nothing', null],
  ['a key in brackets', "properties['$browser']", 'Chrome'],
  ['a key with a dot', "properties['a.b']", 'dotted'],
  ['two keys in brackets', "properties['a']['b']", 'nested'],
  ['keys separated by dots', 'properties.a.b', 'nested'],
  ['a key with a quote', "properties['it\\'s']", 'quoted'],
  ['a key with a space', "properties['sp ace']", 'spaced'],
  ['a key with a space in backticks', 'properties.`sp ace`', 'spaced'],
  ['a key that looks like an operator', "properties['^odd']", 'odd'],
  ['a member of an array', 'properties.list[1]', 'x'],
  ['the last member of an array', 'properties.list[-1]', '{"z":1}'],
  ['a key in a member of an array', 'properties.list[3].z', '1'],
  ['an array cast to a type', 'properties.numbers::Array(Int)', [1, 2, 3]],
  ['a path with ?.', 'properties?.nested?.count', '3'],
])('reads %s: %s', async (_, expression, answer) => {
  expect(await first(expression)).toEqual(answer)
})

test.each([
  ['added to a number', 'properties.amount + 1', 10],
  ['with a numeric string, multiplied', 'properties.text * 2', 24],
  ['negated', '-properties.amount', -9],
  ['compared with a number', 'properties.amount > 8.5', 1],
  ['compared numerically, 9 before 10', 'properties.amount < 10', 1],
  ['compared with a string', "properties.amount = '9'", 1],
  ['compared with a boolean', 'properties.paid = true', 1],
  ['compared with a timestamp', "properties.when < toDateTime('2026-01-01 11:00:00')", 1],
  ['plus an interval', 'toString(properties.when + INTERVAL 1 HOUR)', '2026-01-01 11:00:00.000'],
  ['rounded', 'round(properties.rate)', 2],
  ['in a list of numbers', 'properties.amount IN (9, 10)', 1],
  ['in a list of strings', "properties.$browser IN ('Chrome')", 1],
  ['in a mixed list', "properties.amount IN ('9', 10)", 1],
  ['as a condition', 'if(properties.paid, 1, 2)', 1],
  ['negated as a condition', 'NOT properties.paid', false],
  ['cast to a whole number', 'properties.rate::Int', 1],
  ['cast to a number', 'properties.text::Float', 12],
  ['with a non-numeric value, cast to a number', 'properties.$browser::Int', null],
  ['concatenated with a string', "concat(properties.amount, '!')", '9!'],
  ['compared as JSON', "properties.numbers = '[1,2,3]'", 1],
  ['in greatest()', 'greatest(properties.amount, 3)', 9],
  ['in coalesce()', 'coalesce(properties.nothing, properties.amount)', '9'],
])('converts a property %s: %s', async (_, expression, answer) => {
  expect(await first(expression)).toEqual(answer)
})

// As in HogQL, and unlike in SQL, a comparison is never NULL.
test.each([
  ["properties.nothing = 'x'", 0],
  ["properties.nothing != 'x'", 1],
  ['properties.nothing > 1', 0],
  ["properties.nothing LIKE '%'", 0],
  ["properties.nothing NOT LIKE '%'", 1],
  ["properties.nothing IN ('x')", 0],
  ["properties.nothing NOT IN ('x')", 1],
  ['properties.nothing BETWEEN 1 AND 2', 0],
  ['properties.nothing NOT BETWEEN 1 AND 2', 1],
  ['properties.nothing = properties.none', 1],
  ['properties.nothing != properties.none', 0],
  ["NOT (properties.nothing = 'x')", 1],
  ['properties.nothing IS NULL', 1],
  ['properties.nested IS NOT NULL', 1],
])('a comparison with a missing property is never NULL: %s is %s', async (expression, answer) => {
  expect(Number(await first(expression))).toBe(answer)
})

test.each([
  [
    'SELECT properties.amount AS n, count() FROM events WHERE n > 5 GROUP BY n ORDER BY n',
    [
      ['10', 1],
      ['9', 1],
    ],
  ],
  [
    'SELECT properties.amount, properties.amount * 2 FROM events WHERE properties.amount = 9 GROUP BY properties.amount',
    [['9', 18]],
  ],
  ['SELECT sum(n) FROM (SELECT properties.amount AS n FROM events)', [[21.5]]],
  ['SELECT o.deep.key FROM (SELECT properties.nested AS o FROM events) WHERE o IS NOT NULL', [['inside']]],
  ["SELECT properties.nested.deep.key FROM (SELECT * FROM events) WHERE properties.plan = 'pro'", [['inside']]],
  [
    "SELECT b.properties.plan FROM (SELECT 'ann' AS who) a LEFT JOIN (SELECT distinct_id, properties FROM events WHERE event = 'buy') b ON a.who = b.distinct_id",
    [['free']],
  ],
  [
    "SELECT JSONExtractString(properties, 'nested', 'deep', 'key') FROM events WHERE event = 'visit' ORDER BY timestamp LIMIT 1",
    [['inside']],
  ],
  [
    'SELECT max(properties.amount), min(properties.amount), argMax(properties.$browser, properties.amount) FROM events',
    [[10, 2.5, 'Safari']],
  ],
  ["SELECT event FROM events WHERE properties.$browser != 'Chrome' ORDER BY timestamp", [['visit'], ['leave']]],
  [
    'SELECT properties.plan, count() FROM events GROUP BY properties.plan ORDER BY 1 NULLS LAST',
    [
      ['free', 1],
      ['pro', 1],
      [null, 2],
    ],
  ],
])('returns the expected rows for a property query: %s', async (query, rows) => {
  expect(await engine.rows(compile(query))).toEqual(rows)
})

test('integers beyond 2^53 are returned as strings with all digits', async () => {
  await engine.insert([
    {
      project_id: 3,
      uuid: '00000000-0000-0000-0000-000000000030',
      event: 'big',
      distinct_id: 'd',
      timestamp: '2026-01-01 00:00:00.000',
      properties: JSON.parse('{"big":"9007199254740993"}'),
    },
  ])
  const rows = await engine.rows(
    compile('SELECT properties.big, properties.big::Int = 9007199254740993 FROM events', {}, {}, 3),
  )
  expect(rows).toEqual([['9007199254740993', 1]])
})
