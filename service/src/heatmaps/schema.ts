import { BY_PERSON, type Schema } from '../storage/schema/schema.ts'

/** Table of heatmaps. */
export const HEATMAP_SCHEMA: Schema = {
  tables: [
    // Rows with the same uuid are on the same shard, where one replaces the other.
    { name: 'heatmaps', shardedBy: BY_PERSON, hasEvents: true },
  ],
  migrations: [
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
  ],
}
