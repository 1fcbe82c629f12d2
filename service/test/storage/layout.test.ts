import { nodeLayout, ONE_SERVER } from '../../src/storage/schema/layout.ts'
import { SCHEMA } from '../../src/modules.ts'

const { migrations: MIGRATIONS, tables } = SCHEMA
const node = { cluster: 'main', isReplicated: false, alone: [], tables }
const heads = (isReplicated: boolean) =>
  MIGRATIONS.flatMap(({ statements }) => statements)
    .map(nodeLayout({ ...node, isReplicated }).toStatement)
    .map(
      (statement) =>
        `${statement.split(/[\s(]*\n/)[0]}${statement.startsWith('CREATE') ? ` … ${/ENGINE = .*/.exec(statement)![0]}` : ''}`,
    )

test('a single server runs migrations unchanged', () => {
  expect(
    MIGRATIONS.flatMap(({ statements }) => statements).every(
      (statement) => ONE_SERVER.toStatement(statement) === statement,
    ),
  ).toBe(true)
  expect([ONE_SERVER.complete, ONE_SERVER.ledger]).toEqual([[], 'db.migrations'])
})

test('a cluster node has a local part of each table', () => {
  expect(heads(false)).toEqual([
    'CREATE TABLE IF NOT EXISTS db_shard.events … ENGINE = MergeTree',
    'ALTER TABLE db_shard.events',
    'CREATE TABLE IF NOT EXISTS db_shard.person_properties … ENGINE = AggregatingMergeTree',
    'CREATE TABLE IF NOT EXISTS db_shard.person_merges … ENGINE = ReplacingMergeTree',
    'CREATE TABLE IF NOT EXISTS db_shard.person_distinct_ids … ENGINE = ReplacingMergeTree(version)',
    'CREATE TABLE IF NOT EXISTS db_shard.group_properties … ENGINE = AggregatingMergeTree',
    'CREATE TABLE IF NOT EXISTS db_shard.refused_events … ENGINE = MergeTree',
    'ALTER TABLE db_shard.events ADD INDEX IF NOT EXISTS by_inserted_at inserted_at TYPE minmax GRANULARITY 1',
    'ALTER TABLE db_shard.events MATERIALIZE INDEX by_inserted_at',
    'CREATE TABLE IF NOT EXISTS db_shard.endpoint_runs … ENGINE = MergeTree',
    'ALTER TABLE db_shard.events ADD INDEX IF NOT EXISTS by_distinct_id distinct_id TYPE bloom_filter GRANULARITY 1',
    'ALTER TABLE db_shard.events MATERIALIZE INDEX by_distinct_id',
    'CREATE TABLE IF NOT EXISTS db_shard.recording_chunks … ENGINE = ReplacingMergeTree',
    'CREATE TABLE IF NOT EXISTS db_shard.heatmaps … ENGINE = ReplacingMergeTree',
    'CREATE TABLE IF NOT EXISTS db_shard.source_maps … ENGINE = ReplacingMergeTree',
    'CREATE TABLE IF NOT EXISTS db_shard.recording_sessions … ENGINE = AggregatingMergeTree',
    'INSERT INTO db_shard.recording_sessions (project_id, session_id, distinct_ids, started_at, ended_at, has_errors, urls, expires_on)',
    'ALTER TABLE db_shard.events',
    'ALTER TABLE db_shard.events',
    'ALTER TABLE db_shard.events',
  ])
})

