/** Tables whose rows belong to projects, by `project_id`. Queries can only read rows of their own project. */
export const PROJECT_TABLES = [
  'events',
  'person_properties',
  'person_merges',
  'person_distinct_ids',
  'group_properties',
  'refused_events',
  'heatmaps',
  'endpoint_runs',
  'recording_chunks',
  'recording_sessions',
  'source_maps',
] as const
