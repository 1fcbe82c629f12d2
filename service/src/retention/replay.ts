import { inParts } from '../lib/parts.ts'
import { SMALL_READ, type Storage } from '../storage/storage.ts'
import { hashOfColumn } from './journal.ts'
import type { Journal } from './journalFile.ts'
import type { Target } from './target.ts'
import { conditionsOf } from './target.ts'

const LIMITS = { maxSeconds: 3_000, maxMemoryBytes: 2_000_000_000 }

const isHashed = (column: string) => `${hashOfColumn(column)} IN {hashes:Array(String)}`

/** Which rows of tables belong to erased ids, besides rows of events. */
const ROWS_OF_PERSONS: Readonly<Record<string, string>> = {
  person_properties: isHashed('distinct_id'),
  person_distinct_ids: isHashed('distinct_id'),
  person_merges: `${isHashed('from_id')} OR ${isHashed('into_id')}`,
  // Sessions first: they are found by their chunks.
  recording_sessions: `session_id IN (SELECT session_id FROM db.recording_chunks WHERE project_id = {projectId:UInt32} AND ${isHashed('distinct_id')})`,
  recording_chunks: isHashed('distinct_id'),
}

interface Step {
  readonly table: string
  readonly where: string
  readonly params: { readonly projectId: number; readonly [name: string]: unknown }
}

const stepsOf = ({ erasures, deletions }: Journal, tables: Tables): Step[] => {
  const steps: Step[] = []
  for (const projectId of new Set(erasures.map((each) => each.projectId))) {
    const own = erasures.filter((each) => each.projectId === projectId)
    const add = (rows: Readonly<Record<string, string>>, all: readonly string[]) => {
      for (const hashes of inParts(all))
        for (const [table, where] of Object.entries(rows)) steps.push({ table, where, params: { projectId, hashes } })
    }
    const withEvents = own.filter((each) => each.withEvents).map(({ hash }) => hash)
    add(Object.fromEntries(tables.withEvents.map((table) => [table, isHashed('distinct_id')])), withEvents)
    const allHashes = own.map(({ hash }) => hash)
    add(ROWS_OF_PERSONS, allHashes)
  }
  for (const { projectId, target } of deletions)
    for (const { table, where, params } of conditionsOf(target as Target))
      steps.push({ table, where, params: { ...params, projectId } })
  return steps.filter(({ table }) => tables.all.includes(table))
}

/** Names of the tables of projects, and of those with rows of events. */
export interface Tables {
  readonly all: readonly string[]
  readonly withEvents: readonly string[]
}

/** Deletes again what a journal says was deleted. Returns the number of rows. For one server. */
export const replay = async (
  storage: Pick<Storage, 'rows' | 'remove'>,
  journal: Journal,
  tables: Tables,
): Promise<number> => {
  let deleted = 0
  for (const { table, where, params } of stepsOf(journal, tables)) {
    const [found] = await storage.rows<{ n: number }>(
      { text: `SELECT count() AS n FROM db.${table} WHERE project_id = {projectId:UInt32} AND (${where})`, params },
      SMALL_READ,
    )
    // Deleting rewrites files, even if no row is deleted.
    if (!Number(found!.n)) continue
    await storage.remove({ table, where, params }, LIMITS)
    deleted += Number(found!.n)
  }
  return deleted
}
