import fc from 'fast-check'
import { type BoundValue, compileAnew, compileQuery, parseQuery, QueryError } from '../../src/sql/compile.ts'
import { createFittedStore, fill } from '../../src/sql/templates.ts'
import { query } from './support/queries.ts'
import { randomRuns } from './support/randomRuns.ts'

type Variables = Readonly<Record<string, BoundValue>>

// Texts that a query may read as a date, a number, a boolean, a UUID or JSON.
const TEXTS = ['x', '', '[1', '{}', '12', ' 1e3 ', 'true', 'false', '2026-01-02', '2026-13-01', '2026-01-02T03:04:05Z']
const text = fc.oneof(
  fc.constantFrom(...TEXTS, '00000000-0000-0000-0000-000000000001'),
  fc.string({ unit: 'binary', maxLength: 5 }),
)
const VALUES: fc.Arbitrary<Variables> = fc.record({
  text: text.map((value): BoundValue => ({ type: 'String', value })),
  other: text.map((value): BoundValue => ({ type: 'String', value })),
  number: fc
    .oneof(fc.nat(3), fc.double({ noNaN: true, noDefaultInfinity: true }))
    .map((value): BoundValue => ({ type: 'Float64', value })),
  yes: fc.boolean().map((value): BoundValue => ({ type: 'Bool', value })),
  day: fc.constantFrom('2026-01-02', '2027-01-02').map((value): BoundValue => ({ type: 'Date', value })),
  list: fc.array(text, { maxLength: 3 }).map((value): BoundValue => ({ type: 'Array(String)', value })),
})

// Uses of a variable that depend on its value.
const USES = [
  'timestamp >= {variables.text}',
  'uuid = {variables.text}',
  'properties.a = {variables.text}',
  'properties.a + 1 > {variables.text}',
  'length(event) = {variables.text}',
  '{variables.text}::Bool',
  'toDateTime({variables.text}) > now()',
  'NOT {variables.text}',
  'event IN {variables.list}',
  'properties.a IN {variables.list}',
  'properties.a = {variables.list}',
  'timestamp BETWEEN {variables.text} AND {variables.day}',
  'if({variables.yes}, {variables.number}, 1) > {variables.other}',
  '[{variables.text}, {variables.other}][1] = event',
]
const PAGES = [{}, { limit: 101 }, { limit: 7, offset: 14 }, { limit: 5, keyset: {} }]
const selects = fc.oneof(
  fc.constantFrom(...USES).map((use) => `SELECT event FROM events WHERE ${use}`),
  fc.constantFrom('2', '{variables.number}').map((limit) => `SELECT event FROM events ORDER BY event LIMIT ${limit}`),
  fc.constantFrom(
    'SELECT {variables.text} AS a, {variables.other} AS b FROM events ORDER BY {variables.other}',
    'SELECT quantile({variables.number})(toFloat(properties.a)) AS a FROM events',
  ),
  query(2),
)

const outcome = (compile: () => unknown): unknown => {
  try {
    return compile()
  } catch (error) {
    if (!(error instanceof QueryError)) throw error
    return error.message
  }
}

test('a kept text is what compiling returns, with any values', () => {
  fc.assert(
    fc.property(
      selects,
      fc.constantFrom(...PAGES),
      fc.array(VALUES, { minLength: 2, maxLength: 6 }),
      (written, page, runs) => {
        const parsed = parseQuery(written)
        for (const variables of runs) {
          const options = { projectId: 1, variables, ...page }
          expect(outcome(() => compileQuery(parsed, options))).toEqual(
            outcome(() => compileAnew(parsed, options).compiled),
          )
        }
      },
    ),
    { numRuns: randomRuns(500) },
  )
})

const typical = (day: string, plan: string, words: readonly string[]): Variables => ({
  since: { type: "DateTime64(3, 'UTC')", value: `${day} 00:00:00.000` },
  until: { type: 'String', value: day },
  plan: { type: 'String', value: plan },
  names: { type: 'Array(String)', value: words },
})

test('one text serves all usual values', () => {
  const parsed = parseQuery(
    'SELECT properties.plan AS plan, count() FROM events WHERE event IN {variables.names} AND properties.plan = {variables.plan} AND timestamp >= {variables.since} AND timestamp < {variables.until} GROUP BY plan',
  )
  const options = { projectId: 1, limit: 101 }
  const { template } = compileAnew(parsed, { ...options, variables: typical('2026-01-01', 'free', ['a']) })
  const others = typical('2027-02-03', "it's", ['b', 'c'])
  expect(fill(template, others)).toEqual(compileAnew(parsed, { ...options, variables: others }).compiled)
  expect(JSON.stringify(template)).not.toMatch(/2026|free/)
})

test('the text of a value that the SQL contains serves no other value', () => {
  const parsed = parseQuery('SELECT event FROM events LIMIT {variables.most}')
  const most = (value: number): Variables => ({ most: { type: 'Float64', value } })
  const { template } = compileAnew(parsed, { projectId: 1, limit: 101, variables: most(3) })
  expect(fill(template, most(3))).toBeDefined()
  expect(fill(template, most(4))).toBeUndefined()
})

test('kept texts are bounded', () => {
  const templates = createFittedStore(fill, { maxBytes: 50_000 })
  const parsed = parseQuery('SELECT event FROM events')
  const { template } = compileAnew(parsed, { projectId: 1, variables: {} })
  const keys = Array.from({ length: 100 }, (_, at) => `key ${at}`)
  for (const key of keys) templates.keep(key, template)
  expect(keys.map((key) => Boolean(templates.find(key, {}))).lastIndexOf(false)).toBeGreaterThan(50)
  expect(templates.find('key 99', {})).toEqual(compileAnew(parsed, { projectId: 1, variables: {} }).compiled)
  templates.keep('a large one', { ...template, characters: 1_000_000 })
  expect(templates.find('a large one', {})).toBeUndefined()
})
