import fc from 'fast-check'
import { type BoundValue, QueryError } from '../../src/sql/compile.ts'
import { compile } from './support/compile.ts'
import { startTestEngine, type TestEngine } from './support/engine.ts'
import { randomRuns } from './support/randomRuns.ts'

let engine: TestEngine
beforeAll(async () => {
  engine = await startTestEngine()
})
afterAll(() => engine.stop())

const VARIABLES: Readonly<Record<string, BoundValue>> = {
  x: { type: 'String', value: 'x' },
  n: { type: 'Int64', value: 1 },
}

// CPU time. Far above the time of any of these (at most 150 ms) and far below super-linear time.
const MAX_MS = 3_000

const attempt = (text: string): 'compiled' | 'refused' => {
  try {
    compile(text, VARIABLES)
    return 'compiled'
  } catch (error) {
    if (!(error instanceof QueryError)) throw error
    if (error.position) expect(error.position.end).toBeLessThanOrEqual(text.length)
    return 'refused'
  }
}

const WORDS =
  "select SELECT from events where and or not in like between case when then else end as with union all distinct group by having order limit offset join left on using array over partition rows interval day null true ( ) [ ] { } , . ; : ? :: -> + - * / % = != < > <= >= || ?? =~ !~* ?. event properties timestamp count sum x y 1 2.5 0xFF 'a' 'it' \"q\" `b` {variables.x} {variables.n} /* */ -- ' \" ` \\ lambda cast exists except intersect is f".split(
    ' ',
  )

test('the compiler compiles or rejects arbitrary text', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 200 }), (text) => void attempt(text)),
    { numRuns: randomRuns(1_000) },
  )
})

test('the compiler compiles or rejects arbitrary words', () => {
  fc.assert(
    fc.property(fc.array(fc.constantFrom(...WORDS), { maxLength: 40 }), (words) => void attempt(words.join(' '))),
    { numRuns: randomRuns(1_500) },
  )
  fc.assert(
    fc.property(
      fc.array(fc.constantFrom(...WORDS), { maxLength: 40 }),
      (words) => void attempt(`SELECT ${words.join(' ')} FROM events`),
    ),
    { numRuns: randomRuns(1_500) },
  )
})

test('the compiler compiles or rejects a query with a part removed, repeated or replaced', () => {
  const QUERY =
    "WITH a AS (SELECT event AS e, properties.n::Int AS n FROM events WHERE timestamp > '2026-01-01' AND properties['x'] IN ('a', {variables.x})) SELECT e, sum(n) FILTER (WHERE n > 1) OVER (PARTITION BY e ORDER BY n ROWS 1 PRECEDING) AS s, arrayMap(x -> x ? 1 : 2, [1, 2])[1] FROM a LEFT JOIN events b ON a.e = b.event GROUP BY 1 HAVING s > 1 ORDER BY s DESC NULLS LAST LIMIT 1 BY e LIMIT {variables.n} OFFSET 1"
  fc.assert(
    fc.property(
      fc.nat(QUERY.length),
      fc.nat(30),
      fc.constantFrom('', ' ', ...WORDS),
      fc.boolean(),
      (at, length, put, isDoubled) => {
        const cut = QUERY.slice(at, at + length)
        attempt(`${QUERY.slice(0, at)}${isDoubled ? cut + cut : put}${QUERY.slice(at + length)}`)
      },
    ),
    { numRuns: randomRuns(1_500) },
  )
})

