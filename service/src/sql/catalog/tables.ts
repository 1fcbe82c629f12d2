import type { Kind } from './kinds.ts'

export interface Column {
  readonly kind: Kind
  /** The name in storage, if it differs. */
  readonly physical?: string
  /** Whether `*` omits the column, because it costs a join or few queries need it. */
  readonly isExtra?: boolean
}

/** A stored table. */
export interface Stored {
  readonly database: string
  readonly name: string
  /** The column with the project's id. Every table has it, and no query can name it. */
  readonly owner: string
}

/** A stored table that queries read directly. */
export interface Table extends Stored {
  /** The columns of `*`, in this order. */
  readonly columns: Readonly<Record<string, Column>>
}

const stored = (name: string): Stored => ({ database: 'db', name, owner: 'project_id' })

/** Stored tables that other tables are derived from. */
export const PERSON_PROPERTIES = stored('person_properties')
export const PERSON_DISTINCT_IDS = stored('person_distinct_ids')
export const GROUP_PROPERTIES = stored('group_properties')

/** The number of group types that an event has columns for. */
export const MAX_GROUP_TYPES = 5

const extra = (kind: Kind): Column => ({ kind, isExtra: true })

export const EVENTS: Table = {
  ...stored('events'),
  columns: {
    uuid: { kind: 'uuid' },
    event: { kind: 'text' },
    distinct_id: { kind: 'text' },
    timestamp: { kind: 'time' },
    properties: { kind: 'json' },
    elements_chain: { kind: 'text' },
    $session_id: { kind: 'text' },
    $window_id: { kind: 'text' },
    created_at: { kind: 'time', physical: 'inserted_at' },
    $group_0: extra('text'),
    $group_1: extra('text'),
    $group_2: extra('text'),
    $group_3: extra('text'),
    $group_4: extra('text'),
  },
}

/**
 * Columns that are computed from `properties` when an event is stored (migrations 11 and 12). Reading them takes a
 * fraction of the time of the properties. Queries do not name them: the tables of visits read them.
 */
export type VisitColumn =
  | 'repeats_arrival'
  | 'arrival'
  | 'entry_pathname'
  | 'pathname'
  | 'prev_pathname'
  | 'prev_seconds'
  | 'prev_seen'

/** Every table that a query may read, with its columns, by its name in queries. */
export const TABLES = {
  events: { ...EVENTS.columns, person_id: extra('uuid') },
  persons: {
    id: { kind: 'uuid' },
    created_at: { kind: 'time' },
    properties: { kind: 'property' },
    is_identified: { kind: 'boolean' },
  },
  person_distinct_ids: { distinct_id: { kind: 'text' }, person_id: { kind: 'uuid' } },
  groups: {
    index: { kind: 'number' },
    key: { kind: 'text' },
    created_at: { kind: 'time' },
    updated_at: { kind: 'time' },
    properties: { kind: 'property' },
  },
  sessions: {
    session_id: { kind: 'text' },
    distinct_id: { kind: 'text' },
    $start_timestamp: { kind: 'time' },
    $end_timestamp: { kind: 'time' },
    $session_duration: { kind: 'number' },
    $entry_current_url: { kind: 'property' },
    $entry_pathname: { kind: 'property' },
    $entry_referring_domain: { kind: 'property' },
    $entry_utm_source: { kind: 'property' },
    $entry_utm_medium: { kind: 'property' },
    $entry_utm_campaign: { kind: 'property' },
    $entry_utm_term: { kind: 'property' },
    $entry_utm_content: { kind: 'property' },
    $exit_current_url: { kind: 'property' },
    $exit_pathname: { kind: 'property' },
    $pageview_count: { kind: 'number' },
    $screen_count: { kind: 'number' },
    $autocapture_count: { kind: 'number' },
    $event_count: { kind: 'number' },
    $is_bounce: { kind: 'boolean' },
    $channel_type: { kind: 'text' },
  },
} as const satisfies Record<string, Readonly<Record<string, Column>>>

export type TableName = keyof typeof TABLES

/** The rows related to an event: its person, session and groups. `person.id` is a column of `persons`. */
export const RELATED: Readonly<Record<string, TableName>> = {
  person: 'persons',
  session: 'sessions',
  group_0: 'groups',
  group_1: 'groups',
  group_2: 'groups',
  group_3: 'groups',
  group_4: 'groups',
}

/** Column names that no query may use in any table: they separate the projects. */
export const RESERVED_COLUMNS: ReadonlySet<string> = new Set([EVENTS.owner])
