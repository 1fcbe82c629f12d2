import fc from 'fast-check'

/** Arbitrary valid queries: names exist and kinds match, so the compiler and the engine must accept them. */

interface Level {
  /** String columns in scope, as written in a query. */
  readonly texts: readonly string[]
  readonly isEvents: boolean
}

const pick = <T>(...values: readonly T[]) => fc.constantFrom(...values)

const number = (level: Level, depth: number): fc.Arbitrary<string> => {
  const simple = fc.oneof(
    fc.integer({ min: 0, max: 99 }).map(String),
    pick('1.5', '0x1F', '{variables.number}'),
    ...(level.isEvents ? [pick('properties.amount + 0', 'toFloat(properties.rate)')] : []),
  )
  if (depth === 0) return simple
  const inner = () => number(level, depth - 1)
  return fc.oneof(
    simple,
    fc.tuple(inner(), pick('+', '-', '*'), inner()).map(([a, op, b]) => `(${a} ${op} ${b})`),
    inner().map((a) => `-(${a})`),
    fc.tuple(pick('abs', 'round', 'floor', 'toInt', 'toFloat'), inner()).map(([f, a]) => `${f}(${a})`),
    text(level, depth - 1).map((a) => `length(${a})`),
    fc.tuple(boolean(level, depth - 1), inner(), inner()).map(([c, a, b]) => `(${c} ? ${a} : ${b})`),
    fc.tuple(inner(), inner()).map(([a, b]) => `coalesce(${a}, ${b})`),
    fc.tuple(inner(), inner()).map(([a, b]) => `[${a}, ${b}][1]`),
    fc.tuple(boolean(level, depth - 1), inner(), inner()).map(([c, a, b]) => `CASE WHEN ${c} THEN ${a} ELSE ${b} END`),
  )
}

const text = (level: Level, depth: number): fc.Arbitrary<string> => {
  const simple = fc.oneof(
    pick("'a'", "'it''s'", "'\\\\n{x}'", '{variables.text}', ...level.texts),
    ...(level.isEvents
      ? [pick('properties.$browser', "properties['a.b']", 'properties.nested.deep.key', 'properties.list')]
      : []),
  )
  if (depth === 0) return simple
  const inner = () => text(level, depth - 1)
  return fc.oneof(
    simple,
    fc.tuple(inner(), inner()).map(([a, b]) => `(${a} || ${b})`),
    fc.tuple(pick('lower', 'upper', 'reverse', 'toString'), inner()).map(([f, a]) => `${f}(${a})`),
    fc.tuple(inner(), inner()).map(([a, b]) => `(${a} ?? ${b})`),
    fc.tuple(boolean(level, depth - 1), inner(), inner()).map(([c, a, b]) => `if(${c}, ${a}, ${b})`),
    number(level, depth - 1).map((a) => `(${a})::String`),
  )
}

const boolean = (level: Level, depth: number): fc.Arbitrary<string> => {
  const simple = fc.oneof(
    pick('true', 'false', '{variables.yes}'),
    ...(level.isEvents
      ? [pick('properties.paid', "timestamp > '2026-01-02'", "event = 'visit'", 'properties.amount > 9')]
      : []),
  )
  if (depth === 0) return simple
  const inner = () => boolean(level, depth - 1)
  return fc.oneof(
    simple,
    fc.tuple(inner(), pick('AND', 'OR'), inner()).map(([a, op, b]) => `(${a} ${op} ${b})`),
    inner().map((a) => `NOT (${a})`),
    fc
      .tuple(number(level, depth - 1), pick('=', '!=', '<', '<=', '>', '>='), number(level, depth - 1))
      .map(([a, op, b]) => `(${a} ${op} ${b})`),
    fc
      .tuple(text(level, depth - 1), pick('=', '!=', '<'), text(level, depth - 1))
      .map(([a, op, b]) => `(${a} ${op} ${b})`),
    // The engine rejects a pattern that ends with a backslash, such as reverse('\\n').
    fc
      .tuple(text(level, depth - 1), pick('LIKE', 'NOT ILIKE'), text(level, depth - 1))
      .map(([a, op, b]) => `(${a} ${op} (${b} || '%'))`),
    text(level, depth - 1).map((a) => `(${a}) IS NOT NULL`),
    fc.tuple(number(level, depth - 1), number(level, depth - 1)).map(([a, b]) => `(${a}) BETWEEN 1 AND (${b})`),
    fc
      .tuple(
        text(level, depth - 1),
        pick('IN', 'NOT IN'),
        fc.oneof(
          pick("('a', 'b')", '{variables.list}'),
          query(depth - 1).map((inside) => `(SELECT x.one FROM (${inside}) AS x)`),
        ),
      )
      .map(([a, op, list]) => `(${a}) ${op} ${list}`),
  )
}

