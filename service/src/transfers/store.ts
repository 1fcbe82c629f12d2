import { randomUUID } from 'node:crypto'
import type { Selectable } from 'kysely'
import { type MetadataContext, now } from '../storage/metadata/context.ts'
import type { Tables } from '../storage/metadata/tables.ts'

export type ImportState = 'running' | 'stopped' | 'done' | 'undone'

/** Rows of an import, by what became of them. */
export interface ImportCounts {
  readonly read: number
  /** Accepted by the service: stored, or repeated. */
  readonly accepted: number
  readonly refused: Readonly<Record<string, number>>
}

/** How far an import is. */
export interface ImportPosition {
  /** Files that are imported as a whole. */
  readonly files: readonly string[]
  /** Rows of the current file that are delivered. */
  readonly line: number
  readonly counts: ImportCounts
}

export interface ImportRecord {
  readonly id: string
  readonly projectId: number
  readonly source: string
  readonly state: ImportState
  readonly position: ImportPosition
  readonly error: string | null
  readonly createdAt: string
  readonly changedAt: string
}

export const BEGIN: ImportPosition = { files: [], line: 0, counts: { read: 0, accepted: 0, refused: {} } }

export interface ImportStore {
  add(projectId: number, source: string): Promise<ImportRecord>
  get(projectId: number, id: string): Promise<ImportRecord | undefined>
  /** Lists the newest imports of a project, newest first. */
  list(projectId: number, limit: number): Promise<readonly ImportRecord[]>
  change(id: string, changes: Partial<Pick<ImportRecord, 'state' | 'position' | 'error'>>): Promise<void>
}

const toRecord = (row: Selectable<Tables['imports']>): ImportRecord => ({
  id: row.id,
  projectId: row.project_id,
  source: row.source,
  state: row.state as ImportState,
  position: JSON.parse(row.position_json) as ImportPosition,
  error: row.error,
  createdAt: row.created_at,
  changedAt: row.changed_at,
})

export const createImportStore = ({ db }: MetadataContext): ImportStore => ({
  async add(projectId, source) {
    const at = now()
    const row: Selectable<Tables['imports']> = {
      id: randomUUID(),
      project_id: projectId,
      source,
      state: 'running',
      position_json: JSON.stringify(BEGIN),
      error: null,
      created_at: at,
      changed_at: at,
    }
    await db.insertInto('imports').values(row).execute()
    return toRecord(row)
  },
  async get(projectId, id) {
    const row = await db
      .selectFrom('imports')
      .selectAll()
      .where('project_id', '=', projectId)
      .where('id', '=', id)
      .executeTakeFirst()
    return row && toRecord(row)
  },
  async list(projectId, limit) {
    const rows = await db
      .selectFrom('imports')
      .selectAll()
      .where('project_id', '=', projectId)
      .orderBy('created_at', 'desc')
      .orderBy('id', 'desc')
      .limit(limit)
      .execute()
    return rows.map(toRecord)
  },
  async change(id, { state, position, error }) {
    await db
      .updateTable('imports')
      .set({
        changed_at: now(),
        ...(state ? { state } : {}),
        ...(position ? { position_json: JSON.stringify(position) } : {}),
        ...(error === undefined ? {} : { error }),
      })
      .where('id', '=', id)
      .execute()
  },
})
