import type { BoundValue } from '../../src/sql/compile.ts'
import { createClickhouse } from '../../src/storage/clickhouse.ts'
import { deliver, startIngest } from '../ingest/support/startIngest.ts'
import { compile } from './support/compile.ts'
import { startTestEngine, type TestEngine } from './support/engine.ts'
import { NO_CALLER } from '../../src/storage/storage.ts'
import { TABLES } from '../support/schema.ts'

let engine: TestEngine
const place = { url: '' }
const storage = createClickhouse(() => place, { tables: TABLES })

const event = (uuid: number, name: string, id: string, minute: number, properties: object = {}) => ({
  uuid: `00000000-0000-0000-0000-${String(uuid).padStart(12, '0')}`,
  event: name,
  timestamp: new Date(Date.UTC(2026, 0, 1, 10, minute)).toISOString(),
  properties: { distinct_id: id, ...properties },
})

const page = (path: string, more: object = {}) => ({
  $session_id: 's1',
  $current_url: `https://a.b${path}`,
  $pathname: path,
  ...more,
})
const OURS = [
  event(
    1,
    '$pageview',
    'anon',
    0,
    page('/in', { utm_source: 'ads', $set_once: { $initial_referrer: 'search' }, $process_person_profile: false }),
  ),
  event(2, '$identify', 'ann', 1, {
    $anon_distinct_id: 'anon',
    $session_id: 's1',
    $set: {
      plan: 'pro',
      seats: 9,
      paid: true,
      since: '2026-01-01T10:00:00Z',
      address: { city: 'Rome', 'zip.code': '00100' },
      tags: ['x', 'y'],
      text: '12',
    },
  }),
  event(3, '$pageview', 'ann', 2, page('/out', { $groups: { company: 'acme' } })),
  event(4, '$autocapture', 'ben', 3, {
    $session_id: 's2',
    $set: { plan: 'free', seats: 10 },
    $groups: { company: 'zeta' },
  }),
  event(5, '$groupidentify', 'ben', 4, {
    $group_type: 'company',
    $group_key: 'acme',
    $group_set: { name: 'Acme', size: 50 },
  }),
  event(7, '$groupidentify', 'ben', 4, { $group_type: 'team', $group_key: 'acme', $group_set: { name: 'A team' } }),
  event(6, 'visit', 'cat', 5, { $process_person_profile: false, $groups: { company: 'nobody knows' } }),
]
// Another project's people have the same ids, sessions and groups, but recognizable values.
const THEIRS = [
  event(11, '$identify', 'ann', 50, {
    $anon_distinct_id: 'cat',
    ...page('/theirs'),
    $set: { plan: 'theirs', seats: 1e6 },
    $groups: { company: 'acme' },
  }),
  event(12, '$groupidentify', 'ben', 51, {
    $group_type: 'company',
    $group_key: 'acme',
    $group_set: { name: 'theirs', size: 1e6 },
  }),
  event(13, '$identify', 'theirs', 52, { $anon_distinct_id: 'ben' }),
]

beforeAll(async () => {
  engine = await startTestEngine()
  place.url = engine.url
  await deliver(startIngest(storage), 1, OURS)
  await deliver(startIngest(storage), 2, THEIRS)
})
afterAll(async () => {
  await storage.close()
  await engine.stop()
})

const run = (text: string, variables: Readonly<Record<string, BoundValue>> = {}) =>
  engine.rows(compile(text, variables))

