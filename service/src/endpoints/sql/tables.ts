import type { Kind } from './kinds.ts'

export interface Column {
  readonly kind: Kind
  /** Its name in storage, when that differs. */
  readonly physical?: string
}

export interface Table {
  readonly database: string
  readonly name: string
  /** The column that says whose a row is. It is in every row of every table, and no query can name it. */
  readonly owner: string
  /** What `*` gives, in this order. */
  readonly columns: Readonly<Record<string, Column>>
}

/** Every table a query may read, by the name it has there. */
export const TABLES: Readonly<Record<string, Table>> = {
  events: {
    database: 'db',
    name: 'events',
    owner: 'project_id',
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
    },
  },
}

/** Column names that no query may use, whatever the table: they keep the projects apart. */
export const RESERVED_COLUMNS: ReadonlySet<string> = new Set(Object.values(TABLES).map((table) => table.owner))
