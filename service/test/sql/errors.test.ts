import { type BoundValue, QueryError } from '../../src/sql/compile.ts'
import type { QueryErrorCode } from '../../src/sql/parse/queryError.ts'
import { compile } from './support/compile.ts'

const VARIABLES: Readonly<Record<string, BoundValue>> = {
  text: { type: 'String', value: 'x' },
  badDay: { type: 'Date', value: '2026-13-01' },
  badNumber: { type: 'Float64', value: NaN },
  badWhole: { type: 'Int64', value: 1.5 },
  badList: { type: 'Array(String)', value: [1] },
  half: { type: 'Float64', value: 0.5 },
}

const errorOf = (query: string): QueryError => {
  try {
    compile(query, VARIABLES)
  } catch (error) {
    if (error instanceof QueryError) return error
    throw error
  }
  throw new Error(`Not refused: ${query}`)
}

// `place` is the part of the text that the error points at.
const REJECTED: readonly [code: QueryErrorCode, query: string, place: string, fix?: RegExp][] = [
  ['query_too_long', `SELECT 1${' '.repeat(70_000)}`, ''],
  ['query_too_deep', `SELECT ${'('.repeat(101)}1${')'.repeat(101)}`, '(', /WITH/],
  ['query_too_deep', `SELECT ${Array(900).fill('2').join(' - ')}`, '', /WITH/],
  ['query_too_complex', `SELECT ${Array(20_001).fill('1').join('+')}`, ''],
  [
    'query_too_complex',
    `WITH 1 AS a0${Array.from({ length: 40 }, (_, i) => `, a${i} + a${i} AS a${i + 1}`).join('')} SELECT a40`,
    '',
  ],
  [
    'query_too_complex',
    `SELECT 1 AS a0${Array.from({ length: 40 }, (_, i) => `, a${i} + a${i} AS a${i + 1}`).join('')}`,
    '',
  ],
  ['query_too_complex', `SELECT ${'('.repeat(40)}1${' BETWEEN 1 AND 2)'.repeat(40)}`, ''],
  ['syntax_error', 'SELEC 1', 'SELEC'],
  ['syntax_error', 'SELECT 1 +', ''],
  ['syntax_error', 'SELECT (1', ''],
  ['syntax_error', 'SELECT 12abc', '12a'],
  ['syntax_error', 'SELECT § FROM events', '§'],
  ['syntax_error', 'SELECT event FROM events WHERE', ''],
  ['syntax_error', 'SELECT event FROM {variables.text}', '{variables.text}', /name of the table/],
  ['syntax_error', 'SELECT 1 UNION SELECT 2', 'UNION', /ALL/],
  ['syntax_error', 'SELECT x FROM events ARRAY JOIN [1]', '[1]', /AS name/],
  ['unterminated_string', "SELECT 'abc", "'abc"],
  ['unterminated_string', 'SELECT "abc', '"abc'],
  ['unterminated_comment', 'SELECT 1 /* abc', '/* abc'],
  ['several_statements', 'SELECT 1; SELECT 2', 'SELECT'],
  ['several_statements', 'SELECT 1; DROP TABLE events', 'DROP'],
  ['statement_not_allowed', 'INSERT INTO events VALUES (1)', 'INSERT', /SELECT/],
  ['statement_not_allowed', 'DROP TABLE events', 'DROP', /SELECT/],
  ['statement_not_allowed', 'create table x (a Int)', 'create', /SELECT/],
  ['statement_not_allowed', 'SYSTEM SHUTDOWN', 'SYSTEM', /SELECT/],
  ['statement_not_allowed', 'SET readonly = 0', 'SET', /SELECT/],
  ['clause_not_allowed', 'SELECT 1 SETTINGS readonly = 0', 'SETTINGS'],
  ['clause_not_allowed', 'SELECT event FROM (SELECT event FROM events SETTINGS readonly = 0)', 'SETTINGS'],
  ['clause_not_allowed', 'SELECT 1 FORMAT JSON', 'FORMAT'],
  ['clause_not_allowed', "SELECT 1 INTO OUTFILE 'x'", 'INTO'],
  ['clause_not_allowed', 'SELECT event FROM events PREWHERE 1', 'PREWHERE', /WHERE/],
  ['clause_not_allowed', 'SELECT event FROM events FINAL', 'FINAL'],
  ['clause_not_allowed', 'SELECT event FROM events SAMPLE 0.1', 'SAMPLE'],
  ['clause_not_allowed', 'SELECT event, count() FROM events GROUP BY event WITH TOTALS', 'WITH TOTALS'],
  ['clause_not_allowed', 'SELECT event FROM events ORDER BY event WITH FILL', 'WITH'],
  ['clause_not_allowed', 'SELECT event FROM events LIMIT 1 WITH TIES', 'WITH'],
  ['clause_not_allowed', 'SELECT 1 FROM events a ANY JOIN events b ON a.uuid = b.uuid', 'ANY'],
  ['clause_not_allowed', 'SELECT 1 FROM events QUALIFY 1', 'QUALIFY', /subquery/],
  ['template_string', "SELECT f'hello {variables.text}'", "f'", /\|\|/],
  ['placeholder_unknown', 'SELECT {filters}', '{filters', /variables\.name/],
  ['placeholder_unknown', 'SELECT {variables.a + 1}', '{variables', /variables\.name/],
  ['placeholder_unknown', 'SELECT {variables}', '{variables', /variables\.name/],
  ['placeholder_unknown', 'SELECT {}', '{}', /variables\.name/],
  ['placeholder_native', 'SELECT {x:String}', '{x:String', /variables\.name/],
  ['table_unknown', 'SELECT 1 FROM evnts', 'evnts', /'events'/],
  ['table_unknown', 'SELECT 1 FROM system.tables', 'system.tables'],
  ['table_unknown', 'SELECT 1 FROM db.events', 'db.events'],
  ['table_unknown', 'SELECT x.* FROM events', 'x.*'],
  ['table_function', "SELECT * FROM merge('db', 'events')", 'merge', /events/],
  ['table_function', "SELECT * FROM url('http://x')", 'url', /events/],
  ['table_function', "SELECT * FROM file('x')", 'file', /events/],
  ['column_unknown', 'SELECT evnt FROM events', 'evnt', /'event'/],
  ['column_unknown', 'SELECT browser FROM events', 'browser', /properties\.browser/],
  ['column_unknown', 'SELECT e.evnt FROM events e', 'evnt', /'event'/],
  ['column_unknown', 'SELECT variables.text FROM events', 'variables'],
  ['column_unknown', 'SELECT event FROM events e WHERE uuid IN (SELECT a.x FROM (SELECT e.uuid AS x) a)', 'e', /Join/],
  ['column_unknown', 'SELECT b + 1 AS a, a + 1 AS b', 'b'],
  ['column_ambiguous', 'SELECT event FROM events a JOIN events b ON a.uuid = b.uuid', 'event', /a\.event/],
  ['column_reserved', 'SELECT project_id FROM events', 'project_id'],
  ['column_reserved', 'SELECT e.project_id FROM events e', 'project_id'],
  ['column_reserved', 'SELECT PROJECT_ID FROM events', 'PROJECT_ID'],
  ['column_reserved', 'SELECT 1 AS project_id', 'project_id'],
  ['name_duplicate', 'SELECT 1 AS a, 2 AS a', 'a'],
  ['name_duplicate', 'SELECT 1 FROM events JOIN events ON 1 = 1', 'events', /AS a/],
  ['name_duplicate', 'WITH 1 AS a, 2 AS a SELECT a', 'a'],
  ['name_reserved', 'SELECT 1 AS __t1', '__t1'],
  ['function_unknown', 'SELECT cout() FROM events', 'cout', /'count'/],
  ['function_unknown', "SELECT getSetting('x')", 'getSetting'],
  ['function_unknown', "SELECT dictGet('a', 'b', 1)", 'dictGet'],
  ['function_unknown', 'SELECT sleep(3)', 'sleep'],
  ['function_arguments', 'SELECT lower()', 'lower()'],
  ['function_arguments', "SELECT lower('a', 'b')", "lower('a', 'b')"],
  ['function_arguments', 'SELECT lower(x -> x)', 'x -> x'],
  ['function_arguments', 'SELECT arrayMap(1, [1])', '1'],
  ['function_arguments', 'SELECT lower(1)(event) FROM events', 'lower(1)(event)'],
  ['function_misused', 'SELECT row_number() FROM events', 'row_number()'],
  ['function_misused', 'SELECT lower(event) OVER () FROM events', 'lower(event) OVER ()'],
  ['function_misused', 'SELECT lower(DISTINCT event) FROM events', 'lower'],
  ['type_unknown', 'SELECT 1::Strng', 'Strng', /'string'/],
  ['type_unknown', 'SELECT 1::Dynamic', 'Dynamic', /Types/],
  ['type_mismatch', "SELECT length(event) > 'many' FROM events", "'many'"],
  ['date_invalid', "SELECT 1 FROM events WHERE timestamp > 'yesterday'", "'yesterday'", /YYYY/],
  ['date_invalid', "SELECT 1 FROM events WHERE timestamp > '2026-02-30'", "'2026-02-30'", /YYYY/],
  ['date_invalid', 'SELECT 1 FROM events WHERE timestamp > {variables.text}', '{variables.text}', /YYYY/],
  ['limit_invalid', 'SELECT 1 LIMIT 1 + 1', '1 + 1'],
  ['limit_invalid', 'SELECT 1 LIMIT -1', '-1'],
  ['limit_invalid', 'SELECT 1 LIMIT {variables.half}', '{variables.half}'],
  ['limit_invalid', 'SELECT 1 LIMIT {variables.text}', '{variables.text}'],
  ['position_invalid', 'SELECT event FROM events ORDER BY 2', '2'],
  ['property_invalid', 'SELECT properties[event] FROM events', 'event', /properties/],
  ['property_invalid', "SELECT properties[''] FROM events", "''"],
  ['set_columns_differ', 'SELECT 1 UNION ALL SELECT 1, 2', 'SELECT 1, 2'],
  ['set_order_ambiguous', 'SELECT 1 AS a UNION ALL SELECT 2 ORDER BY a', 'SELECT 2 ORDER BY a', /SELECT \* FROM/],
  ['set_order_ambiguous', 'SELECT 1 LIMIT 1 UNION ALL SELECT 2', 'SELECT 1 LIMIT 1', /SELECT \* FROM/],
  ['not_supported', 'SELECT EXISTS(SELECT 1)', 'EXISTS', /IN/],
  ['not_supported', "SELECT DATE '2026-01-01'", "DATE '2026-01-01'", /toDate/],
  ['not_supported', 'WITH RECURSIVE a AS (SELECT 1) SELECT 1', 'RECURSIVE'],
  ['variable_missing', 'SELECT {variables.nope}', '{variables.nope}'],
  ['variable_missing', 'SELECT {variables.constructor}', '{variables.constructor}'],
  ['variable_invalid', 'SELECT {variables.badDay}', '{variables.badDay}'],
  ['variable_invalid', 'SELECT {variables.badNumber}', '{variables.badNumber}'],
  ['variable_invalid', 'SELECT {variables.badWhole}', '{variables.badWhole}'],
  ['variable_invalid', 'SELECT {variables.badList}', '{variables.badList}'],
]