describe('person and session queries', () => {
  test.each<[string, unknown[][]]>([
    [
      'SELECT person.properties.plan, count() FROM events GROUP BY 1 ORDER BY 2 DESC, 1',
      [
        ['free', 3],
        ['pro', 3],
        [null, 1],
      ],
    ],
    [
      "SELECT event FROM events WHERE person.properties.plan = 'pro' AND event = '$pageview' ORDER BY timestamp",
      [['$pageview'], ['$pageview']],
    ],
    ['SELECT e.distinct_id FROM events AS e WHERE e.person.properties.seats > 9.5', [['ben'], ['ben'], ['ben']]],
    [
      "SELECT DISTINCT person.properties.seats + 1, person.properties.paid = true, person.properties.since < toDateTime('2026-01-02'), person.properties.text FROM events WHERE distinct_id = 'ann'",
      [[10, 1, 1, '12']],
    ],
    [
      "SELECT DISTINCT person.properties.address.city, person.properties.address['zip.code'], person.properties.tags[2], person.properties.address, person.properties.nothing FROM events WHERE distinct_id = 'ann'",
      [['Rome', '00100', 'y', '{"city":"Rome","zip.code":"00100"}', null]],
    ],
    ['SELECT uniqExact(person_id), uniqExact(person.id), uniqExact(distinct_id) FROM events', [[3, 3, 4]]],
    [
      'SELECT distinct_id, person.is_identified, toString(person.created_at) FROM events ORDER BY uuid',
      [
        ['anon', true, '2026-01-01 10:01:00.000'],
        ['ann', true, '2026-01-01 10:01:00.000'],
        ['ann', true, '2026-01-01 10:01:00.000'],
        ['ben', false, '2026-01-01 10:03:00.000'],
        ['ben', false, '2026-01-01 10:03:00.000'],
        ['cat', false, null],
        ['ben', false, '2026-01-01 10:03:00.000'],
      ],
    ],
    [
      'SELECT properties.plan, is_identified, toString(created_at) FROM persons ORDER BY created_at',
      [
        ['pro', true, '2026-01-01 10:01:00.000'],
        ['free', false, '2026-01-01 10:03:00.000'],
      ],
    ],
    ["SELECT properties FROM persons WHERE properties.plan = 'free'", [['{"plan":"free","seats":10}']]],
    ['SELECT count(), sum(properties.seats), max(properties.seats) FROM persons', [[2, 19, 10]]],
    ['SELECT p.properties.plan FROM (SELECT properties FROM persons) AS p ORDER BY 1', [['free'], ['pro']]],
    [
      'SELECT p.properties.plan, count() FROM events e LEFT JOIN persons p ON e.person_id = p.id GROUP BY 1 ORDER BY 2, 1',
      [
        [null, 1],
        ['free', 3],
        ['pro', 3],
      ],
    ],
    [
      "SELECT e.event, p.is_identified, e.person.properties.plan FROM persons p LEFT JOIN events e ON e.person_id = p.id AND e.event = '$identify' ORDER BY 1",
      [
        ['$identify', true, 'pro'],
        [null, false, null],
      ],
    ],
    [
      'SELECT d.distinct_id, p.properties.plan FROM person_distinct_ids d JOIN persons p ON p.id = d.person_id ORDER BY 1',
      [
        ['ann', 'pro'],
        ['anon', 'pro'],
        ['ben', 'free'],
      ],
    ],
    ['SELECT count() FROM events WHERE person_id IN (SELECT id FROM persons WHERE is_identified)', [[3]]],
    ['SELECT count(), count(DISTINCT session_id), sum($pageview_count) FROM sessions', [[2, 2, 2]]],
    [
      'SELECT session_id, toString($start_timestamp), toString($end_timestamp), $session_duration, $pageview_count, $screen_count, $autocapture_count, $event_count, $is_bounce, distinct_id FROM sessions ORDER BY 1',
      [
        ['s1', '2026-01-01 10:00:00.000', '2026-01-01 10:02:00.000', 120, 2, 0, 0, 3, false, 'anon'],
        ['s2', '2026-01-01 10:03:00.000', '2026-01-01 10:03:00.000', 0, 0, 0, 1, 1, true, 'ben'],
      ],
    ],
    [
      'SELECT $entry_current_url, $entry_pathname, $exit_current_url, $exit_pathname, $entry_utm_source, $entry_utm_medium FROM sessions ORDER BY session_id',
      [
        ['https://a.b/in', '/in', 'https://a.b/out', '/out', 'ads', null],
        [null, null, null, null, null, null],
      ],
    ],
    [
      "SELECT event, session.$entry_pathname, session.$session_duration, session.session_id FROM events WHERE event != '$pageview' ORDER BY timestamp LIMIT 3",
      [
        ['$identify', '/in', 120, 's1'],
        ['$autocapture', null, 0, 's2'],
        ['$groupidentify', null, null, ''],
      ],
    ],
    [
      'SELECT session.$session_duration AS seconds, count() FROM events WHERE session.$session_duration > 0 GROUP BY seconds',
      [[120, 3]],
    ],
    [
      "SELECT $group_0, group_0.properties.name, group_0.properties.size * 2, group_0.key, group_1.properties.name FROM events WHERE $group_0 != '' ORDER BY timestamp",
      [
        ['acme', 'Acme', 100, 'acme', null],
        ['zeta', null, null, 'zeta', null],
        ['nobody knows', null, null, 'nobody knows', null],
      ],
    ],
    [
      'SELECT index, key, properties.name, properties FROM groups ORDER BY key, index',
      [
        [0, 'acme', 'Acme', '{"name":"Acme","size":50}'],
        [1, 'acme', 'A team', '{"name":"A team"}'],
        [0, 'nobody knows', null, '{}'],
        [0, 'zeta', null, '{}'],
      ],
    ],
    [
      'WITH paying AS (SELECT id FROM persons WHERE properties.paid) SELECT count() FROM events WHERE person_id IN paying',
      [[3]],
    ],
    [
      "SELECT person.properties.plan AS plan, properties.utm_source FROM events WHERE plan = 'pro' ORDER BY timestamp LIMIT 1",
      [['pro', 'ads']],
    ],
    [
      "SELECT argMax(person.properties.plan, timestamp), groupUniqArray(person.properties.seats) FROM events WHERE distinct_id = 'ben'",
      [['free', ['10']]],
    ],
    ['SELECT count() FROM sessions s FULL JOIN groups g ON s.session_id = g.key', [[6]]],
  ])('return the expected rows: %s', async (text, rows) => {
    expect(await run(text)).toEqual(rows)
  })
})

