import { AGGREGATES, COMBINATORS } from '../../src/sql/catalog/functions/aggregates.ts'
import { SCALARS } from '../../src/sql/catalog/functions/scalars.ts'
import { SYNONYMS } from '../../src/sql/catalog/functions/synonyms.ts'
import { WINDOW_FUNCTIONS } from '../../src/sql/catalog/functions/windows.ts'
import { suggest } from '../../src/sql/resolve/suggest.ts'
import { compile } from './support/compile.ts'
import { startTestEngine, type TestEngine } from './support/engine.ts'

let engine: TestEngine
beforeAll(async () => {
  engine = await startTestEngine()
})
afterAll(() => engine.stop())

const ALL = { ...SCALARS, ...AGGREGATES, ...WINDOW_FUNCTIONS }

test('every SQL function exists in the engine', async () => {
  const rows = await engine.rows({ text: 'SELECT name, case_insensitive FROM system.functions', params: {} })
  const exact = new Set(rows.map(([name]) => String(name)))
  const loose = new Set(rows.filter(([, isLoose]) => isLoose).map(([name]) => String(name).toLowerCase()))
  expect(Object.keys(ALL).filter((name) => !exact.has(name) && !loose.has(name.toLowerCase()))).toEqual([])
})

test('the engine agrees on which functions are aggregates', async () => {
  const rows = await engine.rows({ text: 'SELECT lower(name) FROM system.functions WHERE is_aggregate', params: {} })
  const aggregates = new Set(rows.map(([name]) => String(name)))
  expect(Object.keys(AGGREGATES).filter((name) => !aggregates.has(name.toLowerCase()))).toEqual([])
  expect(Object.keys(SCALARS).filter((name) => aggregates.has(name.toLowerCase()))).toEqual([])
})

test('every SQL function signature parses', () => {
  const WORD =
    /^\(?(lambda\|array|text|number|integer|boolean|time|date|uuid|array|json|lambda|any|alike|key|ordered|interval)(\?|\.\.\.)?\)?$/
  for (const [name, signature] of Object.entries(ALL)) {
    const [takes, gives] = signature.split('->').map((side) => side.trim())
    for (const word of takes!.split(' ').filter(Boolean))
      expect(`${name}: ${word}`).toMatch(new RegExp(`: ${WORD.source.slice(1)}`))
    expect(`${name}: ${gives}`).toMatch(
      /: (text|number|boolean|time|date|uuid|array|tuple|interval|unknown|same|member|alike)[!?]?$/,
    )
  }
})

test('every SQL function synonym names a function', () => {
  expect(Object.values(SYNONYMS).filter((name) => !Object.hasOwn(ALL, name))).toEqual([])
})

// No function may read tables, files, the network or other users' settings, or wait.
test.each([
  'file',
  'url',
  's3',
  'remote',
  'merge',
  'dictGet',
  'joinGet',
  'getSetting',
  'hostName',
  'sleep',
  'sleepEachRow',
  'currentUser',
  'currentDatabase',
  'version',
  'getMacro',
  'catboostEvaluate',
  'executable',
  'throwIf',
  'initializeAggregation',
  'evalMLMethod',
  'addressToLine',
  'demangle',
  'filesystemAvailable',
  'hasColumnInTable',
  'getSubcolumn',
  'fuzzQuery',
  'mapFromArrays',
  'rowNumberInAllBlocks',
  'arrayReduce',
  'constructor',
  'toString_',
  '__proto__',
  'hasOwnProperty',
])('does not expose the engine function %s', (name) => {
  expect(() => compile(`SELECT ${name}(1)`)).toThrow(expect.objectContaining({ code: 'function_unknown' }))
})

test.each(Object.keys(COMBINATORS))('SQL aggregates support the combinator %s', async (ending) => {
  const args = ending === 'If' ? 'x, x > 1' : ending === 'Array' ? '[x]' : 'x'
  const rows = await engine.rows(compile(`SELECT sum${ending}(${args}) FROM (SELECT 1 AS x UNION ALL SELECT 2)`))
  expect(rows).toEqual([[ending === 'If' ? 2 : 3]])
})

test('aggregate combinators can be combined', async () => {
  const rows = await engine.rows(
    compile(
      'SELECT sumOrNullIf(x, x > 5), uniqExactDistinctIf(x, x > 1), quantileIf(0.5)(x, x > 1), countDistinct(x) FROM (SELECT 1 AS x UNION ALL SELECT 2)',
    ),
  )
  expect(rows).toEqual([[null, 1, 2, 2]])
})

test('a property or variable is read as an integer where one is required', async () => {
  const rows = await engine.rows(
    compile(
      "SELECT repeat('a', {variables.n}), [1, 2, 3][{variables.n}], fromUnixTimestamp({variables.n}), addDays(toDate('2026-01-01'), {variables.n}), JSONExtractKeys(p, 'a') FROM (SELECT NULL::String AS p)",
      { n: { type: 'Float64', value: 2 } },
    ),
  )
  expect(rows).toEqual([['aa', 2, '1970-01-01 00:00:02', '2026-01-03', []]])
})

test('SQL function names are case-insensitive', async () => {
  expect(
    await engine.rows(
      compile("SELECT COUNT(*), LOWER('A'), CoalesCE(NULL, 1), DATE_TRUNC('month', toDate('2026-02-03'))"),
    ),
  ).toEqual([[1, 'a', 1, '2026-02-01']])
})

test.each([
  ['evnt', ['event', 'events'], "Did you mean 'event'?"],
  ['cuont', ['count', 'concat'], "Did you mean 'count'?"],
  ['zzz', ['event'], undefined],
  ['a', ['b'], "Did you mean 'b'?"],
])('suggests for the name %s among %j: %s', (written, known, answer) => {
  expect(suggest(written, known)).toBe(answer)
})
