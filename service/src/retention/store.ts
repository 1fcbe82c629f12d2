import { randomUUID } from 'node:crypto'
import type { Selectable } from 'kysely'
import { type MetadataContext, now } from '../storage/metadata/context.ts'
import type { Tables } from '../storage/metadata/tables.ts'
import type { SeenRowsOf } from '../storage/storage.ts'
import { type Hidden, HIDES_NOTHING, KEEPS_ALL, type Policy, seenRowsOf } from './policy.ts'
import type { Target } from './target.ts'

/** Retention policy of a project, and its state. */
export interface RetentionState {
  readonly policy: Policy
  /** Data that is currently hidden from queries. */
  readonly hidden: Hidden
  /** Time and actor of the last change of the policy. */
  readonly changedAt?: string
  readonly changedBy?: string
  /** Time of the last deletion of hidden rows. */
  readonly deletedAt?: string
}

const INITIAL: RetentionState = { policy: KEEPS_ALL, hidden: HIDES_NOTHING }

/** Kinds of deletions: by condition, by age, or by a change of the retention policy. */
export type DeletionKind = 'events' | 'retention' | 'policy'

/** States of a deletion before it ends: its events are being counted, have been counted, are waiting to be deleted, are being deleted. */
export type DeletionState = 'counting' | 'counted' | 'queued' | 'deleting' | 'done' | 'failed' | 'canceled'

/** Result of a deletion. Fields are added as it progresses. */
export interface DeletionResult {
  /** Rows to delete, by table. */
  readonly found?: Readonly<Record<string, number>>
  /** People whose events are among them. */
  readonly people?: number
  readonly first?: string | null
  readonly last?: string | null
  /** Rows that were deleted, by table. */
  readonly deleted?: Readonly<Record<string, number>>
  /** The table that is being rewritten, and how many of its files are left. */
  readonly table?: string
  readonly partsLeft?: number
  readonly error?: string
}

export interface Deletion {
  readonly id: string
  readonly projectId: number
  readonly kind: DeletionKind
  readonly state: DeletionState
  /** A target, or the policies before and after. */
  readonly target: unknown
  readonly result: DeletionResult
  readonly actor: string
  readonly createdAt: string
  readonly endedAt: string | null
}

const toDeletion = (row: Selectable<Tables['deletions']>): Deletion => ({
  id: row.id,
  projectId: row.project_id,
  kind: row.kind as DeletionKind,
  state: row.state as DeletionState,
  target: JSON.parse(row.target_json),
  result: JSON.parse(row.result_json) as DeletionResult,
  actor: row.actor,
  createdAt: row.created_at,
  endedAt: row.ended_at,
})

/** States in which a deletion has work to do. */
const OPEN: readonly DeletionState[] = ['counting', 'queued', 'deleting']
const ENDED: readonly DeletionState[] = ['done', 'failed', 'canceled']

export interface RetentionStore {
  readonly seenRows: SeenRowsOf
  get(projectId: number): Promise<RetentionState>
  change(projectId: number, next: (state: RetentionState) => RetentionState): Promise<RetentionState>
  /** Lists the projects that have a policy. */
  projects(): Promise<readonly number[]>
}

export const createRetentionStore = ({ db, transact, cacheReads }: MetadataContext): RetentionStore => {
  const read = async (projectId: number, from: Pick<typeof db, 'selectFrom'> = db): Promise<RetentionState> => {
    const row = await from
      .selectFrom('retention')
      .select('state_json')
      .where('project_id', '=', projectId)
      .executeTakeFirst()
    return row ? (JSON.parse(row.state_json) as RetentionState) : INITIAL
  }
  const seenRows = cacheReads('seen rows', async (projectId: number) => seenRowsOf((await read(projectId)).hidden))
  return {
    seenRows: async (projectId) => (await seenRows(projectId))!,
    get: (projectId) => read(projectId),
    change: (projectId, next) =>
      transact(async (transaction) => {
        const state = next(await read(projectId, transaction))
        const state_json = JSON.stringify(state)
        await transaction
          .insertInto('retention')
          .values({ project_id: projectId, state_json })
          .onConflict((conflict) => conflict.column('project_id').doUpdateSet({ state_json }))
          .execute()
        return state
      }),
    projects: async () =>
      (await db.selectFrom('retention').select('project_id').execute()).map((row) => row.project_id),
  }
}

