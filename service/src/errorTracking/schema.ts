import type { Schema } from '../storage/schema/schema.ts'

/** Table of source maps. */
export const SOURCE_MAP_SCHEMA: Schema = {
  tables: [{ name: 'source_maps', shardedBy: 'cityHash64(project_id, id)' }],
  migrations: [
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
  ],
}