const repeat = (text: string, times: number) => text.repeat(times)
const LONG: readonly [what: string, text: string][] = [
  ['deep parentheses', `SELECT ${repeat('(', 30_000)}1${repeat(')', 30_000)}`],
  ['open parentheses', `SELECT ${repeat('(', 60_000)}`],
  ['deep brackets', `SELECT ${repeat('[', 30_000)}`],
  ['deep calls', `SELECT ${repeat('lower(', 10_000)}`],
  ['deep subqueries', repeat('SELECT * FROM (', 4_000)],
  ['a long chain of NOT', `SELECT ${repeat('NOT ', 15_000)}1`],
  ['a long chain of minus', `SELECT ${repeat('- ', 30_000)}1`],
  ['a long chain of ternaries', `SELECT ${repeat('1 ? 1 : ', 7_000)}1`],
  ['a long chain of comparisons', `SELECT 1${repeat(' = 1', 15_000)}`],
  ['a long property path', `SELECT properties${repeat('.a', 30_000)} FROM events`],
  ['a long chain of casts', `SELECT 1${repeat('::Int', 12_000)}`],
  ['a long CASE', `SELECT CASE ${repeat('WHEN 1 THEN 2 ', 4_000)}END`],
  ['CASE in CASE', `SELECT ${repeat('CASE ', 95)}1${repeat(' WHEN 1 THEN 1 WHEN 2 THEN 2 END', 95)}`],
  ['BETWEEN in BETWEEN', `SELECT ${repeat('(', 95)}1${repeat(' BETWEEN 1 AND 2)', 95)}`],
  ['IN in IN', `SELECT ${repeat('1 IN (', 95)}1${repeat(')', 95)}`],
  ['booleans of booleans', `SELECT ${repeat('(', 95)}properties.a${repeat(' = true)', 95)} FROM events`],
  ['steps into arrays', `SELECT properties${repeat('[1]', 95)} FROM events`],
  [
    'WITH values that double',
    `WITH 1 AS a0${Array.from({ length: 90 }, (_, i) => `, a${i} + a${i} AS a${i + 1}`).join('')} SELECT a90`,
  ],
  [
    'WITH tables that double',
    `WITH t0 AS (SELECT 1 AS x)${Array.from({ length: 90 }, (_, i) => `, t${i + 1} AS (SELECT a.x FROM t${i} a, t${i} b)`).join('')} SELECT * FROM t90`,
  ],
  [
    'names that double',
    `SELECT 1 AS a0${Array.from({ length: 90 }, (_, i) => `, a${i} + a${i} AS a${i + 1}`).join('')}`,
  ],
  ['many columns of one name', `SELECT ${Array(9_000).fill('event').join(',')} FROM events`],
  ['many tables', `SELECT 1 FROM events${repeat(', events', 8_000)}`],
  ['64 kB of quotes', repeat("'", 65_535)],
  ['64 kB of backslashes', `SELECT '${repeat('\\', 65_000)}`],
  ['64 kB of braces', `SELECT ${repeat('{ ', 32_000)}`],
  ['64 kB of comments', repeat('/**/', 16_000)],
  ['64 kB of open comments', repeat('/*', 32_000)],
  ['64 kB of dashes', repeat('-', 65_000)],
  ['64 kB of a name', `SELECT ${repeat('a', 65_000)} FROM events`],
  ['64 kB of digits', `SELECT ${repeat('1', 65_000)}`],
  ['64 kB of dots', `SELECT ${repeat('.', 65_000)}`],
]

test.each(LONG)('the compiler compiles or rejects within the time limit: %s', (_, text) => {
  const since = process.cpuUsage()
  attempt(text)
  expect(process.cpuUsage(since).user / 1000).toBeLessThan(MAX_MS)
})

test.each([
  ['a sum of 500 terms', `SELECT ${Array(500).fill('1').join(' + ')}`, 500],
  ['a sum of 5000 terms', `SELECT ${Array(5_000).fill('1').join('+')}`, 5_000],
  ['5000 conditions', `SELECT count() FROM (SELECT 1 AS a) WHERE ${Array(5_000).fill('a=1').join(' AND ')}`, 1],
  ['a list of 8000 values', `SELECT 1 IN (${Array.from({ length: 8_000 }, (_, at) => at).join(',')})`, 1],
  ['5000 concatenated strings', `SELECT length(${Array(5_000).fill("'a'").join('||')})`, 5_000],
  ['90 levels of parentheses', `SELECT ${repeat('(', 90)}1${repeat(')', 90)}`, 1],
  ['a subquery 25 levels down', `SELECT x FROM ${repeat('(SELECT x FROM ', 25)}(SELECT 1 AS x)${repeat(')', 25)}`, 1],
])('the engine runs %s', async (_, text, answer) => {
  const [row] = await engine.rows(compile(text))
  expect(Number(row![0])).toBe(answer)
})
