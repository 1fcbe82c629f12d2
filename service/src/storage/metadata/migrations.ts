/**
 * Migrations of the metadata store. A released migration never changes. The SQL is what SQLite and Postgres share, except
 * the types INTEGER and TEXT, which `store.ts` translates. A migration only adds: processes of the previous release may
 * still use the store.
 */
export const MIGRATIONS: readonly (readonly string[])[] = [
  [
    'CREATE TABLE projects (id INTEGER PRIMARY KEY, name TEXT NOT NULL, token TEXT NOT NULL UNIQUE, created_at TEXT NOT NULL)',
    `CREATE TABLE api_keys (
      id TEXT PRIMARY KEY, project_id INTEGER NOT NULL, label TEXT NOT NULL, hash TEXT NOT NULL UNIQUE, scopes_json TEXT NOT NULL, created_at TEXT NOT NULL)`,
    `CREATE TABLE variables (
      id TEXT PRIMARY KEY, project_id INTEGER NOT NULL, name TEXT NOT NULL, code_name TEXT NOT NULL, type TEXT NOT NULL,
      default_json TEXT NOT NULL, values_json TEXT NOT NULL, created_at TEXT NOT NULL, UNIQUE (project_id, code_name))`,
    `CREATE TABLE endpoints (
      id TEXT PRIMARY KEY, project_id INTEGER NOT NULL, name TEXT NOT NULL, description TEXT NOT NULL, is_active INTEGER NOT NULL,
      current_version INTEGER NOT NULL, created_at TEXT NOT NULL, updated_at TEXT NOT NULL, deleted_at TEXT, last_executed_at TEXT)`,
    'CREATE UNIQUE INDEX endpoints_by_name ON endpoints (project_id, name) WHERE deleted_at IS NULL',
    `CREATE TABLE endpoint_versions (
      id TEXT PRIMARY KEY, endpoint_id TEXT NOT NULL, version INTEGER NOT NULL, query_json TEXT NOT NULL, is_active INTEGER NOT NULL,
      created_at TEXT NOT NULL, updated_at TEXT NOT NULL, UNIQUE (endpoint_id, version))`,
  ],
  [
    `CREATE TABLE flags (
      id INTEGER PRIMARY KEY, project_id INTEGER NOT NULL, key TEXT NOT NULL, name TEXT NOT NULL, is_active INTEGER NOT NULL, filters_json TEXT NOT NULL,
      contexts_json TEXT NOT NULL, version INTEGER NOT NULL, created_at TEXT NOT NULL, updated_at TEXT NOT NULL, deleted_at TEXT)`,
    'CREATE UNIQUE INDEX flags_by_key ON flags (project_id, key) WHERE deleted_at IS NULL',
    'CREATE TABLE settings (project_id INTEGER NOT NULL, name TEXT NOT NULL, value_json TEXT NOT NULL, PRIMARY KEY (project_id, name))',
  ],
  [
    "ALTER TABLE variables ADD COLUMN schema_json TEXT NOT NULL DEFAULT 'null'",
    "ALTER TABLE endpoint_versions ADD COLUMN columns_json TEXT NOT NULL DEFAULT 'null'",
    'ALTER TABLE endpoint_versions ADD COLUMN data_freshness_seconds INTEGER NOT NULL DEFAULT 86400',
  ],
  ["ALTER TABLE projects ADD COLUMN timezone TEXT NOT NULL DEFAULT 'UTC'"],
  [
    'ALTER TABLE projects ADD COLUMN previous_token TEXT',
    'ALTER TABLE projects ADD COLUMN previous_token_until TEXT',
    'CREATE INDEX projects_by_previous_token ON projects (previous_token)',
    "ALTER TABLE api_keys ADD COLUMN mask TEXT NOT NULL DEFAULT ''",
    'ALTER TABLE api_keys ADD COLUMN previous_hash TEXT',
    'ALTER TABLE api_keys ADD COLUMN previous_until TEXT',
    'ALTER TABLE api_keys ADD COLUMN rotated_at TEXT',
    'ALTER TABLE api_keys ADD COLUMN last_used_at TEXT',
    'CREATE INDEX api_keys_by_previous_hash ON api_keys (previous_hash)',
  ],
  [
    'CREATE TABLE group_types (project_id INTEGER NOT NULL, type TEXT NOT NULL, place INTEGER NOT NULL, PRIMARY KEY (project_id, type), UNIQUE (project_id, place))',
  ],
  [
    'CREATE TABLE materializations (version_id TEXT PRIMARY KEY, project_id INTEGER NOT NULL, endpoint_id TEXT NOT NULL, version INTEGER NOT NULL, state_json TEXT NOT NULL)',
  ],
  [
    'CREATE TABLE run_token_secrets (project_id INTEGER PRIMARY KEY, secret TEXT NOT NULL)',
    'CREATE TABLE revoked_run_tokens (project_id INTEGER NOT NULL, id TEXT NOT NULL, until TEXT NOT NULL, PRIMARY KEY (project_id, id))',
  ],
  ['CREATE TABLE epochs (project_id INTEGER PRIMARY KEY, epoch INTEGER NOT NULL)'],
  [
    `CREATE TABLE dashboards (
      id TEXT PRIMARY KEY, project_id INTEGER NOT NULL, name TEXT NOT NULL, description TEXT NOT NULL, variables_json TEXT NOT NULL,
      tiles_json TEXT NOT NULL, version INTEGER NOT NULL, created_at TEXT NOT NULL, updated_at TEXT NOT NULL)`,
    'CREATE INDEX dashboards_by_project ON dashboards (project_id)',
  ],
  [
    'CREATE TABLE console_links (hash TEXT PRIMARY KEY, key_id TEXT NOT NULL, key_hash TEXT NOT NULL, expires_at TEXT NOT NULL)',
    'CREATE TABLE console_sessions (hash TEXT PRIMARY KEY, key_id TEXT NOT NULL, key_hash TEXT NOT NULL, created_at TEXT NOT NULL, used_at TEXT NOT NULL)',
  ],
  [
    'CREATE TABLE deleted_recordings (project_id INTEGER NOT NULL, session_id TEXT NOT NULL, until TEXT NOT NULL, PRIMARY KEY (project_id, session_id))',
  ],
  [
    `CREATE TABLE error_issues (
      id TEXT PRIMARY KEY, project_id INTEGER NOT NULL, type TEXT NOT NULL, value TEXT NOT NULL, culprit TEXT NOT NULL, state TEXT NOT NULL,
      created_at TEXT NOT NULL, resolved_at TEXT, resolved_release TEXT, reopened_at TEXT)`,
    'CREATE INDEX error_issues_by_project ON error_issues (project_id)',
    'CREATE TABLE error_fingerprints (project_id INTEGER NOT NULL, fingerprint TEXT NOT NULL, issue_id TEXT NOT NULL, PRIMARY KEY (project_id, fingerprint))',
    'CREATE INDEX error_fingerprints_by_issue ON error_fingerprints (issue_id)',
    `CREATE TABLE error_stacks (
      project_id INTEGER NOT NULL, stack TEXT NOT NULL, fingerprint TEXT NOT NULL, map_ids TEXT NOT NULL, is_stale INTEGER NOT NULL,
      PRIMARY KEY (project_id, stack))`,
    `CREATE TABLE source_maps (
      project_id INTEGER NOT NULL, id TEXT NOT NULL, hash TEXT NOT NULL, bytes INTEGER NOT NULL, parts INTEGER NOT NULL, created_at TEXT NOT NULL,
      PRIMARY KEY (project_id, id))`,
  ],
  [
    `CREATE TABLE surveys (
      id TEXT PRIMARY KEY, project_id INTEGER NOT NULL, name TEXT NOT NULL, definition_json TEXT NOT NULL, start_date TEXT, end_date TEXT,
      created_at TEXT NOT NULL, updated_at TEXT NOT NULL)`,
    'CREATE UNIQUE INDEX surveys_by_name ON surveys (project_id, name)',
    `CREATE TABLE survey_responses (
      project_id INTEGER NOT NULL, survey_id TEXT NOT NULL, submission_id TEXT NOT NULL, PRIMARY KEY (project_id, survey_id, submission_id))`,
  ],
  ['ALTER TABLE error_issues ADD COLUMN ignored_until INTEGER'],
  [
    "ALTER TABLE projects ADD COLUMN toolbar_origins_json TEXT NOT NULL DEFAULT '[]'",
    `CREATE TABLE toolbar_codes (
      hash TEXT PRIMARY KEY, project_id INTEGER NOT NULL, key_id TEXT NOT NULL, key_hash TEXT NOT NULL, origin TEXT NOT NULL, expires_at TEXT NOT NULL)`,
    `CREATE TABLE toolbar_sessions (
      hash TEXT PRIMARY KEY, project_id INTEGER NOT NULL, key_id TEXT NOT NULL, key_hash TEXT NOT NULL, origin TEXT NOT NULL,
      is_same_origin INTEGER NOT NULL, code_hash TEXT, code_expires_at TEXT NOT NULL, created_at TEXT NOT NULL, used_at TEXT)`,
  ],
  ['CREATE INDEX error_stacks_by_fingerprint ON error_stacks (project_id, fingerprint)'],
  [
    `CREATE TABLE shares (
      id TEXT PRIMARY KEY, project_id INTEGER NOT NULL, token_hash TEXT NOT NULL UNIQUE, definition_json TEXT NOT NULL, origins_json TEXT NOT NULL,
      note TEXT NOT NULL, password_hash TEXT, owner_key_id TEXT NOT NULL, created_at TEXT NOT NULL, updated_at TEXT NOT NULL,
      expires_at TEXT NOT NULL, revoked_at TEXT)`,
    'CREATE INDEX shares_by_project ON shares (project_id)',
  ],
  [
    'CREATE TABLE retention (project_id INTEGER PRIMARY KEY, state_json TEXT NOT NULL)',
    `CREATE TABLE deletions (
      id TEXT PRIMARY KEY, project_id INTEGER NOT NULL, kind TEXT NOT NULL, state TEXT NOT NULL, target_json TEXT NOT NULL, result_json TEXT NOT NULL,
      actor TEXT NOT NULL, created_at TEXT NOT NULL, ended_at TEXT, claimed_until TEXT)`,
    'CREATE INDEX deletions_by_project ON deletions (project_id, created_at)',
    'CREATE TABLE erasures (project_id INTEGER NOT NULL, id_hash TEXT NOT NULL, erased_at TEXT NOT NULL, with_events INTEGER NOT NULL, PRIMARY KEY (project_id, id_hash))',
    'CREATE INDEX erasures_by_time ON erasures (project_id, erased_at)',
  ],
  [
    `CREATE TABLE imports (
      id TEXT PRIMARY KEY, project_id INTEGER NOT NULL, source TEXT NOT NULL, state TEXT NOT NULL, position_json TEXT NOT NULL, error TEXT,
      created_at TEXT NOT NULL, changed_at TEXT NOT NULL)`,
    'CREATE INDEX imports_by_project ON imports (project_id, created_at)',
  ],
  ["ALTER TABLE imports ADD COLUMN days_json TEXT NOT NULL DEFAULT '{}'"],
]
