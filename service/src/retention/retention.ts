import type { Log } from '../lib/log.ts'
import { changedDays, type Hidden, hiddenAt, type Policy } from './policy.ts'
import type { ChangeRows } from './retainer.ts'
import type { DeletionStore, RetentionState, RetentionStore } from './store.ts'

/** Time that rows stay stored after a new policy has hidden them, so that a mistake can be undone. */
const UNDO_MS = 24 * 3_600_000

export interface Retention {
  get(projectId: number): Promise<RetentionState>
  /** Changes the retention policy. Resolves when older data is hidden from queries. */
  set(projectId: number, policy: Policy, actor: string): Promise<RetentionState>
  /** Hides expired data. Requests the deletion of hidden rows if it is due. */
  refresh(): Promise<void>
}

export interface RetentionOptions {
  readonly store: RetentionStore
  readonly deletions: Pick<DeletionStore, 'add'>
  readonly changeRows: ChangeRows
  readonly now: () => number
  readonly log: Log
}

const isSame = (one: unknown, other: unknown) => JSON.stringify(one) === JSON.stringify(other)

const hidesNothing = ({ events, named, heatmaps, recordings }: Hidden): boolean =>
  [events, heatmaps, recordings, ...named.map(({ before }) => before)].every((cutoff) => cutoff === null)

/** Returns the time of the next deletion of hidden rows. `undefined`: nothing is hidden. */
export const deletionDueAt = ({ hidden, changedAt, deletedAt }: RetentionState): Date | undefined => {
  if (hidesNothing(hidden) || !changedAt) return undefined
  const undoUntil = new Date(Date.parse(changedAt) + UNDO_MS)
  if (!deletedAt || deletedAt < changedAt) return undoUntil
  // Deleting rewrites the files of a table, so it happens once a month.
  const last = new Date(deletedAt)
  return new Date(Date.UTC(last.getUTCFullYear(), last.getUTCMonth() + 1))
}

export const createRetention = ({ store, deletions, changeRows, now, log }: RetentionOptions): Retention => {
  /** Hides what the policy of a project hides now, and shows what it does not. */
  const hide = async (projectId: number): Promise<RetentionState> => {
    const { policy, hidden: before } = await store.get(projectId)
    const next = hiddenAt(policy, now())
    if (isSame(before, next)) return store.get(projectId)
    await changeRows(
      projectId,
      async () => changedDays(before, next),
      async () => {
        // Another process may have changed the policy in the meantime. In that case, that process hides the data.
        await store.change(projectId, (state) => (isSame(state.policy, policy) ? { ...state, hidden: next } : state))
      },
    )
    return store.get(projectId)
  }

  return {
    get: store.get,
    async set(projectId, policy, actor) {
      const before = (await store.get(projectId)).policy
      if (!isSame(before, policy)) {
        const changedAt = new Date(now()).toISOString()
        await store.change(projectId, (state) => ({ ...state, policy, changedAt, changedBy: actor }))
        await deletions.add({ projectId, kind: 'policy', state: 'done', target: { before, after: policy }, actor })
      }
      return hide(projectId)
    },
    async refresh() {
      for (const projectId of await store.projects()) {
        try {
          const dueAt = deletionDueAt(await hide(projectId))
          if (!dueAt || dueAt.getTime() > now()) continue
          // Stored before the request, so that only one process requests the deletion.
          let isOurs = false
          const state = await store.change(projectId, (current) => {
            isOurs = deletionDueAt(current)?.getTime() === dueAt.getTime()
            return isOurs ? { ...current, deletedAt: new Date(now()).toISOString() } : current
          })
          if (isOurs)
            await deletions.add({
              projectId,
              kind: 'retention',
              state: 'queued',
              target: state.hidden,
              actor: 'retention',
            })
        } catch (error) {
          log(`retention: project ${projectId}: ${(error as Error).message}`, { level: 'error' })
        }
      }
    },
  }
}