const EVENTS: Level = { texts: ['event', 'distinct_id'], isEvents: true }

const plainSelect = (depth: number): fc.Arbitrary<string> =>
  fc
    .tuple(text(EVENTS, depth), fc.option(boolean(EVENTS, depth)), fc.boolean())
    .map(
      ([one, where, isDistinct]) =>
        `SELECT ${isDistinct ? 'DISTINCT ' : ''}${one} AS one, event AS two FROM events${where ? ` WHERE ${where}` : ''}`,
    )

const groupedSelect = (depth: number): fc.Arbitrary<string> =>
  fc
    .tuple(text(EVENTS, Math.min(depth, 1)), number(EVENTS, depth), boolean(EVENTS, depth))
    .map(
      ([key, measure, condition]) =>
        `SELECT (${key}) AS one, toString(sumIf(${measure}, ${condition})) AS two FROM events GROUP BY one HAVING count() > 0 ORDER BY one`,
    )

const derived = (depth: number): fc.Arbitrary<string> =>
  fc
    .tuple(query(depth - 1), text({ texts: ['x.one', 'x.two'], isEvents: false }, 1))
    .map(([inner, one]) => `SELECT ${one} AS one, x.two AS two FROM (${inner}) AS x`)

const joined = (depth: number): fc.Arbitrary<string> =>
  fc
    .tuple(
      query(depth - 1),
      pick('INNER', 'LEFT', 'RIGHT', 'FULL'),
      boolean({ texts: ['a.one', 'b.event'], isEvents: false }, 1),
    )
    .map(
      ([inner, join, where]) =>
        `SELECT a.one AS one, b.properties.$browser AS two FROM (${inner}) AS a ${join} JOIN events AS b ON a.two = b.event WHERE ${where}`,
    )

const named = (depth: number): fc.Arbitrary<string> =>
  query(depth - 1).map((inner) => `WITH c AS (${inner}) SELECT one, two FROM c WHERE one IN (SELECT one FROM c)`)

const united = (depth: number): fc.Arbitrary<string> =>
  fc
    .tuple(query(depth - 1), pick('UNION ALL', 'UNION DISTINCT', 'INTERSECT', 'EXCEPT'), query(depth - 1))
    .map(([a, op, b]) => `SELECT one, two FROM ((${a}) ${op} (${b})) AS u`)

const windowed = (depth: number): fc.Arbitrary<string> =>
  number(EVENTS, depth).map(
    (by) =>
      `SELECT toString(row_number() OVER (PARTITION BY event ORDER BY ${by})) AS one, distinct_id AS two FROM events`,
  )

/** Queries with two string columns, `one` and `two`. */
export const query = (depth: number): fc.Arbitrary<string> =>
  depth <= 0
    ? fc.oneof(plainSelect(0), groupedSelect(0))
    : fc.oneof(
        plainSelect(depth),
        groupedSelect(depth),
        derived(depth),
        joined(depth),
        named(depth),
        united(depth),
        windowed(depth),
      )
