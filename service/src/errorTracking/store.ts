import { randomUUID } from 'node:crypto'
import { setImmediate } from 'node:timers/promises'
import type { Kysely, Selectable } from 'kysely'
import { type MetadataContext, now } from '../storage/metadata/context.ts'
import { inPages } from '../storage/metadata/pages.ts'
import type { Tables } from '../storage/metadata/tables.ts'

export type IssueState = 'active' | 'resolved' | 'ignored'

/** A group of errors with one cause. */
export interface ErrorIssue {
  /** UUID. */
  readonly id: string
  readonly type: string
  readonly value: string
  /** Where it was thrown: file and function. '': unknown. */
  readonly culprit: string
  readonly state: IssueState
  readonly createdAt: string
  readonly resolvedAt: string | null
  /** The newest release when it was resolved. '': there was none. */
  readonly resolvedRelease: string | null
  /** When a resolved issue regressed. */
  readonly reopenedAt: string | null
  /** Total number of events at which an ignored issue becomes active again. Null: never. */
  readonly ignoredUntil: number | null
}

/** A stack whose fingerprint is known. */
export interface ErrorStack {
  readonly stack: string
  readonly fingerprint: string
  /** Debug ids of its files. */
  readonly mapIds: readonly string[]
  /** Whether a source map came after the fingerprint was computed. */
  readonly isStale: boolean
}

export interface SourceMapRecord {
  readonly id: string
  /** SHA-256 of the uncompressed file. */
  readonly hash: string
  /** Bytes as stored. */
  readonly bytes: number
  readonly parts: number
  readonly createdAt: string
}

/** A new state of an issue. */
export interface IssueStateChange extends Pick<ErrorIssue, 'state' | 'ignoredUntil'> {
  /** The newest release, for a resolved issue. */
  readonly release: string
}

export type NewIssue = Pick<ErrorIssue, 'type' | 'value' | 'culprit'>

/** Issues of exceptions, the fingerprints they consist of, and which source maps exist. */
export interface ErrorTrackingStore {
  issues(projectId: number): Promise<ErrorIssue[]>
  issue(projectId: number, id: string): Promise<ErrorIssue | undefined>
  /** Returns the issue of each fingerprint. */
  fingerprints(projectId: number): Promise<Map<string, string>>
  stacks(projectId: number): Promise<ErrorStack[]>
  countIssues(projectId: number): Promise<number>
  /**
   * Stores the fingerprint of a stack. The fingerprint belongs to its issue, else to the issue that the stack had before,
   * else to a new one, or to the shared issue of the project if it has `maxIssues` issues. Returns whether a new fingerprint
   * went there.
   */
  assign(projectId: number, stack: Omit<ErrorStack, 'isStale'>, issue: NewIssue, maxIssues: number): Promise<boolean>
  /**
   * Removes stacks, then their fingerprints without a stack: those of the shared issue, and those that are an issue by
   * themselves, if nobody has changed its state. With them, the issue is removed. In steps, each of which is a transaction.
   */
  forget(projectId: number, stacks: readonly string[]): Promise<void>
  /** Marks the stacks of a file, so that their fingerprints are computed again. */
  markStale(projectId: number, mapId: string): Promise<void>
  /** Changes the state. */
  setState(projectId: number, id: string, change: IssueStateChange): Promise<void>
  /** Makes a resolved or ignored issue active. */
  reopen(projectId: number, id: string): Promise<void>
  /** Moves the fingerprints of other issues to an issue and removes those issues. */
  merge(projectId: number, id: string, others: readonly string[]): Promise<void>
  /** Moves fingerprints of an issue to a new one. Returns its id. */
  split(projectId: number, id: string, fingerprints: readonly string[]): Promise<string>
  sourceMap(projectId: number, id: string): Promise<SourceMapRecord | undefined>
  /** Records a source map. Returns the record that exists now, which is of another process if that was faster. */
  addSourceMap(projectId: number, map: Omit<SourceMapRecord, 'createdAt'>): Promise<SourceMapRecord>
}

/** The fingerprint that the shared issue begins with. All others are hashes. */
const OVERFLOW = 'overflow'
const OVERFLOW_ISSUE: NewIssue = {
  type: 'Other exceptions',
  value: 'The project has reached its limit of issues (TRAILMARK_ERROR_ISSUES).',
  culprit: '',
}

