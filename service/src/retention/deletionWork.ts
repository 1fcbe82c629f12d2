import { setOwn } from '../lib/own.ts'
import type { Log } from '../lib/log.ts'
import { pause } from '../lib/wait.ts'
import { SMALL_READ, type Storage } from '../storage/storage.ts'
import { type Hidden, seenRowsOf } from './policy.ts'
import type { ChangeRows } from './retainer.ts'
import type { Deletion, DeletionResult, DeletionState, DeletionStore } from './store.ts'
import { type Condition, conditionsOf, type Target } from './target.ts'

const LIMITS = { maxSeconds: 3_000, maxMemoryBytes: 2_000_000_000 }
const CLAIM_MS = 30_000
const HEARTBEAT_MS = 2_000
/** Maximum number of listed days. With more, all days count as changed. */
const MAX_DAYS = 366

type Step = Condition & { readonly table: string }

/** Carries out dry runs and deletions, one at a time. */
export interface DeletionWork {
  /** Works on everything that waits. Continues what a killed process began. */
  work(): Promise<void>
  /** Resolves when this process has no deletion in progress, or after a second. */
  close(): Promise<void>
}

export interface DeletionsOptions {
  readonly store: DeletionStore
  readonly storage: Pick<Storage, 'rows' | 'remove' | 'command' | 'rowsDatabase'>
  readonly changeRows: ChangeRows
  readonly now: () => number
  readonly log: Log
}

const stepsOf = ({ kind, target }: Deletion): readonly Step[] =>
  kind === 'retention'
    ? Object.entries(seenRowsOf(target as Hidden)).map(([table, seen]) => ({
        table,
        where: `NOT (${seen})`,
        params: {},
      }))
    : conditionsOf(target as Target)

