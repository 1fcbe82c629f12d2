import { queryInParts } from '../lib/parts.ts'
import type { IdentityRow } from '../persons/facts.ts'
import type { RecentIds } from './recentIds.ts'
import { insertAll, linesOf } from '../storage/insertRows.ts'
import { SMALL_READ, type Storage } from '../storage/storage.ts'

/** The fields of an event that are needed while it waits. Its columns are in its line. */
export interface Row extends IdentityRow {
  /** Index of the event in its body, from 0. */
  readonly index: number
  /** The uuid as it was sent. Undefined: the service generated one. */
  readonly sentUuid: string | undefined
  /** Its properties that are objects or arrays. */
  readonly structured: readonly string[]
}

/** A row that the engine will never accept, with its line. */
export interface Unstorable {
  readonly row: Row
  /** JSON, with the line break after it. */
  readonly line: Buffer
}

/** Rows with their lines, in the same order. */
export interface Lines {
  readonly rows: readonly Row[]
  /** One line of JSON per row, with a line break after each. */
  readonly lines: Buffer
}

export interface BatchHooks {
  /** Called with rows before they are stored, to update persons and groups. May be called again for the same rows. */
  readonly before: (rows: readonly Row[]) => Promise<void>
  /** Called before rows of a project are stored. If it rejects, the batch is retried. */
  readonly onStoring: (projectId: number) => Promise<void>
  /**
   * Called when rows of a project may have become visible, before their senders get a response. If it rejects, the
   * batch is retried.
   */
  readonly onChange: (projectId: number) => Promise<void>
  /** Called after each batch. */
  readonly onBatch: (batch: { readonly stored: number; readonly repeats: number; readonly seconds: number }) => void
  /** Called after rows were inserted. */
  readonly onInserted: () => void
  /** Absent: the engine looks up every id, because another process may store events. */
  readonly recentIds: RecentIds | undefined
}

/**
 * Stores a batch whose ids no other batch has. Resolves, for each of its deliveries, with the rows that the engine will
 * never accept. On a retry, `isFirstTry` is false: an earlier try may have stored rows whose ids the service generated.
 */
export type StoreBatch = (
  batch: readonly Lines[],
  options: { readonly isFirstTry: boolean },
) => Promise<readonly (readonly Unstorable[])[]>

// Maximum rejected rows that are retried one by one.
const MAX_ALONE = 20

const keyOf = ({ projectId, uuid }: Row) => `${projectId}:${uuid}`

const toSingles = ({ rows, lines }: Lines): Unstorable[] => {
  const each = linesOf(lines)
  return rows.map((row, place) => ({ row, line: each[place]! }))
}

export const createStoreBatch = (
  storage: Pick<Storage, 'rows' | 'insert'>,
  { before, onStoring, onChange, onBatch, onInserted, recentIds }: BatchHooks,
): StoreBatch => {
  /** Returns those of the rows that the engine has stored. */
  const findStored = async (rows: readonly Row[]): Promise<Row[]> => {
    const byKey = new Map(rows.map((row) => [keyOf(row), row]))
    const found: Row[] = []
    for (const projectId of new Set(rows.map((row) => row.projectId))) {
      const uuids = rows.flatMap((row) => (row.projectId === projectId ? [row.uuid] : []))
      const stored = await queryInParts(uuids, (ids) =>
        storage.rows<{ uuid: string }>(
          {
            text: 'SELECT DISTINCT uuid FROM db.events WHERE project_id = {projectId:UInt32} AND uuid IN {ids:Array(UUID)}',
            params: { projectId, ids },
          },
          SMALL_READ,
        ),
      )
      for (const { uuid } of stored) found.push(byKey.get(`${projectId}:${uuid}`)!)
    }
    return found
  }

  /** Returns the rows whose id is stored or in an earlier row of the batch. */
  const repeatsOf = async (rows: readonly Row[]): Promise<ReadonlySet<Row>> => {
    const repeats = new Set<Row>()
    const keys = new Set<string>()
    const unknown: Row[] = []
    if (rows.length) await recentIds?.load()
    for (const row of rows) {
      const key = keyOf(row)
      const isRepeat = keys.has(key) || recentIds?.isStored(row)
      if (isRepeat) repeats.add(row)
      else if (isRepeat === undefined) unknown.push(row)
      keys.add(key)
    }
    for (const row of await findStored(unknown)) repeats.add(row)
    return repeats
  }

  /** Returns those of the rows that the engine has not stored. */
  const missingOf = async (rows: readonly Unstorable[]): Promise<readonly Unstorable[]> => {
    const stored = new Set(await findStored(rows.map(({ row }) => row)))
    return rows.filter(({ row }) => !stored.has(row))
  }

  /** Inserts the rows of a batch that are not repeats. Resolves with those that the engine rejects. */
  const insert = async (batch: readonly Lines[], repeats: ReadonlySet<Row>): Promise<readonly Unstorable[]> => {
    const fresh = (each: Lines) => toSingles(each).filter(({ row }) => !repeats.has(row))
    const parts = batch.map((each) =>
      each.rows.some((row) => repeats.has(row)) ? Buffer.concat(fresh(each).map(({ line }) => line)) : each.lines,
    )
    if (await insertAll(storage, 'db.events', Buffer.concat(parts))) return []
    const missing = await missingOf(batch.flatMap(fresh))
    if (missing.length > MAX_ALONE) return missing
    // A truncated line corrupts the next one. Inserting each line alone finds the truncated one.
    for (const { line } of missing) await insertAll(storage, 'db.events', line)
    return missingOf(missing)
  }

  return async (batch, { isFirstTry }) => {
    const startedAt = performance.now()
    const all = batch.flatMap(({ rows }) => rows)
    // An id that the service has just generated is new, unless an earlier try stored it.
    const repeats = await repeatsOf(isFirstTry ? all.filter(({ sentUuid }) => sentUuid !== undefined) : all)
    const fresh = repeats.size ? all.filter((row) => !repeats.has(row)) : all
    const projects = [...new Set(all.map((row) => row.projectId))]
    let unstorable: readonly Unstorable[] = []
    /** Keys of the unstorable rows. */
    const keys = new Set<string>()
    try {
      await Promise.all(projects.map(onStoring))
      // Before the insert, because a retry skips rows that are stored.
      await before(fresh)
      if (fresh.length) {
        unstorable = await insert(batch, repeats)
        for (const { row } of unstorable) keys.add(keyOf(row))
        recentIds?.add(keys.size ? fresh.filter((row) => !keys.has(keyOf(row))) : fresh)
        onInserted()
      }
    } catch (error) {
      recentIds?.forget()
      throw error
    } finally {
      // Called after a failure too, because the rows may be stored already, and for repeats, because their first insert
      // may have failed after storing them.
      await Promise.all(projects.map(onChange))
    }
    onBatch({
      stored: fresh.length - unstorable.length,
      repeats: all.length - fresh.length,
      seconds: (performance.now() - startedAt) / 1_000,
    })
    return batch.map((each) => (keys.size ? toSingles(each).filter(({ row }) => keys.has(keyOf(row))) : []))
  }
}