// Maximum values of one statement.
const MAX_VALUES = 500
// Maximum stacks that one transaction removes, which takes SQLite about 5 ms.
const MAX_FORGOTTEN = 100

const toIssue = (row: Selectable<Tables['error_issues']>): ErrorIssue => ({
  id: row.id,
  type: row.type,
  value: row.value,
  culprit: row.culprit,
  state: row.state as IssueState,
  createdAt: row.created_at,
  resolvedAt: row.resolved_at,
  resolvedRelease: row.resolved_release,
  reopenedAt: row.reopened_at,
  ignoredUntil: row.ignored_until,
})

const toSourceMap = (row: Selectable<Tables['source_maps']>): SourceMapRecord => ({
  id: row.id,
  hash: row.hash,
  bytes: row.bytes,
  parts: row.parts,
  createdAt: row.created_at,
})

const toIssueRow = (projectId: number, issue: NewIssue): Selectable<Tables['error_issues']> => ({
  id: randomUUID(),
  project_id: projectId,
  type: issue.type,
  value: issue.value,
  culprit: issue.culprit,
  state: 'active',
  created_at: now(),
  resolved_at: null,
  resolved_release: null,
  reopened_at: null,
  ignored_until: null,
})

const issueOf = async (db: Kysely<Tables>, projectId: number, fingerprint: string): Promise<string | undefined> =>
  (
    await db
      .selectFrom('error_fingerprints')
      .select('issue_id')
      .where('project_id', '=', projectId)
      .where('fingerprint', '=', fingerprint)
      .executeTakeFirst()
  )?.issue_id

const readSourceMap = async (db: Kysely<Tables>, projectId: number, id: string) =>
  db.selectFrom('source_maps').selectAll().where('project_id', '=', projectId).where('id', '=', id).executeTakeFirst()

/** Creates an issue in a transaction. Returns its id. */
const createIssue = async (db: Kysely<Tables>, projectId: number, issue: NewIssue): Promise<string> => {
  const row = toIssueRow(projectId, issue)
  await db.insertInto('error_issues').values(row).execute()
  return row.id
}

const countIssues = async (db: Kysely<Tables>, projectId: number): Promise<number> =>
  Number(
    (
      await db
        .selectFrom('error_issues')
        .select(({ fn }) => fn.countAll().as('count'))
        .where('project_id', '=', projectId)
        .executeTakeFirstOrThrow()
    ).count,
  )

const addFingerprint = (db: Kysely<Tables>, projectId: number, fingerprint: string, issue_id: string) =>
  db.insertInto('error_fingerprints').values({ project_id: projectId, fingerprint, issue_id }).execute()

/** Returns the issue of fingerprints beyond the limit, which is created at the first one. */
const sharedIssue = async (db: Kysely<Tables>, projectId: number): Promise<string> => {
  const found = await issueOf(db, projectId, OVERFLOW)
  if (found) return found
  const id = await createIssue(db, projectId, OVERFLOW_ISSUE)
  await addFingerprint(db, projectId, OVERFLOW, id)
  return id
}

/** Removes stacks with the fingerprints and issues that only they had. Pass at most `MAX_FORGOTTEN`. */
const forgetStacks = async (db: Kysely<Tables>, projectId: number, stacks: readonly string[]): Promise<void> => {
  const ofProject = db.selectFrom('error_stacks').where('project_id', '=', projectId)
  const removed = await ofProject.where('stack', 'in', stacks).select('fingerprint').execute()
  await db.deleteFrom('error_stacks').where('project_id', '=', projectId).where('stack', 'in', stacks).execute()
  const fingerprints = [...new Set(removed.map(({ fingerprint }) => fingerprint))]
  if (!fingerprints.length) return
  const stillUsed = new Set(
    (await ofProject.where('fingerprint', 'in', fingerprints).select('fingerprint').execute()).map(
      ({ fingerprint }) => fingerprint,
    ),
  )
  const unused = fingerprints.filter((each) => !stillUsed.has(each))
  if (!unused.length) return
  const found = await db
    .selectFrom('error_fingerprints as f')
    .innerJoin('error_issues as i', 'i.id', 'f.issue_id')
    .where('f.project_id', '=', projectId)
    .where('f.fingerprint', 'in', unused)
    .select((of) => [
      'f.fingerprint',
      'f.issue_id',
      'i.state',
      'i.reopened_at',
      of
        .selectFrom('error_fingerprints as all')
        .whereRef('all.issue_id', '=', 'f.issue_id')
        .select(({ fn }) => fn.countAll().as('count'))
        .as('fingerprints'),
    ])
    .execute()
  const shared = await issueOf(db, projectId, OVERFLOW)
  const forgotten = found.filter(
    ({ issue_id, state, reopened_at, fingerprints: count }) =>
      issue_id === shared || (Number(count) === 1 && state === 'active' && !reopened_at),
  )
  if (!forgotten.length) return
  await db
    .deleteFrom('error_fingerprints')
    .where('project_id', '=', projectId)
    .where(
      'fingerprint',
      'in',
      forgotten.map(({ fingerprint }) => fingerprint),
    )
    .execute()
  const issues = forgotten.map(({ issue_id }) => issue_id).filter((id) => id !== shared)
  if (issues.length)
    await db.deleteFrom('error_issues').where('project_id', '=', projectId).where('id', 'in', issues).execute()
}