test('a query compares a variable with a person property', async () => {
  expect(
    await run('SELECT count() FROM events WHERE person.properties.plan = {variables.plan}', {
      plan: { type: 'String', value: 'pro' },
    }),
  ).toEqual([[3]])
  expect(
    await run('SELECT count() FROM events WHERE person.properties.plan = {variables.plan}', {
      plan: { type: 'String', value: "x' OR 1 = 1 --" },
    }),
  ).toEqual([[0]])
})

test('SELECT * omits columns that need a join', async () => {
  expect(await engine.columns(compile('SELECT * FROM events'))).not.toEqual(
    expect.arrayContaining(['person_id', '$group_0']),
  )
  expect(await engine.columns(compile('SELECT * FROM persons'))).toEqual([
    'id',
    'created_at',
    'properties',
    'is_identified',
  ])
  expect(await engine.columns(compile('SELECT * FROM groups'))).toEqual([
    'index',
    'key',
    'created_at',
    'updated_at',
    'properties',
  ])
})

const IDS =
  '(SELECT `__i`.`distinct_id` AS `distinct_id`, argMax(`__i`.`person`, `__i`.`version`) AS `person`, argMax(`__i`.`is_identified`, `__i`.`version`) AS `is_identified` FROM (SELECT `distinct_id` AS `distinct_id`, `person` AS `person`, `is_identified` AS `is_identified`, `version` AS `version` FROM `db`.`person_distinct_ids` WHERE (`project_id` = {project:UInt32})) AS `__i` GROUP BY `__i`.`distinct_id`)'

