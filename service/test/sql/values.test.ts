import fc from 'fast-check'
import { nameLiteral, numberLiteral, textLiteral } from '../../src/sql/print/literal.ts'
import { timestampOf } from '../../src/sql/resolve/timestamp.ts'
import { compile } from './support/compile.ts'
import { startTestEngine, type TestEngine } from './support/engine.ts'
import { EVENTS } from './support/events.ts'

let engine: TestEngine
beforeAll(async () => {
  engine = await startTestEngine()
  await engine.insert(EVENTS)
})
afterAll(() => engine.stop())

const HOSTILE = [
  "' OR 1=1 --",
  "'); DROP TABLE db.events; --",
  '\\',
  "\\'",
  "\\\\' OR ''='",
  '{p0:String}',
  '{variables.x}',
  '`',
  '"',
  '\n\t\r\0\b',
  "'||(SELECT 1)||'",
  '/* */',
  '😀',
  '\\x27',
  '\\N',
  "a' FORMAT JSON",
  '',
]

test.each(HOSTILE)('a query returns a variable with %j unchanged', async (hostile) => {
  expect(await engine.rows(compile('SELECT {variables.v}', { v: { type: 'String', value: hostile } }))).toEqual([
    [hostile],
  ])
  expect(
    await engine.rows(
      compile('SELECT count() FROM events WHERE distinct_id = {variables.v}', {
        v: { type: 'String', value: hostile },
      }),
    ),
  ).toEqual([[0]])
  expect(
    await engine.rows(compile('SELECT {variables.v}', { v: { type: 'Array(String)', value: [hostile, 'x'] } })),
  ).toEqual([[[hostile, 'x']]])
})

test.each(HOSTILE)('a query treats %j in a string literal, a column name and a key as data', async (hostile) => {
  expect(await engine.rows(compile(`SELECT ${textLiteral(hostile)}`))).toEqual([[hostile]])
  if (hostile === '') return
  const named = compile(`SELECT 1 AS ${nameLiteral(hostile)}, ${nameLiteral(hostile)} + 1`)
  expect(await engine.rows(named)).toEqual([[1, 2]])
  expect(
    await engine.rows(compile(`SELECT count() FROM events WHERE properties[${textLiteral(hostile)}] = 'x'`)),
  ).toEqual([[0]])
})

test('a query returns any string in a literal and a variable unchanged', async () => {
  await fc.assert(
    fc.asyncProperty(fc.string({ unit: 'binary' }), async (text) => {
      expect(
        await engine.rows(
          compile(`SELECT ${textLiteral(text)}, {variables.v}`, { v: { type: 'String', value: text } }),
        ),
      ).toEqual([[text, text]])
    }),
    { numRuns: 100 },
  )
})

test('the compiler keeps values out of the SQL text', () => {
  const { text, params } = compile(
    'SELECT event FROM events WHERE distinct_id = {variables.v} AND timestamp > {variables.t} LIMIT {variables.n}',
    {
      v: { type: 'String', value: 'needle' },
      t: { type: 'String', value: '2031-12-31' },
      n: { type: 'Int64', value: 777 },
    },
  )
  expect(text).not.toMatch(/needle|2031|777/)
  expect(params).toEqual({ project: 1, p0: 'needle', p1: '2031-12-31 00:00:00.000', p2: 777 })
})

test('the compiler prints only numerals as numbers', () => {
  expect(() => numberLiteral('1; DROP')).toThrow('Not a number')
})

test.each([
  ['2026-01-31', '2026-01-31 00:00:00.000'],
  ['2026-01-31 10:20', '2026-01-31 10:20:00.000'],
  ['2026-01-31T10:20:30.5Z', '2026-01-31 10:20:30.500'],
  ['2026-01-31T10:20:30+02:00', '2026-01-31 08:20:30.000'],
  ['2026-01-31T23:30:00-0100', '2026-02-01 00:30:00.000'],
  ['2024-02-29', '2024-02-29 00:00:00.000'],
  ['2026-02-29', undefined],
  ['2026-13-01', undefined],
  ['2026-01-31T24:00:00', undefined],
  ['1899-12-31', undefined],
  ['31.01.2026', undefined],
  ['now', undefined],
  ['', undefined],
])('a query reads the timestamp %j as %s', (written, expected) => {
  expect(timestampOf(written)).toBe(expected)
})
