import { randomUUID } from 'node:crypto'
import type { Selectable } from 'kysely'
import { type MetadataContext, now } from '../storage/metadata/context.ts'
import type { Tables } from '../storage/metadata/tables.ts'
import type { DayCounts } from './dayCounts.ts'

export type ImportState = 'running' | 'stopped' | 'done' | 'undone'

/** Rows of an import, by what became of them. */
export interface ImportCounts {
  readonly read: number
  /** Accepted by the service: stored, or repeated. */
  readonly accepted: number
  readonly refused: Readonly<Record<string, number>>
}

/** Progress of an import. */
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
  /** Resolves with the counts of an import by day and event. */
  days(projectId: number, id: string): Promise<DayCounts>
  change(
    id: string,
    changes: Partial<Pick<ImportRecord, 'state' | 'position' | 'error'>> & { readonly days?: DayCounts },
  ): Promise<void>
}

const COLUMNS = [
  'id',
  'project_id',
  'source',
  'state',
  'position_json',
  'error',
  'created_at',
  'changed_at',
] as const satisfies readonly (keyof Tables['imports'])[]

const toRecord = (row: Pick<Selectable<Tables['imports']>, (typeof COLUMNS)[number]>): ImportRecord => ({
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
      days_json: '{}',
    }
    await db.insertInto('imports').values(row).execute()
    return toRecord(row)
  },
  async get(projectId, id) {
    const row = await db
      .selectFrom('imports')
      .select(COLUMNS)
      .where('project_id', '=', projectId)
      .where('id', '=', id)
      .executeTakeFirst()
    return row && toRecord(row)
  },
  async list(projectId, limit) {
    const rows = await db
      .selectFrom('imports')
      .select(COLUMNS)
      .where('project_id', '=', projectId)
      .orderBy('created_at', 'desc')
      .orderBy('id', 'desc')
      .limit(limit)
      .execute()
    return rows.map(toRecord)
  },
  async days(projectId, id) {
    const row = await db
      .selectFrom('imports')
      .select('days_json')
      .where('project_id', '=', projectId)
      .where('id', '=', id)
      .executeTakeFirst()
    return row ? (JSON.parse(row.days_json) as DayCounts) : {}
  },
  async change(id, { state, position, error, days }) {
    await db
      .updateTable('imports')
      .set({
        changed_at: now(),
        ...(state ? { state } : {}),
        ...(position ? { position_json: JSON.stringify(position) } : {}),
        ...(days ? { days_json: JSON.stringify(days) } : {}),
        ...(error === undefined ? {} : { error }),
      })
      .where('id', '=', id)
      .execute()
  },
})