test.each([
  [
    'SELECT person_id FROM events',
    'SELECT `__t1`.`__j1` AS `person_id` FROM (SELECT `__e1`.`distinct_id` AS `distinct_id`, reinterpretAsUUID(sipHash128({project:UInt32}, if(empty(`__d1`.`person`), `__e1`.`distinct_id`, `__d1`.`person`))) AS `__j1` FROM (SELECT `distinct_id` AS `distinct_id` FROM `db`.`events` WHERE (`project_id` = {project:UInt32})) AS `__e1` ' +
      `LEFT JOIN ${IDS} AS \`__d1\` ON (\`__e1\`.\`distinct_id\` = \`__d1\`.\`distinct_id\`)) AS \`__t1\``,
  ],
  [
    'SELECT properties.plan FROM persons',
    "SELECT `__t1`.`__c1` AS `plan` FROM (SELECT if(startsWith(anyIf(`__v`.`value`, (`__v`.`name` = 'plan')), '\"'), JSONExtractString(anyIf(`__v`.`value`, (`__v`.`name` = 'plan'))), nullIf(nullIf(anyIf(`__v`.`value`, (`__v`.`name` = 'plan')), ''), 'null')) AS `__c1` FROM " +
      "(SELECT if(empty(`__d`.`person`), `__r`.`distinct_id`, `__d`.`person`) AS `person`, `__r`.`name` AS `name`, multiIf(notEmpty(tupleElement(max(`__r`.`set`), 2)), tupleElement(max(`__r`.`set`), 2), (tupleElement(max(`__r`.`set`), 1) < 0), tupleElement(min(`__r`.`first_once`), 2), (max(`__r`.`last_once`) > max(`__r`.`set`)), tupleElement(max(`__r`.`last_once`), 2), '') AS `value`, tupleElement(min(`__r`.`first_once`), 1) AS `first_at`, max(`__d`.`is_identified`) AS `identified` " +
      `FROM (SELECT \`name\` AS \`name\`, \`distinct_id\` AS \`distinct_id\`, \`set\` AS \`set\`, \`first_once\` AS \`first_once\`, \`last_once\` AS \`last_once\` FROM \`db\`.\`person_properties\` WHERE (\`project_id\` = {project:UInt32})) AS \`__r\` LEFT JOIN ${IDS} AS \`__d\` ON (\`__r\`.\`distinct_id\` = \`__d\`.\`distinct_id\`) ` +
      "WHERE (`__r`.`name` IN tuple('', 'plan')) GROUP BY if(empty(`__d`.`person`), `__r`.`distinct_id`, `__d`.`person`), `__r`.`name`) AS `__v` GROUP BY `__v`.`person`) AS `__t1`",
  ],
  [
    'SELECT $session_duration FROM sessions',
    "SELECT `__t1`.`__c1` AS `$session_duration` FROM (SELECT dateDiff('second', min(`__v`.`timestamp`), max(`__v`.`timestamp`)) AS `__c1` FROM (SELECT `$session_id` AS `$session_id`, `event` AS `event`, `distinct_id` AS `distinct_id`, `timestamp` AS `timestamp`, `uuid` AS `uuid` FROM `db`.`events` WHERE (`project_id` = {project:UInt32})) AS `__v` WHERE (`__v`.`$session_id` != '') GROUP BY `__v`.`$session_id`) AS `__t1`",
  ],
  [
    'SELECT group_2.key FROM events',
    'SELECT `__t1`.`$group_2` AS `key` FROM (SELECT `$group_2` AS `$group_2` FROM `db`.`events` WHERE (`project_id` = {project:UInt32})) AS `__t1`',
  ],
])('compiles to the expected SQL: %s', (text, printed) => {
  expect(compile(text).text).toBe(printed)
})

test.each([
  ['SELECT persn.id FROM events', 'column_unknown', "There is no column 'persn' here", /person/],
  ['SELECT person.propertys FROM events', 'column_unknown', "'person' has no column 'propertys'", /properties/],
  ['SELECT e.person.mail FROM events e', 'column_unknown', "'person' has no column 'mail'", /properties/],
  ['SELECT person FROM events', 'column_unknown', "'person' is a row, not a value", /person\.name.*id, created_at/],
  ['SELECT e.session FROM events e', 'column_unknown', "'session' is a row, not a value", /session\.name/],
  [
    'SELECT session.$entry_curent_url FROM events',
    'column_unknown',
    "'session' has no column '$entry_curent_url'",
    /\$entry_current_url/,
  ],
  ['SELECT group_5.key FROM events', 'column_unknown', "There is no column 'group_5' here", /group_/],
  ['SELECT person.id FROM persons', 'column_unknown', "There is no column 'person' here", undefined],
  ['SELECT * FROM person', 'table_unknown', "There is no table 'person'", /persons/],
  ['SELECT * FROM person_properties', 'table_unknown', "There is no table 'person_properties'", undefined],
  ['SELECT * FROM person_merges', 'table_unknown', "There is no table 'person_merges'", undefined],
  [
    'SELECT person.id FROM events a JOIN events b ON a.uuid = b.uuid',
    'column_ambiguous',
    "'person' belongs to more than one table here",
    /a\.person/,
  ],
  ['SELECT project_id FROM persons', 'column_reserved', "'project_id' is not available", undefined],
  ['SELECT person.project_id FROM events', 'column_unknown', "'person' has no column 'project_id'", undefined],
  [
    'SELECT count() FROM persons WHERE constructor = 1',
    'column_unknown',
    "There is no column 'constructor' here",
    undefined,
  ],
])('rejects with code and message: %s', (text, code, message, fix) => {
  let error: { code?: string; message?: string; fix?: string } = {}
  try {
    compile(text)
  } catch (thrown) {
    error = thrown as typeof error
  }
  expect(error.code).toBe(code)
  expect(`${error.message}`).toContain(message)
  if (fix) expect(`${error.message} ${error.fix}`).toMatch(fix)
})

