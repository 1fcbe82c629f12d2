import { BY_PERSON, type Schema } from './schema.ts'
import { VISIT_COLUMNS } from './visitColumns.ts'

/** Tables of events, persons and groups. */
export const CORE_SCHEMA: Schema = {
  tables: [
    { name: 'events', shardedBy: BY_PERSON, hasEvents: true },
    { name: 'person_properties', shardedBy: BY_PERSON },
    { name: 'person_merges', shardedBy: BY_PERSON },
    { name: 'person_distinct_ids', shardedBy: BY_PERSON },
    { name: 'group_properties', shardedBy: 'cityHash64(project_id, group_type_index, group_key)' },
    { name: 'refused_events', shardedBy: 'cityHash64(project_id, id)', hasEvents: true },
  ],
  migrations: [
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
      id: 6,
      name: 'index of distinct ids',
      statements: [
        // Finds the few granules with events of a distinct id. The sorting key has its hash, but only after the day.
        'ALTER TABLE db.events ADD INDEX IF NOT EXISTS by_distinct_id distinct_id TYPE bloom_filter GRANULARITY 1',
        'ALTER TABLE db.events MATERIALIZE INDEX by_distinct_id',
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
  ],
}
