/** Rows as the relational store holds them. Times are ISO strings; `*_json` holds JSON text. */
export interface Tables {
  projects: {
    id: number
    name: string
    token: string
    created_at: string
    timezone: string
    previous_token: string | null
    previous_token_until: string | null
  }
  api_keys: {
    id: string
    /** 0: of every project. */
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
  /** What is stored for versions of endpoints that are materialized. */
  materializations: { version_id: string; project_id: number; endpoint_id: string; version: number; state_json: string }
  settings: { project_id: number; name: string; value_json: string }
  group_types: { project_id: number; type: string; place: number }
  /** What signs a project's run tokens. It has to be known to check them, so it is no hash. */
  run_token_secrets: { project_id: number; secret: string }
  revoked_run_tokens: { project_id: number; id: string; until: string }
  /** How often a project's events may have changed, for what is kept of answers. */
  epochs: { project_id: number; epoch: number }
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
  settings: true,
  group_types: true,
  run_token_secrets: true,
  revoked_run_tokens: true,
  // Of what running processes have kept; a restore begins without any.
  epochs: false,
  // A store has those of its own making.
  steps: false,
} as const satisfies Readonly<Record<keyof Tables, boolean>>

/** The tables of what people have defined, which go from one store to another. */
export const DEFINED = (Object.keys(IN_BACKUPS) as (keyof Tables)[]).filter((table) => IN_BACKUPS[table])

/**
 * The store's schema in numbered steps; a step that has shipped never changes. In words that SQLite and Postgres share, but for
 * the types INTEGER and TEXT, which `store.ts` spells out. A step only adds: processes of the release before may be at work.
 */
export const STEPS: readonly (readonly string[])[] = [
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
]