test('with a Keeper the replicas of a shard share their tables', () => {
  expect(heads(true)).toEqual([
    "CREATE TABLE IF NOT EXISTS db_shard.events … ENGINE = ReplicatedMergeTree('/trailmark/{shard}/db_shard.events', '{replica}')",
    'ALTER TABLE db_shard.events',
    "CREATE TABLE IF NOT EXISTS db_shard.person_properties … ENGINE = ReplicatedAggregatingMergeTree('/trailmark/{shard}/db_shard.person_properties', '{replica}')",
    "CREATE TABLE IF NOT EXISTS db_shard.person_merges … ENGINE = ReplicatedReplacingMergeTree('/trailmark/{shard}/db_shard.person_merges', '{replica}')",
    "CREATE TABLE IF NOT EXISTS db_shard.person_distinct_ids … ENGINE = ReplicatedReplacingMergeTree('/trailmark/{shard}/db_shard.person_distinct_ids', '{replica}', version)",
    "CREATE TABLE IF NOT EXISTS db_shard.group_properties … ENGINE = ReplicatedAggregatingMergeTree('/trailmark/{shard}/db_shard.group_properties', '{replica}')",
    "CREATE TABLE IF NOT EXISTS db_shard.refused_events … ENGINE = ReplicatedMergeTree('/trailmark/{shard}/db_shard.refused_events', '{replica}')",
    'ALTER TABLE db_shard.events ADD INDEX IF NOT EXISTS by_inserted_at inserted_at TYPE minmax GRANULARITY 1',
    'ALTER TABLE db_shard.events MATERIALIZE INDEX by_inserted_at',
    "CREATE TABLE IF NOT EXISTS db_shard.endpoint_runs … ENGINE = ReplicatedMergeTree('/trailmark/{shard}/db_shard.endpoint_runs', '{replica}')",
    'ALTER TABLE db_shard.events ADD INDEX IF NOT EXISTS by_distinct_id distinct_id TYPE bloom_filter GRANULARITY 1',
    'ALTER TABLE db_shard.events MATERIALIZE INDEX by_distinct_id',
    "CREATE TABLE IF NOT EXISTS db_shard.recording_chunks … ENGINE = ReplicatedReplacingMergeTree('/trailmark/{shard}/db_shard.recording_chunks', '{replica}')",
    "CREATE TABLE IF NOT EXISTS db_shard.heatmaps … ENGINE = ReplicatedReplacingMergeTree('/trailmark/{shard}/db_shard.heatmaps', '{replica}')",
    "CREATE TABLE IF NOT EXISTS db_shard.source_maps … ENGINE = ReplicatedReplacingMergeTree('/trailmark/{shard}/db_shard.source_maps', '{replica}')",
    "CREATE TABLE IF NOT EXISTS db_shard.recording_sessions … ENGINE = ReplicatedAggregatingMergeTree('/trailmark/{shard}/db_shard.recording_sessions', '{replica}')",
    'INSERT INTO db_shard.recording_sessions (project_id, session_id, distinct_ids, started_at, ended_at, has_errors, urls, expires_on)',
    'ALTER TABLE db_shard.events',
    'ALTER TABLE db_shard.events',
    'ALTER TABLE db_shard.events',
  ])
})

test('every table has a distributed table under its name, sharded by project and person or group', () => {
  const table = (name: string, key: string) =>
    `CREATE OR REPLACE TABLE db.${name} AS db_shard.${name} ENGINE = Distributed('main', 'db_shard', '${name}', cityHash64(project_id, ${key}))`
  expect(nodeLayout(node).complete).toEqual([
    table('events', 'distinct_id'),
    table('person_properties', 'distinct_id'),
    table('person_merges', 'distinct_id'),
    table('person_distinct_ids', 'distinct_id'),
    table('group_properties', 'group_type_index, group_key'),
    table('refused_events', 'id'),
    table('recording_chunks', 'session_id'),
    table('recording_sessions', 'session_id'),
    table('heatmaps', 'distinct_id'),
    table('source_maps', 'id'),
    table('endpoint_runs', 'endpoint_id'),
  ])
})

test('the tables of a single server become its local part before distributed tables replace them', () => {
  expect(nodeLayout({ ...node, alone: ['events', 'migrations'] }).prepare.slice(2, 4)).toEqual([
    'RENAME TABLE db.events TO db_shard.events',
    'RENAME TABLE db.migrations TO db_shard.migrations',
  ])
})
