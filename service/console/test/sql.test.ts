import { Failure } from '../src/api/failure.ts'
import { bucketsOf, SPANS } from '../src/pages/endpoints/runBuckets.ts'
import { curlOf } from '../src/pages/endpoints/snippets.ts'
import { completionsFor, type SqlNames } from '../src/ui/sqlEditor/completions.ts'
import { problemOf } from '../src/ui/sqlEditor/problem.ts'
import { variablesOf } from '../src/ui/sqlEditor/sqlVariables.ts'

const NAMES: SqlNames = {
  tables: [
    { name: 'events', columns: [{ name: 'event', type: 'text' }] },
    { name: 'persons', columns: [{ name: 'is_identified', type: 'boolean' }] },
  ],
  relations: [{ name: 'person', table: 'persons' }],
  functions: [{ name: 'count', kind: 'aggregate', signature: 'any? -> number' }],
  eventProperties: ['$browser', 'cart size'],
  personProperties: ['plan'],
  variables: ['since'],
}

const labels = (path: readonly string[], sql: string) => completionsFor(path, sql, NAMES).map(({ label }) => label)

test('completions are the columns of the tables in the query, then tables and functions', () => {
  expect(labels([], 'SELECT  FROM events')).toEqual(['event', 'person', 'events', 'persons', 'count'])
  expect(labels([], 'SELECT ')).toEqual(['events', 'persons', 'count'])
})

test('completions after a dot follow aliases, relations, properties and variables', () => {
  expect(labels(['e'], 'SELECT e. FROM events AS e')).toEqual(['event'])
  expect(labels(['e', 'person'], 'SELECT 1 FROM events e')).toEqual(['is_identified'])
  expect(labels(['properties'], 'SELECT 1 FROM events')).toEqual(['$browser', 'cart size'])
  expect(labels(['person', 'properties'], 'SELECT 1 FROM events')).toEqual(['plan'])
  expect(labels(['p', 'properties'], 'SELECT 1 FROM persons p')).toEqual(['plan'])
  expect(labels(['properties'], 'SELECT 1 FROM persons')).toEqual(['plan'])
  expect(labels(['variables'], '')).toEqual(['since'])
  expect(completionsFor(['properties'], '', NAMES)[1]?.apply).toBe('`cart size`')
})

test('finds each variable of a query once, in order', () => {
  expect(variablesOf('{variables.b} {variables.a} { variables.b } {a} variables.c')).toEqual(['b', 'a'])
})

test('a failed query whose error suggests a name becomes a problem with a replacement', () => {
  const position = { start: 7, end: 11, line: 1, column: 8 }
  expect(problemOf(new Failure('Unknown.', 'x', 400, [], position, "Did you mean 'event'?"))).toMatchObject({
    start: 7,
    end: 11,
    replacement: 'event',
  })
  expect(problemOf(new Failure('Unknown.', 'x', 400, [], position, 'Add GROUP BY.'))?.replacement).toBeUndefined()
  expect(problemOf(new Failure('Offline.', 'offline', 0))).toBeUndefined()
})

test('the curl command quotes values for the shell', () => {
  const command = curlOf({ serviceUrl: 'http://h', projectId: 1, name: 'a b', variables: { x: "it's $HOME" } })
  expect(command).toContain(`'http://h/api/projects/1/endpoints/a%20b/run'`)
  expect(command).toContain(`-d '{"variables":{"x":"it'\\''s $HOME"}}'`)
})

test('hours and days without runs are filled in, also across a daylight saving change', () => {
  const now = Date.parse('2026-10-25T12:30:00Z') // The clocks of Berlin went back at 01:00 UTC.
  const runs = (start: string) => ({ start, runs: 3, errors: 1 })
  const hours = bucketsOf([runs('2026-10-25T01:00:00Z')], SPANS[0], 'Europe/Berlin', now)
  expect(hours.counts).toHaveLength(25)
  expect(hours.counts.map((each) => each.runs).indexOf(3)).toBe(13)
  const days = bucketsOf([runs('2026-10-24T22:00:00Z')], SPANS[1], 'Europe/Berlin', now)
  expect(days.counts.at(-1)).toMatchObject({ runs: 3, errors: 1 })
  expect(days.counts).toHaveLength(8)
})
