/** One step of the events' schema. A step that has shipped never changes; what comes after it is a new step. */
export interface Migration {
  readonly id: number
  readonly name: string
  readonly statements: readonly string[]
}

/** In order of `id`. Each statement may be run again after a crash between two of them. */
export const MIGRATIONS: readonly Migration[] = [
  {
    id: 1,
    name: 'events',
    statements: [
      // The projection answers "which of these ids are stored?" from a few granules: ids of version 7 sort by time as
      // numbers, so the ids of one batch lie side by side. (As UUIDs they sort by their random half.)
      // max_dynamic_paths: every property beyond them is kept just as well, in one shared column; each one within them
      // costs files and merge memory per part.
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
      // What was said of persons: for each property the latest $set (or $unset, whose value is empty), the earliest and the latest
      // $set_once, as (ms since 1970, JSON text). Rows of one key become one in the background, and it makes no difference how often and in
      // which order they came. The property without a name stands for the person itself, its earliest time for when it was first seen.
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
      // What was said of who is who, each fact under both of its ids, so that the facts around an id are found from either side.
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
      // What follows from it: the person of an id, named by that person's main id. Ids that were never merged have no row. version: how many
      // facts it follows from, so that of two writers the one that has seen more is believed.
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
    name: 'refused events',
    statements: [
      // A month is enough to see what a page sends wrong and mend it. The ids are of version 7, as text: so they sort by time.
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
]
