import { parseQuery } from '../../../src/sql/compile.ts'
import { planOf } from '../../../src/endpoints/materialization/plan.ts'
import { variables } from './support/store.ts'

const TYPES = variables({ x: 'String', y: 'String', n: 'Number', d: 'Date', list: 'List' })

/** The codes of the violations, each with the text at its position. */
const violations = (text: string): readonly (readonly [string, string])[] => {
  const plan = planOf(parseQuery(text), TYPES)
  if (!('violations' in plan)) return []
  for (const { message, fix, position } of plan.violations) {
    expect(message).not.toBe('')
    expect(fix).not.toBe('')
    expect(position?.line).toBeGreaterThan(0)
  }
  return plan.violations.map(({ code, position }) => [code, text.slice(position!.start, position!.end)] as const)
}

describe('materialization rules accept', () => {
  test.each([
    [
      'each operator of the rules',
      'SELECT count() FROM events WHERE event = {variables.x} AND timestamp >= {variables.d} AND timestamp < {variables.d} AND properties.a > {variables.n} AND properties.b <= {variables.n}',
    ],
    ['a variable on the left', 'SELECT count() FROM events WHERE {variables.x} = event'],
    [
      'a range on one column',
      'SELECT count() FROM events WHERE timestamp >= {variables.d} AND timestamp < {variables.d}',
    ],
    ['a value in a function', 'SELECT count() FROM events WHERE timestamp >= toDateTime({variables.x})'],
    [
      'conditions in parentheses',
      'SELECT count() FROM events WHERE (event = {variables.x} AND (distinct_id = {variables.y}))',
    ],
    [
      'rows without aggregates',
      'SELECT event FROM events WHERE distinct_id = {variables.x} ORDER BY timestamp LIMIT 10',
    ],
    [
      'a subquery that reads events',
      'SELECT max(n) FROM (SELECT count() AS n FROM events WHERE event = {variables.x} GROUP BY distinct_id)',
    ],
    ['a part of WITH', 'WITH a AS (SELECT count() AS n FROM events WHERE event = {variables.x}) SELECT n FROM a'],
    ['no variable', 'SELECT event, count() FROM events GROUP BY event'],
    ['persons counted', 'SELECT uniq(person_id), count(DISTINCT person.id) FROM events WHERE event = {variables.x}'],
    [
      'person columns in every clause',
      "SELECT person.properties.plan AS plan, countIf(person.is_identified), argMax(person.properties.a, timestamp) FROM events WHERE person.properties.plan = {variables.x} AND person.properties.seats >= {variables.n} AND person.created_at < {variables.d} AND person_id = {variables.y} AND person.properties.a LIKE 'b%' GROUP BY plan, lower(person.properties.b) HAVING uniq(person_id) > 1 ORDER BY max(person.created_at)",
    ],
    [
      'rows with a person column',
      'SELECT person_id, person.properties FROM events WHERE person.properties.plan = {variables.x} ORDER BY timestamp',
    ],
    [
      'a group column',
      'SELECT group_0.properties.name AS name, count() FROM events WHERE group_1.properties.size > {variables.n} GROUP BY name',
    ],
    [
      'persons selected by a subquery',
      'SELECT count() FROM events WHERE event = {variables.x} AND person_id IN (SELECT id FROM persons WHERE is_identified)',
    ],
    ["a person's age", 'SELECT count() FROM events WHERE person.created_at >= now() - INTERVAL 7 DAY'],
    ['the session ID', 'SELECT uniq($session_id), uniq(session.session_id) FROM events WHERE event = {variables.x}'],
    [
      'any other conditions next to the variables',
      "SELECT count() FROM events WHERE event = {variables.x} AND (event LIKE 'a%' OR NOT distinct_id IN ('a'))",
    ],
  ])('%s', (_, text) => {
    expect(violations(text)).toEqual([])
  })
})