const createForget =
  (transact: MetadataContext['transact']): ErrorTrackingStore['forget'] =>
  async (projectId, stacks) => {
    for (let at = 0; at < stacks.length; at += MAX_FORGOTTEN) {
      await transact((transaction) => forgetStacks(transaction, projectId, stacks.slice(at, at + MAX_FORGOTTEN)))
      await setImmediate()
    }
  }

const createLists = (db: Kysely<Tables>): Pick<ErrorTrackingStore, 'issues' | 'fingerprints' | 'stacks'> => ({
  async issues(projectId) {
    const ofProject = db.selectFrom('error_issues').selectAll().where('project_id', '=', projectId)
    const issues: ErrorIssue[] = []
    await inPages(
      (after, limit) => ofProject.where('id', '>', after).orderBy('id').limit(limit).execute(),
      ({ id }) => id,
      (row) => issues.push(toIssue(row)),
    )
    return issues
  },
  async fingerprints(projectId) {
    const ofProject = db.selectFrom('error_fingerprints').selectAll().where('project_id', '=', projectId)
    const issues = new Map<string, string>()
    await inPages(
      (after, limit) => ofProject.where('fingerprint', '>', after).orderBy('fingerprint').limit(limit).execute(),
      ({ fingerprint }) => fingerprint,
      ({ fingerprint, issue_id }) => issues.set(fingerprint, issue_id),
    )
    return issues
  },
  async stacks(projectId) {
    const ofProject = db.selectFrom('error_stacks').selectAll().where('project_id', '=', projectId)
    const stacks: ErrorStack[] = []
    await inPages(
      (after, limit) => ofProject.where('stack', '>', after).orderBy('stack').limit(limit).execute(),
      ({ stack }) => stack,
      ({ stack, fingerprint, map_ids, is_stale }) =>
        stacks.push({ stack, fingerprint, mapIds: map_ids.split(' ').filter(Boolean), isStale: is_stale !== 0 }),
    )
    return stacks
  },
})

const createIssueMoves = (transact: MetadataContext['transact']): Pick<ErrorTrackingStore, 'merge' | 'split'> => ({
  merge: (projectId, id, others) =>
    transact(async (transaction) => {
      await transaction
        .updateTable('error_fingerprints')
        .set({ issue_id: id })
        .where('project_id', '=', projectId)
        .where('issue_id', 'in', others)
        .execute()
      await transaction
        .deleteFrom('error_issues')
        .where('project_id', '=', projectId)
        .where('id', 'in', others)
        .execute()
    }),
  split: (projectId, id, fingerprints) =>
    transact(async (transaction) => {
      const from = await transaction
        .selectFrom('error_issues')
        .selectAll()
        .where('project_id', '=', projectId)
        .where('id', '=', id)
        .executeTakeFirstOrThrow()
      const issue_id = await createIssue(transaction, projectId, from)
      for (let at = 0; at < fingerprints.length; at += MAX_VALUES)
        await transaction
          .updateTable('error_fingerprints')
          .set({ issue_id })
          .where('project_id', '=', projectId)
          .where('issue_id', '=', id)
          .where('fingerprint', 'in', fingerprints.slice(at, at + MAX_VALUES))
          .execute()
      return issue_id
    }),
})

