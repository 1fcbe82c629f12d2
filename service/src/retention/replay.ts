import { inParts, queryInParts } from '../lib/parts.ts'
import type { ForgetPerson } from '../persons/forget.ts'
import { NO_CALLER, SMALL_READ, type Storage } from '../storage/storage.ts'
import { hashOfColumn } from './journal.ts'
import type { Journal } from './journalFile.ts'
import type { ErasedId } from './store.ts'
import type { Target } from './target.ts'
import { conditionsOf } from './target.ts'

const IDS_READ = { maxBytes: 64_000_000, signal: NO_CALLER }
const LIMITS = { maxSeconds: 3_000, maxMemoryBytes: 2_000_000_000 }

const isHashed = (column: string) => `${hashOfColumn(column)} IN {hashes:Array(String)}`

/** Conditions for rows that belong to erased ids, besides rows of events and facts about persons. */
const ROWS_OF_PERSONS: Readonly<Record<string, string>> = {
  // Delete sessions first, because their chunks identify them.
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

const IDS = `SELECT DISTINCT id FROM (
    SELECT distinct_id AS id FROM db.person_properties WHERE project_id = {projectId:UInt32}
    UNION ALL SELECT distinct_id AS id FROM db.person_distinct_ids WHERE project_id = {projectId:UInt32}
    UNION ALL SELECT distinct_id AS id FROM db.person_merges WHERE project_id = {projectId:UInt32}
  ) WHERE ${isHashed('id')}`

export interface ReplayOptions {
  readonly storage: Pick<Storage, 'rows' | 'remove'>
  readonly tables: Tables
  /** Deletes the facts about ids. */
  readonly forget: ForgetPerson
  /** Start of the copy of the event store, in ms since the epoch. */
  readonly copiedAt: number
}

/** Maximum duration of an erasure. A copy may contain half of an erasure that began at most this long before it. */
const ERASURE_MS = 3_600_000

/** Whether the person of an id has come back since the erasure, so that it was complete. */
const hasReturned = async ({ storage }: ReplayOptions, { projectId, hash, erasedAt }: ErasedId): Promise<boolean> => {
  const text = `SELECT 1 FROM db.events WHERE project_id = {projectId:UInt32}
    AND timestamp > fromUnixTimestamp64Milli({at:Int64}) AND ${hashOfColumn('distinct_id')} = {hash:String} LIMIT 1`
  const params = { projectId, hash, at: Date.parse(erasedAt) }
  return (await storage.rows({ text, params }, SMALL_READ)).length > 0
}

/** Returns the erasures of ids that a copy may still contain. */
const erasuresSince = async (options: ReplayOptions, erasures: Journal['erasures']): Promise<Journal['erasures']> => {
  const found: ErasedId[] = []
  for (const each of erasures) {
    const age = options.copiedAt - Date.parse(each.erasedAt)
    if (age <= 0 || (age < ERASURE_MS && !(await hasReturned(options, each)))) found.push(each)
  }
  return found
}

const forgetPersons = async ({ storage, forget }: ReplayOptions, { erasures }: Journal): Promise<number> => {
  let forgotten = 0
  for (const projectId of new Set(erasures.map((each) => each.projectId))) {
    const ids = await queryInParts(
      erasures.filter((each) => each.projectId === projectId).map(({ hash }) => hash),
      (hashes) => storage.rows<{ id: string }>({ text: IDS, params: { projectId, hashes } }, IDS_READ),
    )
    if (!ids.length) continue
    await forget(
      projectId,
      ids.map(({ id }) => id),
    )
    forgotten += ids.length
  }
  return forgotten
}

/** Deletes again what a journal says was deleted. Returns the number of rows and ids. For one server. */
export const replay = async (options: ReplayOptions, all: Journal): Promise<number> => {
  const { storage, tables } = options
  const journal = { ...all, erasures: await erasuresSince(options, all.erasures) }
  let deleted = 0
  for (const { table, where, params } of stepsOf(journal, tables)) {
    const [found] = await storage.rows<{ n: number }>(
      { text: `SELECT count() AS n FROM db.${table} WHERE project_id = {projectId:UInt32} AND (${where})`, params },
      SMALL_READ,
    )
    // A deletion rewrites files even if it deletes no row.
    if (!Number(found!.n)) continue
    await storage.remove({ table, where, params }, LIMITS)
    deleted += Number(found!.n)
  }
  return deleted + (await forgetPersons(options, journal))
}
