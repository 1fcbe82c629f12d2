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
    name: 'what came last',
    statements: [
      // Finds the events that came after a moment without reading all of them: parts are sorted by day, so late events are in few granules.
      'ALTER TABLE db.events ADD INDEX IF NOT EXISTS by_inserted_at inserted_at TYPE minmax GRANULARITY 1',
      'ALTER TABLE db.events MATERIALIZE INDEX by_inserted_at',
    ],
  },
]
