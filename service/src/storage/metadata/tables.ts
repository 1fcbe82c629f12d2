/** Rows of the metadata store. Times are ISO strings. `*_json` columns hold JSON. */
export interface Tables {
  projects: {
    id: number
    name: string
    token: string
    created_at: string
    timezone: string
    previous_token: string | null
    previous_token_until: string | null
    toolbar_origins_json: string
  }
  api_keys: {
    id: string
    /** 0: valid for all projects. */
    project_id: number
    label: string
    hash: string
    scopes_json: string
    created_at: string
    mask: string
    previous_hash: string | null
    previous_until: string | null
    rotated_at: string | null
    last_used_at: string | null
  }
  variables: {
    id: string
    project_id: number
    name: string
    code_name: string
    type: string
    default_json: string
    values_json: string
    schema_json: string
    created_at: string
  }
  endpoints: {
    id: string
    project_id: number
    name: string
    description: string
    is_active: number
    current_version: number
    created_at: string
    updated_at: string
    deleted_at: string | null
    last_executed_at: string | null
  }
  endpoint_versions: {
    id: string
    endpoint_id: string
    version: number
    query_json: string
    columns_json: string
    data_freshness_seconds: number
    is_active: number
    created_at: string
    updated_at: string
  }
  flags: {
    id: number
    project_id: number
    key: string
    name: string
    is_active: number
    filters_json: string
    contexts_json: string
    version: number
    created_at: string
    updated_at: string
    deleted_at: string | null
  }
  /** States of the endpoint versions that are materialized. */
  materializations: { version_id: string; project_id: number; endpoint_id: string; version: number; state_json: string }
  dashboards: {
    id: string
    project_id: number
    name: string
    description: string
    variables_json: string
    tiles_json: string
    version: number
    created_at: string
    updated_at: string
  }
  /** Links to dashboards and endpoints. `token_hash`: hash of the secret in the link. */
  shares: {
    id: string
    project_id: number
    token_hash: string
    definition_json: string
    origins_json: string
    note: string
    password_hash: string | null
    owner_key_id: string
    created_at: string
    updated_at: string
    expires_at: string
    revoked_at: string | null
  }
  settings: { project_id: number; name: string; value_json: string }
  group_types: { project_id: number; type: string; place: number }
  /** Secrets that sign run tokens. Checking a token takes the secret itself, so it is not hashed. */
  run_token_secrets: { project_id: number; secret: string }
  revoked_run_tokens: { project_id: number; id: string; until: string }
  /** Sessions whose late chunks are refused. */
  deleted_recordings: { project_id: number; session_id: string; until: string }
  /** Counts how often a project's events may have changed. Invalidates cached results. */
  epochs: { project_id: number; epoch: number }
  /** One-time links to the console. `key_hash`: hash of the key's secret when the link was created. */
  console_links: { hash: string; key_id: string; key_hash: string; expires_at: string }
  /** Sessions of the console. `key_hash`: hash of the key's secret that the session began with. */
  console_sessions: { hash: string; key_id: string; key_hash: string; created_at: string; used_at: string }
  /** Groups of errors. `resolved_release`: the newest release at that moment, '' if there was none. */
  error_issues: {
    id: string
    project_id: number
    type: string
    value: string
    culprit: string
    state: string
    created_at: string
    resolved_at: string | null
    resolved_release: string | null
    reopened_at: string | null
    ignored_until: number | null
  }
  error_fingerprints: { project_id: number; fingerprint: string; issue_id: string }
  /** Fingerprints of stacks. `map_ids`: the debug ids of its files, each between spaces. `is_stale`: a source map came later. */
  error_stacks: { project_id: number; stack: string; fingerprint: string; map_ids: string; is_stale: number }
  /** The event store has their content, in `parts` rows. */
  source_maps: { project_id: number; id: string; hash: string; bytes: number; parts: number; created_at: string }
  surveys: {
    id: string
    project_id: number
    name: string
    definition_json: string
    start_date: string | null
    end_date: string | null
    created_at: string
    updated_at: string
  }
  /** Completed submissions of surveys with a limit of responses. */
  survey_responses: { project_id: number; survey_id: string; submission_id: string }
  /** Retention policy of a project, and its hidden data. */
  retention: { project_id: number; state_json: string }
  /** Deletions by condition or age, and changes of the retention policy. Finished ones are receipts. */
  deletions: {
    id: string
    project_id: number
    kind: string
    state: string
    target_json: string
    result_json: string
    actor: string
    created_at: string
    ended_at: string | null
    claimed_until: string | null
  }
  /** Hashes of the ids of erased persons. `with_events`: whether their events were deleted. */
  erasures: { project_id: number; id_hash: string; erased_at: string; with_events: number }
  /** Imports and how far they are. */
  imports: {
    id: string
    project_id: number
    source: string
    state: string
    position_json: string
    error: string | null
    created_at: string
    changed_at: string
    days_json: string
  }
  toolbar_codes: {
    hash: string
    project_id: number
    key_id: string
    key_hash: string
    origin: string
    expires_at: string
  }
  toolbar_sessions: {
    hash: string
    project_id: number
    key_id: string
    key_hash: string
    origin: string
    is_same_origin: number
    /** The code that started the session. null: it cannot start another one. */
    code_hash: string | null
    code_expires_at: string
    created_at: string
    /** null: the session was never used. */
    used_at: string | null
  }
  /** Migrations that have run. */
  steps: { id: number }
}

const IN_BACKUPS = {
  projects: true,
  api_keys: true,
  variables: true,
  endpoints: true,
  endpoint_versions: true,
  flags: true,
  materializations: true,
  dashboards: true,
  shares: true,
  settings: true,
  group_types: true,
  run_token_secrets: true,
  revoked_run_tokens: true,
  deleted_recordings: true,
  error_issues: true,
  error_fingerprints: true,
  error_stacks: true,
  source_maps: true,
  surveys: true,
  survey_responses: true,
  retention: true,
  deletions: true,
  erasures: true,
  imports: true,
  // Describes the caches of running processes, which a restore starts without.
  epochs: false,
  // People sign in again after a restore.
  console_links: false,
  console_sessions: false,
  toolbar_codes: false,
  toolbar_sessions: false,
  // Each store records its own migrations.
  steps: false,
} as const satisfies Readonly<Record<keyof Tables, boolean>>

/** Tables that a backup contains. */
export const TABLES_IN_BACKUPS = (Object.keys(IN_BACKUPS) as (keyof Tables)[]).filter((table) => IN_BACKUPS[table])