export interface DeletionStore {
  add(deletion: Pick<Deletion, 'projectId' | 'kind' | 'state' | 'target' | 'actor'>): Promise<Deletion>
  get(projectId: number, id: string): Promise<Deletion | undefined>
  /** Lists the newest deletions of a project, newest first. */
  list(projectId: number, limit: number): Promise<readonly Deletion[]>
  /** Changes a deletion that is in one of these states. Resolves with it, or `undefined` if it is in another. */
  change(
    id: string,
    from: readonly DeletionState[],
    changes: { readonly state?: DeletionState; readonly result?: DeletionResult },
  ): Promise<Deletion | undefined>
  /** Claims the oldest deletion with work to do that no process works on. */
  claim(until: string): Promise<Deletion | undefined>
  /** Extends a claim. */
  renew(id: string, until: string): Promise<void>
  /** Lists the targets of deletions by condition that were carried out at least partly. */
  targets(projectId?: number): Promise<readonly (Deletion & { readonly target: Target })[]>
  /** Adds deletions of another store, unless they are known. */
  restore(deletions: readonly Deletion[]): Promise<void>
}

export const createDeletionStore = ({ db, transact, cacheReads }: MetadataContext): DeletionStore => {
  const targetsOf = async (projectId: number) => {
    const all = db.selectFrom('deletions').selectAll().where('kind', '=', 'events')
    const carriedOut = all.where('state', 'in', ['deleting', 'done', 'failed'])
    const rows = await (projectId ? carriedOut.where('project_id', '=', projectId) : carriedOut).execute()
    return rows.map(toDeletion) as (Deletion & { readonly target: Target })[]
  }
  const cachedTargets = cacheReads('deletion targets', targetsOf)
  return {
    async add({ projectId, kind, state, target, actor }) {
      const at = now()
      const row: Selectable<Tables['deletions']> = {
        id: randomUUID(),
        project_id: projectId,
        kind,
        state,
        target_json: JSON.stringify(target),
        result_json: '{}',
        actor,
        created_at: at,
        ended_at: ENDED.includes(state) ? at : null,
        claimed_until: null,
      }
      await db.insertInto('deletions').values(row).execute()
      return toDeletion(row)
    },
    async get(projectId, id) {
      const row = await db
        .selectFrom('deletions')
        .selectAll()
        .where('project_id', '=', projectId)
        .where('id', '=', id)
        .executeTakeFirst()
      return row && toDeletion(row)
    },
    async list(projectId, limit) {
      const rows = await db
        .selectFrom('deletions')
        .selectAll()
        .where('project_id', '=', projectId)
        .orderBy('created_at', 'desc')
        .orderBy('id', 'desc')
        .limit(limit)
        .execute()
      return rows.map(toDeletion)
    },
    change: (id, from, { state, result }) =>
      transact(async (transaction) => {
        const row = await transaction.selectFrom('deletions').selectAll().where('id', '=', id).executeTakeFirst()
        if (!row || !from.includes(row.state as DeletionState)) return undefined
        const next = {
          ...row,
          ...(state ? { state, ended_at: ENDED.includes(state) ? now() : null } : {}),
          ...(result
            ? { result_json: JSON.stringify({ ...(JSON.parse(row.result_json) as DeletionResult), ...result }) }
            : {}),
        }
        const { state: nextState, ended_at, result_json } = next
        await transaction
          .updateTable('deletions')
          .set({ state: nextState, ended_at, result_json })
          .where('id', '=', id)
          .execute()
        return toDeletion(next)
      }),
    claim: (until) =>
      transact(async (transaction) => {
        const row = await transaction
          .selectFrom('deletions')
          .selectAll()
          .where('state', 'in', [...OPEN])
          .where((is) => is.or([is('claimed_until', 'is', null), is('claimed_until', '<', now())]))
          .orderBy('created_at')
          .limit(1)
          .executeTakeFirst()
        if (!row) return undefined
        await transaction.updateTable('deletions').set({ claimed_until: until }).where('id', '=', row.id).execute()
        return toDeletion(row)
      }),
    async renew(id, until) {
      await db.updateTable('deletions').set({ claimed_until: until }).where('id', '=', id).execute()
    },
    targets: async (projectId = 0) => (await cachedTargets(projectId))!,
    async restore(deletions) {
      for (const each of deletions)
        await db
          .insertInto('deletions')
          .values({
            id: each.id,
            project_id: each.projectId,
            kind: each.kind,
            state: each.state,
            target_json: JSON.stringify(each.target),
            result_json: JSON.stringify(each.result),
            actor: each.actor,
            created_at: each.createdAt,
            ended_at: each.endedAt,
            claimed_until: null,
          })
          .onConflict((conflict) => conflict.column('id').doNothing())
          .execute()
    },
  }
}