test.each(REJECTED.map(([code, query, place, fix]) => ({ code, query, place, fix, shown: query.slice(0, 60) })))(
  'rejects with $code: $shown',
  ({ code, query, place, fix }) => {
    const error = errorOf(query)
    expect(error.code).toBe(code)
    expect(error.position).toBeDefined()
    const { start, end } = error.position!
    if (place) expect(query.slice(start, end)).toBe(place)
    expect(start).toBeLessThanOrEqual(end)
    expect(end).toBeLessThanOrEqual(query.length)
    if (fix) expect(error.fix).toMatch(fix)
  },
)

test('every SQL error code has a test case', () => {
  // A type cannot be listed at run time; this list fails to compile when a code is added to it alone.
  const ALL = {
    query_too_long: 1,
    query_too_deep: 1,
    query_too_complex: 1,
    syntax_error: 1,
    unterminated_string: 1,
    unterminated_comment: 1,
    several_statements: 1,
    statement_not_allowed: 1,
    clause_not_allowed: 1,
    template_string: 1,
    placeholder_unknown: 1,
    placeholder_native: 1,
    table_unknown: 1,
    table_function: 1,
    column_unknown: 1,
    column_ambiguous: 1,
    column_reserved: 1,
    name_duplicate: 1,
    name_reserved: 1,
    function_unknown: 1,
    function_arguments: 1,
    function_misused: 1,
    type_unknown: 1,
    type_mismatch: 1,
    date_invalid: 1,
    limit_invalid: 1,
    position_invalid: 1,
    property_invalid: 1,
    set_columns_differ: 1,
    set_order_ambiguous: 1,
    not_supported: 1,
    variable_missing: 1,
    variable_invalid: 1,
  } satisfies Record<QueryErrorCode, 1>
  expect([...new Set(REJECTED.map(([code]) => code))].sort()).toEqual(Object.keys(ALL).sort())
})

test('a SQL error reports its position as line and column', () => {
  const { position } = errorOf('SELECT event,\n  evnt\nFROM events')
  expect(position).toEqual({ start: 16, end: 20, line: 2, column: 3 })
})

test('offsets of a SQL error count UTF-16 code units', () => {
  expect(errorOf("SELECT '😀', evnt FROM events").position).toMatchObject({ start: 13, end: 17, column: 14 })
})
