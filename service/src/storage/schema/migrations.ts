import { VISIT_COLUMNS } from './visitColumns.ts'

/** One migration of the event store. A released migration never changes. */
export interface Migration {
  readonly id: number
  readonly name: string
  readonly statements: readonly string[]
}

/** Migrations in order of `id`. A statement may run again after a crash between two statements. */
export const MIGRATIONS: readonly Migration[] = [
  {
    id: 1,
    name: 'events',
    statements: [
      // The projection looks up ids in a few granules: UUIDs of version 7 sort by time as numbers, so the ids of one
      // batch are adjacent. (As UUIDs, they sort by their random half.)
      // max_dynamic_paths: properties beyond the limit are stored in one shared column. Each property within it costs
      // files and merge memory per part.
      `CREATE TABLE IF NOT EXISTS db.events (
        project_id UInt32,
        uuid UUID,
        event LowCardinality(String),
        distinct_id String,
        timestamp DateTime64(3, 'UTC'),
        properties JSON(max_dynamic_paths = 256),
        elements_chain String,
        \`$session_id\` String,
        \`$window_id\` String,
        inserted_at DateTime64(3, 'UTC') DEFAULT now64(3, 'UTC'),
        PROJECTION by_uuid (SELECT project_id, uuid ORDER BY toUInt128(uuid))
      )
      ENGINE = MergeTree
      ORDER BY (project_id, event, toDate(timestamp), cityHash64(distinct_id))`,
    ],
  },
  {
    id: 2,
    name: 'people',
    statements: [
      `ALTER TABLE db.events
        ADD COLUMN IF NOT EXISTS \`$group_0\` String, ADD COLUMN IF NOT EXISTS \`$group_1\` String, ADD COLUMN IF NOT EXISTS \`$group_2\` String,
        ADD COLUMN IF NOT EXISTS \`$group_3\` String, ADD COLUMN IF NOT EXISTS \`$group_4\` String`,
      // Facts about persons: for each property the latest $set (or $unset, whose value is empty), the earliest and the
      // latest $set_once, as (ms since 1970, JSON text). The engine merges rows of one key in the background.
      // Duplicates and order make no difference. The property with the empty name represents the person, and its
      // earliest time is when the person was first seen.
      `CREATE TABLE IF NOT EXISTS db.person_properties (
        project_id UInt32,
        name String,
        distinct_id String,
        set SimpleAggregateFunction(max, Tuple(Int64, String)) DEFAULT (-1, ''),
        first_once SimpleAggregateFunction(min, Tuple(Int64, String)) DEFAULT (9223372036854775807, ''),
        last_once SimpleAggregateFunction(max, Tuple(Int64, String)) DEFAULT (-1, '')
      )
      ENGINE = AggregatingMergeTree
      ORDER BY (project_id, name, distinct_id)`,
      // Facts about which ids belong to one person. Each fact is stored under both ids, so that it can be found by
      // either.
      `CREATE TABLE IF NOT EXISTS db.person_merges (
        project_id UInt32,
        distinct_id String,
        at Int64,
        uuid UUID,
        kind LowCardinality(String),
        from_id String,
        into_id String
      )
      ENGINE = ReplacingMergeTree
      ORDER BY (project_id, distinct_id, at, uuid)`,
      // Derived from the merge facts: the person of an id, identified by the person's main id. Ids that were never
      // merged have no row. version: the number of facts the row is derived from, so that the row from the most facts
      // wins.
      `CREATE TABLE IF NOT EXISTS db.person_distinct_ids (
        project_id UInt32,
        distinct_id String,
        person String,
        is_identified UInt8,
        version UInt64,
        INDEX by_person person TYPE bloom_filter GRANULARITY 1
      )
      ENGINE = ReplacingMergeTree(version)
      ORDER BY (project_id, distinct_id)`,
      `CREATE TABLE IF NOT EXISTS db.group_properties (
        project_id UInt32,
        group_type_index UInt8,
        name String,
        group_key String,
        set SimpleAggregateFunction(max, Tuple(Int64, String)) DEFAULT (-1, ''),
        first_once SimpleAggregateFunction(min, Tuple(Int64, String)) DEFAULT (9223372036854775807, '')
      )
      ENGINE = AggregatingMergeTree
      ORDER BY (project_id, group_type_index, name, group_key)`,
    ],
  },
  {
    id: 3,
    name: 'rejected events',
    statements: [
      // A month is enough to find and fix a mistake of a page. The ids are UUIDs of version 7 as strings, which sort by
      // time.
      `CREATE TABLE IF NOT EXISTS db.refused_events (
        project_id UInt32,
        id String,
        refused_at DateTime64(3, 'UTC'),
        code LowCardinality(String),
        uuid String,
        event String,
        distinct_id String,
        sample String
      )
      ENGINE = MergeTree
      ORDER BY (project_id, id)
      TTL toDateTime(refused_at) + INTERVAL 30 DAY`,
    ],
  },
  {
    id: 4,
    name: 'index of insertion times',
    statements: [
      // Finds events that arrived after a timestamp without reading all of them. Parts are sorted by day, so late
      // events are in few granules.
      'ALTER TABLE db.events ADD INDEX IF NOT EXISTS by_inserted_at inserted_at TYPE minmax GRANULARITY 1',
      'ALTER TABLE db.events MATERIALIZE INDEX by_inserted_at',
    ],
  },
  {
    id: 5,
    name: 'endpoint runs',
    statements: [
      // One row per run of an endpoint. code: the error, or empty. path: empty if the run failed or was streamed. A batch
      // that is inserted again after an unclear failure is stored once, because its block is the same.
      `CREATE TABLE IF NOT EXISTS db.endpoint_runs (
        project_id UInt32,
        endpoint_id UUID,
        at DateTime64(3, 'UTC'),
        version UInt32,
        code LowCardinality(String),
        path LowCardinality(String),
        duration_ms Float32,
        rows Nullable(UInt64),
        key_label LowCardinality(String),
        run_token_id String,
        variables Array(LowCardinality(String))
      )
      ENGINE = MergeTree
      ORDER BY (project_id, endpoint_id, at)
      TTL toDateTime(at) + INTERVAL 30 DAY
      SETTINGS non_replicated_deduplication_window = 100`,
    ],
  },
  {
    id: 6,
    name: 'index of distinct ids',
    statements: [
      // Finds the few granules with events of a distinct id. The sorting key has its hash, but only after the day.
      'ALTER TABLE db.events ADD INDEX IF NOT EXISTS by_distinct_id distinct_id TYPE bloom_filter GRANULARITY 1',
      'ALTER TABLE db.events MATERIALIZE INDEX by_distinct_id',
    ],
  },
  {
    id: 7,
    name: 'session recordings',
    statements: [
      // One row per megabyte of a chunk. The payload has the events as lines of JSON, decompressed. What is counted of a
      // chunk is in its first part. Readers take one window at a time: with the default granularity, they would read
      // about twenty times as much. A day's partition is dropped as a whole.
      `CREATE TABLE IF NOT EXISTS db.recording_chunks (
        project_id UInt32,
        session_id String,
        window_id String,
        seq UInt64,
        part UInt16,
        distinct_id String,
        first_at DateTime64(3, 'UTC'),
        last_at DateTime64(3, 'UTC'),
        shift_ms Int64,
        is_anchor UInt8,
        is_last_part UInt8,
        events UInt32,
        clicks UInt32,
        keypresses UInt32,
        console_errors UInt32,
        active_slots Array(UInt32),
        urls Array(String),
        policy LowCardinality(String),
        dropped UInt32,
        bytes UInt32,
        payload String CODEC(ZSTD(3)),
        received_at DateTime64(3, 'UTC') DEFAULT now64(3, 'UTC'),
        expires_on Date
      )
      ENGINE = ReplacingMergeTree
      PARTITION BY expires_on
      ORDER BY (project_id, session_id, window_id, seq, part)
      TTL expires_on
      SETTINGS index_granularity = 128, ttl_only_drop_parts = 1`,
    ],
  },
  {
    id: 8,
    name: 'heatmaps',
    statements: [
      // The points of one $$heatmap event on one page, of one type and size of the window. A repeated delivery has the
      // same rows, which replace each other; the time is not in the key, because the clock's correction may differ.
      // Heatmaps of an older design of a page mislead, so points are kept for 90 days.
      `CREATE TABLE IF NOT EXISTS db.heatmaps (
        project_id UInt32,
        url String,
        type LowCardinality(String),
        timestamp DateTime64(3, 'UTC'),
        uuid UUID,
        part UInt16,
        distinct_id String,
        view String,
        viewport_width UInt32,
        viewport_height UInt32,
        page_height UInt32,
        x Array(Int32),
        y Array(Int32),
        fixed Array(UInt8),
        element Array(LowCardinality(String)),
        element_x Array(Float32),
        element_y Array(Float32),
        INDEX by_timestamp timestamp TYPE minmax GRANULARITY 1
      )
      ENGINE = ReplacingMergeTree
      ORDER BY (project_id, url, type, toUInt128(uuid), part)
      TTL toDateTime(timestamp) + INTERVAL 90 DAY`,
    ],
  },
  {
    id: 9,
    name: 'source maps',
    statements: [
      // The gzipped file in Base64, in parts. A part that is inserted again after an unclear failure replaces its copy.
      `CREATE TABLE IF NOT EXISTS db.source_maps (
        project_id UInt32,
        id String,
        hash String,
        part UInt32,
        data String
      )
      ENGINE = ReplacingMergeTree
      ORDER BY (project_id, id, hash, part)
      SETTINGS index_granularity = 1`,
    ],
  },
  {
    id: 10,
    name: 'recorded sessions',
    statements: [
      // A row per chunk when it is inserted, and per session once they are merged. Lists are found here, because a session has
      // up to thousands of chunks. Columns do not change if a chunk is inserted again: nothing is a sum.
      `CREATE TABLE IF NOT EXISTS db.recording_sessions (
        project_id UInt32,
        session_id String,
        distinct_ids SimpleAggregateFunction(groupUniqArrayArray, Array(String)),
        started_at SimpleAggregateFunction(min, DateTime64(3, 'UTC')),
        ended_at SimpleAggregateFunction(max, DateTime64(3, 'UTC')),
        has_errors SimpleAggregateFunction(max, UInt8),
        urls SimpleAggregateFunction(groupUniqArrayArray, Array(String)),
        expires_on Date
      )
      ENGINE = AggregatingMergeTree
      PARTITION BY expires_on
      ORDER BY (project_id, session_id)
      TTL expires_on
      SETTINGS index_granularity = 1024, ttl_only_drop_parts = 1`,
      `INSERT INTO db.recording_sessions (project_id, session_id, distinct_ids, started_at, ended_at, has_errors, urls, expires_on)
        SETTINGS max_partitions_per_insert_block = 0
        SELECT project_id, session_id, groupUniqArray(distinct_id), min(first_at), max(last_at), max(console_errors > 0),
          groupUniqArrayArray(urls), expires_on
        FROM db.recording_chunks GROUP BY project_id, session_id, expires_on`,
    ],
  },
  {
    id: 11,
    name: 'columns of visits',
    statements: [
      // Rows of earlier releases are filled in the background. Until then, the values are computed when they are read.
      `ALTER TABLE db.events
        ${VISIT_COLUMNS.map(([name, type, value]) => `ADD COLUMN IF NOT EXISTS ${name} ${type} MATERIALIZED ${value}`).join(', ')}`,
      `ALTER TABLE db.events
        ${VISIT_COLUMNS.map(([name]) => `MATERIALIZE COLUMN ${name}`).join(', ')}`,
    ],
  },
  {
    id: 12,
    name: 'visits from the service',
    statements: [
      // The engine computes a MATERIALIZED column at each insert, a DEFAULT only for rows that are inserted without it: those
      // of an earlier release, and values that the service leaves to the engine. Stored rows do not change.
      `ALTER TABLE db.events
        ${VISIT_COLUMNS.map(([name, , value]) => `MODIFY COLUMN ${name} DEFAULT ${value}`).join(', ')}`,
    ],
  },
]