const createSourceMapStore = (db: Kysely<Tables>): Pick<ErrorTrackingStore, 'sourceMap' | 'addSourceMap'> => ({
  async sourceMap(projectId, id) {
    const row = await readSourceMap(db, projectId, id)
    return row && toSourceMap(row)
  },
  async addSourceMap(projectId, { id, hash, bytes, parts }) {
    await db
      .insertInto('source_maps')
      .values({ project_id: projectId, id, hash, bytes, parts, created_at: now() })
      .onConflict((conflict) => conflict.columns(['project_id', 'id']).doNothing())
      .execute()
    return toSourceMap((await readSourceMap(db, projectId, id))!)
  },
})

export const createErrorTrackingStore = ({
  db,
  transact,
}: Pick<MetadataContext, 'db' | 'transact'>): ErrorTrackingStore => ({
  ...createLists(db),
  async issue(projectId, id) {
    const ofProject = db.selectFrom('error_issues').selectAll().where('project_id', '=', projectId)
    const row = await ofProject.where('id', '=', id).executeTakeFirst()
    return row && toIssue(row)
  },
  countIssues: (projectId) => countIssues(db, projectId),
  assign: (projectId, { stack, fingerprint, mapIds }, issue, maxIssues) =>
    transact(async (transaction) => {
      let isOverflow = false
      if (!(await issueOf(transaction, projectId, fingerprint))) {
        const before = await transaction
          .selectFrom('error_stacks')
          .select('fingerprint')
          .where('project_id', '=', projectId)
          .where('stack', '=', stack)
          .executeTakeFirst()
        const former = before && (await issueOf(transaction, projectId, before.fingerprint))
        isOverflow = !former && (await countIssues(transaction, projectId)) >= maxIssues
        const issue_id =
          former ??
          (isOverflow ? await sharedIssue(transaction, projectId) : await createIssue(transaction, projectId, issue))
        // What the source map shows is better than what was known before it.
        if (before)
          await transaction
            .updateTable('error_issues')
            .set({ culprit: issue.culprit })
            .where('project_id', '=', projectId)
            .where('id', '=', issue_id)
            .execute()
        await addFingerprint(transaction, projectId, fingerprint, issue_id)
      }
      const map_ids = mapIds.length ? ` ${mapIds.join(' ')} ` : ''
      await transaction
        .insertInto('error_stacks')
        .values({ project_id: projectId, stack, fingerprint, map_ids, is_stale: 0 })
        .onConflict((conflict) =>
          conflict.columns(['project_id', 'stack']).doUpdateSet({ fingerprint, map_ids, is_stale: 0 }),
        )
        .execute()
      return isOverflow
    }),
  forget: createForget(transact),
  async markStale(projectId, mapId) {
    const ofProject = db.selectFrom('error_stacks').select('stack').where('project_id', '=', projectId)
    await inPages(
      async (after, limit) => {
        const page = await ofProject.where('stack', '>', after).orderBy('stack').limit(limit).execute()
        if (page.length)
          await db
            .updateTable('error_stacks')
            .set({ is_stale: 1 })
            .where('project_id', '=', projectId)
            .where('stack', '>', after)
            .where('stack', '<=', page.at(-1)!.stack)
            .where('map_ids', 'like', `% ${mapId} %`)
            .execute()
        return page
      },
      ({ stack }) => stack,
      () => {},
    )
  },
  async setState(projectId, id, { state, release, ignoredUntil }) {
    const isResolved = state === 'resolved'
    await db
      .updateTable('error_issues')
      .set({
        state,
        resolved_at: isResolved ? now() : null,
        resolved_release: isResolved ? release : null,
        reopened_at: null,
        ignored_until: state === 'ignored' ? ignoredUntil : null,
      })
      .where('project_id', '=', projectId)
      .where('id', '=', id)
      .execute()
  },
  async reopen(projectId, id) {
    await db
      .updateTable('error_issues')
      .set({ state: 'active', reopened_at: now(), ignored_until: null })
      .where('project_id', '=', projectId)
      .where('id', '=', id)
      .where('state', '!=', 'active')
      .execute()
  },
  ...createIssueMoves(transact),
  ...createSourceMapStore(db),
})