export const createDeletionWork = ({ store, storage, changeRows, now, log }: DeletionsOptions): DeletionWork => {
  let isClosed = false
  let working: Promise<void> | undefined

  const rows = <Row>(projectId: number, text: string, params: Condition['params'] = {}) =>
    storage.rows<Row>({ text, params: { ...params, projectId } }, SMALL_READ)
  const count = async (projectId: number, { table, where, params }: Step): Promise<number> => {
    const [row] = await rows<{ n: number }>(
      projectId,
      `SELECT count() AS n FROM db.${table} WHERE project_id = {projectId:UInt32} AND (${where})`,
      params,
    )
    return Number(row!.n)
  }
  const countAll = async (projectId: number, steps: readonly Step[]) => {
    const counts: Record<string, number> = {}
    for (const step of steps) setOwn(counts, step.table, await count(projectId, step))
    return counts
  }

  const dryRun = async (deletion: Deletion): Promise<DeletionResult> => {
    const { projectId } = deletion
    const steps = stepsOf(deletion)
    const { where, params } = steps.find(({ table }) => table === 'events')!
    const [row] = await rows<{ people: number; first: string; last: string }>(
      projectId,
      `SELECT uniqExact(distinct_id) AS people, formatDateTime(min(timestamp), '%FT%TZ', 'UTC') AS first, formatDateTime(max(timestamp), '%FT%TZ', 'UTC') AS last
        FROM db.events WHERE project_id = {projectId:UInt32} AND (${where})`,
      params,
    )
    const found = await countAll(projectId, steps)
    const has = Number(found.events) > 0
    return { found, people: Number(row!.people), first: has ? row!.first : null, last: has ? row!.last : null }
  }

  const daysOf = async (projectId: number, { where, params }: Step): Promise<readonly string[] | undefined> => {
    const days = await rows<{ day: string }>(
      projectId,
      `SELECT DISTINCT toString(toDate32(timestamp)) AS day FROM db.events WHERE project_id = {projectId:UInt32} AND (${where}) LIMIT ${MAX_DAYS + 1}`,
      params,
    )
    return days.length > MAX_DAYS ? undefined : days.map(({ day }) => day)
  }

  /** Marks the statement of a deletion, by which it is found and ended. */
  const marked = (id: string, { where, params }: Condition): Condition => ({
    where: `(${where}) AND {mark:String} != ''`,
    params: { ...params, mark: id },
  })

  const partsLeft = async (id: string): Promise<number> => {
    const [row] = await storage.rows<{ parts: number }>(
      {
        text: 'SELECT sum(parts_to_do) AS parts FROM system.mutations WHERE database = {database:String} AND NOT is_done AND position(command, {id:String}) > 0',
        params: { database: storage.rowsDatabase, id },
      },
      SMALL_READ,
    )
    return Number(row?.parts ?? 0)
  }

  const isCanceled = async ({ projectId, id }: Deletion) => (await store.get(projectId, id))?.state === 'canceled'

  /** Deletes the rows of all tables. Returns the number of deleted rows by table. */
  const removeAll = async (deletion: Deletion): Promise<DeletionResult> => {
    const { id, projectId } = deletion
    const deleted: Record<string, number> = {}
    for (const step of stepsOf(deletion)) {
      if (await isCanceled(deletion)) break
      const before = await count(projectId, step)
      setOwn(deleted, step.table, before)
      if (!before) continue
      await store.change(id, ['deleting'], { result: { table: step.table } })
      const { table } = step
      const { where, params } = marked(id, step)
      try {
        await storage.remove({ table, where, params: { ...params, projectId } }, LIMITS)
      } catch (error) {
        if (!(await isCanceled(deletion))) throw error
        setOwn(deleted, table, before - (await count(projectId, step)))
      }
    }
    return { deleted }
  }

  const remove = async (deletion: Deletion): Promise<DeletionResult> => {
    const { projectId, kind } = deletion
    // Hidden rows are in no result and in no table.
    if (kind === 'retention') return removeAll(deletion)
    const events = stepsOf(deletion).find(({ table }) => table === 'events')!
    let result: DeletionResult = {}
    await changeRows(
      projectId,
      () => daysOf(projectId, events),
      async () => {
        result = await removeAll(deletion)
      },
    )
    return result
  }

  const WORK: Readonly<
    Partial<
      Record<DeletionState, { readonly end: DeletionState; readonly run: (of: Deletion) => Promise<DeletionResult> }>
    >
  > = {
    counting: { end: 'counted', run: dryRun },
    deleting: { end: 'done', run: remove },
  }

  const workOn = async (claimed: Deletion) => {
    const { id } = claimed
    const deletion = claimed.state === 'queued' ? await store.change(id, ['queued'], { state: 'deleting' }) : claimed
    const work = deletion && WORK[deletion.state]
    if (!work) return
    const claim = () => store.renew(id, new Date(now() + CLAIM_MS).toISOString())
    const heartbeat = setInterval(() => {
      void claim()
        .then(() => (deletion.state === 'deleting' ? partsLeft(id) : 0))
        .then((parts) => store.change(id, ['deleting'], { result: { partsLeft: parts } }))
        .catch(() => {}) // The next heartbeat may succeed.
    }, HEARTBEAT_MS)
    try {
      const result = await work.run(deletion)
      await store.change(id, [deletion.state], { state: work.end, result: { ...result, partsLeft: 0 } })
      await store.change(id, ['canceled'], { result })
    } catch (error) {
      log(`deletion ${id}: ${(error as Error).message}`, { level: 'error' })
      // Tried again when the claim has expired, unless the service is stopping.
      if (!isClosed)
        await store.change(id, [deletion.state], { result: { error: 'The event store failed. It is tried again.' } })
      await claim()
    } finally {
      clearInterval(heartbeat)
    }
  }

  const workOnAll = async () => {
    for (;;) {
      if (isClosed) return
      const claimed = await store.claim(new Date(now() + CLAIM_MS).toISOString())
      if (!claimed) return
      await workOn(claimed)
    }
  }

  const work = () => (working ??= workOnAll().finally(() => (working = undefined)))

  return {
    work,
    async close() {
      isClosed = true
      await Promise.race([working?.catch(() => {}), pause(1_000)])
    },
  }
}