describe('materialization rules reject with the position', () => {
  test.each([
    [
      'LIKE',
      'SELECT count() FROM events WHERE event LIKE {variables.x}',
      'unsupported_operator',
      'event LIKE {variables.x}',
    ],
    [
      'NOT LIKE',
      'SELECT count() FROM events WHERE event NOT LIKE {variables.x}',
      'unsupported_operator',
      'event NOT LIKE {variables.x}',
    ],
    [
      'ILIKE',
      'SELECT count() FROM events WHERE event ILIKE {variables.x}',
      'unsupported_operator',
      'event ILIKE {variables.x}',
    ],
    [
      'a regular expression',
      'SELECT count() FROM events WHERE event =~ {variables.x}',
      'unsupported_operator',
      'event =~ {variables.x}',
    ],
    ['!=', 'SELECT count() FROM events WHERE event != {variables.x}', 'unsupported_operator', 'event != {variables.x}'],
    [
      'IN',
      'SELECT count() FROM events WHERE event IN ({variables.x})',
      'unsupported_operator',
      'event IN ({variables.x})',
    ],
    [
      'BETWEEN',
      'SELECT count() FROM events WHERE timestamp BETWEEN {variables.d} AND {variables.d}',
      'unsupported_operator',
      'timestamp BETWEEN {variables.d} AND {variables.d}',
    ],
    [
      'a function instead of an operator',
      'SELECT count() FROM events WHERE equals(event, {variables.x})',
      'invalid_where_usage',
      'equals(event, {variables.x})',
    ],
    [
      'OR',
      "SELECT count() FROM events WHERE event = {variables.x} OR event = 'a'",
      'variable_in_or',
      "event = {variables.x} OR event = 'a'",
    ],
    [
      'NOT',
      'SELECT count() FROM events WHERE NOT event = {variables.x}',
      'variable_in_not',
      'NOT event = {variables.x}',
    ],
    ['SELECT', 'SELECT count(), {variables.x} FROM events', 'variable_not_in_where', '{variables.x}'],
    ['an aggregate', 'SELECT countIf(event = {variables.x}) FROM events', 'variable_not_in_where', '{variables.x}'],
    ['GROUP BY', 'SELECT count() FROM events GROUP BY event = {variables.x}', 'variable_not_in_where', '{variables.x}'],
    [
      'HAVING',
      'SELECT count() AS n FROM events GROUP BY event HAVING n > {variables.n}',
      'variable_in_having',
      '{variables.n}',
    ],
    ['ORDER BY', 'SELECT event FROM events ORDER BY event = {variables.x}', 'variable_not_in_where', '{variables.x}'],
    ['LIMIT', 'SELECT event FROM events LIMIT {variables.n}', 'variable_not_in_where', '{variables.n}'],
    [
      'WITH',
      'WITH {variables.x} AS wanted SELECT count() FROM events WHERE event = wanted',
      'variable_not_in_where',
      '{variables.x}',
    ],
    [
      'a join',
      'SELECT count() FROM events AS a JOIN events AS b ON a.uuid = b.uuid WHERE a.event = {variables.x}',
      'source_not_supported',
      'events AS a JOIN events AS b ON a.uuid = b.uuid',
    ],
    [
      'WHERE around a subquery',
      'SELECT n FROM (SELECT count() AS n FROM events) WHERE n > {variables.n}',
      'source_not_supported',
      '(SELECT count() AS n FROM events)',
    ],
    [
      'a subquery for a value',
      'SELECT count() FROM events WHERE distinct_id IN (SELECT distinct_id FROM events WHERE event = {variables.x})',
      'variable_in_subquery',
      '{variables.x}',
    ],
    [
      'two queries',
      'SELECT count() FROM events WHERE event = {variables.x} UNION ALL SELECT count() FROM events WHERE event = {variables.y}',
      'variable_in_several_queries',
      '{variables.y}',
    ],
    [
      'a session column',
      'SELECT avg(session.$session_duration) FROM events WHERE event = {variables.x}',
      'source_not_supported',
      'session.$session_duration',
    ],
    [
      'a variable compared with a session column',
      'SELECT count() FROM events AS e WHERE e.session.$entry_pathname = {variables.x}',
      'source_not_supported',
      'e.session.$entry_pathname',
    ],
    [
      'persons joined by the query',
      'SELECT count() FROM events AS e JOIN persons AS p ON p.id = e.person_id WHERE p.properties.plan = {variables.x}',
      'source_not_supported',
      'events AS e JOIN persons AS p ON p.id = e.person_id',
    ],
    [
      'an aggregate over persons that cannot be merged',
      'SELECT anyLast(person.properties.plan) FROM events WHERE event = {variables.x}',
      'aggregate_not_mergeable',
      undefined,
    ],
    [
      'a non-deterministic condition on persons',
      'SELECT count() FROM events WHERE event = {variables.x} AND rand() > length(person.properties.plan)',
      'not_repeatable',
      undefined,
    ],
    ['persons', 'SELECT count() FROM persons WHERE id = {variables.x}', 'source_not_supported', 'persons'],
    [
      'a variable without a column',
      "SELECT count() FROM events WHERE {variables.x} = 'a'",
      'variable_without_column',
      "{variables.x} = 'a'",
    ],
    [
      'a second column next to the variable',
      'SELECT count() FROM events WHERE concat(event, {variables.x}) = distinct_id',
      'variable_beside_column',
      'concat(event, {variables.x}) = distinct_id',
    ],
    [
      'an aggregate that cannot be merged',
      'SELECT deltaSum(properties.a) FROM events WHERE event = {variables.x}',
      'aggregate_not_mergeable',
      'deltaSum(properties.a)',
    ],
    ['chance', 'SELECT count() FROM events WHERE event = {variables.x} AND rand() % 2 = 0', 'not_repeatable', 'rand()'],
    [
      'the current time as a group key',
      "SELECT dateDiff('day', timestamp, now()) AS age, count() FROM events WHERE event = {variables.x} GROUP BY age",
      'not_repeatable',
      'age',
    ],
    [
      'a subquery in an aggregate condition',
      'SELECT count() FROM events WHERE event = {variables.x} AND distinct_id IN (SELECT distinct_id FROM events)',
      'subquery_in_aggregation',
      undefined,
    ],
    [
      'arrayJoin',
      'SELECT arrayJoin([1, 2]) AS part, count() FROM events WHERE event = {variables.x} GROUP BY part',
      'array_join',
      'part',
    ],
  ])('%s', (_, text, code, place) => {
    const [first] = violations(text)
    expect(first?.[0]).toBe(code)
    if (place !== undefined) expect(first?.[1]).toBe(place)
  })

  test('reports all violations in the order of the query', () => {
    const text = 'SELECT {variables.x} FROM events WHERE event LIKE {variables.y} AND timestamp != {variables.d}'
    expect(violations(text).map(([code]) => code)).toEqual([
      'variable_not_in_where',
      'unsupported_operator',
      'unsupported_operator',
    ])
  })
})