/** An entry for an erased id of a person. */
export interface ErasedId {
  readonly projectId: number
  readonly hash: string
  readonly erasedAt: string
  /** Whether events were deleted too. */
  readonly withEvents: boolean
}

export interface ErasureStore {
  add(erased: readonly ErasedId[]): Promise<void>
  /** Returns the time of the last erasure of events in a project. '': never. */
  newest(projectId: number): Promise<string>
  /** Returns the time at which the events of an id were erased. */
  erasedAt(projectId: number, hash: string): Promise<string | undefined>
  all(): Promise<readonly ErasedId[]>
}

export const createErasureStore = ({ db, transact, cacheReads }: MetadataContext): ErasureStore => {
  const newest = cacheReads('newest erasure', async (projectId: number) => {
    const row = await db
      .selectFrom('erasures')
      .select(({ fn }) => fn.max('erased_at').as('last'))
      .where('project_id', '=', projectId)
      .where('with_events', '=', 1)
      .executeTakeFirst()
    return row?.last ?? ''
  })
  return {
    add: (erased) =>
      transact(async (transaction) => {
        for (const { projectId, hash, erasedAt, withEvents } of erased) {
          const key = { project_id: projectId, id_hash: hash }
          const known = await transaction
            .selectFrom('erasures')
            .selectAll()
            .where('project_id', '=', projectId)
            .where('id_hash', '=', hash)
            .executeTakeFirst()
          // An erasure without events says nothing about events, which would be refused.
          const isKnownBetter =
            known &&
            (known.with_events > Number(withEvents) ||
              (known.with_events === Number(withEvents) && known.erased_at > erasedAt))
          if (isKnownBetter) continue
          const values = { erased_at: erasedAt, with_events: Number(withEvents) }
          await transaction
            .insertInto('erasures')
            .values({ ...key, ...values })
            .onConflict((conflict) => conflict.columns(['project_id', 'id_hash']).doUpdateSet(values))
            .execute()
        }
      }),
    newest: async (projectId) => (await newest(projectId))!,
    async erasedAt(projectId, hash) {
      const row = await db
        .selectFrom('erasures')
        .select('erased_at')
        .where('project_id', '=', projectId)
        .where('id_hash', '=', hash)
        .where('with_events', '=', 1)
        .executeTakeFirst()
      return row?.erased_at
    },
    all: async () =>
      (await db.selectFrom('erasures').selectAll().execute()).map((row) => ({
        projectId: row.project_id,
        hash: row.id_hash,
        erasedAt: row.erased_at,
        withEvents: row.with_events === 1,
      })),
  }
}
