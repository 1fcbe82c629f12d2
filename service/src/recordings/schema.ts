import type { Schema } from '../storage/schema/schema.ts'

/** Tables of session recordings. */
export const RECORDING_SCHEMA: Schema = {
  tables: [
    { name: 'recording_chunks', shardedBy: 'cityHash64(project_id, session_id)' },
    { name: 'recording_sessions', shardedBy: 'cityHash64(project_id, session_id)' },
  ],
  migrations: [
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
  ],
}
