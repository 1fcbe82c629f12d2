/** Every table of the engine whose rows belong to projects, each by its `project_id`. Queries see no other project's rows of them. */
export const PROJECT_TABLES = [
  'events',
  'person_properties',
  'person_merges',
  'person_distinct_ids',
  'group_properties',
  'refused_events',
] as const