describe('project isolation of person tables', () => {
  const QUERIES = [
    'SELECT * FROM persons',
    'SELECT * FROM person_distinct_ids',
    'SELECT * FROM groups',
    'SELECT * FROM sessions',
    'SELECT distinct_id, person_id, person.id, person.properties, person.created_at, person.is_identified FROM events',
    'SELECT session.$entry_pathname, session.$event_count, session.distinct_id, session.$start_timestamp FROM events',
    'SELECT group_0.properties, group_0.created_at, group_0.updated_at, group_0.index FROM events',
  ]
  const sorted = (rows: readonly (readonly unknown[])[]) => rows.map((row) => JSON.stringify(row)).sort()

  test.each(QUERIES)(
    'has the project condition on each stored table and returns no other project: %s',
    async (text) => {
      const compiled = compile(text)
      const stored = compiled.text.match(/FROM `db`\.`\w+`/g)!
      expect(compiled.text.match(/FROM `db`\.`\w+` WHERE \(`project_id` = \{project:UInt32\}\)\)/g)).toHaveLength(
        stored.length,
      )
      expect(compiled.text.match(/`db`\./g)).toHaveLength(stored.length)
      expect(JSON.stringify(await engine.rows(compiled))).not.toMatch(/theirs|1000000/)
    },
  )

  // Without the compiler's guard: the SQL has no project condition.
  test.each(QUERIES)('returns equal rows without the guard through the filters of each run: %s', async (text) => {
    const compiled = compile(text)
    const open = compiled.text.replaceAll(' WHERE (`project_id` = {project:UInt32})', '')
    const limits = { projectId: 1, maxSeconds: 60, maxMemoryBytes: 1e9, maxRows: 1_000, maxBytes: 10_000_000 }
    expect(sorted((await storage.run({ text: open, params: compiled.params }, limits, NO_CALLER)).rows)).toEqual(
      sorted((await storage.run(compiled, limits, NO_CALLER)).rows),
    )
    expect(sorted(await engine.rows({ text: open, params: compiled.params }))).not.toEqual(
      sorted(await engine.rows(compiled)),
    )
  })

  test('has a filter for every table with a project', async () => {
    const tables = await engine.rows({
      text: "SELECT DISTINCT table FROM system.columns WHERE database = 'db' AND name = 'project_id' ORDER BY 1",
      params: {},
    })
    expect(tables.flat()).toEqual([...TABLES].sort())
  })
})

test.each([
  [
    "SELECT count() FROM events WHERE event = 'visit' AND person.properties.plan = 'x'",
    /event in \['visit', 'visit'\]/,
  ],
  [
    "SELECT count() FROM events WHERE event = 'visit' AND person.properties.plan = 'x'",
    /Condition: .*name in 1-element set/,
  ],
  ["SELECT count() FROM (SELECT person_id, event FROM events) WHERE event = 'visit'", /event in \['visit', 'visit'\]/],
])('reads person tables by primary key: %s', async (text, condition) => {
  const compiled = compile(text)
  expect((await engine.lines({ ...compiled, text: `EXPLAIN indexes = 1 ${compiled.text}` })).join('\n')).toMatch(
    condition,
  )
})
