import type { Schema } from '../storage/schema/schema.ts'

/** Table of runs. */
export const RUN_SCHEMA: Schema = {
  tables: [
    // A batch has the same rows for a shard each time it is inserted, so that the shard recognizes a repetition.
    { name: 'endpoint_runs', shardedBy: 'cityHash64(project_id, endpoint_id)' },
  ],
  migrations: [
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
  ],
}
