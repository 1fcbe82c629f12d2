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
    id: 20,
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
